/** Keys sent in every place where they may stray: none is found in a log, an error, a metric, a record or at the engine. */
import { Writable } from 'node:stream';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openLog } from '../../src/config/open-log.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;
let logged = '';
/** Those that the service issued, by what became of them. */
const issued: Record<string, string> = {};

beforeAll(async () => {
  const sink = new Writable({
    write(chunk, _encoding, done) {
      logged += String(chunk);
      done();
    },
  });
  test = await openTestApp({}, openLog('trace', sink));
  await test.rest('POST', '/endpoints', {
    body: { name: 'echo', query: 'SELECT {word:String} AS word, {n:UInt8} AS n' },
  });
  issued.read = test.project.readKey;
  issued.write = test.project.writeKey;
  issued.other = test.other.readKey;
  issued.admin = test.adminKey;
  const expiresAt = new Date(test.clock.now().getTime() + 1000);
  const scopes = ['endpoint:write'];
  const projects = [test.project];
  issued.expired = (await test.issueKey({ scopes, projects, expiresAt })).key;
  const revoked = await test.issueKey({ scopes, projects });
  issued.revoked = revoked.key;
  test.clock.advance(2000);
  await test.app.core.keys.revokeKey(revoked.id);
  test.app.core.lookups.keys.clear();
});
afterAll(() => test.close());

const tailOf = (key: string) => key.slice(8);

/** A key as it is, and as people and programs damage it. */
function spellings(key: string): readonly string[] {
  return [key, `QDK_${key.slice(4)}`, key.slice(0, -3), `${key}${key}`, `"${key}"`, ` ${key} `];
}

/** Without its prefix nothing tells it from an author's own text, so it is tried where nothing is stored. */
const bare = (key: string): string => key.slice(4);

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

const run = '/endpoints/echo/run';
const graphql = (query: string, variables: unknown = {}, more: object = {}): Sent => ({
  method: 'POST',
  path: '/graphql',
  body: { query, variables, ...more },
});

function inHeaders(key: string): readonly Sent[] {
  const at = { method: 'GET', path: `${run}?variables[word]=a&variables[n]=1` };
  const authorization = [key, `Bearer ${key}`, `bearer  ${key}`, `Basic ${key}`, `Bearer x ${key}`];
  const names = 'x-api-key x-request-id cookie user-agent referer origin accept if-none-match';
  return [
    ...authorization.map((value) => ({ ...at, headers: { authorization: value } })),
    ...names.split(' ').map((name) => ({ ...at, headers: { [name]: key } })),
    { method: 'POST', path: run, headers: { 'content-type': key }, body: {} },
    { method: 'OPTIONS', path: run, headers: { 'access-control-request-method': key } },
  ];
}

function inQueries(key: string): readonly Sent[] {
  const value = encodeURIComponent(key);
  const inputs =
    'api_key key version limit offset refresh debug integers client_query_id variables';
  return [
    ...inputs.split(' ').map((name) => ({ method: 'GET', path: `${run}?${name}=${value}` })),
    { method: 'GET', path: `${run}?${value}=1` },
    { method: 'GET', path: `${run}?variables[n]=${value}&variables[word]=a` },
    { method: 'GET', path: `${run}?variables[word]=${value}&variables[n]=1` },
    { method: 'GET', path: `${run}?variables[${value}]=1` },
    { method: 'GET', path: `/endpoints?search=${value}` },
    { method: 'GET', path: `/endpoints?created_by=${value}` },
    { method: 'GET', path: `/graphql?query=${value}` },
    { method: 'GET', path: `/graphql?api_key=${value}` },
  ];
}

function inPaths(key: string): readonly Sent[] {
  const name = encodeURIComponent(key);
  const encoded = key.replace(/./g, (c) => `%${c.charCodeAt(0).toString(16)}`);
  return [name, encoded].flatMap((segment) => [
    { method: 'GET', path: `/endpoints/${segment}` },
    { method: 'GET', path: `/endpoints/${segment}/run` },
    { method: 'GET', path: `/endpoints/${segment}/openapi.json` },
    { method: 'DELETE', path: `/endpoints/${segment}` },
    { method: 'PUT', path: `/endpoints/${segment}`, body: { description: 'x' } },
    { method: 'GET', path: `/api/projects/${segment}/endpoints` },
    { method: 'GET', path: `/api/${segment}` },
    { method: 'GET', path: `/${segment}` },
    { method: 'GET', path: `/project/${segment}/endpoints/echo` },
  ]);
}

function inBodies(key: string): readonly Sent[] {
  const post = (path: string, body: unknown) => ({ method: 'POST', path, body });
  const query = 'SELECT 1 AS one';
  return [
    post('/endpoints', `{"name": "${key}"`),
    post('/endpoints', { name: key, query }),
    post('/endpoints', { name: 'held', query, description: key }),
    post('/endpoints', { name: 'held', query: `SELECT '${key}' AS secret` }),
    post('/endpoints', { name: 'held', query: `SELECT ${key.trim()}` }),
    post('/endpoints', { name: 'held', query: { kind: key, query } }),
    post('/endpoints', { name: 'held', query, [key]: 1 }),
    post('/endpoints', { name: 'held', query, sync_frequency: key }),
    post('/endpoints', { name: 'held', query, derived_from_insight: key }),
    post('/endpoints/last_execution_times', { names: [key] }),
    post(run, { variables: { word: key, n: 1 } }),
    post(run, { variables: { word: 'a', n: key } }),
    post(run, { variables: { [key]: 1 } }),
    post(run, { client_query_id: key, variables: { word: 'a', n: 2 } }),
    post(run, { version: key }),
    post(run, { refresh: key }),
    post(run, { filters_override: { date_from: key } }),
  ];
}

