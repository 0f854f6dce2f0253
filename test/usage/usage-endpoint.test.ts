/** Usage read as any data: by the endpoint that every project has. */
import { tableFromIPC } from 'apache-arrow';
import { parse } from 'csv-parse/sync';

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { usageColumns } from '../../src/endpoints/built-in/usage-endpoint.ts';
import { openSalesApp, save } from '../rest/support/sales.ts';
import { fetchBytes, loadBytes } from '../support/formats.ts';
import type { TestApp } from '../support/test-app.ts';

let test: TestApp;

/** Two hours of runs: three of `sales`, one of which failed, and one of `other`; one in the other project. */
beforeAll(async () => {
  test = await openSalesApp();
  test.clock.set('2026-03-01T12:00:00.000Z');
  await save(test, 'sales', { query: 'SELECT {n:UInt8} AS n' });
  await save(test, 'other');
  await save(test, 'sales', { query: 'SELECT 1 AS n' }, test.other);
  await test.rest('GET', '/endpoints/sales/run?variables[n]=1');
  await test.rest('GET', '/endpoints/sales/run?variables[n]=1');
  await test.rest('GET', '/endpoints/sales/run', { project: test.other });
  test.clock.advance(3_600_000);
  await test.rest('GET', '/endpoints/sales/run');
  await test.rest('GET', '/endpoints/other/run');
});
afterAll(() => test.close());

interface Row {
  readonly endpoint: string | null;
  readonly [column: string]: unknown;
}

async function ask(query: string, key?: string) {
  const path = `/endpoints/_usage/run?rows=objects&refresh=force&${query}`;
  const { status, body } = await test.rest('GET', path, key === undefined ? {} : { key });
  return { status, body, rows: body.results as readonly Row[] };
}

const own = (rows: readonly Row[]) => rows.filter(({ endpoint }) => endpoint !== '_usage');

/** The runs that failed. */
const failed = (format: string) =>
  `_usage/run?format=${format}&refresh=force&variables[step]=all&variables[group_by]=endpoint&variables[outcome]=missing_variable`;

