import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../../support/test-app.ts';
import { describeAccess } from '../support/access.ts';
import { openSalesApp } from '../support/sales.ts';
import { toCamel } from '../support/twins.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openSalesApp();
  for (const statement of [
    "CREATE TABLE airports (code String COMMENT 'Three letters', wide UInt64) ENGINE = MergeTree ORDER BY code COMMENT 'Where flights begin'",
    "INSERT INTO airports VALUES ('VIE', 18446744073709551615)",
    'CREATE VIEW seen AS SELECT code FROM airports',
    'CREATE TABLE states (day Date, n AggregateFunction(uniq, UInt8)) ENGINE = MergeTree ORDER BY day',
    'CREATE TABLE _materialized_x (n UInt8) ENGINE = MergeTree ORDER BY n',
    'CREATE TABLE _load_x (n UInt8) ENGINE = MergeTree ORDER BY n',
  ])
    await test.sql(statement);
});
afterAll(() => test.close());

const airports = {
  name: 'airports',
  comment: 'Where flights begin',
  rows: 1,
  bytes: expect.any(Number),
  columns: [
    { name: 'code', type: 'String', comment: 'Three letters' },
    { name: 'wide', type: 'UInt64', comment: '' },
  ],
};
const names = (body: Readonly<Record<string, unknown>>) =>
  (body.results as readonly { readonly name: string }[]).map(({ name }) => name);
const list = (search = '') => test.rest('GET', `/tables${search}`);

describe('the list', () => {
  it('has every table by name, with columns, comments, rows and bytes, and none of the service', async () => {
    const { status, body } = await list();
    expect(status).toBe(200);
    expect(body).toMatchObject({ count: 4, next: null, previous: null });
    expect(names(body)).toEqual(['airports', 'sales', 'seen', 'states']);
    expect((body.results as readonly unknown[])[0]).toEqual(airports);
    expect((body.results as readonly unknown[])[2]).toMatchObject({ name: 'seen', rows: null });
  });

  it('pages, and searches names and comments', async () => {
    const first = await list('?limit=2&offset=1');
    expect(first.body).toMatchObject({
      count: 4,
      next: expect.stringContaining('limit=2&offset=3'),
      previous: expect.stringContaining('limit=2&offset=0'),
    });
    expect(names(first.body)).toEqual(['sales', 'seen']);
    expect(names((await list('?search=FLIGHTS')).body)).toEqual(['airports']);
    expect(names((await list('?search=ale')).body)).toEqual(['sales']);
    expect((await list('?search=%25')).body).toMatchObject({ count: 0, results: [] });
  });

  it.each([
    ['?limit=0', 'limit'],
    ['?limit=1001', 'limit'],
    ['?offset=-1', 'offset'],
    ['?serach=a', 'serach'],
  ])('refuses %s', async (search, attr) => {
    expect(await list(search)).toMatchObject({
      status: 400,
      body: { code: 'invalid_input', attr },
    });
  });

  it('is of each project its own', async () => {
    const { body } = await test.rest('GET', '/tables', { project: test.other });
    expect(body.results).toMatchObject([{ name: 'sales', rows: 1 }]);
  });
});

