/** Runs one query with a complete result, by its cached plan while that is valid, else after a new check. */
import { ServiceError } from '../../../errors/service-error.ts';
import type { Log } from '../../../lib/log.ts';
import { resultMarginBytes } from '../../../model/query-limits.ts';
import type { EngineQuery, EngineResult } from '../../query-engine.ts';
import { translateError } from '../errors/translate-error.ts';
import { asReader, lowerOf, messageContext, querySettings, type Session } from '../http/session.ts';
import { stopQuietly } from '../overruns/running-queries.ts';
import { runSelected } from '../select/run-selection.ts';
import { type SelectingQuery, sendSelection } from '../select/send-selection.ts';
import type { TimeBinder } from '../times/bind-times.ts';
import { outputSettings } from './output-settings.ts';
import { isOutdated, mayMisname, resultColumns } from './plan-statement.ts';
import type { CheckedPlan, Plans } from './plans.ts';
import { toResultRows } from './result-rows.ts';

export interface Driver {
  readonly session: Session;
  readonly plans: Plans;
  readonly times: TimeBinder;
  readonly log: Log;
}

export async function runQuery(
  driver: Driver,
  query: EngineQuery,
  signal: AbortSignal | undefined,
): Promise<EngineResult> {
  const { selection } = query;
  if (selection) return querySelection(driver, { ...query, selection }, signal);
  const cached = driver.plans.find(query);
  if (cached !== undefined && !(cached.isConverted && mayMisname(cached))) {
    await driver.plans.requireValues(cached, query);
    const result = await tryCachedPlan(driver, query, { plan: cached, signal });
    if (result !== null && !isOutdated(cached, result.columns)) return named(cached, result);
  }
  const plan = await driver.plans.make(query, query.fault ?? 'query_failed');
  // A text checked for saving uses sample values where a run supplies none.
  if (query.fault === 'invalid_query') await driver.plans.requireValues(plan, query);
  return named(plan, await runPlan(driver, query, { plan, signal }));
}

function querySelection(
  driver: Driver,
  query: SelectingQuery,
  signal: AbortSignal | undefined,
): Promise<EngineResult> {
  return runSelected(driver, query, async (selected) => {
    try {
      return await sendSelection(driver.session, query, { selected, signal });
    } catch (error) {
      throw await driver.times.explain(toFailure(driver, query, error), selected.plan, query);
    }
  });
}

function named(plan: CheckedPlan, result: EngineResult): EngineResult {
  return { ...result, columns: resultColumns(plan, result.columns) };
}

interface PlannedRun {
  readonly plan: CheckedPlan;
  readonly signal: AbortSignal | undefined;
}

/** Null when it failed in a way that changed table columns could explain. */
async function tryCachedPlan(
  driver: Driver,
  query: EngineQuery,
  run: PlannedRun,
): Promise<EngineResult | null> {
  try {
    return await runPlan(driver, query, run);
  } catch (error) {
    const mayBeOutdated = error instanceof ServiceError && error.code === 'query_failed';
    if (mayBeOutdated && (run.plan.isConverted || driver.times.isTyped(run.plan))) return null;
    throw error;
  }
}

/** The columns are those of the engine's response. */
async function runPlan(
  driver: Driver,
  query: EngineQuery,
  { plan, signal }: PlannedRun,
): Promise<EngineResult> {
  const { session, times } = driver;
  const { projectId, queryId, limit, offset, limits } = query;
  try {
    const bound = await times.bind(plan, query);
    const { body, stats } = await asReader(session, projectId, {
      sql: bound.plan.text,
      params: bound.params,
      searchesNull: plan.searchesNull,
      settings: outputSettings[query.integers],
      ownSettings: {
        ...querySettings(session, query, plan.blockSettings),
        // One more row than requested shows whether there are more.
        limit: String(limit + 1),
        offset: String(offset),
      },
      queryId,
      limitSeconds: lowerOf(session.config.queryTimeoutSeconds, limits?.executionSeconds),
      maxBytes: lowerOf(session.config.maxResultBytes, limits?.resultBytes) + resultMarginBytes,
      signal,
    });
    return { ...toResultRows(body, limit), stats };
  } catch (error) {
    throw await times.explain(toFailure(driver, query, error), plan, query);
  }
}

function toFailure(driver: Driver, query: EngineQuery, error: unknown): ServiceError {
  const { projectId, queryId } = query;
  const context = messageContext(driver.session, projectId);
  const failure = translateError(error, { ...context, fault: 'query_failed', written: query.sql });
  if (mayStillRun(failure.code)) stopQuietly(driver, queryId);
  return failure;
}

/** The connection is closed; the engine stops when it notices, and at once by KILL. */
function mayStillRun(code: string): boolean {
  return code === 'query_cancelled' || code === 'query_too_large' || code === 'engine_unavailable';
}
