/**
 * Fills a new table on each node of an engine. A table that exists is not changed: the nodes could not do that at the same moment, and one
 * that is lost meanwhile would come back with its old rows. One that lacks a new table is not read for it.
 */
import { invalidInput, ServiceError } from '../../../errors/service-error.ts';
import { digestSql } from '../compare/difference-sql.ts';
import { EngineError } from '../errors/engine-error.ts';
import { unavailable } from '../errors/failures.ts';
import { isFaultOfNode } from '../http/send-until-taken.ts';
import { countRows, dropAbandoned, existingColumns, type Load, run } from './load-on-node.ts';
import { createTableSql } from './load-sql.ts';
import { sendRows } from './send-rows.ts';

type Loads = readonly [Load, ...Load[]];

/**
 * @throws as `loadTable`, ServiceError `unique` when a node has a table of that name, and `engine_unavailable` when a node does not answer
 * or has other rows than another: then nothing has changed.
 */
export async function loadOnNodes(loads: Loads): Promise<{ readonly rows: number }> {
  const [first] = loads;
  const { mode, table } = first.request;
  if (mode === 'append')
    throw invalidInput('table', `There is no table named ${table} to append to.`);
  if ((await first.request.connection.journal?.behind())?.length !== 0)
    throw unavailable('a node has missed a drop of a table');
  for (const load of loads) {
    await dropAbandoned(load);
    if ((await existingColumns(load)) !== null) throw existsAlready(load);
  }
  try {
    await fillEach(loads);
    await requireSameRows(loads);
    const rows = await countRows(first);
    await first.request.beforeSwap?.({ rows });
    await publish(loads);
    return { rows };
  } finally {
    await Promise.allSettled(
      loads.map((load) => run(load, `DROP TABLE IF EXISTS ${load.staging.target} SYNC`)),
    );
  }
}

function existsAlready({ request: { table } }: Load): ServiceError {
  const detail = `A table named ${table} exists already. On a cluster, only new tables are loaded through this service.`;
  return new ServiceError('unique', detail, { attr: 'table' });
}

/** Each node reads the files anew. The progress is that of all of them. */
async function fillEach(loads: Loads): Promise<void> {
  let bytesOfOne = 0;
  for (const [at, load] of loads.entries()) {
    const { request, client, staging } = load;
    const onProgress = (bytes: number) => {
      if (at === 0) bytesOfOne = bytes;
      request.onProgress?.(Math.floor((at * bytesOfOne + bytes) / loads.length));
    };
    await run(load, createTableSql(staging));
    await sendRows({ request: { ...request, onProgress }, client, staging });
  }
}

async function requireSameRows(loads: Loads): Promise<void> {
  const digests = new Set<string>();
  for (const load of loads) {
    const [row] = await run(load, digestSql(`SELECT * FROM ${load.staging.target}`, null));
    digests.add(JSON.stringify(row));
  }
  if (digests.size > 1)
    throw unavailable(`the nodes have different rows of one load: ${[...digests].join(', ')}`);
}

/**
 * Of two loads of one table, one fails at the first node. From there on the load is carried out: a node that is lost before it has the table
 * is without it.
 */
async function publish(loads: Loads): Promise<void> {
  const [first, ...others] = loads;
  await rename(first);
  const done = [first];
  for (const load of others) {
    try {
      await rename(load);
      done.push(load);
    } catch (error) {
      if (isFaultOfNode(error)) continue;
      for (const one of done) await run(one, `DROP TABLE IF EXISTS ${one.target} SYNC`);
      throw error;
    }
  }
}

const TABLE_EXISTS = 57;

/** Whether or not its caller is still there: a part of the load must not stay behind. */
async function rename(load: Load): Promise<void> {
  const { request, staging, target } = load;
  try {
    const sql = `RENAME TABLE ${staging.target} TO ${target}`;
    await run({ ...load, request: { ...request, signal: undefined } }, sql);
  } catch (error) {
    throw error instanceof EngineError && error.code === TABLE_EXISTS ? existsAlready(load) : error;
  }
}
