/** Loads rows into a table of each node of an engine: on all of them that answer, or on none. */
import { randomUUID } from 'node:crypto';
import { invalidInput } from '../../../errors/service-error.ts';
import { unavailable } from '../errors/failures.ts';
import { toTexts } from '../http/session.ts';
import { carryOut } from '../tables/changes/carry-out.ts';
import { digestTable } from '../tables/changes/digest-table.ts';
import { isLeftOut } from '../tables/changes/left-out.ts';
import { swapIn } from '../tables/changes/swap-in.ts';
import type { Changing, TableNode } from '../tables/changes/table-nodes.ts';
import { requireMode, requireOwnTable, requireWhole } from './check-target.ts';
import { countRows, dropAbandoned, existingColumns, type Load, run } from './load-on-node.ts';
import { createTableSql } from './load-sql.ts';
import { sendRows } from './send-rows.ts';

export interface LoadOnNode extends Load {
  readonly node: TableNode;
}

type Loads = readonly LoadOnNode[];

/**
 * A node that does not answer, or is lost meanwhile, is brought up to date when it is back; until then it is not read.
 *
 * @throws as `loadTable`, and ServiceError `engine_unavailable` when the nodes have different rows: then nothing has changed.
 */
export async function loadOnNodes(
  changing: Changing,
  asked: Loads,
): Promise<{ readonly rows: number }> {
  const { loads, rows } = await prepare(changing, asked).catch(async (error: unknown) => {
    await Promise.allSettled(asked.map(discard));
    throw error;
  });
  const byName = new Map(loads.map((load) => [load.node.name, load]));
  const ofNode = ({ name }: TableNode): LoadOnNode => {
    const load = byName.get(name);
    if (load === undefined) throw new Error('not a node of this load');
    return load;
  };
  const { projectId, table } = first(loads).request;
  const id = randomUUID();
  await carryOut(changing, {
    change: { id, projectId, table, kind: 'replace' },
    on: await Promise.all(loads.map(async (load) => ({ ...load, staging: await idOf(load) }))),
    before: () => requireTargets(loads),
    apply: (node) => swap(ofNode(node), id),
    discard: (node) => discard(ofNode(node)),
  });
  return { rows };
}

function first(loads: Loads): LoadOnNode {
  const [load] = loads;
  if (load === undefined) throw unavailable('every node was lost');
  return load;
}

async function prepare(changing: Changing, asked: Loads) {
  for (const load of asked) await dropAbandoned(load);
  await requireTargets(asked);
  const loads = await fillEach(changing, asked);
  await requireSameRows(loads);
  const load = first(loads);
  const rows = await countRows(load);
  await load.request.beforeSwap?.({ rows });
  return { loads, rows };
}

const NOT_APPENDED =
  'On a cluster of listed nodes, rows are not appended to a table through this service: replace it, or append them at the engine.';

/** Whether the table is there, and takes the rows, as it is on each node. */
async function requireTargets(loads: Loads): Promise<void> {
  for (const load of loads) {
    const existing = await existingColumns(load);
    requireMode(load.request, existing);
    if (load.request.mode === 'append') throw invalidInput('table', NOT_APPENDED);
    if (existing === null) continue;
    await requireOwnTable(load);
    await requireWhole(load);
  }
}

/** Each node reads the files anew. The progress is that of all of them. Without those that are lost meanwhile. */
async function fillEach({ log }: Changing, loads: Loads): Promise<Loads> {
  let bytesOfOne = 0;
  const filled: LoadOnNode[] = [];
  for (const [at, load] of loads.entries()) {
    const { request, client, staging, node } = load;
    const onProgress = (bytes: number) => {
      if (at === 0) bytesOfOne = bytes;
      request.onProgress?.(Math.floor((at * bytesOfOne + bytes) / loads.length));
    };
    try {
      await run(load, createTableSql(staging));
      await sendRows({ request: { ...request, onProgress }, client, staging });
      filled.push(load);
    } catch (error) {
      const isLast = filled.length === 0 && at === loads.length - 1;
      if (isLast || !isLeftOut(error)) throw error;
      const { projectId, table } = request;
      log.warn({ err: error, projectId, table, node: node.name }, 'a node is left out of a load');
    }
  }
  return filled;
}

async function requireSameRows(loads: Loads): Promise<void> {
  const digests = new Set<string>();
  for (const { node, staging } of loads) digests.add(await digestTable(node, staging.target));
  if (digests.size > 1)
    throw unavailable(`the nodes have different rows of one load: ${[...digests].join(', ')}`);
}

async function idOf(load: Load): Promise<string> {
  const [id] = toTexts(
    await run(
      load,
      'SELECT uuid FROM system.tables WHERE database = {database:String} AND name = {table:String}',
      { database: load.database, table: load.staging.name },
    ),
  );
  if (id === undefined) throw unavailable('the rows of a load are not there');
  return id;
}

function swap({ request: { projectId, table }, node, staging }: LoadOnNode, changeId: string) {
  return swapIn(node, { projectId, table, staging: staging.name, changeId });
}

/** The rows that were not used, or those that were replaced. */
async function discard(load: LoadOnNode): Promise<void> {
  const request = { ...load.request, signal: undefined };
  await run({ ...load, request }, `DROP TABLE IF EXISTS ${load.staging.target} SYNC`);
}
