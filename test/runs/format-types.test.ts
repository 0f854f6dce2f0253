/**
 * Every type of the engine in every format, read back by programs of others and by the engine. What a value is in a
 * format is written down in support/value-cases.ts, not asked of anybody.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { saveQuery } from '../rest/support/sales.ts';
import { fetchBytes } from '../support/formats.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';
import { batchesOf, sampled, systematic } from './support/every-type.ts';
import { textByEngine, wrongCells } from './support/type-batches.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openTestApp();
});
afterAll(() => test.close());

describe('every type, alone and in each container', () => {
  it.each(batchesOf(systematic).map((batch) => [batch[0]?.type, batch] as const))(
    'from %s on',
    async (_first, batch) => {
      expect(await wrongCells(test, batch)).toEqual([]);
    },
  );
});

/** `node test/runs/long-types.ts SECONDS` tries others and more of them. */
const seed = Number(process.env.TYPES_SEED ?? 1);
const size = Number(process.env.TYPES_SIZE ?? 300);

describe(`types in types in types, seed ${seed}`, () => {
  it.each(batchesOf(sampled(seed, size)).map((batch) => [batch[0]?.type, batch] as const))(
    'from %s on',
    async (_first, batch) => {
      expect(await wrongCells(test, batch)).toEqual([]);
    },
  );
});

/** Refused in every format when they are saved: see run-format-shapes.test.ts. */
const refused = ['AggregateFunction'];

describe('what nobody has judged', () => {
  it('is no type of the engine', async () => {
    const text = await test.sql(
      "SELECT name FROM system.data_type_families WHERE alias_to = '' ORDER BY name FORMAT TSV",
    );
    const judged = new Set([...systematic, ...special].flatMap(({ type }) => type.match(/\w+/g)));
    const families = text.trim().split('\n');
    expect(families.length).toBeGreaterThan(60);
    expect(families.filter((name) => !judged.has(name))).toEqual(refused);
  });
});

/** Values that have no type by which to make others. `binary` is a refusal where it is an expression. */
interface Special {
  readonly type: string;
  readonly value: string;
  readonly json: string;
  readonly csv: string;
  readonly arrow: string | RegExp;
  readonly parquet: string | RegExp;
}

const special: readonly Special[] = [
  row('Nullable(Nothing)', 'NULL', { json: 'null', csv: '', binary: 'null' }),
  row('Array(Nothing)', '[]', { json: '[]', csv: '"[]"', binary: '[]' }),
  row('Array(Nullable(Nothing))', '[NULL]', { json: '[null]', csv: '"[null]"', binary: '[null]' }),
  row('Map(Nothing, Nothing)', 'map()', { json: '{}', csv: '"{}"', binary: '{}' }),
  {
    ...row('Tuple()', 'tuple()', { json: '[]', csv: '"[]"', binary: '{}' }),
    parquet: /^The column v contains empty tuples/,
  },
  {
    ...row('Array(Tuple())', '[tuple()]', { json: '[[]]', csv: '"[[]]"', binary: '[{}]' }),
    parquet: /^The column v contains empty tuples/,
  },
  row('Variant(Int128, String)', 'CAST(5::Int128 AS Variant(Int128, String))', {
    json: '"5"',
    csv: '"""5"""',
    binary: String.raw`"\"5\""`,
  }),
  row(
    'Dynamic',
    'CAST(170141183460469231731687303715884105727::Decimal(39, 0)::Int128 AS Dynamic)',
    {
      json: '170141183460469231731687303715884105727',
      csv: '"170141183460469231731687303715884105727"',
      binary: '"170141183460469231731687303715884105727"',
    },
  ),
  row('Map(Array(UInt8), UInt8)', 'map([1, 2], 3)', {
    json: '{"[1,2]":3}',
    csv: '"{""[1,2]"":3}"',
    binary: String.raw`"{\"[1,2]\":3}"`,
  }),
  row('Map(Tuple(UInt8, String), UInt8)', "map((1, 'x'), 3)", {
    json: `{"(1,'x')":3}`,
    csv: `"{""(1,'x')"":3}"`,
    binary: String.raw`"{\"(1,'x')\":3}"`,
  }),
  row('Map(String, UInt8)', "map('a', 1, 'a', 2)", {
    json: '{"a":1,"a":2}',
    csv: '"{""a"":1,""a"":2}"',
    binary: '{"a":1,"a":2}',
  }),
  row(
    'Map(String, SimpleAggregateFunction(anyLast, Bool))',
    "CAST(map('a', true) AS Map(String, SimpleAggregateFunction(anyLast, Bool)))",
    { json: '{"a":true}', csv: '"{""a"":true}"', binary: '{"a":true}' },
  ),
  row('String', "unhex('61ff')", { json: '"a\uFFFD"', csv: '"a\xff"', binary: '"a\uFFFD"' }),
  row('FixedString(2)', "toFixedString(unhex('ff'), 2)", {
    json: String.raw`"${'\uFFFD'}\u0000"`,
    csv: '"\xff\0"',
    binary: String.raw`"${'\uFFFD'}\u0000"`,
  }),
  {
    ...row("DateTime64(7, 'UTC')", "toDateTime64('2262-04-12 00:00:00', 7, 'UTC')", {
      json: '"2262-04-12T00:00:00.0000000Z"',
      csv: '"2262-04-12T00:00:00.0000000Z"',
      binary: '',
    }),
    arrow: /2262.*nanoseconds/,
    parquet: /2262.*nanoseconds/,
  },
];

function row(
  type: string,
  value: string,
  { binary, ...texts }: { readonly json: string; readonly csv: string; readonly binary: string },
): Special {
  return { type, value, ...texts, arrow: binary, parquet: binary };
}

describe.each(special)('$value', ({ type, value, ...expected }) => {
  let name: string;
  beforeAll(async () => {
    name = await saveQuery(test, `SELECT ${value} AS v`);
  });

  it('in JSON and NDJSON', async () => {
    const { text, body } = await test.rest('GET', `/endpoints/${name}/run`);
    expect(text).toContain(`{"results":[[${expected.json}]],`);
    expect(body.types).toEqual([['v', type]]);
    const lines = await fetchBytes(test, `${name}/run?format=ndjson`);
    expect(lines.text).toBe(`{"v":${expected.json}}\n`);
  });

  it('in CSV', async () => {
    const { bytes } = await fetchBytes(test, `${name}/run?format=csv`);
    expect(bytes.toString('latin1')).toBe(`"v"\r\n${expected.csv}\r\n`);
  });

  it.each(['arrow', 'parquet'] as const)('in %s', async (format) => {
    const { status, bytes, text } = await fetchBytes(test, `${name}/run?format=${format}`);
    const wanted = expected[format];
    if (wanted instanceof RegExp) {
      expect(JSON.parse(text)).toMatchObject({ detail: expect.stringMatching(wanted) });
      expect(status).toBe(400);
    } else expect(await textByEngine(test, format, bytes)).toBe(`[${wanted}]`);
  });
});

describe('bytes that are no UTF-8', () => {
  it.each(['arrow', 'parquet'] as const)('are in %s as they are', async (format) => {
    const name = await saveQuery(test, "SELECT unhex('61ff00fe') AS v");
    const { bytes } = await fetchBytes(test, `${name}/run?format=${format}`);
    expect(bytes.includes(Buffer.from('61ff00fe', 'hex'))).toBe(true);
  });
});
