import type { Log } from '../../../../lib/log.ts';
import { storedTablePrefix } from '../../../../model/materialization-state.ts';
import { digestSql } from '../../compare/difference-sql.ts';
import { isUnknownTable } from '../../errors/engine-error.ts';
import type { EngineNode, EngineNodes } from '../../http/engine-nodes.ts';
import { asAdmin, readRows, rowSettings, type Session, toColumns } from '../../http/session.ts';
import { qualified } from '../../load/load-sql.ts';
import { projectDatabase } from '../../provision/project-users.ts';
import { comparableColumn } from './make-table.ts';
import { dropOne } from './stored-names.ts';

interface Returning {
  readonly session: Session;
  readonly log: Log;
}

/**
 * A machine that lost power may have lost its last writes, or its disk may be restored from a week ago. If a returning
 * node's stored table has other rows than another node's, it is dropped before it can be read, and copied again later.
 *
 * @param isRestarted whether its process is new; an old process still has the rows that it was given.
 */
export async function dropDifferent(
  { session, log }: Returning,
  nodes: EngineNodes,
  { node, isRestarted }: { readonly node: EngineNode; readonly isRestarted: boolean },
): Promise<void> {
  const own = await nodes.on(node, () => countsOf(session));
  const compared = new Set<string>();
  for (const other of own.size === 0 ? [] : nodes.responding()) {
    const theirs = other === node ? null : await nodes.on(other, () => countsOf(session));
    for (const [name, expected] of theirs ?? []) {
      const found = own.get(name);
      if (found === undefined) continue;
      const isComparable = found.rows === expected.rows;
      if (isComparable && (!isRestarted || compared.has(name))) continue;
      compared.add(name);
      const { projectId, table } = expected;
      if (isComparable && (await haveSameRows(session, nodes, { each: [node, other], expected })))
        continue;
      log.warn(
        { projectId, table, node: node.url, rows: found.rows, expected: expected.rows },
        'a stored table on a returning node differs from another node’s and was dropped there',
      );
      await nodes.on(node, () => dropOne(session, projectId, table));
      own.delete(name);
    }
  }
}

interface Compared {
  readonly each: readonly EngineNode[];
  readonly expected: Counted;
}

async function haveSameRows(
  session: Session,
  nodes: EngineNodes,
  { each, expected }: Compared,
): Promise<boolean> {
  const digests = await Promise.all(
    each.map((node) => nodes.on(node, () => digestOf(session, expected))),
  );
  // A table that was dropped meanwhile cannot be compared.
  return digests.includes(null) || new Set(digests).size === 1;
}

/** Long timeout, because all rows are read. */
const DIGEST_MS = 3_600_000;

/** Row count and a hash of all rows; null when the table is gone. */
async function digestOf(session: Session, { projectId, table }: Counted): Promise<string | null> {
  const database = projectDatabase(projectId);
  const columns = toColumns(
    readRows(
      await asAdmin(session, {
        sql: 'SELECT name, type FROM system.columns WHERE database = {database:String} AND table = {table:String} ORDER BY position',
        params: { database, table },
      }),
    ),
  );
  if (columns.length === 0) return null;
  const rows = `SELECT ${columns.map(comparableColumn).join(', ')} FROM ${qualified(database, table)}`;
  try {
    const response = await session.client.send({
      login: session.connection.admin,
      sql: digestSql(rows, null),
      settings: rowSettings,
      timeoutMs: DIGEST_MS,
      repeatable: true,
    });
    return JSON.stringify(readRows(response)[0] ?? []);
  } catch (error) {
    if (isUnknownTable(error)) return null;
    throw error;
  }
}

interface Counted {
  readonly projectId: number;
  readonly table: string;
  readonly rows: string;
}

async function countsOf(session: Session): Promise<Map<string, Counted>> {
  const sql = `SELECT database, name, toString(total_rows) FROM system.tables
    WHERE startsWith(name, '${storedTablePrefix}') AND startsWith(database, '${projectDatabase(0).slice(0, -1)}') AND total_rows IS NOT NULL`;
  const counts = new Map<string, Counted>();
  for (const [database, name, rows] of readRows(await asAdmin(session, { sql }))) {
    const projectId = Number(/^project_(\d+)$/.exec(String(database))?.[1] ?? Number.NaN);
    if (Number.isNaN(projectId)) continue;
    const table = String(name);
    counts.set(`${projectId}.${table}`, { projectId, table, rows: String(rows) });
  }
  return counts;
}
