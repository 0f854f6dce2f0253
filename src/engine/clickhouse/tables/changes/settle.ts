/** Changes whose process has died: completed, or undone. */
import type { OpenChange } from '../../../../model/node-journal.ts';
import { type Claim, holdClaim } from './claim.ts';
import { dropOn } from './drop-on.ts';
import type { Changing } from './table-nodes.ts';

/** One that no node answers for is left to be taken over again. */
export async function settleAbandoned(changing: Changing): Promise<void> {
  const { nodes, log } = changing;
  for (const change of await nodes.journal.takeAbandoned()) {
    const claim = holdClaim(() => nodes.journal.renew(change.id));
    try {
      await settle(changing, change, claim);
    } catch (error) {
      const { projectId, table, kind } = change;
      log.warn({ err: error, projectId, table, kind }, 'a change of a table was not completed');
    } finally {
      claim.release();
    }
  }
}

async function settle({ nodes }: Changing, change: OpenChange, claim: Claim): Promise<void> {
  const involved = new Set(change.nodes.map(({ node }) => node));
  const done: string[] = [];
  for (const node of await nodes.answering()) {
    if (!involved.has(node.name)) continue;
    claim.require();
    await dropOn(node, change);
    done.push(node.name);
  }
  if (done.length > 0) await nodes.journal.finish(change, done);
}
