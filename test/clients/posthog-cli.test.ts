/** The released client of the compatible API, as it is, against a started service: every tool for endpoints and variables. */
import { execFile } from 'node:child_process';
import { createRequire } from 'node:module';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpListener } from '../../src/server/node-server.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

const client = createRequire(import.meta.url).resolve('@posthog/cli/lib/posthog-api-cli.mjs');
const start = promisify(execFile);

let test: TestApp;
let listener: HttpListener;

beforeAll(async () => {
  test = await openTestApp({ port: 0, publicUrl: '' });
  listener = await test.app.start();
  await test.sql(
    'CREATE TABLE sales (country String, amount UInt32) ENGINE = MergeTree ORDER BY amount',
  );
  await test.sql("INSERT INTO sales VALUES ('at', 1), ('de', 2), ('de', 3)");
});
afterAll(() => test?.close());

const host = () => `http://127.0.0.1:${listener.port}`;

/** The client as a process of its own, with nothing of this one's environment. */
function cli(args: readonly string[], environment: Readonly<Record<string, string>> = {}) {
  return start(process.execPath, [client, ...args], {
    env: {
      POSTHOG_CLI_HOST: host(),
      POSTHOG_CLI_API_KEY: test.project.writeKey,
      POSTHOG_CLI_PROJECT_ID: String(test.project.id),
      ...environment,
    },
  });
}

type Answer = Readonly<Record<string, unknown>>;

/** The answer of a tool, as the client prints it. */
async function call(tool: string, input: object): Promise<Answer> {
  const { stdout } = await cli(['call', '--json', '--confirm', tool, JSON.stringify(input)]);
  return JSON.parse(stdout) as Answer;
}

/** What the client prints of a call that is refused. */
async function refusal(
  tool: string,
  input: object,
  environment: Readonly<Record<string, string>> = {},
): Promise<string> {
  const args = ['call', '--json', '--confirm', tool, JSON.stringify(input)];
  return cli(args, environment).then(
    ({ stdout }) => `accepted: ${stdout}`,
    (error: { readonly stderr: string }) => error.stderr,
  );
}

const query = (text: string, variables: object = {}) => ({
  kind: 'HogQLQuery',
  query: text,
  variables,
});
const ofType =
  'SELECT country, sum(amount) AS total FROM sales WHERE country = {country:String} GROUP BY country';
const ofCountry =
  'SELECT country, sum(amount) AS total FROM sales WHERE country = {variables.country} GROUP BY country';

