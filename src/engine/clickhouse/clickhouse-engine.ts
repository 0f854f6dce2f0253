/** QueryEngine over ClickHouse's HTTP interface: the local child, a server and a cluster alike. */
import { LRUCache } from 'lru-cache';
import { ServiceError } from '../../errors/service-error.ts';
import type { Log } from '../../lib/log.ts';
import { resultMarginBytes } from '../../model/query-limits.ts';
import type { EmbeddedEngine } from '../embedded/embedded-engine.ts';
import type { EngineQuery, EngineResult, EngineStatement, QueryEngine } from '../query-engine.ts';
import { openSqlAnalysis } from './analysis.ts';
import { openRowComparer } from './compare/compare-rows.ts';
import { translateError } from './errors/translate-error.ts';
import { checkStatement, type Fault } from './guard/check-statement.ts';
import {
  blockSettings,
  hasRules,
  openTimeZones,
  requireValues,
} from './guard/rules/variable-rules.ts';
import type { EngineConnection } from './http/connection.ts';
import { openEngineClient } from './http/http-client.ts';
import {
  asAdmin,
  executionSeconds,
  least,
  limitSettings,
  queryTimeoutMs,
  type Session,
  shareSettings,
  takenSettings,
} from './http/session.ts';
import { type OverrunWatch, openOverrunWatch } from './overruns/overrun-watch.ts';
import {
  killQuery,
  queryProgress,
  stopQuietly,
  watchedEngine,
} from './overruns/running-queries.ts';
import { watchedClient } from './overruns/watched-client.ts';
import type { UserLimits } from './provision/project-users.ts';
import {
  deprovisionProject,
  type ProvisionTarget,
  provisionProject,
} from './provision/provision.ts';
import { outputSettings } from './query/output-settings.ts';
import {
  isOutdated,
  type KnownPlan,
  mayMisname,
  planStatement,
  resultColumns,
  type StatementPlan,
} from './query/plan-statement.ts';
import { toResultRows } from './query/result-rows.ts';
import { refusalOfColumns } from './query/result-types.ts';
import { type StreamDriver, streamQuery } from './stream/stream-query.ts';
import { projectTables } from './tables/project-tables.ts';
import {
  countValues,
  createStoredTable,
  dropStoredTable,
  estimateRows,
  schemaFingerprint,
  storedTableNames,
  tablesFingerprint,
} from './tables/stored-tables.ts';

export interface ClickHouseEngineOptions {
  readonly connection: EngineConnection;
  readonly config: UserLimits;
  readonly log: Log;
  /** The local engine behind the connection; absent for a server. Closing this engine does not stop it. */
  readonly local?: EmbeddedEngine;
  readonly times?: Partial<EngineTimes>;
}

/** What is the same for every service; a test need not wait as long. */
export interface EngineTimes {
  /** How long a query may go on after its limit before it is an overrun. */
  readonly graceMs: number;
  /** How long a statement of a writer may take. */
  readonly writerSeconds: number;
}

const GRACE_MS = 10_000;

interface Driver {
  readonly session: Session;
  readonly target: ProvisionTarget;
  readonly log: Log;
  readonly plans: LRUCache<string, KnownPlan>;
}

/** A plan knows the columns' types; a table may be replaced by one with others. */
const PLAN_TTL_MS = 60_000;
const MAX_PLANS = 5000;
/** Texts may be long: so many of them are kept, whatever their number. */
const MAX_PLAN_BYTES = 67_108_864;

export function openClickHouseEngine(options: ClickHouseEngineOptions): QueryEngine {
  const local = options.local ?? null;
  const { log } = options;
  const { session, watch } = openSession(options);
  const { client } = session;
  const target = { session, local, log };
  const plans = new LRUCache<string, KnownPlan>({
    max: MAX_PLANS,
    ttl: PLAN_TTL_MS,
    maxSize: MAX_PLAN_BYTES,
    sizeCalculation: ({ text, columns }, key) =>
      2 * (key.length + text.length) + 200 * (columns.length + 1),
  });
  const { digest, shape, difference } = openRowComparer(session);
  const driver: Driver = { session, target, log: options.log, plans };
  return {
    query: (query, signal) => runQuery(driver, query, signal),
    stream: async (query, signal) => {
      await requireKnownValues(driver, query);
      return streamQuery(streamDriver(driver), query, signal);
    },
    describe: async (statement) => (await makePlan(driver, statement, 'invalid_query')).columns,
    analysis: openSqlAnalysis(session),
    provision: (projectId) => administer(() => provisionProject(target, projectId)),
    deprovision: (projectId) => administer(() => deprovisionProject(target, projectId)),
    tables: (projectId) => administer(() => projectTables(session, projectId)),
    createTableFrom: (table, signal) => createStoredTable(session, table, signal),
    dropTable: (projectId, table) => administer(() => dropStoredTable(session, projectId, table)),
    digest,
    shape,
    difference,
    countValues: (stored, signal) => countValues(session, stored, signal),
    listStoredTables: (projectId) => administer(() => storedTableNames(session, projectId)),
    estimateRows: (statement) => estimateRows(session, statement),
    fingerprint: (projectId) => administer(() => tablesFingerprint(session, projectId)),
    schemaFingerprint: (projectId) => administer(() => schemaFingerprint(session, projectId)),
    cancel: (queryId) => administer(() => killQuery(session, queryId)),
    progress: (queryId) => administer(() => queryProgress(session, queryId)),
    ping: async () => {
      await administer(() => asAdmin(session, { sql: 'SELECT 1' }));
    },
    onOverrun: (listener) => watch.onOverrun(listener),
    close: async () => client.close(),
  };
}

