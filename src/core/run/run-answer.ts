import type { CachedResult } from '../../cache/result-cache.ts';
import type { InlineReason, RunPlan } from '../../domain/run-plan.ts';
import type { RunRequest } from '../../domain/run-request.ts';
import type { Column, EngineStats } from '../../engine/query-engine.ts';
import type { EndpointRecord, VersionRecord } from '../../store/endpoint-record.ts';

/** What a run answers, for both doors: the rows as the engine wrote them, and the facts around them. */
export interface RunAnswer {
  /** JSON: an array of row arrays. Never parsed on the way through. */
  readonly rows: Buffer;
  readonly columns: readonly Column[];
  readonly rowCount: number;
  readonly hasMore: boolean;
  readonly limit: number;
  readonly offset: number;
  readonly isCached: boolean;
  readonly lastRefresh: Date;
  /** Until when the result counts as fresh for this version. */
  readonly cacheTargetAge: Date;
  readonly timezone: 'UTC';
  readonly name: string;
  readonly version: number;
  readonly versionCreatedAt: Date;
  readonly materialized: boolean;
  readonly materializedAt: Date | null;
  readonly servedFrom: 'cache' | 'inline' | 'materialized';
  /** Why a materialized version was answered from its source data. */
  readonly inlineReason: InlineReason | null;
  /** Whether the path is worth telling: of a materialized version, and whenever debug was asked for. */
  readonly tellsPath: boolean;
  /** The execution that computed the rows; also the id of its query status. */
  readonly executionId: string;
  /** Strong validator of this answer's content. */
  readonly etag: string;
  /** Every tag a client may hold for the same content; see docs/rest-api.md. */
  readonly equivalentEtags: readonly string[];
  /** Whole seconds since the rows were computed. */
  readonly ageSeconds: number;
  /** Whole seconds for which a client may keep the answer; 0 when the version is not cached. */
  readonly maxAgeSeconds: number;
  readonly debug: RunDebug | null;
}

export interface RunDebug {
  readonly cacheKey: string;
  readonly query: string;
  readonly timings: readonly { readonly name: string; readonly seconds: number }[];
  readonly queryProgress: EngineStats;
}

export function toRunAnswer(input: {
  readonly endpoint: EndpointRecord;
  readonly version: VersionRecord;
  readonly request: RunRequest;
  readonly plan: RunPlan;
  readonly result: CachedResult;
  readonly isCached: boolean;
  readonly cacheAgeSeconds: number;
  readonly startedAt: Date;
  readonly now: Date;
}): RunAnswer {
  const { endpoint, version, request, plan, result, isCached, now } = input;
  const ageSeconds = Math.max(0, Math.floor((now.getTime() - result.computedAt.getTime()) / 1000));
  // The answer says why it is inline and until when it is fresh, so its tag does too.
  const why = plan.inlineReason === null ? '' : `-${plan.inlineReason}`;
  const content = `${result.contentTag}-${input.cacheAgeSeconds}`;
  const tags = [`"${content}-c${why}"`, `"${content}-f${why}"`] as const;
  return {
    rows: result.rows,
    columns: result.columns,
    rowCount: result.rowCount,
    hasMore: result.hasMore,
    limit: request.limit,
    offset: request.offset,
    isCached,
    lastRefresh: result.computedAt,
    cacheTargetAge: new Date(result.computedAt.getTime() + input.cacheAgeSeconds * 1000),
    timezone: 'UTC',
    name: endpoint.name,
    version: version.version,
    versionCreatedAt: version.createdAt,
    materialized: plan.servedFrom === 'materialized',
    materializedAt: plan.materializedAt,
    servedFrom: isCached ? 'cache' : plan.servedFrom,
    inlineReason: plan.inlineReason,
    tellsPath: request.debug || version.materialization.enabled,
    executionId: result.executionId,
    etag: isCached ? tags[0] : tags[1],
    equivalentEtags: tags,
    ageSeconds,
    maxAgeSeconds: Math.max(0, input.cacheAgeSeconds - ageSeconds),
    debug: request.debug ? toRunDebug(input) : null,
  };
}

function toRunDebug(input: Parameters<typeof toRunAnswer>[0]): RunDebug {
  const { plan, result, isCached } = input;
  return {
    cacheKey: plan.cacheKey,
    query: plan.sql,
    timings: [
      { name: 'engine', seconds: isCached ? 0 : result.stats.timeElapsed },
      { name: 'total', seconds: (input.now.getTime() - input.startedAt.getTime()) / 1000 },
    ],
    queryProgress: result.stats,
  };
}
