/** Values within lists, tuples and maps of a CSV arrive exactly, or the load is refused. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../../support/test-app.ts';

let app: TestApp;
let key: string;

beforeAll(async () => {
  app = await openTestApp();
  ({ key } = await app.issueKey({ scopes: ['data:write'], projects: [app.project] }));
});
afterAll(() => app.close());
beforeEach(() => app.sql('DROP TABLE IF EXISTS loaded'));

const quoted = (field: string) => `"${field.replaceAll('"', '""')}"`;
const rows = (fields: readonly string[]) =>
  `id,v\n${fields.map((field, at) => `${at},${field}\n`).join('')}`;

async function put(body: string, options: { readonly type?: string; readonly mode?: string } = {}) {
  const { type, mode = 'replace' } = options;
  const query = new URLSearchParams({
    mode,
    ...(type === undefined ? {} : { types: JSON.stringify({ v: type }) }),
  });
  const headers = { 'content-type': 'text/csv' };
  return app.rest('PUT', `/tables/loaded/rows?${query}`, { key, body, headers });
}
const values = () => app.sql('SELECT v FROM loaded ORDER BY id FORMAT TSVRaw');

const id = '01a22c87-e0db-7000-a7c3-d5af80fbe2b7';

describe('a value that its type does not hold is refused', () => {
  it.each([
    ['Array(Int8)', '[1,300]'],
    ['Array(Int8)', '[-129]'],
    ['Array(Int8)', '[1.5]'],
    ['Array(Int8)', '[,1]'],
    ['Array(Int8)', '[,]'],
    ['Array(Int8)', '[1,,]'],
    ['Array(Int8)', '[1 2]'],
    ['Array(Int8)', '[1][2]'],
    ['Array(Int8)', '[NULL]'],
    ['Array(UInt8)', '[-1]'],
    ['Array(Int256)', `[${'9'.repeat(80)}]`],
    ['Array(UInt256)', '[-1]'],
    ['Array(UInt64)', '[36893488147419103233]'],
    ['Array(Int128)', '[170141183460469231731687303715884105728]'],
    ['Array(Nullable(Int8))', '[NULL,128]'],
    ['Array(Int8)', '1,300'],
    ['Array(Int8)', '1]'],
    ['Array(Int8)', ' '],
    ['Array(Array(Int8))', '[[],[1,300]]'],
    ['Array(Array(Int8))', '[1],[2]'],
    ['Array(UUID)', `['${id}0']`],
    ['Map(UUID, String)', `{'${id}0':'x'}`],
    ['Array(SimpleAggregateFunction(max, Int8))', '[300]'],
    ['Array(Decimal(9,2))', '[1.005]'],
    ['Array(Decimal(9,2))', '[12345678]'],
    ['Array(Decimal(76,2))', '[0.001]'],
    ['Array(Float64)', '[9007199254740993]'],
    ['Array(Float32)', '[16777217]'],
    ['Point', '(1,9007199254740993)'],
    ['Array(Point)', '[(1,9007199254740993)]'],
    ['Array(Date)', "['2024-02-31']"],
    ['Array(Date)', "['20240231']"],
    ['Array(Date)', "['1969-12-31']"],
    ['Array(Date32)', "['2024-02-30']"],
    ['Array(DateTime)', "['2024-02-28 10:61:00']"],
    ['Array(DateTime)', "['2024-02-28 10:00:00.5']"],
    ['Array(DateTime)', "['05/06/2024 10:00:00']"],
    ['Array(DateTime)', "['2106-02-07 06:28:16']"],
    ["Array(DateTime('Europe/Berlin'))", "['2024-03-31 02:30:00']"],
    ['Array(DateTime64(3))', "['2024-02-28 10:00:00.1234']"],
    ['Array(String)', "['a']x"],
    ['Array(String)', "['a'] ['b']"],
    ['Array(Array(LowCardinality(String)))', "[['a']]]"],
    ['Time', '10:61:00'],
    ['Time', '10:00'],
    ['Nullable(Time64(3))', '10:00:00.1234'],
    ["Enum8('a' = 1)", '257'],
    ['Array(Time)', "['10:61:00']"],
    ['Array(Time64(3))', "['10:00:00.1234']"],
    ['Tuple(a Int8, b String)', "(300,'x')"],
    ['Tuple(a Int8, b String)', '(1,NULL)'],
    ['Tuple(a Int8, b UUID)', "(1,'x')"],
    ['Tuple(a Int8, b IPv4)', "(1,'1.2.3.400')"],
    ['Tuple(a Int8, b FixedString(2))', "(1,'abc')"],
    ["Tuple(a Int8, b Enum8('x' = 1))", "(1,'y')"],
    ['Tuple(a Int8, b Bool)', '(1,2)'],
    ['Map(String, Int8)', "{'a':300}"],
    ['Map(UInt8, String)', "{300:'a'}"],
    ['Map(UInt8, Int8)', '{NULL:1}'],
    ['Map(UUID, Int8)', "{'x':1}"],
    ['Map(String, Array(Tuple(Date, Int8)))', "{'a':[('2024-02-31',1)]}"],
    ['Array(Map(String, Int8))', "[{'a':300}]"],
  ])('%s: %s', async (type, written) => {
    const empty = /^(?:Tuple|Point|Time|Enum)/.test(type) ? [] : [''];
    const refused = await put(rows([...empty, quoted(written)]), { type });
    expect([refused.status, refused.body.detail]).toEqual([
      400,
      `The body, line ${empty.length + 2}: the value of v is missing or is not a valid ${type}.`,
    ]);
  });

  it('as an empty field is for a tuple whose members have no NULL', async () => {
    const type = 'Tuple(Int8, Nullable(String))';
    expect((await put(rows(['']), { type })).status).toBe(400);
    const nullable = 'Tuple(Nullable(Int8), Nullable(String))';
    expect((await put(rows(['']), { type: nullable })).status).toBe(200);
    expect(await values()).toBe('(NULL,NULL)\n');
  });
});

describe('a value that its type holds is kept', () => {
  const decimal = `${'9'.repeat(74)}.99`;
  const texts = "'it\\'s','it''s','a,b','[1]','NULL','\\\\',' ','ü\nx','a:b',''";
  it.each([
    ['Array(Int8)', '[-128,127]'],
    ['Array(Int8)', '[]'],
    ['Array(Int8)', '[ 1 ,\n2,] ', '[1,2]'],
    ['Array(Int8)', '1, -2', '[1,-2]'],
    ['Array(UUID)', `['${id}']`],
    ['Array(UInt64)', '[18446744073709551615]'],
    ['Array(Int128)', '[-170141183460469231731687303715884105728]'],
    ['Array(Int256)', '[-0005,+70,00]', '[-5,70,0]'],
    ['Array(Nullable(Int8))', '[1,null,NULL]', '[1,NULL,NULL]'],
    ['Array(Array(Int8))', '[[1,2],[],[3]]'],
    [`${'Array('.repeat(20)}Int8${')'.repeat(20)}`, `${'['.repeat(20)}1${']'.repeat(20)}`],
    ['Array(Decimal(9,2))', '[1.5,-2,.5,5.]', '[1.5,-2,0.5,5]'],
    ['Array(Decimal(76,2))', `[${decimal}]`],
    ['Array(Float64)', '[0.1,nan,-inf,1E5]', '[0.1,nan,-inf,100000]'],
    ['Array(Float32)', '[16777216,0.1]'],
    ['Array(Date)', "['1970-01-01','2149-06-06','20240229']", 'like'],
    ['Array(Date32)', "['1900-01-01','2299-12-31']"],
    ['Array(Nullable(Date))', "[NULL,'2024-02-29']"],
    ['Array(DateTime)', "['2024-05-01T12:00:00+02:00',1714557600]", 'like'],
    ["Array(DateTime('Europe/Berlin'))", "['2024-05-01 10:00:00']"],
    ["Array(DateTime('Europe/Berlin'))", "['2024-10-27 02:30:00','2024-03-31 03:30:00']"],
    [
      "Array(DateTime('Europe/Berlin'))",
      "['2024-03-31T02:30:00Z',1711848600]",
      "['2024-03-31 04:30:00','2024-03-31 03:30:00']",
    ],
    ["Array(DateTime64(3, 'Asia/Tokyo'))", "['2024-05-01 10:00:00.123']"],
    ['Array(Time64(3))', "['-10:00:00.123']"],
    ['Time64(3)', '-10:00:00.1230', '-10:00:00.123'],
    ["Enum8('a ' = 1, '2' = 3)", 'a '],
    ["Enum8('a' = 1, '2' = 3)", '2'],
    ['Array(String)', `[${texts}]\n`, `[${texts.replace("''s", "\\'s").replace('\n', '\\n')}]`],
    ['Tuple(Int8)', '(1,)', '(1)'],
    ['Tuple(a Int8, `b c` LowCardinality(Nullable(String)))', '( 1 , NULL )', '(1,NULL)'],
    [
      `Tuple(Int8, Array(String))`,
      `(1,[${texts}])`,
      `(1,[${texts.replace("''s", "\\'s").replace('\n', '\\n')}])`,
    ],
    ['Tuple(Int8, UUID, Nullable(UUID))', `(1,'${id}',NULL)`],
    ['Tuple(Int8, IPv4, IPv6)', "(1,'1.2.3.4','::1')"],
    ['Tuple(Int8, FixedString(2), Bool)', "(1,'ab',true)"],
    ["Tuple(Int8, Enum8('a b' = 1, 'c\\'d' = 2))", "(1,'c\\'d')"],
    ['Point', '(1.5,2)'],
    ['Array(Ring)', '[[(1.5,2),(3,4)]]'],
    ['Map(String, Int8)', "{'a':1,'b':-128}"],
    ['Map(String, Int8)', '{}'],
    ['Map(String, Int8)', "{ 'a' : 1 , }", "{'a':1}"],
    ['Map(LowCardinality(String), Nullable(Int8))', "{'a':NULL}"],
    ['Map(UInt8, Date)', "{255:'2024-02-29'}"],
    ['Map(DateTime, Map(UUID, Array(Int8)))', `{'2024-05-01 10:00:00':{'${id}':[1]}}`],
    ['Array(Map(String, Tuple(Int8, String)))', "[{'a':(1,'x')},{}]"],
    ['Array(String)', "['a','300']"],
  ])('%s: %s', async (type, written, read = written) => {
    const loaded = await put(rows([quoted(written)]), { type });
    expect([loaded.status, loaded.body.detail]).toEqual([200, undefined]);
    const seen = await values();
    if (read !== 'like') expect(seen).toBe(`${read}\n`);
    else if (type === 'Array(Date)') expect(seen).toContain("'2149-06-06','2024-02-29']");
    else expect(seen).toBe("['2024-05-01 10:00:00','2024-05-01 10:00:00']\n");
  });

  it('and an empty field is an empty list or map', async () => {
    for (const [type, read] of [
      ['Array(Int8)', '[]\n[1]\n'],
      ['Map(String, Int8)', "{}\n{'a':1}\n"],
    ] as const) {
      const field = type === 'Array(Int8)' ? '[1]' : "{'a':1}";
      expect((await put(rows(['', quoted(field)]), { type })).status).toBe(200);
      expect(await values()).toBe(read);
      expect((await put(rows(['\\N']), { type })).status).toBe(400);
    }
  });
});

it('appended lists, tuples and maps take the types of the table', async () => {
  for (const [type, held, lost] of [
    ['Array(Int8)', '[127]', '[300]'],
    ['Array(Date)', "['2024-02-29']", "['2024-02-31']"],
    ['Tuple(a Int8, b String)', "(1,'x')", "(300,'x')"],
    ['Map(String, Decimal(9, 2))', "{'a':1.25}", "{'a':1.005}"],
  ] as const) {
    await app.sql(`CREATE OR REPLACE TABLE loaded (id Int64, v ${type}) ORDER BY id`);
    expect((await put(rows([quoted(held)]), { mode: 'append' })).body).toMatchObject({ rows: 1 });
    const refused = await put(rows([quoted(held), quoted(lost)]), { mode: 'append' });
    expect([refused.status, refused.body.detail]).toEqual([
      400,
      `The body, line 3: the value of v is missing or is not a valid ${type}.`,
    ]);
    expect(await values()).toBe(`${held}\n`);
  }
});

it.each([
  ["['2024-02-31']", 'String'],
  ["['2024-02-29']", 'Array(Nullable(Date))'],
  ["[('2024-02-28 25:00:00',1)]", 'String'],
  ["{'a':9007199254740993.5}", 'String'],
  ["{'a':1.5,'b':NULL}", 'Map(String, Nullable(Float64))'],
])('a new column without a given type keeps what is written: %s', async (written, type) => {
  const { status, body } = await put(rows([quoted(written)]));
  expect([status, body.columns]).toEqual([
    200,
    [
      { name: 'id', type: 'Int64' },
      { name: 'v', type },
    ],
  ]);
  expect(await values()).toBe(`${written}\n`);
});
