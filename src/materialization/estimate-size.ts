/** Estimates the size of a plan's stored tables without storing anything. */
import type { QueryEngine } from '../engine/query-engine.ts';
import { RowFault } from '../engine/row-fault.ts';
import type { Clock } from '../lib/clock.ts';
import { uuidv7 } from '../lib/ids.ts';
import { withTimeLimit } from '../lib/time-limit.ts';
import { type MaterializationPlan, tablesOf } from '../model/materialization-plan.ts';
import { mayMultiplyRows } from './multiplied-rows.ts';

export interface SizeEstimate {
  readonly rows: number;
  /** Uncompressed; null if it was not counted. */
  readonly bytes: number | null;
  /** False for an upper bound derived from the sizes of the source tables. */
  readonly isExact: boolean;
}

interface SizeRequest {
  readonly projectId: number;
  readonly plan: MaterializationPlan;
  readonly signal?: AbortSignal | undefined;
}

export interface SizeDeps {
  readonly engine: QueryEngine;
  readonly clock: Clock;
}

/** Time limit for counting; after it, the source's size is used instead. */
const countMs = 5000;

/**
 * Null if the engine does not respond in time.
 *
 * @throws RowFault where an expression of a stored query fails for a row.
 */
export async function estimateSize(
  deps: SizeDeps,
  request: SizeRequest,
): Promise<SizeEstimate | null> {
  // Not every type has a size. The first two compute every column.
  for (const bytes of ['sum(byteSize(*))', 'nullIf(sum(ignore(*)), 0)', 'NULL']) {
    try {
      return await count(deps, request, bytes);
    } catch (error) {
      request.signal?.throwIfAborted();
      if (error instanceof RowFault && bytes.includes('ignore')) throw error;
    }
  }
  const rows = await estimateSourceRows(deps, request);
  return rows === null ? null : { rows, bytes: null, isExact: false };
}

/** Counts the rows the table would have; null if that takes too long or fails. */
export async function countRows(deps: SizeDeps, request: SizeRequest): Promise<number | null> {
  const counted = await count(deps, request, 'NULL').catch(() => null);
  return counted?.rows ?? null;
}

/**
 * Whether the tables would have more rows than `limit`; null if that takes too long to count or fails. Nothing is counted
 * where the sources have no more rows. No more than one row beyond the limit is, so that joins of many pairs end too.
 */
export async function exceedsRows(
  deps: SizeDeps,
  request: SizeRequest,
  limit: number,
): Promise<boolean | null> {
  const tables = tablesOf(request.plan);
  const atMost = await estimateSourceRows(deps, request);
  const isBound = tables.every(({ storedQuery }) => !mayMultiplyRows(storedQuery));
  if (atMost !== null && atMost <= limit && isBound) return false;
  const signal = withTimeLimit(countMs, request.signal);
  let left = limit;
  for (const { storedQuery } of tables) {
    const sql = `SELECT 1 FROM (\n${storedQuery}\n) LIMIT ${left + 1}`;
    const counted = await countOne(deps, { ...request, sql, signal }, 'NULL').catch(() => null);
    request.signal?.throwIfAborted();
    if (counted === null) return null;
    left -= counted.rows;
    if (left < 0) return true;
  }
  return false;
}

/** An upper bound of the source rows to read; null if the engine has no estimate, as for `numbers(…)`. */
export async function estimateSourceRows(
  deps: SizeDeps,
  { projectId, plan }: SizeRequest,
): Promise<number | null> {
  let rows = 0;
  for (const { storedQuery: sql } of tablesOf(plan)) {
    const found = await deps.engine.estimateRows({ projectId, sql, params: {} }).catch(() => null);
    if (found === null || found === 0) return null;
    rows += found;
  }
  return rows;
}

async function count(deps: SizeDeps, request: SizeRequest, bytes: string): Promise<SizeEstimate> {
  const signal = withTimeLimit(countMs, request.signal);
  let sum: SizeEstimate = { rows: 0, bytes: 0, isExact: true };
  for (const { storedQuery } of tablesOf(request.plan)) {
    const counted = await countOne(deps, { ...request, sql: storedQuery, signal }, bytes);
    const isSized = sum.bytes !== null && counted.bytes !== null;
    sum = {
      rows: sum.rows + counted.rows,
      bytes: isSized ? Number(sum.bytes) + Number(counted.bytes) : null,
      isExact: true,
    };
  }
  return sum;
}

async function countOne(
  deps: SizeDeps,
  request: Pick<SizeRequest, 'projectId'> & {
    readonly sql: string;
    readonly signal: AbortSignal;
  },
  bytes: string,
): Promise<Pick<SizeEstimate, 'rows' | 'bytes'>> {
  const result = await deps.engine.query(
    {
      projectId: request.projectId,
      sql: `SELECT count(), ${bytes} FROM (\n${request.sql}\n)`,
      params: {},
      queryId: uuidv7(deps.clock.now()),
      limit: 1,
      offset: 0,
      integers: 'number',
    },
    request.signal,
  );
  const [row] = JSON.parse(result.rows.toString('utf8')) as [[number, number | null]];
  return { rows: row[0], bytes: row[1] };
}
