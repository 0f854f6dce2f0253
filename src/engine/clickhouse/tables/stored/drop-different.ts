import type { Log } from '../../../../lib/log.ts';
import { storedTablePrefix } from '../../../../model/materialization-state.ts';
import type { EngineNode, EngineNodes } from '../../http/engine-nodes.ts';
import { asAdmin, readRows, type Session } from '../../http/session.ts';
import { projectDatabase } from '../../provision/project-users.ts';
import { dropOne } from './stored-names.ts';

interface Returning {
  readonly session: Session;
  readonly log: Log;
}

/**
 * What a machine wrote last before it lost its power may be gone, and a disk may be one of last week: a stored table of which the node that
 * is back has other rows than another one is dropped there, before it is read. It is copied again later.
 */
export async function dropDifferent(
  { session, log }: Returning,
  nodes: EngineNodes,
  node: EngineNode,
): Promise<void> {
  const own = await nodes.on(node, () => countsOf(session));
  if (own.size === 0) return;
  for (const other of nodes.answering()) {
    const theirs = other === node ? null : await nodes.on(other, () => countsOf(session));
    for (const [name, { rows, projectId, table }] of theirs ?? []) {
      const found = own.get(name);
      if (found === undefined || found.rows === rows) continue;
      log.warn(
        { projectId, table, node: node.url, rows: found.rows, expected: rows },
        'a stored table of a node that is back has other rows than on another one, and is dropped there',
      );
      await nodes.on(node, () => dropOne(session, projectId, table));
      own.delete(name);
    }
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
