import { quoteName, quoteText } from '../../../../sql/quote-name.ts';
import type { Column } from '../../../query-engine.ts';
import type { Session } from '../../http/session.ts';
import { mergeTree, qualified } from '../../load/load-sql.ts';
import { findTableEngine } from '../../topology/table-engine.ts';
import { asMaker, requireStored } from './stored-names.ts';

export interface NewTable {
  readonly session: Session;
  readonly projectId: number;
  readonly table: string;
  readonly columns: readonly Column[];
  readonly orderBy: readonly string[];
  readonly signal: AbortSignal | undefined;
}

/** Types that a result may have are allowed in its table, too. */
export const typeSettings = {
  allow_suspicious_low_cardinality_types: '1',
  allow_suspicious_variant_types: '1',
  allow_suspicious_types_in_order_by: '1',
} as const;

/** Rows per index granule, few of them: a lookup needs one row. */
const INDEX_GRANULARITY = 256;
/** Fewer rows where they are large, as states of sets are: every row of a granule is read to find one. */
const GRANULE_BYTES = 131_072;
/** Without rows. @param name that of the table, or of its copy on another node. */
export async function makeTable(
  { session, projectId, columns, orderBy, signal }: NewTable,
  name: string,
): Promise<void> {
  const definitions = columns.map((column) => `${quoteName(column.name)} ${column.type}`);
  const database = requireStored(session, projectId);
  const { engine, onCluster } = await findTableEngine(session, database);
  const sql = `CREATE TABLE ${qualified(database, name)}${onCluster} (${definitions.join(', ')}) ${mergeTree(orderBy, engine)}, index_granularity = ${INDEX_GRANULARITY}, index_granularity_bytes = ${GRANULE_BYTES}${owned(session)}`;
  await asMaker(session, projectId, { sql, signal, settings: typeSettings });
}

function owned({ owner }: Session): string {
  return owner === undefined ? '' : ` COMMENT ${quoteText(owner)}`;
}

/** The states of two tables with the same rows may be written in different orders. */
export function comparableColumn({ name, type }: Column): string {
  const column = quoteName(name);
  return type.startsWith('AggregateFunction(') ? `finalizeAggregation(${column})` : column;
}
