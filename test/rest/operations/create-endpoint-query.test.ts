/** What may be saved as a query, and how it is returned. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../../support/test-app.ts';
import { byCountry, bystanders, openSalesApp, save } from '../support/sales.ts';

let test: TestApp;
let number = 0;

beforeAll(async () => {
  test = await openSalesApp();
  await save(test, 'bystander');
});
afterAll(() => test.close());

async function create(query: unknown) {
  number += 1;
  return test.rest('POST', '/endpoints', { body: { name: `query_${number}`, query } });
}

async function created(query: unknown) {
  const { status, body } = await create(query);
  expect(body).not.toHaveProperty('code');
  expect(status).toBe(201);
  return body;
}

async function refused(query: unknown) {
  const before = await bystanders(test);
  const { status, body } = await create(query);
  expect(await bystanders(test)).toEqual(before);
  expect(status).toBe(400);
  expect(body).toMatchObject({ type: 'validation_error', detail: expect.stringMatching(/\S/) });
  return body;
}

describe('201', () => {
  it.each([
    ['a bare text', byCountry, 'SQLQuery'],
    ['an SQLQuery', { kind: 'SQLQuery', query: byCountry }, 'SQLQuery'],
    ['a HogQLQuery', { kind: 'HogQLQuery', query: byCountry, variables: {} }, 'HogQLQuery'],
    ['null variables', { kind: 'SQLQuery', query: byCountry, variables: null }, 'SQLQuery'],
    [
      'the empty members of the expanded form',
      { kind: 'HogQLQuery', query: byCountry, values: null, filters: {}, modifiers: null },
      'HogQLQuery',
    ],
  ])('returns %s in the canonical form', async (_what, query, kind) => {
    expect((await created(query)).query).toEqual({ kind, query: byCountry, variables: {} });
  });

  it('accepts a variable as the path of JSON', async () => {
    const { name } = await created(
      'SELECT JSON_VALUE(concat(\'{"land":"\', country, \'"}\'), {path:String}) AS c FROM sales GROUP BY c ORDER BY c',
    );
    const variables = { path: '$.land' };
    const { body } = await test.rest('POST', `/endpoints/${String(name)}/run`, {
      body: { variables },
    });
    expect(body.results).toContainEqual(['de']);
  });

  it.each([
    ['INTERVAL {by:String} DAY', '2'],
    ['toInterval(2, {by:String})', 'day'],
    ["toInterval({by:String}, 'day')", '2'],
  ])('accepts a String variable in %s', async (interval, by) => {
    const { name } = await created(`SELECT max(day) + ${interval} AS d FROM sales`);
    const path = `/endpoints/${String(name)}/run`;
    const { body } = await test.rest('POST', path, { body: { variables: { by } } });
    expect(body).toMatchObject({ columns: ['d'], results: [[expect.stringMatching(/^2026-/)]] });
  });

  it.each([
    ['sum(roundDown(amount, {v:Array(UInt32)}))', [0, 100]],
    [
      'countIf(pointInPolygon((1, 1), {v:Array(Tuple(Float64, Float64))}))',
      [
        [0, 0],
        [0, 9],
        [9, 9],
      ],
    ],
    [
      'countIf(pointInPolygon((1, 1), {v:Array(Array(Tuple(Float64, Float64)))}))',
      [
        [
          [0, 0],
          [0, 9],
          [9, 9],
        ],
      ],
    ],
    ["dateName({v:String}, max(day)) = ''", 'month'],
  ])('accepts a variable in %s, which takes no empty one', async (item, v) => {
    const { name } = await created(`SELECT ${item} AS n FROM sales`);
    const path = `/endpoints/${String(name)}/run`;
    const { body } = await test.rest('POST', path, { body: { variables: { v } } });
    expect(body).toMatchObject({ columns: ['n'], results: [[expect.any(Number)]] });
  });

  it.each([
    'LIMIT {n:UInt8} OFFSET {o:Nullable(UInt64)}',
    'LIMIT {o:Nullable(UInt64)}, {n:UInt8}',
    'LIMIT {o:Nullable( UInt64 )} OFFSET {n:UInt8}',
  ])('accepts %s, although NULL is no number of rows', async (limit) => {
    const { name } = await created(`SELECT amount FROM sales ORDER BY amount ${limit}`);
    const run = (o: number | null) =>
      test.rest('POST', `/endpoints/${String(name)}/run`, { body: { variables: { n: 1, o } } });
    expect((await run(1)).body).toMatchObject({ results: [[expect.any(Number)]] });
    expect((await run(null)).body).toMatchObject({ code: 'query_failed' });
  });

  it.each([
    ['WITH', 'WITH 1 AS one SELECT one'],
    ['a common table expression', 'WITH t AS (SELECT 1 AS a) SELECT a FROM t'],
    ['UNION ALL', 'SELECT 1 AS a UNION ALL SELECT 2'],
    ['UNION DISTINCT in brackets', '(SELECT 1 AS a) UNION DISTINCT (SELECT 1)'],
    ['a closing semicolon', 'SELECT 1 AS a;'],
    ['comments', '/* a */ SELECT 1 AS a -- the end'],
    ['a JOIN', 'SELECT l.country FROM sales AS l JOIN sales AS r ON l.country = r.country'],
    ['a subquery', 'SELECT * FROM (SELECT country FROM sales)'],
    ['text that looks like a statement', "SELECT 'DROP TABLE sales; SELECT' AS a"],
  ])('takes %s', async (_what, query) => {
    expect((await created(query)).columns).not.toEqual([]);
  });

  it('returns the types of the columns as the engine describes them', async () => {
    const query = 'SELECT amount, note, [day] AS days, toDecimal64(1, 2) AS price FROM sales';
    expect((await created(query)).columns).toEqual([
      { name: 'amount', type: 'UInt32' },
      { name: 'note', type: 'Nullable(String)' },
      { name: 'days', type: 'Array(Date)' },
      { name: 'price', type: 'Decimal(18, 2)' },
    ]);
  });

  it('lists typed variables, required without a default and optional with one', async () => {
    const body = await created({
      kind: 'SQLQuery',
      query:
        'SELECT day FROM sales WHERE country = {country:String} AND amount IN {amounts:Array(UInt32)} AND {country:String} != {note:Nullable(String)}',
      variables: {
        'b3a1-id': { code_name: 'amounts', value: [1, 2], description: 'Which amounts' },
        note: { value: null },
      },
    });
    expect(body.variables).toEqual([
      { name: 'country', type: 'String', required: true, default: null, description: '' },
      {
        name: 'amounts',
        type: 'Array(UInt32)',
        required: false,
        default: [1, 2],
        description: 'Which amounts',
      },
      { name: 'note', type: 'Nullable(String)', required: false, default: null, description: '' },
    ]);
  });

  it('lists the variables of the legacy spelling with the types of their definitions', async () => {
    const variables = {
      '0190-a': { code_name: 'text' },
      number: { type: 'Number', value: 5 },
      flag: { type: 'Boolean', value: true },
      list: { type: 'List', value: ['a'] },
      since: { type: 'Date', value: '2026-01-01' },
      none: { type: 'String', isNull: true, value: 'unread', description: 'Never said' },
    };
    const query =
      'SELECT {variables.text} AS a, {variables.number} AS b, {variables.flag} AS c, {variables.list} AS d, {variables.since} AS e, {variables.none} AS f';
    const body = await created({ kind: 'HogQLQuery', query, variables });
    expect(body.query).toEqual({ kind: 'HogQLQuery', query, variables });
    const optional = { required: false, description: '' };
    expect(body.variables).toEqual([
      { name: 'text', type: 'String', default: null, ...optional },
      { name: 'number', type: 'Number', default: 5, ...optional },
      { name: 'flag', type: 'Boolean', default: true, ...optional },
      { name: 'list', type: 'List', default: ['a'], ...optional },
      { name: 'since', type: 'Date', default: '2026-01-01', ...optional },
      { name: 'none', type: 'String', default: null, required: false, description: 'Never said' },
    ]);
  });

  it('reads no variable out of a text, a quoted name or a comment', async () => {
    const query = 'SELECT \'{a:String}\' AS "{variables.b}" /* {variables.c} */ -- {d:String}';
    expect((await created(query)).variables).toEqual([]);
  });
});

