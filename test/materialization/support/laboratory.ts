/** A project in a real engine in which plans are made, stored and read, as the service does it. */
import { openLog } from '../../../src/config/open-log.ts';
import { openSqlAnalysis } from '../../../src/engine/clickhouse/analysis.ts';
import { EngineError } from '../../../src/engine/clickhouse/errors/engine-error.ts';
import { openTimeZones } from '../../../src/engine/clickhouse/guard/rules/variable-rules.ts';
import { remoteConnection } from '../../../src/engine/clickhouse/http/connection.ts';
import {
  type EngineRequest,
  type EngineResponse,
  openEngineClient,
} from '../../../src/engine/clickhouse/http/http-client.ts';
import { asAdmin, type Session } from '../../../src/engine/clickhouse/http/session.ts';
import { ownPlace } from '../../../src/engine/clickhouse/provision/project-users.ts';
import {
  openProvisionTarget,
  provisionProject,
} from '../../../src/engine/clickhouse/provision/provision.ts';
import { planStatement } from '../../../src/engine/clickhouse/query/plan-statement.ts';
import { openTimeBinder } from '../../../src/engine/clickhouse/times/bind-times.ts';
import { ServiceError } from '../../../src/errors/service-error.ts';
import { planMaterialization } from '../../../src/materialization/planner/plan-materialization.ts';
import {
  type MaterializationPlan,
  nameOfTable,
  type PlanResult,
  readOf,
  tablesOf,
} from '../../../src/model/materialization-plan.ts';
import { compileQuery } from '../../../src/query/compile-query.ts';
import { parseQuery } from '../../../src/query/query-definition.ts';
import { bindVariables } from '../../../src/query/variables.ts';
import { quoteName } from '../../../src/sql/quote-name.ts';
import type { SqlAnalysis } from '../../../src/sql/sql-analysis.ts';
import type { TestEngine } from '../../support/test-engine.ts';

export interface Query {
  readonly sql: string;
  /** As in a query's `variables`. */
  readonly definitions?: Readonly<Record<string, unknown>>;
}

export type Values = Readonly<Record<string, unknown>>;

export interface Laboratory {
  /** What plans are made with. */
  readonly analysis: SqlAnalysis;
  plan(query: Query): Promise<PlanResult>;
  /** Makes a table of the stored query as the project's writer; its name. */
  store(plan: MaterializationPlan): Promise<string>;
  drop(table: string): Promise<void>;
  /** The lines of the result, names and types first; an error of the engine as one line. */
  run(query: Query, values: Values): Promise<readonly string[]>;
  /** The same through a stored table. */
  read(
    stored: { plan: MaterializationPlan; table: string },
    query: Query,
    values: Values,
  ): Promise<readonly string[]>;
  /** As the administrator, in the project's database. */
  admin(sql: string): Promise<void>;
  close(): void;
}

const TIMEOUT_MS = 20_000;
const limits = {
  queryTimeoutSeconds: 20,
  queryMemoryBytes: 1_000_000_000,
  maxResultBytes: 100_000_000,
  maxStreamBytes: 100_000_000,
  streamTimeoutSeconds: 20,
  maxConcurrentQueries: 32,
};

