import { quoteName } from '../../../../sql/quote-name.ts';
import type { Column } from '../../../query-engine.ts';
import type { Session } from '../../http/session.ts';
import { mergeTree, qualified } from '../../load/load-sql.ts';
import { findTableEngine } from '../../topology/table-engine.ts';
import { asMaker, owned, requireStored } from './stored-names.ts';

export interface NewTable {
  readonly session: Session;
  readonly projectId: number;
  readonly table: string;
  readonly columns: readonly Column[];
  readonly orderBy: readonly string[];
  readonly ends: readonly string[];
  readonly signal: AbortSignal | undefined;
}

/** Allows any type of a result in its stored table, and of a table in its copy. */
export const typeSettings = {
  allow_suspicious_fixed_string_types: '1',
  allow_suspicious_low_cardinality_types: '1',
  allow_suspicious_variant_types: '1',
  allow_suspicious_types_in_order_by: '1',
  // A Nested stays one column, as it is in the result.
  flatten_nested: '0',
} as const;

/**
 * Rows per index granule: few, since a lookup needs one row, but enough that large reads do not spend their time
 * between granules. Fewer for large rows, such as states of sets, because every row of a granule is read to find one.
 */
const granules = ', index_granularity = 1024, index_granularity_bytes = 131072';

/** Creates the empty table. @param name the table's name, or that of its copy on another node. */
export async function makeTable(
  { session, projectId, columns, orderBy, ends, signal }: NewTable,
  name: string,
): Promise<void> {
  const definitions = [
    ...columns.map((column) => `${quoteName(column.name)} ${column.type}`),
    ...(ends.length === 0 ? [] : [`INDEX ends (${ends.map(quoteName).join(', ')}) TYPE minmax`]),
  ];
  const database = requireStored(session, projectId);
  const { engine, onCluster } = await findTableEngine(session, database);
  // Without a key every read is a full scan, which the engine's default granules suit best.
  const ownGranules = orderBy.length === 0 ? '' : granules;
  const sql = `CREATE TABLE ${qualified(database, name)}${onCluster} (${definitions.join(', ')}) ${mergeTree(orderBy, engine)}${ownGranules}${owned(session)}`;
  await asMaker(session, projectId, { sql, signal, settings: typeSettings });
}

/** Two tables with the same rows may serialize their states in different orders. */
export function comparableColumn({ name, type }: Column): string {
  const column = quoteName(name);
  return type.startsWith('AggregateFunction(') ? `finalizeAggregation(${column})` : column;
}
