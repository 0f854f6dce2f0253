/** Gives nodes that are back the changes of tables that they have missed. Until then they are not read. */
import type { MissedTable } from '../../../../model/node-journal.ts';
import { unavailable } from '../../errors/failures.ts';
import { type Claim, holdClaim } from './claim.ts';
import { copyFrom } from './copy-from.ts';
import { dropOn } from './drop-on.ts';
import { settleAbandoned } from './settle.ts';
import { hasTable } from './swap-in.ts';
import type { Changing, TableNode } from './table-nodes.ts';

export interface CatchingUp extends Changing {
  /** Makes the database and the users of a project on a node where they are missing. */
  readonly provision: (node: TableNode, projectId: number) => Promise<void>;
  readonly signal: AbortSignal | undefined;
}

/** What fails is tried again by the next call. */
export async function catchUp(catching: CatchingUp): Promise<void> {
  const { nodes, signal } = catching;
  const { journal } = nodes;
  await settleAbandoned(catching);
  if ((await journal.behind()).length === 0) return;
  const answering = await nodes.answering();
  const names = answering.map(({ name }) => name);
  for (const missed of await journal.takeMissed(names)) {
    if (signal?.aborted) await journal.release(missed);
    else await catchUpOne(catching, missed, answering);
  }
}

async function catchUpOne(
  catching: CatchingUp,
  missed: MissedTable,
  answering: readonly TableNode[],
): Promise<void> {
  const { nodes, log } = catching;
  const { journal } = nodes;
  const { projectId, table, isDropped } = missed;
  const said = { projectId, table, isDropped, node: missed.node };
  const claim = holdClaim(() => journal.renewMissed(missed));
  try {
    const node = answering.find(({ name }) => name === missed.node);
    if (node === undefined) throw unavailable('the node does not answer');
    if (isDropped) await dropOn(node, missed);
    else await copyTo(catching, missed, { node, answering, claim });
    if (await journal.caughtUp(missed))
      log.info(said, 'a node was brought up to date with a table whose change it had missed');
  } catch (error) {
    log.warn({ ...said, err: error }, 'a node was not brought up to date with a table');
    await journal.release(missed);
  } finally {
    claim.release();
  }
}

interface Copying {
  readonly node: TableNode;
  readonly answering: readonly TableNode[];
  readonly claim: Claim;
}

async function copyTo(
  { nodes: { journal }, provision, signal }: CatchingUp,
  missed: MissedTable,
  { node, answering, claim }: Copying,
): Promise<void> {
  const wrong = new Set(await journal.without(missed));
  for (const source of answering) {
    if (wrong.has(source.name) || !(await hasTable(source, missed))) continue;
    await provision(node, missed.projectId);
    const isStillMissed = async () => {
      claim.require();
      if (!(await journal.renewMissed(missed)))
        throw unavailable('the table was changed meanwhile');
    };
    return copyFrom(source, { ...missed, node, signal, isStillMissed });
  }
  throw unavailable('no node answers that has the table as it was changed last');
}
