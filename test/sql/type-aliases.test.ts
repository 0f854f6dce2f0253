/** Variables of types that are written under another name are read by the engine's own name of the type. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { withoutAliases } from '../../src/sql/type-aliases.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openTestApp();
});
afterAll(() => test.close());

it('are all that the engine knows', async () => {
  const text = await test.sql(
    "SELECT name, if(alias_to = '', name, alias_to) FROM system.data_type_families WHERE alias_to != '' OR case_insensitive FORMAT TSV",
  );
  const rows = text
    .trim()
    .split('\n')
    .map((line) => line.split('\t'));
  expect(rows.length).toBeGreaterThan(80);
  for (const [name, engineName] of rows as unknown as [string, string][]) {
    const own = engineName === 'DateTime32' ? 'DateTime' : engineName;
    expect([name, withoutAliases(name.toLowerCase())]).toEqual([name, own]);
  }
});

it.each([
  ['VARCHAR(10)', 'String'],
  ['int(11)', 'Int32'],
  ['BIGINT  UNSIGNED', 'UInt64'],
  ['NUMERIC(10,2)', 'Decimal(10, 2)'],
  ['TIMESTAMP(3)', 'DateTime64(3)'],
  ["datetime('UTC')", "DateTime('UTC')"],
  ['Array(Nullable(INT))', 'Array(Nullable(Int32))'],
  ['Tuple(a INT, `b c` text)', 'Tuple(a Int32, `b c` String)'],
  ["enum('INT' = 1)", "Enum('INT' = 1)"],
  ['INT(11) UNSIGNED', 'UInt32'],
  ['`INT`', 'Int32'],
  ['`Int32`', 'Int32'],
  ['Array("UInt8")', 'Array(UInt8)'],
  ['INT /* of cents */', 'Int32'],
  ['Decimal(9, -- digits\n 2)', 'Decimal ( 9 , 2 )'],
  ['DateTime(3)', 'DateTime64(3)'],
  ["Enum8('a -- b' = 1)", "Enum8('a -- b' = 1)"],
  ['Array( UInt8 )', 'Array( UInt8 )'],
])('%s is %s', (written, own) => {
  expect(withoutAliases(written)).toBe(own);
});

const query = (type: string, value: unknown) =>
  test.rest('POST', '/query', {
    body: { query: `SELECT {x:${type}} AS x`, variables: { x: value } },
  });

it.each([
  ['INT', 99_999_999_999],
  ['TINYINT', 300],
  ['`UInt8`', 300],
  ['NUMERIC(10,2)', '1.999'],
  ['bool', 'yes'],
  ['TIMESTAMP', 'yesterday'],
])('a value that a variable of the type %s cannot hold is refused: %j', async (type, value) => {
  const { status, body } = await query(type, value);
  expect(status).toBe(400);
  expect(body).toMatchObject({ code: 'invalid_input', attr: 'variables.x' });
});

it.each([
  ['DateTime32', '2001-01-01T00:00:00Z', '2001-01-01T00:00:00Z'],
  ['TIMESTAMP', '2001-01-01T02:00:00+02:00', '2001-01-01T00:00:00Z'],
  ['DECIMAL(10,2)', '1.5', '1.50'],
  ['INT UNSIGNED', '4294967295', 4_294_967_295],
  ['TEXT', 'a', 'a'],
  ['json', { a: 1 }, { a: 1 }],
])('a variable of the type %s takes %j', async (type, value, result) => {
  expect((await query(type, value)).body).toMatchObject({ results: [[result]] });
});

it('an endpoint may require them, and documents them as those of the engine', async () => {
  const text = 'SELECT {n:INT} + toInt32({price:DECIMAL(9, 2)}) AS n, {day:date} AS day';
  const { status, body } = await test.rest('POST', '/endpoints', {
    body: { name: 'aliases', query: text },
  });
  expect(status).toBe(201);
  const variables = body.variables as { readonly name: string; readonly type: string }[];
  expect(Object.fromEntries(variables.map(({ name, type }) => [name, type]))).toEqual({
    n: 'Int32',
    price: 'Decimal(9, 2)',
    day: 'Date',
  });
});