describe('the released client', () => {
  it('has no other tools for endpoints and variables than those called here', async () => {
    const { stdout } = await cli(['search', '^(endpoints?|sql-variables)-']);
    expect(JSON.parse(stdout)).toEqual(tools);
  });

  it('saves a variable, and an endpoint that refers to it by id; both are changed and deleted', async () => {
    const variable = await call('sql-variables-create', {
      name: 'Country',
      type: 'String',
      default_value: 'at',
    });
    expect(variable).toMatchObject({ code_name: 'country', type: 'String', default_value: 'at' });
    const { id } = variable;
    const changed = await call('sql-variables-update', { id, default_value: 'de' });
    expect(changed).toMatchObject({ id, default_value: 'de' });

    const created = await call('endpoint-create', {
      name: 'by_country',
      query: query(ofCountry, { [String(id)]: { variableId: id } }),
      description: 'Totals',
      data_freshness_seconds: 3600,
      is_materialized: true,
      tags: ['finance'],
    });
    expect(created).toMatchObject({
      name: 'by_country',
      tags: ['finance'],
      data_freshness_seconds: 3600,
      is_materialized: true,
      variables: [{ name: 'country', type: 'String', default: 'de' }],
      _posthogUrl: `${host()}/project/${test.project.id}/endpoints/by_country`,
    });
    expect((await fetch(String(created._posthogUrl))).status).toBe(200);

    const [deleted, second] = await Promise.all([
      call('sql-variables-delete', { id }),
      call('endpoint-update', {
        name: 'by_country',
        query: query('SELECT 2 AS n'),
        data_freshness_seconds: 21_600,
        is_materialized: false,
        tags: ['a', 'b'],
      }),
    ]);
    expect(deleted).toEqual({});
    expect(second).toMatchObject({ current_version: 2, tags: ['a', 'b'], is_materialized: false });
    const [list, versions] = await Promise.all([
      call('endpoints-get-all', { is_active: true, limit: 5 }),
      call('endpoint-versions', { name: 'by_country', is_active: true, limit: 1 }),
    ]);
    expect(list).toMatchObject({ count: 1, results: [{ name: 'by_country' }] });
    expect(versions).toMatchObject({ count: 2, results: [{ version: 2 }] });
    expect(await call('endpoint-delete', { name: 'by_country' })).toEqual({ success: true });
    expect((await test.rest('GET', '/endpoints/by_country')).status).toBe(404);
  });

  it('runs an endpoint, and reads what is told about it', async () => {
    const body = { name: 'told', query: ofType };
    expect((await test.rest('POST', '/endpoints', { body })).status).toBe(201);
    const run = { name: 'told', variables: { country: 'de' }, limit: 1, refresh: 'force' };
    expect(await call('endpoint-run', run)).toMatchObject({
      results: [['de', 5]],
      columns: ['country', 'total'],
      endpoint_version: 1,
      hasMore: false,
    });
    const name = 'told';
    const [got, status, preview] = await Promise.all([
      call('endpoint-get', { name }),
      call('endpoint-materialization-status', { name }),
      call('endpoints-materialization-preview', { name, bucket_overrides: null }),
    ]);
    expect(got).toMatchObject({ name, current_version: 1, columns: [{ name: 'country' }, {}] });
    expect(status).toMatchObject({ name, can_materialize: true });
    expect(preview).toMatchObject({ can_materialize: true, version: 1 });
    const [document, times, logs] = await Promise.all([
      call('endpoint-openapi-spec', { name, version: 1 }),
      call('endpoints-last-execution-times', { names: [name, 'unknown'] }),
      call('endpoint-logs', { name, level: 'INFO', search: 'CACHE=miss', after: longAgo }),
    ]);
    expect(document).toMatchObject({ openapi: '3.0.3', info: { title: name, version: '1' } });
    expect(times).toMatchObject({ query_status: { results: [[name, expect.any(String)]] } });
    expect(logs).toMatchObject({
      results: [
        { level: 'INFO', message: expect.stringMatching(/^path=inline cache=miss .*rows=1/) },
      ],
    });
  });

  it('finds the project by its key, and shows our sentences where something is refused', async () => {
    const [{ stdout }, misspelt, unknown] = await Promise.all([
      cli(['call', '--json', 'endpoints-get-all', '{}'], { POSTHOG_CLI_PROJECT_ID: '' }),
      refusal('endpoint-create', { name: 'wrong', query: query('SELECT amont FROM sales') }),
      refusal('endpoints-get-all', {}, { POSTHOG_CLI_API_KEY: `qdk_${'x'.repeat(43)}` }),
    ]);
    const page = `${host()}/project/${test.project.id}/endpoints`;
    expect(JSON.parse(stdout)).toMatchObject({ _posthogUrl: page });
    expect(misspelt).toContain('amont');
    expect(unknown).toContain('INVALID_API_KEY');
  });
});

const longAgo = '2001-05-31T12:00:00+02:00';

const tools = [
  'endpoint-create',
  'endpoint-delete',
  'endpoint-get',
  'endpoint-logs',
  'endpoint-materialization-status',
  'endpoint-openapi-spec',
  'endpoint-run',
  'endpoint-update',
  'endpoint-versions',
  'endpoints-get-all',
  'endpoints-last-execution-times',
  'endpoints-materialization-preview',
  'sql-variables-create',
  'sql-variables-delete',
  'sql-variables-update',
];