/** @param projectId one that no other test file uses; its database is emptied. */
export async function openLaboratory(engine: TestEngine, projectId: number): Promise<Laboratory> {
  const connection = remoteConnection(engine.clickhouseUrl, engine.secret);
  const client = openEngineClient({ url: connection.url });
  const session: Session = {
    client,
    connection,
    place: ownPlace,
    parser: { client, connection },
    config: limits,
    fixedProjects: new Set(),
    uncommented: new Set<number>(),
    plainReads: new Set<number>(),
    plainStatements: new Set<string>(),
    timeZones: openTimeZones(client, connection),
  };
  await asAdmin(session, { sql: `DROP DATABASE IF EXISTS project_${projectId} SYNC` });
  await provisionProject(
    openProvisionTarget({ session, local: null, log: openLog('silent') }),
    projectId,
  );
  const analysis = openSqlAnalysis(session)(projectId);
  const as = (role: 'reader' | 'writer') => connection.credentials(projectId, role);
  // Statements that cannot be repeated take no connection that the engine might be about to close.
  const once = openEngineClient({ url: connection.url, keepAlive: false });
  const write = (sql: string) => once.send({ login: as('writer'), sql, timeoutMs: TIMEOUT_MS });
  let tables = 0;
  const times = openTimeBinder(session);
  const rules = { zones: [], short: new Map<string, number>(), blockRows: null };
  const run = reader(async (request) => {
    const { sql, params = {} } = request;
    const plan = { ...planStatement(sql, []), rules, blockSettings: {}, searchesNull: false };
    const bound = await times.bind(plan, { projectId, sql, params });
    const statement = { sql: bound.plan.statement, params: bound.params };
    const sent = { ...request, ...statement, login: as('reader'), timeoutMs: TIMEOUT_MS };
    return client.send({ ...sent, repeatable: true });
  });
  const numbers = new Map<string, number>();
  return {
    analysis,
    plan: (query) => {
      const { definitions } = parse(query);
      return planMaterialization({ projectId, sql: query.sql, definitions }, analysis);
    },
    store: async (plan) => {
      tables += 1;
      const table = `stored_${tables}`;
      const each = tablesOf(plan);
      for (const [at, { storedQuery, sortingKey }] of each.entries()) {
        await write(
          `CREATE TABLE ${nameOfTable(table, at)} ENGINE = MergeTree ORDER BY (${sortingKey.map(quoteName).join(', ')}) SETTINGS allow_nullable_key = 1, index_granularity = 16 AS ${storedQuery}`,
        );
      }
      numbers.set(table, each.length);
      return table;
    },
    drop: async (table) => {
      const count = numbers.get(table) ?? 1;
      for (let at = 0; at < count; at += 1) await write(`DROP TABLE ${nameOfTable(table, at)}`);
    },
    run,
    read: ({ plan, table }, query, values) =>
      run({ ...query, sql: readOf(plan.readQuery, table) }, values),
    admin: async (sql) => {
      const login = { ...connection.admin, database: `project_${projectId}` };
      await once.send({ login, sql, timeoutMs: TIMEOUT_MS });
    },
    close: () => {
      client.close();
      once.close();
    },
  };
}

/** Names with values in them as callers see them, but for the variables, of which they see the names. */
function withValues(names: string, values: Values): string {
  const filled = names.replace(/\{(\w+)\}/g, (written, name: string) => {
    const value = values[name];
    if (value === undefined) return written;
    return typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
  });
  return filled.replace(/_CAST\(([^(),]+), '\w+'\)/g, '$1');
}

type Send = (
  request: Pick<EngineRequest, 'sql' | 'params' | 'settings'>,
) => Promise<EngineResponse>;

function reader(send: Send): Laboratory['run'] {
  const settings = {
    default_format: 'JSONCompactEachRowWithNamesAndTypes',
    wait_end_of_query: '1',
  };
  return async (query, values) => {
    try {
      const { body } = await send({ ...compile(query, values), settings });
      const [names = '', ...lines] = body.toString().trimEnd().split('\n');
      return [withValues(names, values), ...lines];
    } catch (error) {
      if (error instanceof EngineError || isInvalidInput(error)) return [`error ${error.code}`];
      throw error;
    }
  };
}

/** Of a text that is compared with a time and is none. */
function isInvalidInput(error: unknown): error is ServiceError {
  return error instanceof ServiceError && error.code === 'invalid_input';
}

function parse({ sql, definitions = {} }: Query) {
  return parseQuery({ kind: 'SQLQuery', query: sql, variables: definitions });
}

function compile(query: Query, values: Values) {
  const parsed = parse(query);
  return compileQuery(parsed, bindVariables(parsed, values, 'json'), null);
}