describe('400', () => {
  it.each([
    ['an empty text', ''],
    ['blanks', ' \n\t'],
    ['a number', 5],
    ['true', true],
    ['a list', [byCountry]],
    ['an object without kind', { query: byCountry }],
    ['another kind', { kind: 'TrendsQuery', query: byCountry }],
    ['a kind that is no text', { kind: 1, query: byCountry }],
    ['an object without text', { kind: 'SQLQuery' }],
    ['an empty text in an object', { kind: 'SQLQuery', query: '' }],
    ['a text that is a number', { kind: 'SQLQuery', query: 1 }],
    ['variables in a list', { kind: 'SQLQuery', query: byCountry, variables: [] }],
    ['an unknown member', { kind: 'SQLQuery', query: byCountry, limit: 5 }],
    [
      'a member of the expanded form that says something',
      {
        kind: 'HogQLQuery',
        query: byCountry,
        values: { a: 1 },
      },
    ],
    ['a NUL character', 'SELECT 1 \u0000'],
    ['half of a surrogate pair', "SELECT '\ud800'"],
    ['a text above the engine’s limit', `SELECT '${'x'.repeat(262_144)}'`],
    [
      'a definition that is no object',
      {
        kind: 'SQLQuery',
        query: byCountry,
        variables: { a: 'b' },
      },
    ],
    [
      'an unknown member of a definition',
      {
        kind: 'SQLQuery',
        query: byCountry,
        variables: { a: { code_name: 'a', default: 1 } },
      },
    ],
    [
      'another type of a definition',
      {
        kind: 'SQLQuery',
        query: byCountry,
        variables: { a: { code_name: 'a', type: 'Text' } },
      },
    ],
    [
      'a code name that is no name',
      {
        kind: 'SQLQuery',
        query: byCountry,
        variables: { a: { code_name: '1; DROP' } },
      },
    ],
    [
      'a name defined twice',
      {
        kind: 'SQLQuery',
        query: byCountry,
        variables: { a: { code_name: 'x' }, b: { code_name: 'x' } },
      },
    ],
    [
      'a default that is not of its type',
      {
        kind: 'SQLQuery',
        query: 'SELECT {a:UInt8} AS a',
        variables: { a: { value: 256 } },
      },
    ],
    [
      'a kept default that is not of its type',
      {
        kind: 'SQLQuery',
        query: 'SELECT {variables.a} AS a',
        variables: { a: { type: 'Number', value: 'many' } },
      },
    ],
  ])('refuses %s', async (_what, query) => {
    const { code, attr } = await refused(query);
    expect(code).toBe('invalid_input');
    expect(String(attr)).toMatch(/^query/);
  });

  it.each([
    ['a text that does not parse', 'SELEC country FROM sales', /syntax/i],
    ['a text that ends early', 'SELECT country FROM', /syntax/i],
    ['a missing table', 'SELECT a FROM sailes', /sailes/],
    ['a missing column', 'SELECT contry FROM sales', /contry/],
    ['a missing function', 'SELECT sumx(amount) FROM sales', /sumx/],
    ['arguments of a wrong type', 'SELECT amount + country FROM sales', /\+|plus|type/i],
    ['two statements', 'SELECT 1; SELECT 2', /one statement/],
    ['INSERT', "INSERT INTO sales VALUES ('x', 1, today(), NULL)", /SELECT/],
    ['DROP', 'DROP TABLE sales', /SELECT/],
    ['CREATE', 'CREATE TABLE t (a UInt8) ENGINE = Memory', /SELECT/],
    ['SHOW', 'SHOW TABLES', /SELECT/],
    ['EXPLAIN', 'EXPLAIN SELECT 1', /SELECT/],
    ['SYSTEM', 'SYSTEM FLUSH LOGS', /SELECT/],
    ['SETTINGS', 'SELECT 1 SETTINGS max_threads = 1', /setting/i],
    ['FORMAT', 'SELECT 1 FORMAT CSV', /FORMAT/],
    ['INTO OUTFILE', "SELECT 1 INTO OUTFILE 'x'", /OUTFILE/],
    ['a table function that reaches out', "SELECT * FROM url('http://localhost/')", /url/],
    ['a system table', 'SELECT name FROM system.tables', /tables of its project/],
    ['an undefined kept variable', 'SELECT {variables.contry} AS a', /contry/],
    ['a variable that names a table', 'SELECT * FROM {t:Identifier}', /value/],
    [
      'one name in two spellings',
      {
        kind: 'SQLQuery',
        query: 'SELECT {a:String}, {variables.a}',
        variables: { a: { code_name: 'a' } },
      },
      /\ba\b/,
    ],
    ['one name of two types', 'SELECT {a:String}, {a:UInt8}', /\ba\b/],
    [
      'a text variable compared with two types',
      'SELECT country FROM sales WHERE amount = {amount:String} AND toUUID(country) = {amount:String}',
      /give the variable this type, as in \{name:U?Int\d+\}, or a default/,
    ],
    ['a type that the engine does not know', 'SELECT {a:Strin} AS a', /\S/],
  ])('refuses %s', async (_what, query, detail) => {
    const body = await refused(query);
    expect(body).toMatchObject({ code: 'invalid_query', attr: 'query' });
    expect(body.detail).toMatch(detail);
  });

  it('refuses another project’s table with the same message whether it exists or not', async () => {
    const there = await refused(`SELECT * FROM project_${test.other.id}.sales`);
    const missing = await refused(`SELECT * FROM project_${test.other.id}.nothing`);
    expect(there).toMatchObject({ code: 'invalid_query', attr: 'query' });
    expect(there.detail).toMatch(/tables of its project/);
    expect(missing).toEqual(there);
  });

  it('locates the error in the text, and shows nothing internal', async () => {
    const { detail } = await refused('SELECT country\nFROM sales WHER amount > 1 AND');
    expect(detail).toMatch(/line 2/);
    expect(detail).not.toMatch(/EXPLAIN|project_|127\.0\.0\.1|Exception|version \d/);
  });

  it('takes a text of 256,000 bytes, which runs, and no longer one', async () => {
    const text = 'SELECT 1 AS a -- '.padEnd(256_000, 'x');
    const { name } = await created(text);
    const { status, body } = await test.rest('POST', `/endpoints/${String(name)}/run`);
    expect([status, body.results]).toEqual([200, [[1]]]);
    expect((await refused(`${text}x`)).detail).toBe('A query may have at most 256000 bytes.');
  });

  it('names every undefined variable', async () => {
    const { detail } = await refused('SELECT {variables.first} AS a, {variables.second} AS b');
    expect(detail).toMatch(/first.*second/);
  });

  it('does not evaluate what it refuses', async () => {
    const { status } = await create('SELECT count() FROM sales WHERE throwIf(amount > 0)');
    expect(status).toBe(201);
  });
});
