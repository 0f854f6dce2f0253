/** Changes whose process has died: completed where a node has them, else undone. */
import type { OpenChange } from '../../../../model/node-journal.ts';
import { type Claim, holdClaim } from './claim.ts';
import { dropOn } from './drop-on.ts';
import { findStaged, type Staged, takeStaged } from './staged.ts';
import { hasTable, swapIn } from './swap-in.ts';
import type { Changing, TableNode } from './table-nodes.ts';

/** One of which nothing is known is left to be taken over again. */
export async function settleAbandoned(changing: Changing): Promise<void> {
  const { nodes, log } = changing;
  for (const change of await nodes.journal.takeAbandoned()) {
    const { id, projectId, table, kind } = change;
    const said = { projectId, table, kind };
    const claim = holdClaim(() => nodes.journal.renew(id));
    try {
      const outcome = await settle(changing, change, claim);
      if (outcome !== null)
        log.warn({ ...said, outcome }, 'a change of a table that was left is settled');
    } catch (error) {
      log.warn({ ...said, err: error }, 'a change of a table that was left is not settled');
    } finally {
      claim.release();
    }
  }
}

type Outcome = 'completed' | 'undone' | null;

async function settle(changing: Changing, change: OpenChange, claim: Claim): Promise<Outcome> {
  const answering = await changing.nodes.answering();
  const involved = new Set(change.nodes.map(({ node }) => node));
  const asked = answering.filter(({ name }) => involved.has(name));
  if (change.kind === 'drop') return completeDrop(changing, change, { nodes: asked, claim });
  return completeOrUndo(changing, change, { nodes: asked, claim });
}

interface Asked {
  readonly nodes: readonly TableNode[];
  readonly claim: Claim;
}

async function completeDrop(
  { nodes: { journal } }: Changing,
  change: OpenChange,
  { nodes, claim }: Asked,
): Promise<Outcome> {
  for (const node of nodes) {
    claim.require();
    await dropOn(node, change);
  }
  const done = nodes.map(({ name }) => name);
  return done.length > 0 && (await journal.finish(change, done)) ? 'completed' : null;
}

async function completeOrUndo(
  { nodes: { journal } }: Changing,
  change: OpenChange,
  { nodes, claim }: Asked,
): Promise<Outcome> {
  const stagings = new Map(change.nodes.map(({ node, staging }) => [node, staging]));
  const done: TableNode[] = [];
  const pending: Staged[] = [];
  for (const node of nodes) {
    claim.require();
    const staged = await findStaged(node, change, stagings.get(node.name) ?? null);
    if (staged === 'done') done.push(node);
    else if (staged !== 'none') pending.push(await takeStaged(node, change, staged));
  }
  if (done.length > 0) {
    for (const { node, name } of pending) {
      claim.require();
      await swapIn(node, { ...change, staging: name, changeId: change.id });
      done.push(node);
    }
    return (await journal.finish(
      change,
      done.map(({ name }) => name),
    ))
      ? 'completed'
      : null;
  }
  const [known] = nodes;
  if (known === undefined) return null;
  const answers = new Set(nodes.map(({ name }) => name));
  const unknown = change.nodes.filter(
    ({ node, staging }) => staging !== null && !answers.has(node),
  );
  const isDropped = !(await hasTable(known, change));
  await journal.undo(change, { nodes: unknown.map(({ node }) => node), isDropped });
  for (const { node, name } of pending) await dropOn(node, { ...change, table: name });
  return 'undone';
}
