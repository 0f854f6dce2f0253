/** QueryEngine over ClickHouse's HTTP interface: the local child process, a server and a cluster alike. */
import type { Log } from '../../lib/log.ts';
import type { EmbeddedEngine } from '../embedded/embedded-engine.ts';
import type { ProjectPlace } from '../project-place.ts';
import type { QueryEngine } from '../query-engine.ts';
import { openSqlAnalysis } from './analysis.ts';
import { openRowComparer } from './compare/compare-rows.ts';
import { asService } from './errors/translate-error.ts';
import { openTimeZones } from './guard/rules/variable-rules.ts';
import type { EngineConnection } from './http/connection.ts';
import { openEngineClient } from './http/http-client.ts';
import { asAdmin, type Session } from './http/session.ts';
import { type OverrunWatch, openOverrunWatch } from './overruns/overrun-watch.ts';
import { killQueries, queryProgress, watchedEngine } from './overruns/running-queries.ts';
import { watchedClient } from './overruns/watched-client.ts';
import { ownPlace, type UserLimits } from './provision/project-users.ts';
import { deprovisionProject, provisionProject } from './provision/provision.ts';
import { openPlans } from './query/plans.ts';
import { type Driver, runQuery } from './query/run-query.ts';
import { streamQuery } from './stream/stream-query.ts';
import { openFrozenTables } from './tables/frozen/freeze-tables.ts';
import { projectTables, readableTables } from './tables/project-tables.ts';
import {
  countValues,
  createStoredTable,
  dropStoredTable,
  estimateRows,
  schemaFingerprint,
  storedTableNames,
} from './tables/stored-tables.ts';
import { tablesRead } from './tables/tables-read.ts';
import { openTimeBinder } from './times/bind-times.ts';

export interface ClickHouseEngineOptions {
  readonly connection: EngineConnection;
  readonly config: UserLimits;
  readonly log: Log;
  /** The local engine behind the connection; absent for a server. Closing this engine does not stop it. */
  readonly local?: EmbeddedEngine;
  readonly times?: Partial<EngineTimes>;
  /** Of a project that is bound to databases; absent: the engine is for all projects with databases of their own. */
  readonly bound?: BoundSession;
}

export interface BoundSession extends Required<Pick<Session, 'base' | 'users' | 'owner'>> {
  readonly place: ProjectPlace;
  readonly parser: Session['parser'];
  readonly fixedProjects: Set<number>;
}

/** Constants of the service, which a test may shorten. */
export interface EngineTimes {
  /** How long a query may go on after its limit before it is an overrun. */
  readonly graceMs: number;
  /** How long a statement of a writer may take. */
  readonly writerSeconds: number;
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
  const target = { session, local, log };
  const plans = openPlans(session);
  const times = openTimeBinder(session);
  const driver: Driver = { session, plans, times, log };
  const analysis = openSqlAnalysis(session);
  return {
    query: (query, signal) => runQuery(driver, query, signal),
    stream: (query, signal) => streamQuery(driver, query, signal),
    describe: async (statement) => (await plans.make(statement, 'invalid_query')).columns,
    analysis,
    provision: (projectId) => asService(provisionProject(target, projectId)),
    deprovision: (projectId) => asService(deprovisionProject(target, projectId)),
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
    createTableFrom: (table, signal) => createStoredTable(session, table, signal),
    dropTable: (projectId, table) => asService(dropStoredTable({ session, log }, projectId, table)),
    ...openRowComparer(session, plans, times),
    ...openFrozenTables({ session, analysis, log }),
    countValues: (stored, signal) => countValues(session, stored, signal),
    listStoredTables: (projectId) => asService(storedTableNames(session, projectId)),
    estimateRows: (statement) => estimateRows(session, statement),
    schemaFingerprint: (projectId) => asService(schemaFingerprint(session, projectId)),
    whyNot: async () => null,
    refresh: () => undefined,
    cancel: (queryId) => asService(killQueries(session, [queryId])),
    progress: (queryId) => asService(queryProgress(session, queryId)),
    ping: async () => {
      await asService(asAdmin(session, { sql: 'SELECT 1' }));
    },
    onOverrun: (listener) => watch.onOverrun(listener),
    close: async () => session.client.close(),
  };
}

export interface OpenedSession {
  readonly session: Session;
  readonly watch: OverrunWatch;
}

export function openSession(options: ClickHouseEngineOptions): OpenedSession {
  const { connection, config, log, local, times, bound } = options;
  const { graceMs = GRACE_MS, ...writer } = times ?? {};
  const bare = openEngineClient({
    url: connection.url,
    ...(local === undefined ? {} : { whenReady: (ms: number) => local.whenReady(ms) }),
  });
  const timeZones = openTimeZones(bare, connection);
  const parser = { client: bare, connection };
  const ofProjects =
    bound === undefined
      ? { place: ownPlace, parser, fixedProjects: new Set<number>() }
      : { ...bound, place: () => bound.place };
  const ensure =
    local === undefined ? {} : { ensureWriter: (id: number) => local.ensureWriter(id) };
  const own = { connection, config, timeZones, ...ofProjects, ...ensure, ...writer };
  const engine = watchedEngine({ ...own, client: bare }, { log, local: local ?? null });
  const watch = openOverrunWatch({ engine, log, graceMs });
  const client = watchedClient({ client: bare, watch, admin: connection.admin });
  return { session: { ...own, client }, watch };
}
