import type { CachedResult } from '../cache/result-cache.ts';
import type { EngineStats } from '../engine/engine-stats.ts';
import type { Column } from '../engine/query-engine.ts';
import type { RenderingSlot } from '../http/rendering.ts';
import type { ResultFormat } from '../model/result-format.ts';
import type { EndpointRecord, VersionRecord } from '../store/endpoint-record.ts';
import { dataAsOf, type Freshness, lifetimeOf, type StaleReason, staleForMs } from './freshness.ts';
import type { InlineReason, RunPlan } from './run-plan.ts';
import type { RunRequest } from './run-request.ts';
import type { RunStream } from './run-stream.ts';
import { isUnsaved } from './unsaved-query.ts';

/** The response of a run, for both interfaces: the rows as the engine wrote them, and facts about them. */
export interface RunResponse {
  readonly format: ResultFormat;
  /** An array of rows in JSON; otherwise the complete result in its format. Never parsed on the way through. */
  readonly rows: Buffer;
  /**
   * The rows of a result too large to be held in memory. `rows`, `rowCount`, `hasMore` and the tags are then
   * meaningless.
   */
  readonly stream: RunStream | null;
  readonly columns: readonly Column[];
  readonly rowCount: number;
  readonly hasMore: boolean;
  readonly limit: number;
  readonly offset: number;
  /** Where the next page begins; null when there is none, or the run states neither an order nor a cursor. */
  readonly nextCursor: string | null;
  readonly isCached: boolean;
  /** The time of the rows: when they were computed from source data, or when the sync of the stored table began. */
  readonly lastRefresh: Date;
  /** Until when the result counts as fresh for this version. */
  readonly cacheTargetAge: Date;
  readonly timezone: 'UTC';
  /** False for an unsaved query, which has no name, version or materialization; those members are meaningless then. */
  readonly isSaved: boolean;
  readonly endpointId: string;
  readonly name: string;
  readonly version: number;
  readonly versionCreatedAt: Date;
  readonly materialized: boolean;
  readonly materializedAt: Date | null;
  readonly servedFrom: 'cache' | 'inline' | 'materialized';
  /** Why a materialized version was read from its source data. */
  readonly inlineReason: InlineReason | null;
  /** Why the rows are stale; null when they are fresh. */
  readonly staleReason: StaleReason | null;
  /**
   * Whether the response reports its path: for a materialized version, with debug, and to callers that state freshness.
   */
  readonly reportsPath: boolean;
  /** Whether it reports staleness: only to callers that state freshness, since nobody else gets stale rows. */
  readonly reportsStale: boolean;
  /** The execution that computed the rows; also the id of its query status. */
  readonly executionId: string;
  /** Strong validator of the content. */
  readonly etag: string;
  /** Every tag a client may hold for the same content; see docs/rest-api.md. */
  readonly equivalentEtags: readonly string[];
  /** Whole seconds since `lastRefresh`. */
  readonly ageSeconds: number;
  /**
   * The total lifetime in seconds, counted like `ageSeconds`, so that their difference is the remaining time; 0 when
   * the response is stale.
   */
  readonly maxAgeSeconds: number;
  readonly debug: RunDebug | null;
  /** Null when the response is only for its caller. */
  readonly renderingSlot: RenderingSlot | null;
}

interface RunDebug {
  readonly cacheKey: string;
  readonly query: string;
  readonly timings: readonly { readonly name: string; readonly seconds: number }[];
  readonly queryProgress: EngineStats;
  /** The caller's freshness bounds and how the response meets them; null when the caller stated none. */
  readonly freshness: RunFreshness | null;
}

export interface RunFreshness extends Omit<Freshness, 'isStated'> {
  readonly ageSeconds: number;
  /** How many seconds the rows have been stale; 0 when they are fresh. */
  readonly staleForSeconds: number;
}

