/** Estimates how large a stored table would be, without storing anything. */
import type { QueryEngine } from '../engine/query-engine.ts';
import type { Clock } from '../lib/clock.ts';
import { uuidv7 } from '../lib/ids.ts';

export interface SizeEstimate {
  readonly rows: number;
  /** Uncompressed; null when it was not counted. */
  readonly bytes: number | null;
  /** False: an upper bound, from the sizes of the source tables. */
  readonly isExact: boolean;
}

interface SizeRequest {
  readonly projectId: number;
  /** The stored query. */
  readonly sql: string;
  readonly signal?: AbortSignal | undefined;
}

export interface SizeDeps {
  readonly engine: QueryEngine;
  readonly clock: Clock;
}

/** Counting stops after this time, and the source's size is used instead. */
const countMs = 5000;

/** Null when the engine does not respond in time. */
export async function estimateSize(
  deps: SizeDeps,
  request: SizeRequest,
): Promise<SizeEstimate | null> {
  const counted = await count(deps, request, 'sum(byteSize(*))').catch(() =>
    count(deps, request, 'NULL').catch(() => null),
  );
  if (counted !== null) return counted;
  request.signal?.throwIfAborted();
  const rows = await estimateSourceRows(deps, request);
  return rows === null ? null : { rows, bytes: null, isExact: false };
}

/** Counts the rows of the future table; null when that takes too long or fails. */
export async function countRows(deps: SizeDeps, request: SizeRequest): Promise<number | null> {
  const counted = await count(deps, request, 'NULL').catch(() => null);
  return counted?.rows ?? null;
}

/** An upper bound of the source rows to read; null when the engine has no estimate. */
export function estimateSourceRows(deps: SizeDeps, request: SizeRequest): Promise<number | null> {
  const { projectId, sql } = request;
  return deps.engine.estimateRows({ projectId, sql, params: {} }).catch(() => null);
}

async function count(deps: SizeDeps, request: SizeRequest, bytes: string): Promise<SizeEstimate> {
  const limit = AbortSignal.timeout(countMs);
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
    request.signal === undefined ? limit : AbortSignal.any([limit, request.signal]),
  );
  const [row] = JSON.parse(result.rows.toString('utf8')) as [[number, number | null]];
  return { rows: row[0], bytes: row[1], isExact: true };
}
