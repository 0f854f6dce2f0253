/** What an abandoned change left on a node, and whether it was applied there. */
import { randomBytes } from 'node:crypto';
import type { TableChange } from '../../../../model/node-journal.ts';
import { type AdminSession, asAdmin, readRows } from '../../http/session.ts';
import { projectDatabase } from '../../provision/project-users.ts';
import { UNFINISHED_PREFIX } from '../catalogue.ts';
import { begunLike, hasBegun } from './move-in.ts';
import { countRowsOf, fullName } from './project-table.ts';
import type { TableNode } from './table-nodes.ts';

export interface Staged<Node extends AdminSession = TableNode> {
  readonly node: Node;
  /** Name of the hidden table. */
  readonly name: string;
  /** Whether some rows may have been moved into the table. */
  readonly isBegun: boolean;
}

/** State of a change on a node: applied, prepared under a name, or absent. */
export type Found = 'done' | 'none' | Omit<Staged, 'node'>;

/** @param id id of the hidden table. */
export async function findStaged(
  node: AdminSession,
  { id: changeId, projectId, table, kind }: TableChange,
  id: string | null,
): Promise<Found> {
  if (id === null) return 'none';
  // The process thought dead may still have a statement running that would take effect after this lookup.
  await asAdmin(node, { sql: `KILL QUERY WHERE query_id = '${changeId}' SYNC` });
  const [found] = readRows(
    await asAdmin(node, {
      sql: 'SELECT name FROM system.tables WHERE database = {database:String} AND uuid = toUUID({id:String})',
      params: { database: projectDatabase(projectId), id },
    }),
  );
  if (found === undefined) return 'none';
  const name = String(found[0]);
  const isBegun = kind === 'append' && hasBegun(name);
  const isDone =
    kind === 'append'
      ? isBegun && (await countRowsOf(node, fullName({ projectId, table: name }))) === 0
      : name === table;
  return isDone ? 'done' : { name, isBegun };
}

/** Renames it to a name that the original process does not know, so that anything it still sends fails. */
export async function takeStaged<Node extends AdminSession>(
  node: Node,
  { projectId }: TableChange,
  { name, isBegun }: Omit<Staged, 'node'>,
): Promise<Staged<Node>> {
  const taken = begunLike(name, `${UNFINISHED_PREFIX}${randomBytes(6).toString('hex')}`);
  const [from, to] = [name, taken].map((table) => fullName({ projectId, table }));
  await asAdmin(node, { sql: `RENAME TABLE ${from} TO ${to}`, repeatable: false });
  return { node, name: taken, isBegun };
}
