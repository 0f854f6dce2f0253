import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import type { CallOptions, TestApp } from '../../support/test-app.ts';
import { describeAccess } from '../support/access.ts';
import { bystanders, openSalesApp, save } from '../support/sales.ts';
import { toCamel } from '../support/twins.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openSalesApp();
  await save(test, 'bystander');
});
afterAll(() => test.close());

const ask = (body: unknown, options: CallOptions = {}, path = '/query') =>
  test.rest('POST', path, { body, ...options });

const endless = 'SELECT sum(cityHash64(number)) AS s FROM numbers(1000000000000)';

describe('200', () => {
  it('has null for what is no number in a vector, also within a tuple and a map, and in rows as objects', async () => {
    const vector = (type: string) => `[nan, -inf, 1.5]::QBit(${type}, 3)`;
    const query = `SELECT ${vector('Float32')} AS v, (${vector('Float64')}, 1) AS t, map('a', ${vector('BFloat16')}) AS m`;
    const list = [null, null, 1.5];
    const { body } = await ask({ query });
    expect(body.results).toEqual([[list, [list, 1], { a: list }]]);
    expect((body.types as string[][])[0]).toEqual(['v', 'QBit(Float32, 3)']);
    const objects = await ask({ query, rows: 'objects' });
    expect(objects.body.results).toEqual([{ v: list, t: [list, 1], m: { a: list } }]);
  });

  it('answers what an existing client sends, with the members of a run but for those of an endpoint', async () => {
    const query = {
      kind: 'HogQLQuery',
      query: 'SELECT country, amount FROM sales WHERE amount > {variables.least} ORDER BY amount',
      variables: {
        some_id: { variableId: 'some_id', code_name: 'least', type: 'Number', value: 1 },
      },
      filters: null,
    };
    const sent = { query, refresh: 'blocking', client_query_id: 'mine', name: 'sales by country' };
    const { status, body, headers } = await ask(sent, {}, '/query/');
    expect(status).toBe(200);
    expect(body).toEqual({
      results: [
        ['de', 2],
        ['de', 3],
      ],
      columns: ['country', 'amount'],
      types: [
        ['country', 'String'],
        ['amount', 'UInt32'],
      ],
      hasMore: false,
      limit: 50_000,
      offset: 0,
      next_cursor: null,
      is_cached: false,
      last_refresh: expect.any(String),
      cache_target_age: body.last_refresh,
      next_allowed_client_refresh: body.last_refresh,
      timezone: 'UTC',
      execution_id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      query_status: null,
    });
    expect(headers.get('cache-control')).toBe('no-store');
    expect(headers.has('etag')).toBe(false);
  });

  it('takes variables, a limit and an offset', async () => {
    const query = 'SELECT number + {from:UInt64} AS n FROM numbers(5)';
    const { body } = await ask({
      query,
      variables: { from: '9007199254740993' },
      limit: 2,
      offset: 1,
    });
    expect(body).toMatchObject({ hasMore: true, limit: 2, offset: 1 });
    expect((await ask({ query, limit: 1 }, {}, '/query?variables[from]=7')).body).toMatchObject({
      results: [[7]],
    });
  });

  it('keeps every digit', async () => {
    const { text } = await ask({ query: 'SELECT 18446744073709551615 AS n' });
    expect(text).toContain('[[18446744073709551615]]');
  });

  it('is never served from the cache: new rows are there at once', async () => {
    await test.sql('CREATE TABLE growing (n UInt8) ENGINE = MergeTree ORDER BY n');
    const query = 'SELECT count() AS n FROM growing';
    expect((await ask({ query })).body).toMatchObject({ results: [[0]], is_cached: false });
    await test.sql('INSERT INTO growing VALUES (1)');
    for (const freshness of [{}, { refresh: 'cache' }, { stale_while_revalidate_seconds: 600 }])
      expect((await ask({ query, ...freshness })).body).toMatchObject({
        results: [[1]],
        is_cached: false,
      });
    await test.sql('DROP TABLE growing');
  });

  it.each([
    ['csv', 'text/csv', /^"country"\r\n"at"\r\n"de"\r\n"de"\r\n$/],
    ['parquet', 'application/vnd.apache.parquet', /^PAR1.*PAR1$/s],
  ])('is answered as %s by format and by Accept', async (format, accept, text) => {
    const query = 'SELECT country FROM sales ORDER BY country';
    for (const response of [
      await ask({ query, format }),
      await ask({ query }, { headers: { accept } }),
    ]) {
      expect(response).toMatchObject({ status: 200, text: expect.stringMatching(text) });
      expect(response.headers.get('querydock-has-more')).toBe('false');
      expect(response.headers.get('cache-control')).toBe('no-store');
      expect(response.headers.has('querydock-endpoint-version')).toBe(false);
    }
  });

  it('tells with debug what was sent', async () => {
    const { body } = await ask({ query: 'SELECT 1 AS one', debug: true });
    expect(body).toMatchObject({ query: 'SELECT 1 AS one', served_from: 'inline' });
  });

  it('leaves nothing saved and no audit entry', async () => {
    const count = () => test.backends.metadata.prisma.auditEntry.count();
    const before = [await bystanders(test), await count()];
    await ask({ query: 'SELECT * FROM sales' });
    await ask({ query: 'SELECT * FROM sales', dry_run: true });
    expect([await bystanders(test), await count()]).toEqual(before);
  });
});