describe('one table', () => {
  it('has its first rows, with every digit', async () => {
    const { status, text, body } = await test.rest('GET', '/tables/airports/');
    expect(status).toBe(200);
    expect(body).toEqual({
      ...airports,
      first_rows: {
        columns: ['code', 'wide'],
        types: [
          ['code', 'String'],
          ['wide', 'UInt64'],
        ],
        results: [['VIE', expect.any(Number)]],
      },
    });
    expect(text).toContain('["VIE", 18446744073709551615]');
  });

  it('has as many rows as asked for', async () => {
    const two = await test.rest('GET', '/tables/sales?rows=2');
    expect(two.body).toMatchObject({ first_rows: { results: { length: 2 } } });
    expect((await test.rest('GET', '/tables/sales?rows=0')).body).toMatchObject({
      first_rows: null,
    });
    for (const rows of ['-1', '101', 'ten']) {
      const refused = await test.rest('GET', `/tables/sales?rows=${rows}`);
      expect(refused).toMatchObject({ status: 400, body: { attr: 'rows' } });
    }
  });

  it('has the first of all rows in the order that is asked for', async () => {
    await test.sql('CREATE TABLE numbered (n UInt32, m UInt8) ENGINE = MergeTree ORDER BY n');
    await test.sql('INSERT INTO numbered SELECT number, number % 2 FROM numbers(100000)');
    const sorted = async (path: string) => {
      const { body } = await test.rest('GET', `/tables/numbered?rows=2&${path}`);
      return (body.first_rows as { readonly results: unknown }).results;
    };
    expect(await sorted('order_by=-n')).toEqual([
      [99_999, 1],
      [99_998, 0],
    ]);
    expect(await sorted('order_by=m,-n')).toEqual([
      [99_998, 0],
      [99_996, 0],
    ]);
    const { body } = await test.graphql(
      `query($project: ID!) { table(projectId: $project, name: "numbered") {
        firstRows(first: 1, orderBy: ["-n"]) { results } } }`,
      { project: test.project.id },
    );
    expect(body.data).toEqual({ table: { firstRows: { results: [[99_999, 1]] } } });
    const unknown = await test.rest('GET', '/tables/numbered?order_by=gone');
    expect(unknown).toMatchObject({ status: 400, body: { code: 'invalid_input' } });
    expect(unknown.body.detail).toContain('gone');
  });

  it('has no first rows when a column cannot be returned', async () => {
    const { status, body } = await test.rest('GET', '/tables/states');
    expect([status, body.name, body.first_rows]).toEqual([200, 'states', null]);
  });

  it('shows the rows of its own project', async () => {
    const { body } = await test.rest('GET', '/tables/sales', { project: test.other });
    expect(body).toMatchObject({ first_rows: { results: [['fr', 9, '2026-01-01', null]] } });
    const other = await test.rest('GET', '/tables/airports', { project: test.other });
    expect(other.status).toBe(404);
    expect(other.text).not.toContain('flights');
  });

  it.each([
    ['sale', 'Did you mean "sales"?'],
    ['AIRPORT', 'Did you mean "airports"?'],
    ['something_else', 'There is no table "something_else" in this project.'],
    ['_materialized_x', 'There is no table "_materialized_x" in this project.'],
    ['_load_x', 'There is no table "_load_x" in this project.'],
    ['sales%60%3B', 'There is no table "sales`;" in this project. Did you mean "sales"?'],
    ['x'.repeat(2000), `${'x'.repeat(100)}…`],
  ])('that does not exist is 404, with the nearest name: %s', async (name, says) => {
    const { status, body } = await test.rest('GET', `/tables/${name}`);
    expect(status).toBe(404);
    expect(body).toMatchObject({ code: 'not_found', attr: 'name' });
    expect(body.detail).toContain(says);
    expect(body.detail).not.toMatch(/mean "_/);
  });
});

describe('GraphQL', () => {
  const members = 'name comment rows bytes columns { name type comment }';

  it('tells the same', async () => {
    const { body } = await test.graphql(
      `{ tables(projectId: "@current", search: "air", first: 5) { totalCount results { ${members} } }
         table(projectId: "@current", name: "airports") { ${members} firstRows { columns types results } }
         project(id: "@current") { tables { ${members} } } }`,
    );
    const one = (await test.rest('GET', '/tables/airports')).body;
    const { first_rows: _, ...airport } = one;
    expect(body.data).toMatchObject({
      tables: { totalCount: 1, results: [airport] },
      table: toCamel(one),
      project: { tables: (await list()).body.results },
    });
  });

  it.each([
    ['table(projectId: "@current", name: "sale") { name }', 'not_found'],
    ['tables(projectId: "@current", first: 0) { totalCount }', 'invalid_input'],
    ['tables(projectId: "@current", offset: -1) { totalCount }', 'invalid_input'],
    [
      'table(projectId: "@current", name: "sales") { firstRows(first: 101) { results } }',
      'invalid_input',
    ],
  ])('refuses %s', async (field, code) => {
    const { body } = await test.graphql(`{ ${field} }`);
    expect(body.errors?.[0]?.extensions.code).toBe(code);
  });
});

describe.each([['/tables'], ['/tables/sales']])('%s', (path) => {
  describeAccess(() => test, {
    method: 'GET',
    scope: 'endpoint:read',
    status: 200,
    call: async () => ({ path }),
  });
});
