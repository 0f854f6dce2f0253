/** The whole service for one test file: its own metadata database, its own projects in the run's engine, no port. */
import { inject } from 'vitest';
import { createKey } from '../../src/access/create-key.ts';
import { type App, type AppOptions, openApp } from '../../src/app.ts';
import { type Backends, openProjectEngine, withJournal } from '../../src/backends.ts';
import { type Config, readConfig } from '../../src/config/config.ts';
import { openLog } from '../../src/config/open-log.ts';
import { openClickHouseEngine } from '../../src/engine/clickhouse/clickhouse-engine.ts';
import {
  type EngineConnection,
  remoteConnection,
} from '../../src/engine/clickhouse/http/connection.ts';
import { systemClock } from '../../src/lib/clock.ts';
import type { Log } from '../../src/lib/log.ts';
import type { MeasuredMs } from '../../src/materialization/deps.ts';
import { type TestClock, testClock } from './clock.ts';
import { openTestRecords, type TestRecords } from './postgres.ts';
import { takeProjectIds } from './take-project-ids.ts';
import type { TestEngine } from './test-engine.ts';
import type { TestPostgres } from './test-server.ts';

export interface TestResponse<Body = Record<string, unknown>> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; an empty object when there is none. */
  readonly body: Body;
}

export interface TestProject {
  readonly id: number;
  readonly readKey: string;
  readonly writeKey: string;
}

export interface CallOptions {
  readonly body?: unknown;
  /** Absent: the project's write key. Null: none. */
  readonly key?: string | null;
  readonly headers?: Readonly<Record<string, string>>;
  readonly project?: TestProject | string;
  readonly prefix?: 'projects' | 'environments';
  readonly signal?: AbortSignal;
}

export interface TestApp {
  readonly app: App;
  readonly clock: TestClock;
  readonly backends: Backends;
  /** The project that calls are for unless they name another. */
  readonly project: TestProject;
  /** A second tenant, whose rows nobody else may see. */
  readonly other: TestProject;
  readonly adminKey: string;
  rest(method: string, path: string, options?: CallOptions): Promise<TestResponse>;
  /** Runs a document; `errors` of the body hold what failed. */
  graphql(
    query: string,
    variables?: unknown,
    options?: CallOptions,
  ): Promise<TestResponse<GraphQLBody>>;
  /** A statement of the administrator at the engine, in the database of a project. */
  sql(statement: string, project?: TestProject): Promise<string>;
  issueKey(options: {
    readonly scopes: readonly string[];
    readonly projects: readonly TestProject[];
    readonly expiresAt?: Date;
  }): Promise<{ readonly id: string; readonly key: string }>;
  takeStatements: TestRecords['takeStatements'];
  close(): Promise<void>;
}

export interface GraphQLBody {
  readonly data?: Readonly<Record<string, unknown>> | null;
  readonly errors?: readonly {
    readonly message: string;
    readonly path?: readonly (string | number)[];
    readonly extensions: { readonly code: string; readonly attr?: string | null } & Record<
      string,
      unknown
    >;
  }[];
}

export interface TestAppOptions
  extends Pick<
    AppOptions,
    'planMaterialization' | 'workerTimes' | 'measuredMs' | 'demoKey' | 'consoleFolder'
  > {
  /** How many there may be in all, the two of every test included; 4 when absent. */
  readonly projects?: number;
  /** For a program of its own; absent: those of the test run. */
  readonly servers?: TestServers;
}

interface TestServers {
  readonly engine: TestEngine;
  readonly postgres: TestPostgres;
}

/** Stored tables are clearly faster than the source, whatever the engine takes: so no test depends on time. */
export const steadyMs: MeasuredMs = (_engineMs, of) => (of === 'read' ? 1 : 5);

export async function openTestApp(
  settings: Partial<Config> = {},
  log: Log = openLog('silent'),
  { projects = 4, servers = serversOfRun(), ...options }: TestAppOptions = {},
): Promise<TestApp> {
  const { engine } = servers;
  const config: Config = {
    ...readConfig({}),
    clickhouseUrl: engine.clickhouseUrl,
    clickhouseUserSecret: engine.secret,
    publicUrl: 'http://querydock.test',
    logLevel: 'silent',
    drainSeconds: 0,
    ...settings,
  };
  const clock = testClock();
  const records = await openTestRecords(servers.postgres);
  await reserveProjectIds(records, servers, projects);
  const connection = remoteConnection(config.clickhouseUrl, config.clickhouseUserSecret, config);
  const backends = openTestParts(config, records, connection);
  const app = await openApp({
    measuredMs: steadyMs,
    ...options,
    config,
    log,
    backends,
    clock,
    nowMs: clock.monotonicMs,
  });
  const issue = keyIssuer(app);
  const project = await openProject(app, 'flights', issue);
  const other = await openProject(app, 'other', issue);
  const adminKey = (await issue({ scopes: ['admin'], projects: [project] })).key;
  records.takeStatements();
  return {
    app,
    clock,
    backends,
    project,
    other,
    adminKey,
    rest: (method, path, options = {}) => callRest(app, project, { method, path, options }),
    graphql: (query, variables = {}, options = {}) =>
      callGraphQL(app, project, { query, variables, options }),
    sql: (statement, target = project) => adminSql(connection, statement, target.id),
    issueKey: issue,
    takeStatements: records.takeStatements,
    async close() {
      await app.stop();
      for (const { id } of [project, other]) await backends.engine.deprovision(id);
      await backends.stop();
      await records.close();
    },
  };
}

