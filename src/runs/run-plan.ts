import { createHash } from 'node:crypto';
import { invalidInput, ServiceError } from '../errors/service-error.ts';
import type { TableRead } from '../model/materialization-plan.ts';
import {
  cadenceSeconds,
  type MaterializationFacts,
  whyUnusable,
} from '../model/materialization-state.ts';
import type { CompiledQuery } from '../query/compile-query.ts';
import type { AgeLimits } from './freshness.ts';
import type { RunRequest } from './run-request.ts';

/** Why a materialized version was answered from its source data. */
export type InlineReason = 'direct' | 'not_ready' | 'failed' | 'stale' | 'max_age' | 'variables';

/** How one run is to be answered, decided from facts alone. */
export interface RunPlan extends AgeLimits {
  readonly sql: string;
  readonly params: Readonly<Record<string, string>>;
  readonly servedFrom: 'inline' | 'materialized';
  readonly inlineReason: InlineReason | null;
  /** Names the result in the cache and among the runs under way; a stored table's name is part of it. */
  readonly cacheKey: string;
  /** Whether a kept result may answer the run. */
  readonly readsCache: boolean;
}

/** What planning needs to know of the version. */
export interface VersionFacts {
  readonly id: string;
  readonly cacheAgeSeconds: number | null;
  readonly materialization: MaterializationFacts;
}

export interface RunPlanInput {
  readonly projectId: number;
  readonly version: VersionFacts;
  readonly request: RunRequest;
  readonly now: Date;
  /** The query on source data. */
  readonly compileInline: () => CompiledQuery;
  /** The query on the stored table. */
  readonly compileRead: (read: TableRead) => CompiledQuery;
  readonly defaultCacheAgeSeconds: number;
}

/** `table`: the stored one; else source data, for that reason, null when there is nothing stored to speak of. */
export type RunPath = 'table' | InlineReason | null;

/** Throws `invalid_input` when the request asks for a path that the version does not have. */
export function choosePath(version: VersionFacts, request: RunRequest, now: Date): RunPath {
  const facts = version.materialization;
  if (facts.enabled) return whyInline(facts, request, now) ?? 'table';
  if (request.refresh !== 'direct') return null;
  throw invalidInput(
    'refresh',
    'refresh=direct is for a materialized version; this one is not materialized.',
  );
}

/** Throws as `choosePath` does. */
export function planRun(input: RunPlanInput): RunPlan {
  const path = choosePath(input.version, input.request, input.now);
  if (path !== 'table') return planInline(input, path);
  return planTable(input) ?? planInline(input, 'not_ready');
}

/**
 * The read of a stored table that is too old to answer by right; null when there is none. A caller who allows
 * stale answers may get it.
 */
export function planStaleRead(input: RunPlanInput): RunPlan | null {
  const { request, version } = input;
  if (!version.materialization.enabled || request.refresh === 'direct') return null;
  return request.filtersOverride === null ? planTable(input) : null;
}

function planTable(input: RunPlanInput): RunPlan | null {
  const facts = input.version.materialization;
  const { tableName: table, plan, lastMaterializedAt } = facts;
  if (table === null || plan === null) return null;
  const cadence = cadenceSeconds(facts.syncFrequency);
  return {
    ...toRunPlan(input, input.compileRead({ table, plan })),
    servedFrom: 'materialized',
    inlineReason: null,
    materializedAt: lastMaterializedAt,
    dataAgeSeconds: Math.min(cadence, input.request.freshness.maxAgeSeconds ?? cadence),
  };
}

/** The plan on source data, whatever is stored. */
export function planInline(input: RunPlanInput, inlineReason: InlineReason | null): RunPlan {
  return {
    ...toRunPlan(input, input.compileInline()),
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
  // The stored rows know nothing of filters.
  if (request.filtersOverride !== null) return 'variables';
  return whyUnusable(facts, now) ?? (isTooOld(facts, request, now) ? 'max_age' : null);
}

/** Whether the caller wants younger rows than those of the table. */
function isTooOld(
  { lastMaterializedAt }: MaterializationFacts,
  { freshness }: RunRequest,
  now: Date,
): boolean {
  if (freshness.maxAgeSeconds === null || lastMaterializedAt === null) return false;
  return now.getTime() - lastMaterializedAt.getTime() >= freshness.maxAgeSeconds * 1000;
}

/**
 * Throws `missing_variable` when the request leaves out a variable that became a column; null leaves it out, and so
 * does counting on a default. By configuration, not by the state of the table: a run that is refused today is
 * refused tomorrow.
 */
export function requireMaterializedVariables(
  facts: MaterializationFacts,
  request: RunRequest,
): void {
  if (!facts.enabled) return;
  const missing = (facts.plan?.requiredVariables ?? [])
    .filter((name) => !Object.hasOwn(request.variables, name) || request.variables[name] == null)
    .map((name) => `'${name}'`)
    .sort();
  if (missing.length === 0) return;
  throw new ServiceError(
    'missing_variable',
    `Required variable(s) ${missing.join(', ')} not provided. On a materialized version each needs a value, a default does not count.`,
    { attr: 'variables' },
  );
}

function toRunPlan(
  { projectId, version, request, defaultCacheAgeSeconds }: RunPlanInput,
  compiled: CompiledQuery,
) {
  return {
    sql: compiled.sql,
    params: compiled.params,
    cacheKey: resultKey({ projectId, versionId: version.id, request, compiled }),
    readsCache: request.refresh === 'cache',
    cacheAgeSeconds: version.cacheAgeSeconds ?? defaultCacheAgeSeconds,
  };
}

/** Equal for runs that have the same result: never the endpoint's name, which may move to another query. */
function resultKey(run: {
  readonly projectId: number;
  readonly versionId: string;
  readonly request: RunRequest;
  readonly compiled: CompiledQuery;
}): string {
  const { request, compiled } = run;
  const params = Object.entries(compiled.params).sort(([a], [b]) => (a < b ? -1 : 1));
  const asked = JSON.stringify([
    compiled.sql,
    params,
    request.limit,
    request.offset,
    request.integers,
    request.format,
  ]);
  const digest = createHash('sha256').update(asked).digest('base64url');
  return `${run.projectId}:${run.versionId}:${digest}`;
}