export function toRunResponse(input: {
  readonly endpoint: EndpointRecord;
  readonly version: VersionRecord;
  readonly request: RunRequest;
  readonly plan: RunPlan;
  readonly result: CachedResult;
  readonly stream: RunStream | null;
  readonly isCached: boolean;
  /** Whether other callers may get the same response. */
  readonly isShared: boolean;
  readonly staleReason: StaleReason | null;
  readonly startedAt: Date;
  readonly now: Date;
}): RunResponse {
  const { endpoint, version, request, plan, result, isCached, staleReason } = input;
  const { isStated } = request.freshness;
  const tags = tagsOf(input);
  return {
    format: request.format,
    rows: result.rows,
    stream: input.stream,
    columns: result.columns,
    rowCount: result.rowCount,
    hasMore: result.hasMore,
    limit: request.limit,
    offset: request.offset,
    nextCursor: result.nextCursor,
    isCached,
    lastRefresh: dataAsOf(plan, result.computedAt),
    cacheTargetAge: new Date(result.computedAt.getTime() + plan.cacheAgeSeconds * 1000),
    timezone: 'UTC',
    isSaved: !isUnsaved(endpoint),
    endpointId: endpoint.id,
    name: endpoint.name,
    version: version.version,
    versionCreatedAt: version.createdAt,
    materialized: plan.servedFrom === 'materialized',
    materializedAt: plan.materializedAt,
    servedFrom: isCached ? 'cache' : plan.servedFrom,
    inlineReason: plan.inlineReason,
    staleReason,
    reportsPath: request.debug || isStated || version.materialization.enabled,
    reportsStale: isStated,
    executionId: result.executionId,
    etag: isCached ? tags[0] : tags[1],
    equivalentEtags: tags,
    ageSeconds: ageOf(input),
    maxAgeSeconds: staleReason === null ? lifetimeOf(plan, result.computedAt) : 0,
    debug: request.debug ? toRunDebug(input) : null,
    renderingSlot: input.isShared ? { last: null } : null,
  };
}

/**
 * The tags of the cached and the computed response. A tag covers everything in a body besides the rows: why it is
 * inline or stale, until when it is fresh, and whether it reports that.
 */
function tagsOf(input: Parameters<typeof toRunResponse>[0]): readonly [string, string] {
  const { plan, result, request, staleReason } = input;
  const content = `${result.contentTag}-${plan.cacheAgeSeconds}`;
  const stated = request.freshness.isStated ? '-t' : '';
  const stale = staleReason === null ? '' : `-${staleReason}`;
  const why = plan.inlineReason === null ? '' : `-${plan.inlineReason}`;
  const end = `${stated}${stale}${why}`;
  return [`"${content}-c${end}"`, `"${content}-f${end}"`];
}

function ageOf({ plan, result, now }: Parameters<typeof toRunResponse>[0]): number {
  const ageMs = now.getTime() - dataAsOf(plan, result.computedAt).getTime();
  return Math.max(0, Math.floor(ageMs / 1000));
}

function toRunFreshness(input: Parameters<typeof toRunResponse>[0]): RunFreshness | null {
  const { isStated, ...stated } = input.request.freshness;
  if (!isStated) return null;
  const staleMs = staleForMs(input.plan, input.result.computedAt, input.now);
  const staleForSeconds = Math.max(0, Math.floor(staleMs / 1000));
  return { ...stated, ageSeconds: ageOf(input), staleForSeconds };
}

function toRunDebug(input: Parameters<typeof toRunResponse>[0]): RunDebug {
  const { plan, result, isCached } = input;
  return {
    cacheKey: plan.cacheKey,
    query: plan.sql,
    timings: [
      { name: 'engine', seconds: isCached ? 0 : result.stats.timeElapsed },
      { name: 'total', seconds: (input.now.getTime() - input.startedAt.getTime()) / 1000 },
    ],
    queryProgress: result.stats,
    freshness: toRunFreshness(input),
  };
}