function serversOfRun(): TestServers {
  return { engine: inject('engine'), postgres: inject('postgres') };
}

/** Every service of a run has project ids of its own, since they share the engine. */
async function reserveProjectIds(
  records: TestRecords,
  { engine, postgres }: TestServers,
  count: number,
): Promise<void> {
  const first = engine.takeProjectIds?.(count) ?? (await takeProjectIds(postgres, count));
  // One more than said is refused: it would be the first of another file.
  await records.records.pool.query(
    `ALTER SEQUENCE project_id_seq RESTART ${first} MAXVALUE ${first + count - 1}`,
  );
}

function openTestParts(config: Config, records: TestRecords, reached: EngineConnection): Backends {
  const log = openLog('silent');
  const metadata = records.records;
  const connection = withJournal(reached, metadata);
  const driver = openClickHouseEngine({ connection, config, log });
  const clock = systemClock;
  const engine = openProjectEngine(driver, { config, log, metadata, connection, clock });
  return {
    metadata,
    engine,
    engineConnection: connection,
    local: { databaseUrl: null, engineSecret: null, nodes: null },
    readiness: async () => ({ records: null, engine: null }),
    stop: () => engine.close(),
  };
}

function keyIssuer(app: App): TestApp['issueKey'] {
  return async ({ scopes, projects, expiresAt }) => {
    const user = await app.core.users.findOrCreateUser({
      email: 'author@querydock.test',
      firstName: 'Ada',
    });
    return createKey(app.core, user.id, {
      label: 'test',
      scopes,
      projectIds: projects.map(({ id }) => id),
      expiresAt: expiresAt ?? null,
    });
  };
}

async function openProject(
  app: App,
  name: string,
  issue: TestApp['issueKey'],
): Promise<TestProject> {
  const { id } = await app.core.projects.createProject(name);
  await app.core.engine.provision(id);
  const bare = { id, readKey: '', writeKey: '' };
  const readKey = (await issue({ scopes: ['endpoint:read'], projects: [bare] })).key;
  const writeKey = (await issue({ scopes: ['endpoint:write'], projects: [bare] })).key;
  return { id, readKey, writeKey };
}

async function callRest(
  app: App,
  own: TestProject,
  call: { readonly method: string; readonly path: string; readonly options: CallOptions },
): Promise<TestResponse> {
  const { options } = call;
  const project = options.project ?? own;
  const id = typeof project === 'string' ? project : project.id;
  const path = call.path.startsWith('/api')
    ? call.path
    : `/api/${options.prefix ?? 'projects'}/${id}${call.path}`;
  return send(app, own, { ...call, url: `http://querydock.test${path}` });
}

async function callGraphQL(
  app: App,
  own: TestProject,
  call: { readonly query: string; readonly variables: unknown; readonly options: CallOptions },
): Promise<TestResponse<GraphQLBody>> {
  const { query, variables } = call;
  const options = { ...call.options, body: { query, variables } };
  const answer = await send(app, own, {
    method: 'POST',
    url: 'http://querydock.test/graphql',
    options,
  });
  return answer as TestResponse<GraphQLBody>;
}

async function send(
  app: App,
  own: TestProject,
  call: { readonly method: string; readonly url: string; readonly options: CallOptions },
): Promise<TestResponse> {
  const { body, key = ownKey(own, call.options.project), headers = {}, signal } = call.options;
  const response = await app.fetch(
    new Request(call.url, {
      method: call.method,
      headers: {
        ...(key === null ? {} : { authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    }),
  );
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.includes('json') === true;
  return {
    status: response.status,
    headers: response.headers,
    text,
    body: isJson && text !== '' ? (JSON.parse(text) as Record<string, unknown>) : {},
  };
}

function ownKey(own: TestProject, project: TestProject | string | undefined): string {
  return typeof project === 'object' ? project.writeKey : own.writeKey;
}

async function adminSql(
  connection: EngineConnection,
  statement: string,
  projectId: number,
): Promise<string> {
  const url = new URL(connection.url);
  url.searchParams.set('database', `project_${projectId}`);
  const { user, password } = connection.admin;
  const response = await fetch(url, {
    method: 'POST',
    body: statement,
    headers: { 'x-clickhouse-user': user, 'x-clickhouse-key': password },
  });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}
