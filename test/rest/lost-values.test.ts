/** What no table can hold of an Arrow or Parquet file is refused; the engine alone would leave it out or change it. */
import {
  type DataType,
  DateDay,
  DateMillisecond,
  Dictionary,
  Field,
  FixedSizeBinary,
  Int32,
  Int64,
  List,
  Map_,
  makeData,
  Null,
  Struct,
  Table,
  TimestampMicrosecond,
  TimestampSecond,
  tableToIPC,
  Utf8,
  Vector,
  vectorFromArray,
} from 'apache-arrow';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let app: TestApp;
let key: string;

beforeAll(async () => {
  app = await openTestApp();
  ({ key } = await app.issueKey({ scopes: ['data:write'], projects: [app.project] }));
});
afterAll(() => app.close());

const types = {
  stream: 'application/vnd.apache.arrow.stream',
  file: 'application/vnd.apache.arrow.file',
  parquet: 'application/vnd.apache.parquet',
} as const;

async function put(body: Uint8Array, type: string, query = '') {
  const request = new Request(urlOf(`tables/loaded/rows${query}`), {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-type': type },
    body: new Uint8Array(body),
  });
  const response = await app.app.fetch(request);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const urlOf = (path: string) => `http://querydock.test/api/projects/${app.project.id}/${path}`;

const item = new Field('item', new Int32(), true);
const list = new List(item);
const struct = new Struct([item]);
const entries = new Struct<{ key: Utf8; value: Int32 }>([
  new Field('key', new Utf8(), false),
  new Field('value', new Int32(), true),
]);
const map = new Map_<Utf8, Int32>(new Field('entries', entries, false));
const ids = vectorFromArray([1, 2, 3], new Int32());
const alone = 'NULL as the value of v in one or more of the rows 1 to 3';

it.each([
  ['a NULL list', vectorFromArray([[1], null, []], list), `has ${alone}; a list is never NULL`],
  ['a NULL map', vectorFromArray([{ a: 1 }, null, {}], map), `has ${alone}; a map is never NULL`],
  [
    'a NULL struct',
    vectorFromArray([{ item: 1 }, null, { item: null }], struct),
    `has ${alone}; a`,
  ],
  [
    'a NULL struct in a list',
    vectorFromArray([[{ item: 1 }, null], [], []], new List(new Field('item', struct, true))),
    'has NULL within v in one or more of the rows 1 to 3; a struct is never NULL in a table. Write',
  ],
  ['values of no type', vectorFromArray([null, null, null], new Null()), 'has the type null in v,'],
])('Arrow with %s is refused', async (_what, v, words) => {
  for (const form of ['stream', 'file'] as const) {
    const answer = await put(tableToIPC(new Table({ id: ids, v }), form), types[form]);
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_input']);
    expect(answer.body.detail).toContain(`The body ${words}`);
  }
});

/** A column of the bytes that a writer stores. */
function stored(type: DataType, data: BigInt64Array | Int32Array): Vector {
  return new Vector([makeData({ type, length: data.length, nullCount: 0, data } as never)]);
}

const inArrow = (v: Vector) => tableToIPC(new Table({ v }), 'stream');

it('Arrow dates of 64 bits are refused, and those of 32 bits are loaded', async () => {
  const before1970 = stored(
    new DateMillisecond(),
    BigInt64Array.of(-86_400_000n, 1_700_000_000_123n),
  );
  const within = new List(new Field('item', new DateMillisecond(), true));
  for (const v of [before1970, vectorFromArray([[]], within)]) {
    const answer = await put(inArrow(v), types.stream);
    expect([answer.status, answer.body.detail]).toEqual([
      400,
      'The body has dates of 64 bits in v, which cannot be read exactly. Write timestamps, or dates of 32 bits.',
    ]);
  }
  const days = stored(new DateDay(), Int32Array.of(-1, 100_000));
  expect((await put(inArrow(days), types.stream)).status).toBe(200);
  expect(await app.sql('SELECT v FROM loaded FORMAT TSV')).toBe('1969-12-31\n2243-10-17\n');
});

it('times beyond the years 0 to 9999 are refused in Arrow and Parquet, also within lists', async () => {
  const end = 253_402_300_799n;
  const last = stored(new TimestampSecond('UTC'), BigInt64Array.of(-62_167_219_200n, end));
  expect((await put(inArrow(last), types.stream)).status).toBe(200);
  expect(await app.sql('SELECT v FROM loaded FORMAT TSV')).toBe(
    '0000-01-01 00:00:00\n9999-12-31 23:59:59\n',
  );
  for (const [type, value] of [
    [new TimestampSecond('UTC'), end + 1n],
    [new TimestampMicrosecond('UTC'), (end + 1n) * 1_000_000n],
    [new TimestampMicrosecond('UTC'), -62_167_219_200_000_001n],
    [new TimestampMicrosecond('UTC'), -(2n ** 63n)],
  ] as const) {
    const answer = await put(inArrow(stored(type, BigInt64Array.of(0n, value))), types.stream);
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_input']);
    expect(answer.body.detail).toMatch(/^The body, row 2: the value of v is missing, .* 0 to 9999/);
  }
  const later = 'fromUnixTimestamp64Milli(9000000000000000)';
  for (const [value, query] of [
    [`[${later}]`, ''],
    [`tuple([NULL, ${later}])`, ''],
    [later, `?types={"v":"DateTime64(0,'UTC')"}`],
  ]) {
    const file = await (await runAsParquet(`SELECT ${value} AS v`)).arrayBuffer();
    const answer = await put(new Uint8Array(file), types.parquet, query);
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_input']);
    expect(answer.body.detail).toContain('The body, row 1: the value of v');
  }
  expect(await app.sql('SELECT count() FROM loaded FORMAT TSV')).toBe('2\n');
});

it('bytes of a fixed length keep their zeros as a String', async () => {
  const type = new FixedSizeBinary(4);
  const v = vectorFromArray([Uint8Array.of(65, 0, 0, 0), null], type);
  const answer = await put(inArrow(v), types.stream, '?types={"v":"Nullable(String)"}');
  expect(answer.status).toBe(200);
  expect(await app.sql('SELECT hex(v) FROM loaded FORMAT TSV')).toBe('41000000\n\\N\n');
});

describe('lists, tuples and maps of a Parquet file with a given type', () => {
  const load = async (value: string, type: string) => {
    const file = await (await runAsParquet(`SELECT ${value} AS v`)).arrayBuffer();
    const query = `?types=${encodeURIComponent(JSON.stringify({ v: type }))}`;
    return put(new Uint8Array(file), types.parquet, query);
  };

  it.each([
    ['[1, 300]', 'Array(Int16)', '[1,300]'],
    ['[[1], [2, NULL]]', 'Array(Array(Nullable(Int8)))', '[[1],[2,NULL]]'],
    ["map('a', 1)", 'Map(LowCardinality(String), UInt8)', "{'a':1}"],
    ["tuple(1, 'x')::Tuple(n Int64, s String)", 'Tuple(n Int8, s String)', "(1,'x')"],
    ["[('a', 1.5)]", 'Array(Tuple(LowCardinality(String), Float32))', "[('a',1.5)]"],
    [
      "['2024-05-01 00:00:00.125'::DateTime64(3, 'UTC')]",
      "Array(DateTime64(6, 'UTC'))",
      "['2024-05-01 00:00:00.125000']",
    ],
  ])('%s is exact as %s', async (value, type, expected) => {
    const { status, body } = await load(value, type);
    expect([status, body.columns]).toEqual([200, [{ name: 'v', type }]]);
    expect(await app.sql('SELECT v FROM loaded FORMAT TSVRaw')).toBe(`${expected}\n`);
  });

  it.each([
    [
      '[1, 300]',
      'Array(Int8)',
      'The body, row 1: the value of v is missing or is not a valid Array(Int8).',
    ],
    [
      '[1, NULL]',
      'Array(Int32)',
      'The body, row 1: the value of v is missing or is not a valid Array(Int32).',
    ],
    ["map('a', 300)", 'Map(String, UInt8)', 'is not a valid Map(String, UInt8).'],
    ['[1.5]', 'Array(Int64)', 'is not a valid Array(Int64).'],
    [
      '[1, 2]',
      'Int64',
      'The column v of the data has the type Array(Nullable(UInt8)), which cannot be loaded as Int64; leave the type out,',
    ],
    ['7', 'Array(Int64)', 'has the type UInt8, which cannot be loaded as Array(Int64);'],
    [
      "tuple(1, 'x')::Tuple(n Int64, s String)",
      'Tuple(m Int64, s String)',
      'cannot be loaded as Tuple(m Int64, s String);',
    ],
  ])('%s is refused as %s', async (value, type, expected) => {
    const { status, body } = await load(value, type);
    expect([status, body.code]).toEqual([400, 'invalid_input']);
    expect(body.detail).toContain(expected);
  });
});

it('Arrow dictionaries of numbers are loaded as numbers', async () => {
  const v = vectorFromArray([7n, null, 2n ** 53n + 1n], new Dictionary(new Int64(), new Int32()));
  const answer = await put(inArrow(v), types.stream);
  expect(answer.body.columns).toEqual([{ name: 'v', type: 'Nullable(Int64)' }]);
  expect(await app.sql('SELECT v FROM loaded FORMAT TSV')).toBe('7\n\\N\n9007199254740993\n');
});

it('Arrow names the rows of the batch that has the NULL, and loads lists, maps and structs without one', async () => {
  const tableOf = (lists: readonly (readonly (number | null)[] | null)[]) =>
    new Table({
      id: ids,
      l: vectorFromArray(lists, list),
      m: vectorFromArray([{ a: 1 }, {}, { b: null }], map),
      s: vectorFromArray([{ item: 1 }, { item: null }, { item: 3 }], struct),
    });
  const whole = tableOf([[1, null], [], [2]]);
  const gap = tableOf([[1], null, [2]]);
  for (const form of ['stream', 'file'] as const) {
    const refused = await put(tableToIPC(whole.concat(gap), form), types[form]);
    expect(refused.body.detail).toContain('the value of l in one or more of the rows 4 to 6;');
    const loaded = await put(tableToIPC(whole.concat(whole), form), types[form]);
    expect([loaded.status, loaded.body.rows]).toEqual([200, 6]);
    expect(await app.sql('SELECT l, m, s FROM loaded LIMIT 3 FORMAT TSV')).toBe(
      "[1,NULL]\t{'a':1}\t(1)\n[]\t{}\t(NULL)\n[2]\t{'b':NULL}\t(3)\n",
    );
  }
});

it('a column without a name is refused', async () => {
  const unnamed = tableToIPC(new Table({ id: ids, '': ids }), 'stream');
  const refused = await put(unnamed, types.stream);
  expect([refused.status, refused.body.detail]).toEqual([
    400,
    'The body has a column without a name.',
  ]);

  const named = new Uint8Array(await (await runAsParquet('SELECT 1 AS id, 2 AS zz')).arrayBuffer());
  expect((await put(named, types.parquet)).body).toMatchObject({ rows: 1, columns: [{}, {}] });
  const answer = await put(withoutName(Buffer.from(named), 'zz'), types.parquet);
  expect([answer.status, answer.body.detail]).toEqual([
    400,
    'The body has a column without a name.',
  ]);
});

describe('JSON of a Parquet file', () => {
  // COPY (SELECT 1 AS id, '{"n": 9007199254740993.0, "none": null}'::JSON AS payload), 2 and [1, 2], 3 and NULL, by DuckDB 1.5.
  const file = Buffer.from(
    'UEFSMRUAFSQVJCwVBhUAFQYVBgAAAgAAAAYBAQAAAAIAAAADAAAAFQAVtAEVtAEsFQYVABUGFQYAACEAAABBAwAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAnAAAAeyJuIjogOTAwNzE5OTI1NDc0MDk5My4wLCAibm9uZSI6IG51bGx9BgAAAFsxLCAyXRUCGTw1ABgNZHVja2RiX3NjaGVtYRUEABUCJQIYAmlkJSIAFQwlAhgHcGF5bG9hZCUmTMwAAAAWBhkcGSwmABwVAhkVABkYAmlkFQAWBhZGFkYmCDwYBAMAAAAYBAEAAAAWACgEAwAAABgEAQAAABERAAAAJgAcFQwZFQAZGAdwYXlsb2FkFQAWBhbaARbaASZOPBgneyJuIjogOTAwNzE5OTI1NDc0MDk5My4wLCAibm9uZSI6IG51bGx9GAZbMSwgMl0WAigneyJuIjogOTAwNzE5OTI1NDc0MDk5My4wLCAibm9uZSI6IG51bGx9GAZbMSwgMl0REQAAABagAhYGJggWoAIAKChEdWNrREIgdmVyc2lvbiB2MS41LjYgKGJ1aWxkIDA2OWNjOWY5YjUpGSwcAAAcAAAAOgEAAFBBUjE=',
    'base64',
  );

  it('is a text as it is written', async () => {
    const { body } = await put(file, types.parquet);
    expect(body).toMatchObject({ rows: 3, columns: [{}, { type: 'Nullable(String)' }] });
    expect(await rowsOf('id, payload')).toEqual([
      [1, '{"n": 9007199254740993.0, "none": null}'],
      [2, '[1, 2]'],
      [3, null],
    ]);
  });

  it('is parsed where that is the type, given or of the table', async () => {
    const query = `SELECT 1 AS id, '{"n": 5}'::JSON AS payload`;
    const own = Buffer.from(await (await runAsParquet(query)).arrayBuffer());
    const asJson = `?types=${encodeURIComponent('{"payload": "JSON"}')}`;
    expect((await put(own, types.parquet, asJson)).body).toMatchObject({
      columns: [{}, { type: 'JSON' }],
    });
    expect((await put(own, types.parquet, '?mode=append')).status).toBe(200);
    expect(await rowsOf('id, payload')).toEqual([
      [1, { n: 5 }],
      [1, { n: 5 }],
    ]);
    const { status, body } = await put(file, types.parquet, asJson);
    expect([status, body.detail]).toEqual([400, expect.stringMatching(/payload|JSON/)]);
    expect(await rowsOf('id')).toHaveLength(2);
  });
});

async function rowsOf(items: string): Promise<unknown> {
  const query = `SELECT ${items} FROM loaded ORDER BY id`;
  return (await app.rest('POST', '/query', { body: { query } })).body.results;
}

async function runAsParquet(query: string): Promise<Response> {
  const headers = {
    authorization: `Bearer ${app.project.writeKey}`,
    'content-type': 'application/json',
  };
  const body = JSON.stringify({ query, format: 'parquet' });
  return app.app.fetch(new Request(urlOf('query'), { method: 'POST', headers, body }));
}

/** The file with an empty text wherever its footer has the name. */
function withoutName(file: Buffer, name: string): Buffer {
  const end = file.length - 8;
  const start = end - file.readUInt32LE(end);
  const written = String.fromCharCode(name.length) + name;
  const footer = file.toString('latin1', start, end).replaceAll(written, '\0');
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  return Buffer.concat([
    file.subarray(0, start),
    Buffer.from(footer, 'latin1'),
    length,
    file.subarray(end + 4),
  ]);
}

it.each([
  [
    '[1,2]',
    'application/json',
    "The body could not be read as JSON: Cannot parse input: expected '{'.",
  ],
  ['{"a":"\\ud800"}', 'application/x-ndjson', 'missing second part of surrogate pair.'],
  [
    '{"a":{"b":{"c":1}}}\n{"a":{"b":"x"}}',
    'application/x-ndjson',
    'The body has objects whose members b have no type in common, here of String and Tuple(c Int64). Write all of them in one type, such as text.',
  ],
])(
  'the error about %s quotes neither the data nor settings of the engine',
  async (body, type, words) => {
    const { detail } = (await put(Buffer.from(body), type)).body;
    expect(detail).toContain(words);
    expect(detail).not.toMatch(/before|setting/);
  },
);