describe('the rows', () => {
  it('are those of GET /usage', async () => {
    const by = 'variables[group_by]=endpoint,path&variables[step]=hour&variables[outcome]=ok';
    const { status, body, rows } = await ask(by);
    expect(status, JSON.stringify(body)).toBe(200);
    const usage = await test.rest('GET', '/usage?group_by=endpoint,path&step=hour&outcome=ok');
    const told = own(usage.body.results as readonly Row[]);
    expect(own(rows).length).toBe(3);
    expect(own(rows)).toEqual(
      told.map((line) =>
        expect.objectContaining({
          at: line.at,
          endpoint: line.endpoint,
          path: line.path,
          runs: line.runs,
          errors: line.errors,
          rows: line.rows,
          bytes: line.bytes,
          rows_read: line.rows_read,
          p95_ms: line.p95_ms,
          mean_ms: line.mean_ms,
          version: null,
          key_id: null,
        }),
      ),
    );
  });

  it('have the columns and types that the documentation has', async () => {
    const { body } = await test.rest('GET', '/endpoints/_usage/run');
    expect(body.types).toEqual(usageColumns.map(({ name, type }) => [name, type]));
    expect(body).toMatchObject({ name: '_usage', endpoint_version: 1 });
  });

  it('are told by GraphQL, too, with filters', async () => {
    const { body } = await test.graphql(
      '{ runEndpoint(projectId: "@current", name: "_usage", input: {rows: OBJECTS, columns: ["endpoint", "version", "runs", "errors"], variables: {step: "all", group_by: "endpoint, version", endpoint: "sales", version: 1}}) { results } }',
    );
    expect(body).toEqual({
      data: { runEndpoint: { results: [{ endpoint: 'sales', version: 1, runs: 3, errors: 1 }] } },
    });
  });

  it('come sorted, in pages, and none where nothing ran', async () => {
    const by = 'variables[step]=all&variables[group_by]=endpoint&variables[outcome]=ok';
    const { rows } = await ask(`${by}&order_by=endpoint&columns=endpoint,runs&limit=1&offset=1`);
    expect(rows).toEqual([{ endpoint: 'other', runs: 1 }]);
    expect(
      (await ask('variables[from]=2026-02-01&variables[to]=2026-02-02&variables[step]=day')).rows,
    ).toEqual([]);
  });

  it.each(['csv', 'ndjson', 'arrow'] as const)('come as %s', async (format) => {
    const { status, text, bytes } = await fetchBytes(test, failed(format));
    expect(status, text).toBe(200);
    const [row] = readAs(format, bytes);
    expect(row).toMatchObject({ endpoint: 'sales' });
    expect(Number(row?.errors)).toBe(1);
  });

  it('come as parquet', async () => {
    const { status, text, bytes } = await fetchBytes(test, failed('parquet'));
    expect(status, text).toBe(200);
    await test.sql('CREATE TABLE loaded (endpoint String, errors UInt64) ENGINE = Memory');
    await loadBytes(test, { table: 'loaded (endpoint, errors)', format: 'parquet', bytes });
    expect(await test.sql('SELECT * FROM loaded')).toBe('sales\t1\n');
  });

  it('are cached, unless the caller wants those of now', async () => {
    const path = '/endpoints/_usage/run?variables[endpoint]=sales';
    await test.rest('GET', path);
    expect((await test.rest('GET', path)).body).toMatchObject({ is_cached: true });
    expect((await test.rest('GET', `${path}&refresh=force`)).body).toMatchObject({
      is_cached: false,
    });
  });

  it('are all there, however many', async () => {
    const at = test.clock.now();
    for (let n = 0; n < 3000; n += 1) {
      test.app.core.usage
        .cell({
          projectId: test.other.id,
          endpointId: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
          endpointName: `ø’\\ "${n}\n`,
          version: 1,
          keyId: '00000000-0000-4000-8000-000000000000',
          interface: 'rest',
          path: 'cache',
          outcome: 'ok',
        })
        .addRun(at.getTime(), 1, { rows: n, bytes: 1 });
    }
    const path =
      '/endpoints/_usage/run?refresh=force&rows=objects&columns=endpoint,rows&variables[group_by]=endpoint&variables[path]=cache&variables[step]=all';
    const { status, body } = await test.rest('GET', path, { project: test.other });
    expect(status, JSON.stringify(body).slice(0, 300)).toBe(200);
    const told = new Map(
      (body.results as readonly Row[]).map(({ endpoint, rows }) => [endpoint, rows]),
    );
    expect(told.size).toBe(3000);
    for (let n = 0; n < 3000; n += 1) expect(told.get(`ø’\\ "${n}\n`)).toBe(n);
  });
});