describe('an execution of it', () => {
  const status = async (id: unknown) => {
    const { body } = await test.graphql(
      'query ($id: ID!) { queryStatus(projectId: "@current", id: $id) { id complete error endpointName endpointVersion clientQueryId } }',
      { id },
      { key: test.project.readKey },
    );
    return body.data?.queryStatus ?? null;
  };

  it('is found by its id and by the client query id, stored and not', async () => {
    const { body } = await ask({ query: 'SELECT 1', client_query_id: 'to-find' });
    const told = {
      id: body.execution_id,
      complete: true,
      error: false,
      endpointName: null,
      endpointVersion: null,
      clientQueryId: 'to-find',
    };
    expect(await status('to-find')).toEqual(told);
    await test.app.core.recorder.flush();
    expect(await status(body.execution_id)).toEqual(told);
  });

  it('is cancelled by the client query id', async () => {
    const run = ask({ query: endless, client_query_id: 'to-stop' });
    await eventually('it runs', async () => (await status('to-stop')) !== null);
    await test.graphql('mutation { cancelQuery(projectId: "@current", id: "to-stop") { id } }');
    expect((await run).body).toMatchObject({ code: 'query_cancelled' });
    const [entry] = await test.backends.metadata.prisma.auditEntry.findMany({
      where: { action: 'query.cancel' },
    });
    expect(entry).toMatchObject({ endpointName: null, version: null });
    await eventually('it has ended', () => test.app.core.flights.size() === 0);
  });

  it('ends when its caller goes away', async () => {
    const caller = new AbortController();
    const id = randomUUID();
    const run = ask({ query: endless, client_query_id: id }, { signal: caller.signal });
    await eventually('it runs', async () => (await status(id)) !== null);
    const { id: executionId } = (await status(id)) as { readonly id: string };
    caller.abort();
    await run.catch(() => undefined);
    await eventually('it has ended', async () => {
      const found = (await status(executionId)) as { readonly complete: boolean };
      return found.complete;
    });
    expect(await status(executionId)).toMatchObject({ complete: true, error: true });
  });
});

