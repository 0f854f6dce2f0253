import { createHash } from 'node:crypto';
import type { RunLimits } from '../access/effective-limits.ts';
import type { Principal } from '../access/principal.ts';
import type { Selected } from '../endpoints/resolve-version.ts';
import { parsedQueryOf } from '../endpoints/version-query.ts';
import { invalidInput } from '../errors/service-error.ts';
import { compileRead } from '../materialization/compile-read.ts';
import {
  cadenceSeconds,
  isInlineFaster,
  type MaterializationFacts,
  whyUnusable,
} from '../model/materialization-state.ts';
import { type CompiledQuery, compileQuery } from '../query/compile-query.ts';
import type { FillFilters } from '../query/filters/compile-filters.ts';
import type { BoundParam } from '../query/legacy-variable.ts';
import type { ParsedQuery } from '../query/query-definition.ts';
import { bindVariables, type ValueSource } from '../query/variables.ts';
import { nullText } from '../sql/param-value.ts';
import { requireStorableText, requireWellFormedJson } from '../sql/storable-text.ts';
import type { VersionRecord } from '../store/endpoint-record.ts';
import type { AgeLimits } from './freshness.ts';
import type { ApiInterface, RunRequest } from './run-request.ts';
import { type SelectedRows, selectRows } from './select-rows.ts';

/** Why a materialized version was read from its source data. */
export type InlineReason =
  | 'direct'
  | 'not_ready'
  | 'failed'
  | 'stale'
  | 'max_age'
  | 'variables'
  | 'integers'
  | 'faster';

/** What one run reads. Pure data. */
export interface RunPlan extends AgeLimits, SelectedRows {
  readonly sql: string;
  readonly params: Readonly<Record<string, string>>;
  readonly servedFrom: 'inline' | 'materialized';
  readonly inlineReason: InlineReason | null;
  /**
   * Identifies the result in the cache and in single flights. Includes the stored table's name, or the revision of the
   * source data, so that a run from before a load never shares its result with one that begins after it.
   */
  readonly cacheKey: string;
  /** Whether the run accepts a cached result. */
  readonly readsCache: boolean;
}

/** The plan of a request on a version, and its alternatives. */
export interface RunPlans {
  readonly version: VersionRecord;
  /** The data revision that the result is cached for. */
  readonly dataRevision: number;
  readonly request: RunRequest;
  /** The plan is valid while `choosePath` returns this path. */
  readonly path: RunPath;
  readonly plan: RunPlan;
  /** The plan on source data, used when the stored table fails. */
  readonly fallback: () => RunPlan;
  /** A read of a stored table that is past its cadence, for callers that accept stale rows; null when there is none. */
  readonly staleRead: () => RunPlan | null;
}

/** An authorized run with its version and its plans. */
export interface PlannedRun extends Selected {
  readonly principal: Principal;
  readonly limits: RunLimits;
  readonly via: ApiInterface;
  /** Whether the run belongs to a live result. */
  readonly isLive: boolean;
  readonly request: RunRequest;
  readonly plans: RunPlans;
  /** Whether it has been counted against its rate limits. */
  readonly isCounted: boolean;
  readonly signal: AbortSignal | undefined;
}

/** What the plans of one run share. */
interface PlanInput {
  readonly projectId: number;
  readonly dataRevision: number;
  readonly version: VersionRecord;
  readonly request: RunRequest;
  readonly query: ParsedQuery;
  readonly bound: ReadonlyMap<string, BoundParam>;
  /** The query on source data. */
  readonly inline: CompiledQuery;
  readonly selected: SelectedRows;
  readonly defaultCacheAgeSeconds: number;
}

/** `table` for the stored table, otherwise the reason for source data. Null when the version is not materialized. */
export type RunPath = 'table' | InlineReason | null;

/** Throws `invalid_input` when the request requires a path that the version does not have. */
export function choosePath(
  { materialization: facts }: Pick<VersionRecord, 'materialization'>,
  request: RunRequest,
  now: Date,
): RunPath {
  if (facts.enabled) return whyInline(facts, request, now) ?? 'table';
  if (request.refresh !== 'direct') return null;
  throw invalidInput(
    'refresh',
    'refresh=direct requires a materialized version, and this one is not materialized.',
  );
}

export interface PlannedFilters {
  readonly fill: FillFilters;
  /** Equal for filters that mean the same. */
  readonly meaning: string;
}

/** Throws as `choosePath` does, for variables that the query does not have, and for values that filters do not accept. */
export function planRequest(
  { endpoint, version }: Selected,
  given: {
    readonly request: RunRequest;
    readonly valueSource: ValueSource;
    /** Null when the request has none. */
    readonly filters: PlannedFilters | null;
    readonly now: Date;
    readonly defaultCacheAgeSeconds: number;
  },
): RunPlans {
  const { request, valueSource, filters, now, defaultCacheAgeSeconds } = given;
  const query = parsedQueryOf(version);
  const bound = bindRequest({ version, request, valueSource });
  const inline = compileQuery(query, bound, filters?.fill ?? null);
  const { projectId, dataRevision } = endpoint;
  const selected = selectRows(request, [resultId(version), [...bound], filters?.meaning]);

  const common = { projectId, dataRevision, version, request, query, bound, inline };
  const input = { ...common, selected, defaultCacheAgeSeconds };
  const path = choosePath(version, request, now);
  return {
    version,
    dataRevision,
    request,
    path,
    plan: path === 'table' ? planStored(input) : planInline(input, path),
    fallback: () => planInline(input, 'failed'),
    staleRead: () => planStaleRead(input),
  };
}