describe('in the documents of the project', () => {
  const graph = (query: string, key = test.project.writeKey) =>
    test.rest('POST', '/graphql', { body: { query }, key });

  it('it is a field of the data graph, with its variables as arguments and typed rows', async () => {
    const { body } = await graph(
      '{ _usage(step: "all", groupBy: "endpoint,version", endpoint: "sales", version: 1, orderBy: [{desc: runs}], run: {limit: 5, refresh: force}) { __typename rows { __typename at endpoint keyId runs p95Ms } hasMore run { version } } }',
    );
    expect(body).toEqual({
      data: {
        _usage: {
          __typename: '_UsageRun',
          rows: [
            {
              __typename: '_UsageRow',
              at: null,
              endpoint: 'sales',
              keyId: null,
              runs: 3,
              p95Ms: expect.any(Number),
            },
          ],
          hasMore: false,
          run: { version: 1 },
        },
      },
    });
  });

  it('introspection tells its type, and a fragment may be on it', async () => {
    const { body } = await graph(
      '{ __type(name: "_UsageRow") { fields { name description type { name ofType { name } } } } _usage(endpoint: "nothing") { rows { ...Row } } } fragment Row on _UsageRow { runs }',
    );
    expect(body.errors).toBeUndefined();
    const { fields } = (body.data as { __type: { fields: readonly object[] } }).__type;
    expect(fields).toHaveLength(usageColumns.length);
    expect(fields).toContainEqual({
      name: 'engineSeconds',
      description: 'engine_seconds: Float64',
      type: { name: 'Float', ofType: null },
    });
  });

  it('it is in a project without endpoints, too, and a misspelt name is told', async () => {
    const { body } = await test.rest('POST', '/graphql', {
      body: { query: '{ _usge { hasMore } }' },
      project: test.other,
    });
    expect(JSON.stringify(body)).toContain('_usage');
    const { text } = await test.rest('GET', '/graphql/schema.graphql?fields=_usage');
    expect(text).toContain('type _UsageRow {');
    expect(text).not.toContain('type SalesRow {');
  });

  it('who may not read whose runs they were may not by the graph, and nobody follows it', async () => {
    const byKey = '{ _usage(groupBy: "key") { rows { keyLabel } } }';
    expect((await graph(byKey, test.project.readKey)).body).toMatchObject({
      data: { _usage: null },
      errors: [{ path: ['_usage'], extensions: { code: 'permission_denied' } }],
    });
    const events = await fetchText(test, 'subscription { _usage { rows { runs } } }');
    expect(events).toContain('not available as an event stream');
  });

  it('its operation stands in the OpenAPI document, and takes no id of a saved endpoint', async () => {
    const path = `/api/projects/${test.project.id}/endpoints/_usage/run`;
    const { body } = await test.rest('GET', '/openapi.json');
    const { post, get } = (body.paths as Record<string, Record<string, unknown>>)[path] ?? {};
    expect(post).toMatchObject({ operationId: 'run__usage' });
    expect(JSON.stringify(get)).toContain('variables[group_by]');
    expect(body).toHaveProperty('components.schemas.UsageRow.properties.p95_ms');
    await save(test, 'usage');
    const { body: both } = await test.rest('GET', '/openapi.json');
    const ids = JSON.stringify(both).match(/"operationId":"run_[^"]*usage[^"]*"/g);
    await test.rest('DELETE', '/endpoints/usage');
    expect(ids?.sort()).toEqual([
      '"operationId":"run__usage_2"',
      '"operationId":"run__usage_2_get"',
      '"operationId":"run_usage"',
      '"operationId":"run_usage_get"',
    ]);
  });
});

describe('its own OpenAPI document', () => {
  const path = '/endpoints/_usage/openapi.json';

  it('is that of any endpoint, by both interfaces', async () => {
    const { status, body } = await test.rest('GET', path, { key: test.project.readKey });
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body).toMatchObject({ openapi: '3.0.3', info: { title: '_usage', version: '1' } });
    const whole = await test.rest('GET', '/openapi.json');
    const run = `/api/projects/${test.project.id}/endpoints/_usage/run`;
    expect(Object.keys(body.paths as object)).toEqual([run]);
    expect(body).toMatchObject({ paths: { [run]: { post: { operationId: 'run__usage' } } } });
    expect(body).toHaveProperty(
      'components.schemas.UsageRow',
      (whole.body.components as { schemas: Record<string, unknown> }).schemas.UsageRow,
    );
    const { body: twin } = await test.graphql(
      '{ endpointOpenapi(projectId: "@current", name: "_usage", version: 1) }',
    );
    expect(twin).toEqual({ data: { endpointOpenapi: body } });
  });

  it('is one of arrays, under the other prefix, where that is asked for', async () => {
    const { body } = await test.rest('GET', `${path}?rows=arrays`, { prefix: 'environments' });
    const run = `/api/environments/${test.project.id}/endpoints/_usage/run`;
    expect(Object.keys(body.paths as object)).toEqual([run]);
    expect(body).not.toHaveProperty('components.schemas.UsageRow');
  });

  it('is of the only version, and of nobody else’s project', async () => {
    const missing = await test.rest('GET', `${path}?version=2`);
    expect(missing.status).toBe(404);
    expect(missing.body).toMatchObject({ code: 'version_not_found', current_version: 1 });
    expect((await test.rest('GET', path, { key: test.other.readKey })).status).toBe(403);
  });
});

/** What the graph of the project streams. */
async function fetchText({ app, project }: TestApp, query: string): Promise<string> {
  const url = `http://querydock.test/api/projects/${project.id}/graphql`;
  const headers = {
    authorization: `Bearer ${project.readKey}`,
    accept: 'text/event-stream',
    'content-type': 'application/json',
  };
  const body = JSON.stringify({ query });
  return (await app.fetch(new Request(url, { method: 'POST', headers, body }))).text();
}

function readAs(format: 'csv' | 'ndjson' | 'arrow', bytes: Buffer): readonly Row[] {
  if (format === 'csv') return parse(bytes, { columns: true }) as Row[];
  if (format === 'arrow')
    return tableFromIPC(bytes)
      .toArray()
      .map((row) => row.toJSON() as Row);
  return bytes
    .toString()
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Row);
}

