/** QueryEngine over ClickHouse's HTTP interface: the local child process, a server and a cluster alike. */
import { loadOnce } from '../../lib/load-once.ts';
import type { Log } from '../../lib/log.ts';
import type { EmbeddedEngine } from '../embedded/embedded-engine.ts';
import type { ProjectPlace } from '../project-place.ts';
import type { QueryEngine } from '../query-engine.ts';
import { openSqlAnalysis } from './analysis.ts';
import { openRowComparer } from './compare/compare-rows.ts';
import { asService } from './errors/translate-error.ts';
import { readDocumentation } from './function-catalogue.ts';
import { whyNotCalled } from './guard/rules/functions.ts';
import { openTimeZones } from './guard/rules/variable-rules.ts';
import type { EngineConnection } from './http/connection.ts';
import { describeNodes } from './http/describe-node.ts';
import { onEachNode, onEveryNode } from './http/each-node.ts';
import { withFormerPasswords } from './http/former-passwords.ts';
import { openClient } from './http/open-client.ts';
import { asAdmin, type Session } from './http/session.ts';
import { tracedClient } from './http/traced-client.ts';
import { type OverrunWatch, openOverrunWatch } from './overruns/overrun-watch.ts';
import {
  killQueries,
  queryProgress,
  requestProgress,
  watchedEngine,
} from './overruns/running-queries.ts';
import { watchedClient } from './overruns/watched-client.ts';
import { openProvisioning } from './provision/open-provisioning.ts';
import { ownPlace, type UserLimits } from './provision/project-users.ts';
import {
  openProvisionTarget,
  type ProvisionTarget,
  provisionAgain,
  provisionProject,
} from './provision/provision.ts';
import { explainQuery } from './query/explain-query.ts';
import { loggedWork } from './query/logged-work.ts';
import { openPlans } from './query/plans.ts';
import { type Driver, runQuery } from './query/run-query.ts';
import { streamQuery } from './stream/stream-query.ts';
import { openBehindNodes } from './tables/changes/behind-nodes.ts';
import { catchUpTables } from './tables/changes/catch-up-tables.ts';
import { chooseNode } from './tables/choose-node.ts';
import { openFrozenTables } from './tables/frozen/freeze-tables.ts';
import { projectTables, readableTables } from './tables/project-tables.ts';
import { hiddenTable } from './tables/row-policies.ts';
import { sourceState } from './tables/source-state.ts';
import { completeNodes } from './tables/stored/complete-nodes.ts';
import { createStoredTable } from './tables/stored/create-stored-table.ts';
import {
  countValues,
  dropStoredTable,
  estimateRows,
  schemaFingerprint,
  sizeStates,
  storedTableNames,
} from './tables/stored-tables.ts';
import { tablesRead } from './tables/tables-read.ts';
import { openTimeBinder } from './times/bind-times.ts';
import { clusterOf } from './topology/on-cluster.ts';

export interface ClickHouseEngineOptions {
  readonly connection: EngineConnection;
  readonly config: UserLimits;
  readonly log: Log;
  /** The local engine behind the connection; absent for a server. Closing this engine does not stop it. */
  readonly local?: EmbeddedEngine;
  readonly times?: Partial<EngineTimes>;
  /** Set for a project that is bound to databases; absent for the engine of all projects with their own databases. */
  readonly bound?: BoundSession;
}

interface BoundSession extends Required<Pick<Session, 'base' | 'users' | 'owner'>> {
  readonly place: ProjectPlace;
  readonly parser: Session['parser'];
  readonly fixedProjects: Set<number>;
}

/** Constants of the service, which a test may shorten. */
export interface EngineTimes {
  /** How long a query may exceed its limit before it counts as an overrun. */
  readonly graceMs: number;
  /** How long a statement of a writer may take. */
  readonly writerSeconds: number;
  /** How long a request waits for the local engine while it restarts. */
  readonly recoveryMs: number;
}

const GRACE_MS = 10_000;

export function openClickHouseEngine(options: ClickHouseEngineOptions): QueryEngine {
  return engineOver(openSession(options), options);
}