/** The values of a request's variables. Throws for variables that the query does not have. */
export function bindRequest(run: {
  readonly version: VersionRecord;
  readonly request: RunRequest;
  readonly valueSource: ValueSource;
}): ReadonlyMap<string, BoundParam> {
  const { version, request, valueSource } = run;
  requireWellFormed(request.variables);
  return bindVariables(parsedQueryOf(version), request.variables, valueSource);
}

function requireWellFormed(variables: RunRequest['variables']): void {
  for (const [name, value] of Object.entries(variables)) {
    requireStorableText(name, 'variables');
    requireWellFormedJson(value, `variables.${name}`, 1);
  }
}

function planStaleRead(input: PlanInput): RunPlan | null {
  const { request, version } = input;
  if (!version.materialization.enabled || request.refresh === 'direct') return null;
  if (request.filtersOverride !== null || !hasTextsOf(version.materialization, request))
    return null;
  return fitsTable(input) ? planTable(input) : null;
}

/** False if 64-bit integers within the table's texts are written in another way than the run wants. */
function hasTextsOf({ plan }: MaterializationFacts, { integers }: RunRequest): boolean {
  return plan?.integers === undefined || plan.integers === integers;
}

function planStored(input: PlanInput): RunPlan {
  if (!fitsTable(input)) return planInline(input, 'variables');
  return planTable(input) ?? planInline(input, 'not_ready');
}

/**
 * Conditions are evaluated over stored columns, so NULL selects the same rows as inline. But a NULL date in
 * `{variables.name}` has another type than a date, and reads may contain conditions that were derived for dates.
 */
function fitsTable({ query, bound }: PlanInput): boolean {
  return query.placeholders.every((placeholder) => {
    if (placeholder.kind !== 'variable') return true;
    const isDate = query.definitions.get(placeholder.name)?.type === 'Date';
    return !isDate || bound.get(placeholder.name)?.text !== nullText;
  });
}

function planTable(input: PlanInput): RunPlan | null {
  const facts = input.version.materialization;
  const { tableName: table, plan, lastMaterializedAt } = facts;
  if (table === null || plan === null) return null;
  const cadence = cadenceSeconds(facts.syncFrequency);
  return {
    ...toRunPlan(input, compileRead(input.query, input.bound, { table, plan }), null),
    servedFrom: 'materialized',
    inlineReason: null,
    materializedAt: lastMaterializedAt,
    dataAgeSeconds: Math.min(cadence, input.request.freshness.maxAgeSeconds ?? cadence),
  };
}

function planInline(input: PlanInput, inlineReason: InlineReason | null): RunPlan {
  return {
    ...toRunPlan(input, input.inline, input.dataRevision),
    servedFrom: 'inline',
    inlineReason,
    materializedAt: null,
    dataAgeSeconds: input.request.freshness.maxAgeSeconds,
  };
}

function whyInline(
  facts: MaterializationFacts,
  request: RunRequest,
  now: Date,
): InlineReason | null {
  if (request.refresh === 'direct') return 'direct';
  // Filters cannot be applied to stored rows.
  if (request.filtersOverride !== null) return 'variables';
  if (!hasTextsOf(facts, request)) return 'integers';
  const unusable = whyUnusable(facts, now);
  if (unusable !== null) return unusable;
  if (isTooOld(facts, request, now)) return 'max_age';
  return isInlineFaster(facts) ? 'faster' : null;
}

/** Whether the caller requires younger rows than the table's. */
function isTooOld(
  { lastMaterializedAt }: MaterializationFacts,
  { freshness }: RunRequest,
  now: Date,
): boolean {
  if (freshness.maxAgeSeconds === null || lastMaterializedAt === null) return false;
  return now.getTime() - lastMaterializedAt.getTime() >= freshness.maxAgeSeconds * 1000;
}

function toRunPlan(
  { projectId, version, request, selected, defaultCacheAgeSeconds }: PlanInput,
  compiled: CompiledQuery,
  dataRevision: number | null,
) {
  const versionId = resultId(version);
  return {
    ...selected,
    sql: compiled.sql,
    params: compiled.params,
    cacheKey: resultKey({ projectId, versionId, request, selected, compiled, dataRevision }),
    readsCache: request.refresh === 'cache',
    cacheAgeSeconds: version.cacheAgeSeconds ?? defaultCacheAgeSeconds,
  };
}

/** Identifies the version with its current columns; results and cursors of earlier columns do not match. */
function resultId({ id, columnsRevision: revision }: VersionRecord): string {
  return revision === 0 ? id : `${id}+${revision}`;
}

/** Equal for runs with the same result. Excludes the endpoint's name, which may later refer to another query. */
function resultKey(run: {
  readonly projectId: number;
  readonly versionId: string;
  readonly request: RunRequest;
  readonly selected: SelectedRows;
  readonly compiled: CompiledQuery;
  /** Null for the rows of a stored table, which no load changes. */
  readonly dataRevision: number | null;
}): string {
  const { request, selected, compiled } = run;
  const params = Object.entries(compiled.params).sort(([a], [b]) => (a < b ? -1 : 1));
  const content = JSON.stringify([
    compiled.sql,
    params,
    request.limit,
    selected.offset,
    request.integers,
    request.format,
    selected.selection,
    selected.paging?.start ?? null,
    // The result has a cursor of that scope.
    request.filtersOverride === null ? null : (selected.paging?.scope ?? null),
  ]);
  const digest = createHash('sha256').update(content).digest('base64url');
  return `${run.projectId}:${run.dataRevision ?? 'stored'}:${run.versionId}:${digest}`;
}
