/** Applies the table changes that returning nodes have missed. Until then they are excluded from reads. */
import type { MissedTable } from '../../../../model/node-journal.ts';
import { unavailable } from '../../errors/failures.ts';
import { type Claim, holdClaim } from './claim.ts';
import { copyFrom } from './copy-from.ts';
import { dropOn } from './drop-on.ts';
import { settleAbandoned } from './settle.ts';
import { hasTable } from './swap-in.ts';
import type { Changing, TableNode } from './table-nodes.ts';

export interface CatchingUp extends Changing {
  /** Creates a project's database and users on a node where they are missing. */
  readonly provision: (node: TableNode, projectId: number) => Promise<void>;
  readonly signal: AbortSignal | undefined;
}

/** Failures are retried by the next call. */
export async function catchUp(catching: CatchingUp): Promise<void> {
  const { nodes, signal } = catching;
  const { journal } = nodes;
  await settleAbandoned(catching);
  if ((await journal.behind()).length === 0) return;
  const responding = await nodes.responding();
  const names = responding.map(({ name }) => name);
  for (const missed of await journal.takeMissed(names)) {
    if (signal?.aborted) await journal.release(missed);
    else await catchUpOne(catching, missed, responding);
  }
}

async function catchUpOne(
  catching: CatchingUp,
  missed: MissedTable,
  responding: readonly TableNode[],
): Promise<void> {
  const { nodes, log } = catching;
  const { journal } = nodes;
  const { projectId, table, isDropped } = missed;
  const fields = { projectId, table, isDropped, node: missed.node };
  const claim = holdClaim(() => journal.renewMissed(missed));
  try {
    const node = responding.find(({ name }) => name === missed.node);
    if (node === undefined) throw unavailable('the node does not answer');
    if (isDropped) await dropOn(node, missed);
    else await copyTo(catching, missed, { node, responding, claim });
    if (await journal.caughtUp(missed))
      log.info(fields, 'a node received a table change that it had missed');
  } catch (error) {
    log.warn(
      { ...fields, err: error },
      'a node could not receive a table change that it had missed',
    );
    await journal.release(missed);
  } finally {
    claim.release();
  }
}

interface Copying {
  readonly node: TableNode;
  readonly responding: readonly TableNode[];
  readonly claim: Claim;
}

async function copyTo(
  { nodes: { journal }, provision, signal }: CatchingUp,
  missed: MissedTable,
  { node, responding, claim }: Copying,
): Promise<void> {
  const wrong = new Set(await journal.without(missed));
  for (const source of responding) {
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