function openSession(options: ClickHouseEngineOptions): { session: Session; watch: OverrunWatch } {
  const { connection, config, log, local } = options;
  const { graceMs = GRACE_MS, ...times } = options.times ?? {};
  const bare = openEngineClient({
    url: connection.url,
    ...(local === undefined
      ? {}
      : { whenReady: (timeoutMs: number) => local.whenReady(timeoutMs) }),
  });
  const timeZones = openTimeZones(bare, connection);
  const own = { connection, config, timeZones, fixedProjects: new Set<number>(), ...times };
  const engine = watchedEngine({ ...own, client: bare }, { log, local: local ?? null });
  const watch = openOverrunWatch({ engine, log, graceMs });
  const client = watchedClient({ client: bare, watch, admin: connection.admin });
  return { session: { ...own, client }, watch };
}

function streamDriver(driver: Driver): StreamDriver {
  return {
    session: driver.session,
    log: driver.log,
    knownPlan: (query) => driver.plans.get(planKey(query)),
    makePlan: (query) => makePlan(driver, query, 'query_failed'),
  };
}

/** Statements of the service itself: what the engine has against them is not a caller's fault. */
async function administer<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw translateError(error, { fault: 'query_failed', projectId: 0 });
  }
}

function planKey(statement: EngineStatement): string {
  return `${statement.projectId}\n${statement.sql}`;
}

async function makePlan(driver: Driver, query: EngineStatement, fault: Fault): Promise<KnownPlan> {
  const { statement, columns, rules } = await checkStatement(driver.session, query, fault);
  const refusal = refusalOfColumns(columns);
  if (refusal !== null) throw new ServiceError('invalid_query', refusal, { attr: 'query' });
  const plan = {
    ...planStatement(statement, columns),
    rules,
    blockSettings: blockSettings(rules),
  };
  driver.plans.set(planKey(query), plan);
  return plan;
}

async function runQuery(
  driver: Driver,
  query: EngineQuery,
  signal: AbortSignal | undefined,
): Promise<EngineResult> {
  const known = driver.plans.get(planKey(query));
  if (known !== undefined && !(known.isConverted && mayMisname(known))) {
    if (hasRules(known.rules)) await requireKnownValues(driver, query);
    const answer = await tryKnownPlan(driver, query, { plan: known, signal });
    if (answer !== null && !isOutdated(known, answer.columns)) return toResult(known, answer);
  }
  const plan = await makePlan(driver, query, 'query_failed');
  return toResult(plan, await runPlan(driver, query, { plan, signal }));
}

/** A text that is not known is checked with its values before it runs. */
async function requireKnownValues(
  { session, plans }: Driver,
  query: EngineStatement,
): Promise<void> {
  const rules = plans.get(planKey(query))?.rules;
  if (rules === undefined || !hasRules(rules)) return;
  requireValues(rules, query.params, await session.timeZones());
}

interface PlannedRun {
  readonly plan: KnownPlan;
  readonly signal: AbortSignal | undefined;
}

/** Null when it failed as a conversion does whose columns are no longer what they were. */
async function tryKnownPlan(
  driver: Driver,
  query: EngineQuery,
  run: PlannedRun,
): Promise<EngineResult | null> {
  try {
    return await runPlan(driver, query, run);
  } catch (error) {
    const mayBeOutdated = error instanceof ServiceError && error.code === 'query_failed';
    if (run.plan.isConverted && mayBeOutdated) return null;
    throw error;
  }
}

function toResult(plan: StatementPlan, answer: EngineResult): EngineResult {
  return { ...answer, columns: resultColumns(plan, answer.columns) };
}

/** The columns are the answer's own. */
async function runPlan(
  driver: Driver,
  query: EngineQuery,
  { plan, signal }: PlannedRun,
): Promise<EngineResult> {
  const { session } = driver;
  try {
    const response = await session.client.send({
      login: session.connection.credentials(query.projectId, 'reader'),
      sql: plan.text,
      params: query.params,
      settings: outputSettings[query.integers],
      ownSettings: {
        ...shareSettings(session, query.projectId, query.share),
        ...limitSettings(session, query.projectId, query.limits),
        ...takenSettings(session, query.projectId, plan.blockSettings),
        // One more than asked for tells whether there are more.
        limit: String(query.limit + 1),
        offset: String(query.offset),
      },
      queryId: query.queryId,
      timeoutMs: queryTimeoutMs(session.config, query.limits),
      execution: {
        projectId: query.projectId,
        limitSeconds: executionSeconds(session.config, query.limits),
      },
      maxBytes: least(session.config.maxResultBytes, query.limits?.resultBytes) + resultMarginBytes,
      signal,
      repeatable: true,
    });
    return { ...toResultRows(response.body, query.limit), stats: response.stats };
  } catch (error) {
    const failure = translateError(error, { fault: 'query_failed', projectId: query.projectId });
    if (mayStillRun(failure.code)) stopQuietly(driver, query.queryId);
    throw failure;
  }
}

/** We stopped listening; the engine stops by itself when it notices, and at once when it is told. */
function mayStillRun(code: string): boolean {
  return code === 'query_cancelled' || code === 'query_too_large' || code === 'engine_unavailable';
}