export function engineOver(
  { session, watch }: OpenedSession,
  {
    log,
    local = null,
  }: Pick<ClickHouseEngineOptions, 'log'> & { readonly local?: EmbeddedEngine | null },
): QueryEngine {
  const target = openProvisionTarget({ session, local, log });
  const plans = openPlans(session);
  const times = openTimeBinder(session);
  const driver: Driver = { session, plans, times, log };
  const analysis = openSqlAnalysis(session);
  const documentation = loadOnce(() => asService(readDocumentation(session)));
  const readBehind = openBehindNodes(session);
  return {
    query: (query, signal) => runQuery(driver, query, signal),
    stream: (query, signal) => streamQuery(driver, query, signal),
    describe: async (statement) => (await plans.make(statement, 'invalid_query')).columns,
    analysis,
    async functions(projectId) {
      const { dictionaries } = session.place(projectId);
      const all = await documentation();
      return all.filter(({ name }) => whyNotCalled(name, dictionaries) === null);
    },
    ...openProvisioning(target),
    tables: (projectId) => asService(projectTables(session, projectId)),
    readableTables: (projectId) => asService(readableTables(session, projectId)),
    tablesRead: (statement) =>
      tablesRead(
        {
          plans,
          analysis: analysis(statement.projectId),
          place: session.place(statement.projectId),
        },
        statement,
      ),
    hiddenTable: (statement) => {
      const reading = { session, plans, analysis: analysis(statement.projectId) };
      return asService(hiddenTable(reading, statement));
    },
    sourceState: ({ projectId, statements }) =>
      asService(sourceState({ session, analysis: analysis(projectId) }, statements)),
    createTableFrom: (table, signal) => createStoredTable(session, table, signal),
    dropTable: async (projectId, table) => {
      const drop = () => asService(dropStoredTable({ session, log }, projectId, table));
      await onEveryNode(session, drop);
    },
    ...openRowComparer(session, plans, times),
    ...openFrozenTables({ session, analysis, log }),
    countValues: (stored, signal) => countValues(session, stored, signal),
    sizeStates: (states, signal) => sizeStates(session, states, signal),
    async listStoredTables(projectId) {
      const names = () => asService(storedTableNames(session, projectId));
      return [...new Set((await onEachNode(session, names)).flat())].sort();
    },
    async completeNodes(find, signal) {
      const completing = { session, log, provision: provisionOf(target) };
      await asService(catchUpTables(completing, signal));
      await readBehind();
      return asService(completeNodes(completing, find, signal));
    },
    readBehind: () => readBehind(),
    chooseNode: (statement) => chooseNode(session, statement),
    estimateRows: (statement) => estimateRows(session, statement),
    explain: (statement) => explainQuery(session, statement),
    schemaFingerprint: (projectId) => asService(schemaFingerprint(session, projectId)),
    whyNot: async (_projectId, what) => whyNotDone(session, what),
    refresh: (projectId, hasNewColumns) => {
      if (hasNewColumns === true) plans.forget(projectId);
    },
    cancel: (queryId) => asService(killQueries(session, [queryId])),
    progress: (queryId) => asService(queryProgress(session, queryId)),
    requestProgress: (request) => asService(requestProgress(session, request)),
    loggedWork: (executions) => loggedWork(session, executions),
    nodes: () => describeNodes(session),
    ping: async () => {
      await asService(asAdmin(session, { sql: 'SELECT 1' }));
    },
    onOverrun: (listener) => watch.onOverrun(listener),
    close: async () => session.client.close(),
  };
}

/** A bound project is provisioned by its operator. */
function provisionOf(target: ProvisionTarget): (projectId: number) => Promise<void> {
  const { session } = target;
  if (session.owner !== undefined) return async () => undefined;
  return session.client.nodes === undefined
    ? (projectId) => provisionAgain(target, projectId)
    : (projectId) => provisionProject(target, projectId);
}

function whyNotDone({ connection }: Session, what: 'store' | 'load'): string | null {
  return what === 'store' || clusterOf(connection) === null ? null : NOT_LOADED;
}

const NOT_LOADED =
  'The engine of this service is a cluster, and its operator decides how tables are distributed: load rows directly in the engine, not through this service.';

export interface OpenedSession {
  readonly session: Session;
  readonly watch: OverrunWatch;
}

export function openSession(options: ClickHouseEngineOptions): OpenedSession {
  const { connection, config, log, local, times, bound } = options;
  const { graceMs = GRACE_MS, recoveryMs, ...writer } = times ?? {};
  const recovery =
    local === undefined ? {} : { recoveryMs, whenReady: (ms: number) => local.whenReady(ms) };
  const bare = tracedClient(
    withFormerPasswords(openClient(connection, { log, ...recovery })),
    connection.url,
  );
  const timeZones = openTimeZones(bare, connection);
  const parser = { client: bare, connection };
  const ofProjects =
    bound === undefined
      ? { place: ownPlace, parser, fixedProjects: new Set<number>() }
      : { ...bound, place: () => bound.place };
  const ensure =
    local === undefined ? {} : { ensureWriter: (id: number) => local.ensureWriter(id) };
  const own = {
    connection,
    config,
    timeZones,
    uncommented: new Set<number>(),
    plainReads: new Set<number>(),
    plainStatements: new Set<string>(),
    ...ofProjects,
    ...ensure,
    ...writer,
  };
  const engine = watchedEngine({ ...own, client: bare }, { log, local: local ?? null });
  const watch = openOverrunWatch({ engine, log, graceMs });
  const { listRunning } = engine;
  const client = watchedClient({ client: bare, watch, listRunning, admin: connection.admin });
  return { session: { ...own, client }, watch };
}
