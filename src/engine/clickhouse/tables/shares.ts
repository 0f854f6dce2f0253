/** Tables that are sharded over a cluster, as a Distributed table declares, and their totals. */

import { formatTexts } from '../../../sql/param-value.ts';
import { quoteText } from '../../../sql/quote-name.ts';
import { EngineError, isDenied } from '../errors/engine-error.ts';
import { asAdmin, readRows, type Session } from '../http/session.ts';
import { keyOf, type ListedTable, toCount } from './catalogue.ts';

export interface Size {
  readonly rows: number | null;
  readonly bytes: number | null;
}

interface Shared {
  readonly cluster: string;
  readonly database: string;
  readonly table: string;
}

const ARGUMENT = String.raw`('(?:[^'\\]|\\.)*'|\w+)`;
const DISTRIBUTED = new RegExp(String.raw`^Distributed\(${ARGUMENT}, ${ARGUMENT}, ${ARGUMENT}`);

/** Null for any other table, and when its arguments are more than names. */
export function sharedBy({
  engine,
  engineFull,
}: Pick<ListedTable, 'engine' | 'engineFull'>): Shared | null {
  const found = engine === 'Distributed' ? DISTRIBUTED.exec(engineFull) : null;
  if (found === null) return null;
  const [cluster = '', database = '', table = ''] = found.slice(1).map(unquoted);
  return { cluster, database, table };
}

function unquoted(argument: string): string {
  return argument.startsWith("'") ? argument.slice(1, -1).replace(/\\(.)/gs, '$1') : argument;
}

/**
 * Keyed by the sharded table. Counts one replica per shard. Both totals are null when a shard does not respond or lacks
 * the table; tables that the service may not read are missing.
 */
export async function findShares(
  session: Session,
  tables: readonly ListedTable[],
): Promise<ReadonlyMap<string, Size>> {
  const sizes = new Map<string, Size>();
  const deadline = performance.now() + COUNT_MS;
  for (const listed of tables) {
    const shared = sharedBy(listed);
    if (shared === null) continue;
    const key = keyOf(shared.database, shared.table);
    const isLate = performance.now() > deadline;
    const size = sizes.has(key) ? undefined : isLate ? unknown : await sizeOf(session, shared);
    if (size !== undefined) sizes.set(key, size);
  }
  return sizes;
}

/** Timeout for all tables together, in milliseconds. */
const COUNT_MS = 5000;
const COUNT_SECONDS = 2;
const unknown: Size = { rows: null, bytes: null };

async function sizeOf(
  session: Session,
  { cluster, database, table }: Shared,
): Promise<Size | undefined> {
  const name = quoteText(cluster);
  const sql = `SELECT sum(total_rows), sum(total_bytes), count(), (SELECT uniqExact(shard_num) FROM system.clusters WHERE cluster = ${name})
    FROM cluster(${name}, system.tables) WHERE database = {database:String} AND name = {table:String}
    SETTINGS max_execution_time = ${COUNT_SECONDS}, skip_unavailable_shards = 0`;
  try {
    const params = formatTexts({ database, table });
    const [[rows, bytes, found, shards] = []] = readRows(await asAdmin(session, { sql, params }));
    return Number(found) === Number(shards)
      ? { rows: toCount(rows), bytes: toCount(bytes) }
      : unknown;
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return isDenied(error) ? undefined : unknown;
  }
}