describe('400', () => {
  it.each([
    [{}, { code: 'invalid_input', attr: 'query' }],
    [{ query: null }, { code: 'invalid_input', attr: 'query' }],
    [{ query: ' ' }, { code: 'invalid_input', attr: 'query' }],
    [{ query: { kind: 'TrendsQuery' } }, { code: 'invalid_input', attr: 'query.kind' }],
    [
      { query: 'SELECT 1', unknown: 1 },
      { code: 'invalid_input', attr: 'unknown' },
    ],
    [
      { query: 'SELECT 1', version: 1 },
      { code: 'invalid_input', attr: 'version' },
    ],
    [
      { query: 'SELECT 1', refresh: 'direct' },
      { code: 'invalid_input', attr: 'refresh' },
    ],
    [
      { query: 'SELECT 1', limit: 0 },
      { code: 'invalid_input', attr: 'limit' },
    ],
    [
      { query: 'SELECT 1', variables: { a: 1 } },
      { code: 'unknown_variable', attr: 'variables' },
    ],
    [{ query: 'SELECT {variables.a}' }, { code: 'invalid_query', attr: 'query' }],
    [{ query: 'SELECT nothing FROM sales' }, { code: 'invalid_query', attr: 'query' }],
    [{ query: 'SELEC 1' }, { code: 'invalid_query', attr: 'query' }],
    [{ query: 'DROP TABLE sales' }, { code: 'invalid_query', attr: 'query' }],
  ])('%j is refused, run or checked', async (body, error) => {
    for (const more of [{}, { dry_run: true }, { format: 'csv' }]) {
      const response = await ask({ ...body, ...more });
      expect(response).toMatchObject({ status: 400, body: error });
    }
  });

  it('names a missing variable, of a run only', async () => {
    const query = 'SELECT {a:UInt8} AS a';
    const missing = { status: 400, body: { code: 'missing_variable', attr: 'variables' } };
    expect(await ask({ query })).toMatchObject(missing);
    expect(await ask({ query, dry_run: true })).toMatchObject({ status: 200 });
    const wrong = { query, dry_run: true, variables: { a: 'x' } };
    expect(await ask(wrong)).toMatchObject({ status: 400, body: { attr: 'variables.a' } });
  });

  it('refuses a time zone that a saved query would refuse', async () => {
    const query = 'SELECT toTimeZone(now(), {zone:String}) AS t';
    for (const zone of ['', 'Nowhere/Land']) {
      const { status, body } = await ask({ query, variables: { zone } });
      expect([status, body.type]).toEqual([400, 'validation_error']);
    }
  });
});

describe('a query of two projects', () => {
  it('reads each its own tables', async () => {
    const query = 'SELECT country FROM sales ORDER BY country DESC LIMIT 1';
    expect((await ask({ query })).body).toMatchObject({ results: [['de']] });
    const other = { project: test.other };
    expect((await ask({ query }, other)).body).toMatchObject({ results: [['fr']] });
    for (const [from, to] of [
      [test.project, test.other],
      [test.other, test.project],
    ] as const) {
      const body = { query: `SELECT * FROM project_${to.id}.sales` };
      const refused = { status: 400, body: { code: 'invalid_query' } };
      expect(await ask(body, { project: from })).toMatchObject(refused);
      expect(await ask({ ...body, dry_run: true }, { project: from })).toMatchObject(refused);
    }
  });
});

describe('dry_run', () => {
  it('tells columns, variables, tables, rows and how it could be materialized', async () => {
    const query = {
      kind: 'SQLQuery',
      query: 'SELECT day, sum(amount) AS total FROM sales WHERE country = {c:String} GROUP BY day',
      variables: { c: { code_name: 'c', value: 'de', description: 'Where' } },
    };
    const { status, body } = await ask({ query, dry_run: true });
    expect(status).toBe(200);
    expect(body).toEqual({
      columns: [
        { name: 'day', type: 'Date' },
        { name: 'total', type: 'UInt64' },
      ],
      variables: [
        { name: 'c', type: 'String', required: false, default: 'de', description: 'Where' },
      ],
      tables: [{ name: 'sales', columns: ['amount', 'country', 'day'] }],
      estimated_rows: 3,
      materialization: {
        can_materialize: true,
        reason: null,
        stored_query: expect.stringContaining('sum'),
        read_query: expect.stringContaining('{c:String}'),
        sorting_key: [expect.any(String)],
        variables: [
          {
            variable: 'c',
            expression: 'country',
            operator: '=',
            column: expect.any(String),
            condition: 'country = {c:String}',
          },
        ],
        aggregates: [],
      },
    });
  });

  it.each([
    ['a subquery', 'SELECT d FROM (SELECT day AS d FROM sales)', ['day']],
    ['a scalar subquery', 'SELECT (SELECT max(amount) FROM sales) AS m', ['amount']],
    ['IN', 'SELECT 1 WHERE 2 IN (SELECT amount FROM sales)', ['amount']],
    ['a name of its own', 'WITH s AS (SELECT note FROM sales) SELECT a.note FROM s AS a', ['note']],
    [
      'a join',
      'SELECT a.day FROM sales a JOIN sales b ON a.country = b.country',
      ['country', 'day'],
    ],
    ['no column', 'SELECT count() FROM sales', []],
  ])('finds what is read by %s', async (_what, query, columns) => {
    const { body } = await ask({ query, dry_run: true });
    expect(body.tables).toEqual([{ name: 'sales', columns }]);
  });

  it('says why a query cannot be materialized, and does not guess rows', async () => {
    const query = 'SELECT rand() AS t, {a:UInt8} AS a FROM sales';
    const { body } = await ask({ query, dry_run: true });
    expect(body).toMatchObject({
      estimated_rows: null,
      materialization: {
        can_materialize: false,
        reason: expect.stringMatching(/\w/),
        stored_query: null,
      },
    });
    expect((await ask({ query, dry_run: true, variables: { a: 1 } })).body).toMatchObject({
      estimated_rows: 3,
    });
  });

  it('runs nothing', async () => {
    await test.app.core.recorder.flush();
    const count = () => test.backends.metadata.prisma.queryStatus.count();
    const before = await count();
    expect((await ask({ query: endless, dry_run: true })).status).toBe(200);
    await test.app.core.recorder.flush();
    expect(await count()).toBe(before);
  });
});

