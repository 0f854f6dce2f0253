/** Lists and objects of JSON in tables that exist, or with given types: they arrive completely, or not at all. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { HttpListener } from '../../../src/server/node-server.ts';
import { openTestApp, type TestApp } from '../../support/test-app.ts';

let app: TestApp;
let listener: HttpListener;
let key: string;

beforeAll(async () => {
  app = await openTestApp({ port: 0 });
  listener = await app.app.start();
  ({ key } = await app.issueKey({ scopes: ['data:write'], projects: [app.project] }));
});

afterAll(() => app.close());

interface Options {
  readonly mode?: string;
  readonly types?: Readonly<Record<string, string>>;
}

async function put(table: string, row: unknown, { mode = 'append', types }: Options = {}) {
  const query = new URLSearchParams({
    mode,
    ...(types === undefined ? {} : { types: JSON.stringify(types) }),
  });
  const response = await fetch(
    `http://127.0.0.1:${listener.port}/api/projects/${app.project.id}/tables/${table}/rows?${query}`,
    {
      method: 'PUT',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/x-ndjson' },
      body: JSON.stringify(row),
    },
  );
  const { detail = '' } = (await response.json()) as { readonly detail?: string };
  return { status: response.status, detail };
}

const rowsOf = async (table: string) =>
  (await app.sql(`SELECT * FROM ${table} ORDER BY ALL FORMAT JSONEachRow`)).trim().split('\n');

it('appends empty lists and objects, and objects without some members', async () => {
  const full = { id: 1, items: [{ sku: 'a', qty: 1 }], tags: ['x'], at: { city: 'K', zip: '01' } };
  expect(await put('events', full, { mode: 'create' })).toMatchObject({ status: 200 });
  for (const row of [
    { id: 2, items: [], tags: [], at: {} },
    { id: 3, items: [{ sku: 'b' }], tags: [], at: { zip: '02' } },
  ])
    expect(await put('events', row)).toEqual({ status: 200, detail: '' });
  expect((await rowsOf('events')).map((row) => JSON.parse(row))).toEqual([
    full,
    { id: 2, items: [], tags: [], at: { city: null, zip: null } },
    { id: 3, items: [{ sku: 'b', qty: null }], tags: [], at: { city: null, zip: '02' } },
  ]);
});

it('refuses members, lists and values that the column has no place for', async () => {
  const made = { id: 1, items: [{ qty: 1 }], at: { city: 'K' } };
  expect(await put('strict', made, { mode: 'create' })).toMatchObject({ status: 200 });
  for (const [row, detail] of [
    [{ ...made, at: { city: 'K', zip: '1' } }, 'its column at is Tuple(city Nullable(String))'],
    [{ ...made, items: [{ qty: '1.5' }] }, 'line 1: the value of items'],
    [{ ...made, at: 'K' }, 'line 1: the value of at is not a valid'],
    [{ ...made, items: { qty: 1 } }, 'its column items is'],
    [{ ...made, id: [1] }, 'its column id is Int64'],
  ] as const) {
    const refused = await put('strict', row);
    expect([refused.status, refused.detail]).toEqual([400, expect.stringContaining(detail)]);
  }
  expect(await rowsOf('strict')).toHaveLength(1);
});

it('appends objects to maps', async () => {
  const types = { props: 'Map(String,String)' };
  const first = { id: 1, props: { a: 'x' } };
  expect(await put('maps', first, { mode: 'create', types })).toMatchObject({ status: 200 });
  expect(await put('maps', { id: 2, props: {} })).toEqual({ status: 200, detail: '' });
  expect(await put('maps', { id: 3, props: { b: 'y', c: 'z' } })).toMatchObject({ status: 200 });
  // The type as it was given, which the engine writes with a space.
  expect(await put('maps', { id: 4, props: { d: 'w' } }, { types })).toMatchObject({ status: 200 });
  expect((await put('maps', { id: 5, props: { a: null } })).status).toBe(400);
  expect((await rowsOf('maps')).map((row) => JSON.parse(row).props)).toEqual([
    { a: 'x' },
    {},
    { b: 'y', c: 'z' },
    { d: 'w' },
  ]);
});

it('loses no member of an object by a given type, and makes none up', async () => {
  const types = { at: 'Tuple(city String, zip Nullable(String))' };
  const create = { mode: 'create', types };
  for (const at of [{ city: 'K', zip: '1', country: 'DE' }, { zip: '1' }, { city: null }]) {
    const refused = await put('places', { at }, create);
    expect([refused.status, refused.detail]).toEqual([
      400,
      expect.stringContaining('line 1: the value of at'),
    ]);
  }
  expect(await put('places', { at: { city: '' } }, create)).toMatchObject({ status: 200 });
  const list = { list: 'Array(Tuple(LowCardinality(String), Array(UUID)))' };
  const id = '01a22c87-e0db-7000-a7c3-d5af80fbe2b7';
  expect(
    await put('listed', { list: [['a', [id]]] }, { mode: 'create', types: list }),
  ).toMatchObject({ status: 200 });
  expect(await rowsOf('places')).toEqual(['{"at":{"city":"","zip":null}}']);
  expect(await rowsOf('listed')).toEqual([`{"list":[["a",["${id}"]]]}`]);
});

it.each([
  ['Map(String, Int8)', { x: 300 }],
  ['Map(String, Decimal(9, 2))', { x: 1.005 }],
  ['Map(String, Float64)', { x: '9007199254740993' }],
  ['Map(String, Date)', { x: '2024-02-31' }],
  ['Map(String, DateTime)', { x: '2024-02-28 25:00:00' }],
  ['Map(UInt8, String)', { 300: 'x' }],
  ['Map(String, Nullable(Int8))', { x: null, y: 300 }],
  ['Map(String, Array(Int8))', { x: [1, 300] }],
  ['Array(Map(String, Int8))', [{ x: 300 }]],
  ['Tuple(m Map(String, Map(String, Int8)))', { m: { a: { x: 300 } } }],
])('refuses a value within %s that it cannot hold', async (type, value) => {
  const refused = await put('mapped', { value }, { mode: 'create', types: { value: type } });
  expect(refused).toMatchObject({ status: 400, detail: expect.stringContaining('value of value') });
});

it.each([
  ['TINYINT', 300, 'Int8'],
  ['DECIMAL(9, 2)', 1.005, 'Decimal(9, 2)'],
  ['date', '2024-02-31', 'Date'],
  ['TIMESTAMP', '2024-02-28 10:00:00.5', 'DateTime'],
  ['Nullable(BIGINT)', '9223372036854775808', 'Nullable(Int64)'],
  ['Array(Dec(9, 2))', [1.005], 'Array(Decimal(9, 2))'],
  ['Tuple(a TINYINT)', { a: 300 }, 'Tuple(a Int8)'],
  ["ENUM('a' = 1)", 257, "Enum('a' = 1)"],
  ["Array(Enum8('a' = 1))", [257], "Array(Enum8('a' = 1))"],
  ['Time', '10:61:00', 'Time'],
  ['Array(Time64(3))', ['10:00:00.1234'], 'Array(Time64(3))'],
])('refuses a value of %s that it cannot hold: %j', async (type, value, own) => {
  const refused = await put('named', { value }, { mode: 'create', types: { value: type } });
  expect([refused.status, refused.detail]).toEqual([
    400,
    `The body, line 1: the value of value is missing or is not a valid ${own}.`,
  ]);
});

it('takes types by other names, names and numbers of members, and times of a day', async () => {
  const types = {
    a: 'BIGINT',
    b: 'Array(Nullable(NUMERIC(9, 2)))',
    c: "Enum8('x' = 5, 'y' = 6, '' = 1)",
    d: "Array(Enum('2' = 1, '1' = 2))",
    e: "Tuple(k Enum('x'))",
    f: 'Array(Time64(3))',
  };
  const row = { a: 2, b: [1.5, null], c: 6, d: ['2'], e: { k: 'x' }, f: ['-10:00:00.12'] };
  const create = { mode: 'create', types };
  expect(await put('aliased', row, create)).toEqual({ status: 200, detail: '' });
  expect((await rowsOf('aliased')).map((each) => JSON.parse(each))).toEqual([
    { ...row, c: 'y', f: ['-10:00:00.120'] },
  ]);
  expect((await put('aliased', { ...row, e: {} })).status).toBe(400);
  const nested = await put('nested', { n: [] }, { types: { n: 'Nested(a Int8)' } });
  expect([nested.status, nested.detail]).toEqual([
    400,
    'The type of n is Nested, which makes a column of each member. Give Array(Tuple(a Int8)).',
  ]);
});

it('keeps the values within maps', async () => {
  const types = {
    a: 'Map(String, Nullable(Int8))',
    b: 'Map(UInt8, Decimal(9, 2))',
    c: 'Map(LowCardinality(String), Array(DateTime))',
    d: 'Tuple(m Map(String, Map(String, Int64)))',
    e: 'Array(Map(String, LowCardinality(Nullable(String))))',
    f: 'Map(String, Tuple(x Float64, y UUID))',
  };
  const id = '01a22c87-e0db-7000-a7c3-d5af80fbe2b7';
  const row = {
    a: { x: 1, y: null },
    b: { 7: 1.5 },
    c: { x: ['2024-02-28 10:00:00'] },
    d: { m: { x: { y: 5 } } },
    e: [{ x: 'y' }, { z: null }, {}],
    f: { k: { x: 0.1, y: id } },
  };
  expect(await put('kept', row, { mode: 'create', types })).toEqual({ status: 200, detail: '' });
  const empty = { a: {}, b: {}, c: {}, d: { m: {} }, e: [], f: {} };
  expect(await put('kept', empty)).toEqual({ status: 200, detail: '' });
  expect((await rowsOf('kept')).map((kept) => JSON.parse(kept))).toEqual([empty, row]);
});