function inGraphQL(key: string): readonly Sent[] {
  const word = key.replace(/\W/g, '');
  const text = JSON.stringify(key);
  return [
    graphql(`{ ${word} }`),
    graphql(`{ endpoint(projectId: ${text}, name: "echo") { id } }`),
    graphql(`{ endpoint(projectId: "@current", name: ${text}) { id ${word} } }`),
    graphql(`{ endpoint(projectId: "@current", ${word}: 1) { id } }`),
    graphql(`{ endpoints(projectId: "@current", after: ${text}) { totalCount } }`),
    graphql(`{ queryStatus(projectId: "@current", id: ${text}) { id } }`),
    graphql('query ($v: Int) { endpoints(projectId: "@current", first: $v) { totalCount } }', {
      v: key,
    }),
    graphql(`{ auditLog(projectId: "@current", filter: {actor: ${text}}) { totalCount } }`),
    graphql('{ __typename }', {}, { operationName: key }),
    graphql(`mutation { revokeApiKey(id: ${text}) }`),
    graphql(
      `mutation { createApiKey(input: {label: ${text}, scopes: [${text}], projectIds: []}) { id } }`,
    ),
    graphql(
      `mutation { createApiKey(input: {label: ${text}, scopes: ["endpoint:read"], projectIds: [${test.project.id}]}) { id } }`,
    ),
    { method: 'POST', path: '/graphql', body: `{"query": "${key}` },
  ];
}

interface Got {
  readonly sent: Sent;
  readonly status: number;
  /** All that an error says; of an answer its headers. */
  readonly said: string;
}

async function send(sent: Sent): Promise<Got> {
  const path = /^\/(api|graphql|project)|^\/[^e]/.test(sent.path)
    ? sent.path
    : `/api/projects/${test.project.id}${sent.path}`;
  const { body } = sent;
  const response = await test.app.fetch(
    new Request(`http://querydock.test${path}`, {
      method: sent.method,
      headers: {
        authorization: `Bearer ${test.adminKey}`,
        'content-type': 'application/json',
        ...sent.headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    }),
  );
  const text = await response.text();
  const headers = JSON.stringify([...response.headers]);
  const errors = path.startsWith('/graphql') ? errorsOf(text) : '';
  const isError = response.status >= 400;
  return { sent, status: response.status, said: headers + (isError ? text : errors) };
}

function errorsOf(text: string): string {
  if (!text.startsWith('{')) return '';
  const { errors = [] } = JSON.parse(text) as { readonly errors?: readonly { message: string }[] };
  return JSON.stringify(errors);
}

/** Every row of the records, as text. */
async function recorded(): Promise<string> {
  const { pool } = test.backends.metadata;
  const tables = await pool.query<{ name: string }>(
    "SELECT tablename AS name FROM pg_tables WHERE schemaname = 'public'",
  );
  let text = '';
  for (const { name } of tables.rows) {
    const { rows } = await pool.query<{ row: string }>(
      `SELECT to_jsonb(r)::text AS row FROM "${name}" r`,
    );
    text += rows.map(({ row }) => row).join('\n');
  }
  return text;
}

/** Tables in which the engine keeps what it was asked and what went wrong. */
const remembering = ['errors', 'warnings', 'processes', 'user_processes', 'query_cache'];

/** What the engine remembers, of each of these tables as text. The engine of the tests keeps no log of queries. */
async function atEngine(): Promise<ReadonlyMap<string, string>> {
  await test.sql('SYSTEM FLUSH LOGS');
  const logs = await test.sql(
    "SELECT name FROM system.tables WHERE database = 'system' AND name LIKE '%\\_log'",
  );
  const found = new Map<string, string>();
  for (const name of [...remembering, ...logs.split('\n').filter((line) => line !== '')])
    found.set(name, await test.sql(`SELECT * FROM system.${name} FORMAT JSONEachRow`));
  return found;
}

it('is not found anywhere after it was sent everywhere', async () => {
  const got: Got[] = [];
  const keys = Object.values(issued);
  const everywhere = [inHeaders, inQueries, inPaths, inBodies, inGraphQL];
  const all = [
    ...keys.flatMap(spellings).flatMap((key) => everywhere.flatMap((place) => place(key))),
    ...keys.map(bare).flatMap((key) => [inHeaders, inPaths].flatMap((place) => place(key))),
  ];
  for (const sent of all) {
    // What no client can send is no request.
    const answer = await send(sent).catch((error: unknown) => {
      if (error instanceof TypeError) return null;
      throw error;
    });
    if (answer !== null) got.push(answer);
  }
  await test.app.core.recorder.flush();
  expect(got.length).toBeGreaterThan(2500);
  expect(got.filter(({ status }) => status >= 500)).toEqual([]);
  expect(new Set(got.map(({ status }) => status))).toContain(401);

  const tails = Object.values(issued).map(tailOf);
  const holds = (text: string) => tails.some((tail) => text.includes(tail));
  expect(got.filter(({ said }) => holds(said)).map(({ sent, said }) => [sent, said])).toEqual([]);
  expect(logged.split('\n').filter(holds)).toEqual([]);
  expect(logged.split('\n').length).toBeGreaterThan(2500);
  const metrics = await (await test.app.fetch(new Request('http://querydock.test/metrics'))).text();
  expect(metrics).toContain('querydock_http_requests_total');
  expect(holds(metrics)).toBe(false);
  const records = await recorded();
  expect(records).toContain('"echo"');
  expect(holds(records)).toBe(false);
  const engine = await atEngine();
  // The values that were no numbers are among its errors, the question itself among what runs.
  expect(engine.get('errors')).toContain('last_error_message');
  expect(engine.get('processes')).toContain('system.processes');
  for (const [table, text] of engine) expect([table, holds(text)]).toEqual([table, false]);
});