describe('GraphQL', () => {
  const query = {
    kind: 'SQLQuery',
    query: 'SELECT country, amount FROM sales WHERE amount > {least:UInt32} ORDER BY amount',
    variables: { least: { value: 1 } },
  };

  it('runs and checks with the same facts', async () => {
    const rest = { ...(await ask({ query, limit: 1 })).body, execution_id: '(id)' };
    const { body } = await test.graphql(
      `query ($query: JSON!) { run: runQuery(projectId: "@current", query: $query, input: {limit: 1}) {
        results columns types hasMore limit offset nextCursor isCached lastRefresh cacheTargetAge nextAllowedClientRefresh timezone executionId queryStatus { id } } }`,
      { query },
    );
    expect({ ...(body.data?.run as object), executionId: '(id)' }).toEqual(toCamel(rest));
    const checked = await ask({ query, dry_run: true });
    const twin = await test.graphql(
      `query ($query: JSON!) { check: checkQuery(projectId: "@current", query: $query) {
        columns { name type } variables { name type required default description } tables { name columns } estimatedRows
        materialization { canMaterialize reason storedQuery readQuery sortingKey variables { variable expression operator column condition } aggregates { expression stored } } } }`,
      { query },
    );
    expect(twin.body.data?.check).toEqual(toCamel(checked.body));
  });

  it.each([
    [{ query: 'SELEC' }, 'invalid_query'],
    [{ query: 'SELECT {a:UInt8}', input: { variables: { b: 1 } } }, 'unknown_variable'],
    [{ query: 'SELECT 1', input: { version: 1 } }, 'invalid_input'],
    [{ query: 'SELECT 1', input: { refresh: 'direct' } }, 'invalid_input'],
  ])('refuses %j with the same code', async (variables, code) => {
    for (const field of ['runQuery', 'checkQuery']) {
      const inner = field === 'runQuery' ? 'results' : 'estimatedRows';
      const { body } = await test.graphql(
        `query ($query: JSON!, $input: RunInput) { ${field}(projectId: "@current", query: $query, input: $input) { ${inner} } }`,
        variables,
      );
      expect(body.errors?.[0]?.extensions.code).toBe(code);
    }
  });

  it('takes the scope endpoint:write', async () => {
    const key = test.project.readKey;
    for (const field of [
      'runQuery(projectId: "@current", query: "SELECT 1") { results }',
      'checkQuery(projectId: "@current", query: "SELECT 1") { estimatedRows }',
    ]) {
      const { body } = await test.graphql(`{ ${field} }`, {}, { key });
      expect(body.errors?.[0]).toMatchObject({
        message: expect.stringContaining('endpoint:write'),
        extensions: { code: 'permission_denied' },
      });
    }
  });

  it('counts runs of queries among the runs of a document', async () => {
    const fields = Array.from(
      { length: 40 },
      (_, at) => `a${at}: runQuery(projectId: "@current", query: "SELECT 1") { results }`,
    );
    const { body } = await test.graphql(`{ ${fields.join(' ')} }`);
    expect(JSON.stringify(body.errors)).toMatch(/runs 40 endpoints/);
  });
});

describeAccess(() => test, {
  method: 'POST',
  scope: 'endpoint:write',
  status: 200,
  call: async () => ({ path: '/query', body: { query: 'SELECT 1' } }),
});
