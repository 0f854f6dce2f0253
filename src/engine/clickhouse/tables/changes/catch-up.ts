/** Gives nodes that are back the changes of tables that they have missed. Until then they are not read. */
import type { MissedTable } from '../../../../model/node-journal.ts';
import { type Claim, holdClaim } from './claim.ts';
import { dropOn } from './drop-on.ts';
import { settleAbandoned } from './settle.ts';
import type { Changing, TableNode } from './table-nodes.ts';

/** What fails is tried again by the next call. */
export async function catchUp(changing: Changing): Promise<void> {
  const { nodes, log } = changing;
  const { journal } = nodes;
  await settleAbandoned(changing);
  if ((await journal.behind()).length === 0) return;
  const byName = new Map((await nodes.answering()).map((node) => [node.name, node]));
  for (const missed of await journal.takeMissed([...byName.keys()])) {
    const node = byName.get(missed.node);
    if (node === undefined) continue;
    const { projectId, table, isDropped } = missed;
    const said = { projectId, table, isDropped, node: node.name };
    const claim = holdClaim(() => journal.renewMissed(missed));
    try {
      await bringUpToDate(missed, node, claim);
      if (await journal.caughtUp(missed))
        log.info(said, 'a node was brought up to date with a table whose change it had missed');
    } catch (error) {
      log.warn({ ...said, err: error }, 'a node was not brought up to date with a table');
      await journal.release(missed);
    } finally {
      claim.release();
    }
  }
}

async function bringUpToDate(missed: MissedTable, node: TableNode, claim: Claim): Promise<void> {
  claim.require();
  await dropOn(node, missed);
}
