import { createHash } from 'node:crypto';
import type { CompiledQuery } from './compile-query.ts';
import { invalidInput } from './errors.ts';
import type { RunRequest } from './run-request.ts';

/** Why a materialized version was answered from its source data. */
export type InlineReason = 'direct' | 'not_ready' | 'failed' | 'stale' | 'variables';

/** How one run is to be answered, decided from facts alone. */
export interface RunPlan {
  readonly sql: string;
  readonly params: Readonly<Record<string, string>>;
  readonly servedFrom: 'inline' | 'materialized';
  readonly inlineReason: InlineReason | null;
  /** Names the result in the cache and among the runs under way. */
  readonly cacheKey: string;
  /** A kept result of at most this age answers the run; null: none does. */
  readonly maxAgeSeconds: number | null;
}

/** What planning needs to know of the version. */
export interface VersionFacts {
  readonly id: string;
  readonly cacheAgeSeconds: number | null;
  readonly materialized: boolean;
}

/** Throws `invalid_input` when the request asks for a path that the version does not have. */
export function planRun(input: {
  readonly projectId: number;
  readonly version: VersionFacts;
  readonly request: RunRequest;
  readonly compiled: CompiledQuery;
  readonly defaultCacheAgeSeconds: number;
}): RunPlan {
  const { request, version, compiled } = input;
  if (request.refresh === 'direct' && !version.materialized) {
    throw invalidInput(
      'refresh',
      'refresh=direct is for a materialized version; this one is not materialized.',
    );
  }
  return {
    sql: compiled.sql,
    params: compiled.params,
    servedFrom: 'inline',
    inlineReason: null,
    cacheKey: resultKey(input.projectId, version.id, request, compiled),
    maxAgeSeconds:
      request.refresh === 'cache'
        ? (version.cacheAgeSeconds ?? input.defaultCacheAgeSeconds)
        : null,
  };
}

/** Equal for runs that have the same result: never the endpoint's name, which may move to another query. */
function resultKey(
  projectId: number,
  versionId: string,
  request: RunRequest,
  compiled: CompiledQuery,
): string {
  const params = Object.entries(compiled.params).sort(([a], [b]) => (a < b ? -1 : 1));
  const asked = JSON.stringify([
    compiled.sql,
    params,
    request.limit,
    request.offset,
    request.integers,
  ]);
  const digest = createHash('sha256').update(asked).digest('base64url');
  return `${projectId}:${versionId}:${digest}`;
}
