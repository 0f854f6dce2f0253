/** How large a stored table would be, asked of the engine without storing anything. */
import type { QueryEngine } from '../engine/query-engine.ts';
import type { Clock } from '../lib/clock.ts';
import { uuidv7 } from '../lib/ids.ts';

export interface SizeEstimate {
  readonly rows: number;
  /** Uncompressed; null when only the source was looked at. */
  readonly bytes: number | null;
  /** False: at most so many, by what the source tables hold. */
  readonly isExact: boolean;
}

export interface SizeRequest {
  readonly projectId: number;
  /** The stored query. */
  readonly sql: string;
  readonly signal?: AbortSignal | undefined;
}

export interface SizeDeps {
  readonly engine: QueryEngine;
  readonly clock: Clock;
}

/** How long the stored query may be counted before its source's size has to do. */
const countMs = 5000;

/** Null when the engine could not say in time. */
export async function estimateSize(
  deps: SizeDeps,
  asked: SizeRequest,
): Promise<SizeEstimate | null> {
  const counted = await count(deps, asked, 'sum(byteSize(*))').catch(() =>
    count(deps, asked, 'NULL').catch(() => null),
  );
  if (counted !== null) return counted;
  asked.signal?.throwIfAborted();
  const rows = await estimateSourceRows(deps, asked);
  return rows === null ? null : { rows, bytes: null, isExact: false };
}

/** The rows that the table would have, counted; null when that takes too long or fails. */
export async function countRows(deps: SizeDeps, asked: SizeRequest): Promise<number | null> {
  const counted = await count(deps, asked, 'NULL').catch(() => null);
  return counted?.rows ?? null;
}

/** Rows of the source that would be read at most; null when the engine does not say. */
export function estimateSourceRows(deps: SizeDeps, asked: SizeRequest): Promise<number | null> {
  const { projectId, sql } = asked;
  return deps.engine.estimateRows({ projectId, sql, params: {} }).catch(() => null);
}

async function count(deps: SizeDeps, asked: SizeRequest, bytes: string): Promise<SizeEstimate> {
  const limit = AbortSignal.timeout(countMs);
  const result = await deps.engine.query(
    {
      projectId: asked.projectId,
      sql: `SELECT count(), ${bytes} FROM (\n${asked.sql}\n)`,
      params: {},
      queryId: uuidv7(deps.clock.now()),
      limit: 1,
      offset: 0,
      integers: 'number',
    },
    asked.signal === undefined ? limit : AbortSignal.any([limit, asked.signal]),
  );
  const [row] = JSON.parse(result.rows.toString('utf8')) as [[number, number | null]];
  return { rows: row[0], bytes: row[1], isExact: true };
}