describe('who may read them', () => {
  it.each([
    'variables[group_by]=key',
    'variables[group_by]=endpoint,%20key',
    'variables[key]=00000000-0000-4000-8000-000000000000',
  ])(
    'is a key that may write where they tell who ran what: %s, also from the cache',
    async (query) => {
      const path = `/endpoints/_usage/run?${query}`;
      expect((await test.rest('GET', path)).status).toBe(200);
      const { status, body } = await test.rest('GET', path, { key: test.project.readKey });
      expect(status).toBe(403);
      expect(body).toMatchObject({ code: 'permission_denied' });
    },
  );

  it('is nobody of another project', async () => {
    const { status } = await test.rest('GET', '/endpoints/_usage/run', { key: test.other.readKey });
    expect(status).toBe(403);
  });
});

describe('what is refused', () => {
  it.each([
    ['variables[step]=week', 'variables.step'],
    ['variables[group_by]=country', 'variables.group_by'],
    ['variables[group_by]=version', 'variables.group_by'],
    ['variables[outcome]=won', 'variables.outcome'],
    ['variables[interface]=soap', 'variables.interface'],
    ['variables[path]=left', 'variables.path'],
    ['variables[key]=mine', 'variables.key'],
    ['variables[from]=2001-01-01', 'variables.from'],
    ['variables[from]=yesterday', 'variables.from'],
    ['variables[from]=2026-02-30', 'variables.from'],
    ['variables[nothing]=1', 'variables'],
    ['variables[version]=one', 'variables.version'],
  ])('400 for %s, naming it', async (query, attr) => {
    const { status, body } = await ask(query);
    expect({ status, attr: body.attr }).toEqual({ status: 400, attr });
  });

  it.each(['step=week', 'group_by=country', 'outcome=won', 'interface=soap', 'path=left'])(
    '400 for %s, by the name that the caller used: an input of the route, a variable by GraphQL',
    async (query) => {
      const [name = '', value] = query.split('=');
      const { status, body } = await test.rest('GET', `/usage?${query}`);
      expect({ status, attr: body.attr }).toEqual({ status: 400, attr: name });
      const twin = await test.graphql(
        'query ($input: RunInput) { runEndpoint(projectId: "@current", name: "_usage", input: $input) { results } }',
        { input: { variables: { [name]: value } } },
      );
      expect(twin.body.errors).toMatchObject([
        { message: body.detail, extensions: { attr: `variables.${name}` } },
      ]);
    },
  );

  it('following it, since it changes with every run', async () => {
    const path = `/endpoints/_usage/run`;
    const { status } = await test.rest('GET', path, { headers: { accept: 'text/event-stream' } });
    expect(status).toBe(400);
  });

  it('saving, reading, changing and deleting it: it is no saved endpoint', async () => {
    const body = { name: '_usage', query: 'SELECT 1' };
    expect((await test.rest('POST', '/endpoints', { body })).body).toMatchObject({ attr: 'name' });
    expect((await test.rest('GET', '/endpoints/_usage')).status).toBe(404);
    const change = { body: { is_active: false } };
    expect((await test.rest('PATCH', '/endpoints/_usage', change)).status).toBe(404);
    expect((await test.rest('DELETE', '/endpoints/_usage')).status).toBe(404);
    expect((await test.rest('GET', '/endpoints/_usage/run')).status).toBe(200);
    const { body: list } = await test.rest('GET', '/endpoints');
    expect(JSON.stringify(list)).not.toContain('_usage');
  });

  it('a version that it does not have', async () => {
    expect((await ask('version=2')).body).toMatchObject({ code: 'version_not_found' });
  });
});

it('counts its own runs, as those of an endpoint', async () => {
  const before = await ask('variables[endpoint]=_usage&variables[step]=all');
  const after = await ask('variables[endpoint]=_usage&variables[step]=all');
  expect(Number(after.rows[0]?.runs)).toBe(Number(before.rows[0]?.runs) + 1);
  const { body } = await test.rest('GET', '/logs?limit=1');
  expect(body.results).toMatchObject([{ endpoint: '_usage', log_source_id: null }]);
});
