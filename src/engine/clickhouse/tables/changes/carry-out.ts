/** Applies a table change on each node, and excludes nodes that missed it from reads. */
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '../../../../errors/service-error.ts';
import type { TableChange } from '../../../../model/node-journal.ts';
import { unavailable } from '../../errors/failures.ts';
import { isFaultOfNode } from '../../http/failover.ts';
import { type Claim, holdClaim } from './claim.ts';
import { settleAbandoned } from './settle.ts';
import type { Changing, TableNode } from './table-nodes.ts';

export interface CarriedOut {
  readonly change: TableChange;
  /** The responding nodes and what is prepared on them. All others miss the change. */
  readonly on: readonly Prepared[];
  /**
   * Called with the participating nodes once no other change of the table is in progress. If it throws, the change
   * fails and nothing has changed.
   */
  readonly before?: (nodes: readonly TableNode[]) => Promise<void>;
  /** Changes the table on one node, or leaves it unchanged. */
  readonly apply: (node: TableNode) => Promise<void>;
  /** Removes the leftovers of the preparation on one node. */
  readonly discard?: (node: TableNode) => Promise<void>;
}

interface Prepared {
  readonly node: TableNode;
  /** Name of the hidden table with the new rows; null for none. */
  readonly staging: string | null;
}

/**
 * Once the change is applied on the first node, it must reach the others: a node that is lost meanwhile is recorded in
 * the journal and brought up to date when it is back.
 *
 * @throws the error of `apply` on the first node, when it changed nothing; ServiceError `engine_unavailable` when no
 * node is known to have changed. The outcome is then settled once they respond.
 */
export async function carryOut(changing: Changing, carried: CarriedOut): Promise<void> {
  const { on, discard } = carried;
  let isOpen = false;
  try {
    const failure = await attempt(changing, carried);
    isOpen = failure !== null;
    if (failure !== null) throw failure;
  } finally {
    // An open change may still be completed from the preparation.
    if (!isOpen && discard !== undefined)
      await Promise.allSettled(on.map(({ node }) => discard(node)));
  }
}

/** Null when done, otherwise why the change is left open. @throws when nothing has changed. */
async function attempt(changing: Changing, carried: CarriedOut): Promise<unknown> {
  const { journal } = changing.nodes;
  const { change, on, before } = carried;
  const taking = new Set(await beginWhenFree(changing, carried));
  const claim = holdClaim(() => journal.renew(change.id));
  try {
    const nodes = on.map(({ node }) => node).filter(({ name }) => taking.has(name));
    try {
      if (nodes.length === 0) throw unavailable('no node has the table as it was changed last');
      await before?.(nodes);
    } catch (error) {
      await journal.undo(change, nothing);
      throw error;
    }
    return await applyEach(changing, carried, { nodes, claim });
  } finally {
    claim.release();
  }
}

const nothing = { nodes: [], isDropped: false };

async function applyEach(
  { nodes: { journal }, log }: Changing,
  { change, apply }: CarriedOut,
  { nodes, claim }: { readonly nodes: readonly TableNode[]; readonly claim: Claim },
): Promise<unknown> {
  const done: string[] = [];
  const failures: unknown[] = [];
  for (const node of nodes) {
    try {
      claim.require();
      await apply(node);
      done.push(node.name);
    } catch (error) {
      if (done.length === 0 && failures.length === 0 && !isFaultOfNode(error)) {
        await journal.undo(change, nothing);
        throw error;
      }
      failures.push(error);
      const { projectId, table, kind } = change;
      log.warn(
        { err: error, projectId, table, kind, node: node.name },
        'a node was lost during a table change; it is updated when it is back',
      );
    }
  }
  if (done.length === 0) return failures[0];
  try {
    const isFinished = await journal.finish(change, done, 'its process');
    return isFinished ? null : unavailable('the change was taken over');
  } catch (error) {
    return error;
  }
}

/** How long a change waits for another change of the same table. */
const WAIT_MS = 30_000;
const AGAIN_MS = 100;

async function beginWhenFree(
  { nodes, log }: Changing,
  { change, on }: CarriedOut,
): Promise<readonly string[]> {
  const stagings = new Map(on.map(({ node, staging }) => [node.name, staging]));
  const involved = nodes.all.map(({ name }) => ({
    node: name,
    staging: stagings.get(name) ?? null,
  }));
  const began = performance.now();
  for (;;) {
    const taking = await nodes.journal.begin(change, involved);
    if (taking !== null) return taking;
    if (performance.now() - began > WAIT_MS) throw busy(change.table);
    await settleAbandoned({ nodes, log });
    await delay(AGAIN_MS);
  }
}

function busy(table: string): ServiceError {
  const detail = `The table ${table} is being changed by another load, or a node failed during one. Try again shortly.`;
  return new ServiceError('engine_unavailable', detail, { retryAfterSeconds: 10 });
}
