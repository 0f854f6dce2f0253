/** Loads rows into a table on each node of an engine: on all nodes that respond, or on none. */
import { randomUUID } from 'node:crypto';
import { invalidInput } from '../../../errors/service-error.ts';
import { unavailable } from '../errors/failures.ts';
import { carryOut } from '../tables/changes/carry-out.ts';
import { digestTable, rowsOf } from '../tables/changes/digest-table.ts';
import { dropOn } from '../tables/changes/drop-on.ts';
import { begunName } from '../tables/changes/move-in.ts';
import { isSkippable } from '../tables/changes/node-faults.ts';
import { countRowsOf } from '../tables/changes/project-table.ts';
import type { Changing, TableNode } from '../tables/changes/table-nodes.ts';
import { requireMode, requireOwnTable, requireWhole } from './check-target.ts';
import {
  applyOn,
  countRows,
  createSql,
  dropAbandoned,
  existingColumns,
  idOf,
  kindOf,
  type Load,
  run,
} from './load-on-node.ts';
import { sendRows } from './send-rows.ts';

interface LoadOnNode extends Load {
  readonly node: TableNode;
}

type Loads = readonly LoadOnNode[];

/**
 * A node that is down or fails meanwhile is excluded from reads and brought up to date when it is back.
 *
 * @throws as `loadTable`, and ServiceError `engine_unavailable` when the nodes have different rows; then nothing has
 * changed.
 */
export async function loadOnNodes(
  changing: Changing,
  requested: Loads,
): Promise<{ readonly rows: number }> {
  const { loads, rows } = await prepare(changing, requested).catch(async (error: unknown) => {
    await Promise.allSettled(requested.map(discard));
    throw error;
  });
  const byName = new Map(loads.map((load) => [load.node.name, load]));
  const ofNode = ({ name }: TableNode): LoadOnNode => {
    const load = byName.get(name);
    if (load === undefined) throw new Error('not a node of this load');
    return load;
  };
  const { projectId, table, mode } = first(loads).request;
  const change = { id: randomUUID(), projectId, table, kind: kindOf(mode) } as const;
  if (rows === 0 && change.kind === 'append') {
    await Promise.allSettled(requested.map(discard));
    return { rows };
  }
  let expectedRows = 0;
  await carryOut(changing, {
    change,
    on: await Promise.all(loads.map(async (load) => ({ ...load, staging: await idOf(load) }))),
    before: async (nodes) => {
      expectedRows = rows + (await requireReady(nodes.map(ofNode)));
    },
    apply: async (node) => {
      await applyOn(node, ofNode(node), change);
      if (change.kind === 'append') await requireRows(ofNode(node), expectedRows);
    },
    discard: (node) => discard(ofNode(node)),
  });
  return { rows };
}

function first(loads: Loads): LoadOnNode {
  const [load] = loads;
  if (load === undefined) throw unavailable('every node was lost');
  return load;
}

async function prepare(changing: Changing, requested: Loads) {
  const responding = await eachResponding(changing, requested, dropAbandoned);
  const loads = await fillEach(changing, await withTargets(responding));
  await requireSameRows(loads);
  const load = first(loads);
  const rows = await countRows(load);
  await load.request.beforeSwap?.({ rows });
  return { loads, rows };
}

/**
 * The loads whose table can take the rows. A node without the table to append to, for example a replaced machine, gets
 * a copy afterwards.
 */
async function withTargets(loads: Loads): Promise<Loads> {
  const found: LoadOnNode[] = [];
  for (const [at, load] of loads.entries()) {
    const existing = await existingColumns(load);
    const isLast = found.length === 0 && at === loads.length - 1;
    if (load.request.mode === 'append' && existing === null && !isLast) continue;
    requireMode(load.request, existing);
    if (existing !== null) {
      await requireOwnTable(load);
      await requireWhole(load);
    }
    found.push(load);
  }
  return found;
}

/** A node with fewer rows is treated as lost for this load and gets a copy of another node's table. */
async function requireRows({ node, target }: LoadOnNode, expected: number): Promise<void> {
  const found = await countRowsOf(node, target);
  if (found < expected) throw unavailable(`a table has ${found} rows instead of ${expected}`);
}

/**
 * Waits until no other change of the table is in progress. Returns the number of existing rows that the new ones are
 * added to.
 */
async function requireReady(loads: Loads): Promise<number> {
  const ready = await withTargets(loads);
  const { mode, table } = first(ready).request;
  if (mode !== 'append') return 0;
  if (ready.length < loads.length) throw unavailable('a table was dropped on a node meanwhile');
  const digests = await Promise.all(ready.map(({ node, target }) => digestTable(node, target)));
  if (new Set(digests).size === 1) return rowsOf(digests[0]);
  throw invalidInput(
    'table',
    `The nodes of the engine have different rows of ${table}, so rows cannot be appended: make the nodes equal in the engine, or replace the table.`,
  );
}

/** Sequential; skips nodes that are lost meanwhile. */
async function eachResponding(
  { log }: Changing,
  loads: Loads,
  step: (load: LoadOnNode, at: number) => Promise<void>,
): Promise<Loads> {
  const done: LoadOnNode[] = [];
  for (const [at, load] of loads.entries()) {
    try {
      await step(load, at);
      done.push(load);
    } catch (error) {
      const isLast = done.length === 0 && at === loads.length - 1;
      if (isLast || !isSkippable(error)) throw error;
      const { projectId, table } = load.request;
      const fields = { err: error, projectId, table, node: load.node.name };
      log.warn(fields, 'a node was excluded from a load');
    }
  }
  return done;
}

/** Each node reads the files again. The progress covers all nodes. */
function fillEach(changing: Changing, loads: Loads): Promise<Loads> {
  let bytesOfOne = 0;
  return eachResponding(changing, loads, async (load, at) => {
    const { request, client, staging } = load;
    const onProgress = (bytes: number) => {
      if (at === 0) bytesOfOne = bytes;
      request.onProgress?.(Math.floor((at * bytesOfOne + bytes) / loads.length));
    };
    await run(load, createSql(load));
    await sendRows({ request: { ...request, onProgress }, client, staging });
  });
}

async function requireSameRows(loads: Loads): Promise<void> {
  const digests = new Set<string>();
  for (const { node, staging } of loads) digests.add(await digestTable(node, staging.target));
  if (digests.size > 1)
    throw unavailable(`the nodes have different rows of one load: ${[...digests].join(', ')}`);
}

/** Drops the hidden table, which holds the unused new rows or the replaced old ones. */
async function discard(load: LoadOnNode): Promise<void> {
  const { request, node, staging } = load;
  for (const table of [staging.name, begunName(staging.name)])
    await dropOn(node, { projectId: request.projectId, table });
}
