/** Settles changes whose process died: completes them if some node has applied them, else undoes them. */
import type { OpenChange } from '../../../../model/node-journal.ts';
import { type Claim, holdClaim } from './claim.ts';
import { digestTable } from './digest-table.ts';
import { dropOn } from './drop-on.ts';
import { begunName, moveIn } from './move-in.ts';
import { fullName } from './project-table.ts';
import { findStaged, type Staged, takeStaged } from './staged.ts';
import { hasTable, swapIn } from './swap-in.ts';
import type { Changing, TableNode } from './table-nodes.ts';

/** A change whose state is unknown is left to be taken over again. */
export async function settleAbandoned(changing: Changing): Promise<void> {
  const { nodes, log } = changing;
  for (const change of await nodes.journal.takeAbandoned()) {
    const { id, projectId, table, kind } = change;
    const fields = { projectId, table, kind };
    const claim = holdClaim(() => nodes.journal.renew(id));
    try {
      const outcome = await settle(changing, change, claim);
      if (outcome !== null)
        log.warn({ ...fields, outcome }, 'an abandoned table change was settled');
    } catch (error) {
      log.warn({ ...fields, err: error }, 'an abandoned table change could not be settled');
    } finally {
      claim.release();
    }
  }
}

const BY = 'another process';

type Outcome = 'completed' | 'undone' | null;

async function settle(changing: Changing, change: OpenChange, claim: Claim): Promise<Outcome> {
  const responding = await changing.nodes.responding();
  const involved = new Set(change.nodes.map(({ node }) => node));
  const participants = responding.filter(({ name }) => involved.has(name));
  if (change.kind === 'drop') return completeDrop(changing, change, { nodes: participants, claim });
  return completeOrUndo(changing, change, { nodes: participants, claim });
}

interface Participants {
  readonly nodes: readonly TableNode[];
  readonly claim: Claim;
}

async function completeDrop(
  { nodes: { journal } }: Changing,
  change: OpenChange,
  { nodes, claim }: Participants,
): Promise<Outcome> {
  for (const node of nodes) {
    claim.require();
    await dropOn(node, change);
  }
  const done = nodes.map(({ name }) => name);
  return done.length > 0 && (await journal.finish(change, done, BY)) ? 'completed' : null;
}

async function completeOrUndo(
  changing: Changing,
  change: OpenChange,
  { nodes, claim }: Participants,
): Promise<Outcome> {
  const stagings = new Map(change.nodes.map(({ node, staging }) => [node, staging]));
  const done: TableNode[] = [];
  const pending: Staged[] = [];
  for (const node of nodes) {
    claim.require();
    const found = await findStaged(node, change, stagings.get(node.name) ?? null);
    if (found === 'done') done.push(node);
    else if (found !== 'none') pending.push(await takeStaged(node, change, found));
  }
  const found = { done, pending };
  return done.length > 0 || pending.some(({ isBegun }) => isBegun)
    ? complete(changing, change, { ...found, claim })
    : undo(changing, change, { nodes, pending });
}

interface Found {
  readonly done: readonly TableNode[];
  readonly pending: readonly Staged[];
  readonly claim: Claim;
}

async function complete(
  { nodes: { journal } }: Changing,
  change: OpenChange,
  { done, pending, claim }: Found,
): Promise<Outcome> {
  const completed: TableNode[] = [];
  // A node that died in the middle of a move may have the moved rows in both tables, so it gets a copy of another
  // node's table.
  const untouched = pending.filter(({ isBegun }) => !isBegun);
  const isCertain = done.length + untouched.length > 0;
  for (const { node, name } of isCertain ? untouched : pending) {
    claim.require();
    const swapped = { ...change, staging: name, changeId: change.id };
    await (change.kind === 'append' ? moveIn(node, swapped) : swapIn(node, swapped));
    completed.push(node);
  }
  const right = await asRight(change, { done, completed });
  const names = right.map(({ name }) => name);
  if (!(await journal.finish(change, names, BY))) return null;
  for (const { node, name } of pending)
    for (const one of new Set([name, begunName(name)]))
      await dropOn(node, { ...change, table: one });
  return 'completed';
}

/** A node that lost power in the middle of a move may have rows twice, so it gets a copy of another node's table. */
async function asRight(
  { kind, projectId, table }: OpenChange,
  {
    done,
    completed,
  }: { readonly done: readonly TableNode[]; readonly completed: readonly TableNode[] },
): Promise<readonly TableNode[]> {
  const [first] = [...done, ...completed];
  if (kind !== 'append' || first === undefined) return [...done, ...completed];
  const name = fullName({ projectId, table });
  const expected = await digestTable(first, name);
  const right: TableNode[] = [];
  for (const node of [...done, ...completed])
    if (node === first || (await digestTable(node, name)) === expected) right.push(node);
  return right;
}

async function undo(
  { nodes: { journal } }: Changing,
  change: OpenChange,
  { nodes, pending }: { readonly nodes: readonly TableNode[]; readonly pending: readonly Staged[] },
): Promise<Outcome> {
  const [known] = nodes;
  if (known === undefined) return null;
  const respondingNames = new Set(nodes.map(({ name }) => name));
  const unknown = change.nodes.filter(
    ({ node, staging }) => staging !== null && !respondingNames.has(node),
  );
  const isDropped = !(await hasTable(known, change));
  await journal.undo(change, { nodes: unknown.map(({ node }) => node), isDropped });
  for (const { node, name } of pending) await dropOn(node, { ...change, table: name });
  return 'undone';
}
