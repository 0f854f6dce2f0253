import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';

/** In every cell of text that the failing queries read. */
const marker = 'ZXMARKERQ';
let test: TestApp;

beforeAll(async () => {
  test = await openTestApp();
  await test.sql(
    'CREATE TABLE cells (id Int64, s String, d String) ENGINE = MergeTree ORDER BY id',
  );
  await test.sql(
    `INSERT INTO cells VALUES (1, '${marker}', '${marker}-01-01'), (2, '${marker}(((', '12345${marker}'), (3, 'x as Int32 ${marker}', '{${marker}')`,
  );
});
afterAll(() => test.close());

/** Expressions that fail on the cells, and what is said instead of quoting them. */
const failing: readonly (readonly [string, RegExp])[] = [
  [
    'toInt32(s)',
    /^A string, in the data or given as a value, cannot be parsed as Int32 in the function toInt32\. toInt32OrNull/,
  ],
  [
    'toInt32(left(s, 0))',
    /^A string, in the data or given as a value, cannot be parsed as Int32 in the function toInt32/,
  ],
  ['CAST(s AS Int64)', /as Int64/],
  ['s::UInt8', /as UInt8/],
  ['toDate(d)', /as Date in the function toDate/],
  ['toDateTime(s)', /as DateTime/],
  ['parseDateTimeBestEffort(s)', /cannot be parsed/],
  ["parseDateTime(s, '%Y')", /cannot be parsed/],
  ['toUUID(s)', /as UUID/],
  ['toFloat64(s)', /as Float64/],
  ['toDecimal32(s, 2)', /as Decimal/],
  ['toIPv4(s)', /as IPv4/],
  ["CAST(s AS Enum8('a' = 1))", /not a value of the enum/],
  ['CAST(s AS Array(Int32))', /cannot be parsed/],
  ['CAST(s AS Tuple(Int32, Int32))', /cannot be parsed/],
  ['CAST(s AS Bool)', /cannot be parsed/],
  ['CAST(s AS JSON)', /cannot be parsed|does not accept/],
  ['CAST(s AS FixedString(2))', /too long/],
  ["match('a', s)", /not a regular expression/],
  ["replaceRegexpAll('abc', s, 'b')", /replaceRegexpAll/],
  ['base64Decode(s)', /base64Decode/],
  ['stringToH3(s)', /does not accept/],
  ['readWKTPoint(s)', /readWKTPoint/],
  ["reinterpret(s, 'Date') + toIntervalSecond(s)", /cannot be parsed/],
  ['printf(s, 1)', /does not accept/],
  ["decrypt('aes-128-ecb', s, s)", /does not accept/],
  ["accurateCast(s, 'Int8')", /as Int8/],
  ["throwIf(id > 0, 'There is no such customer')", /^There is no such customer\.$/],
  ['throwIf(id > 0)', /^A condition of throwIf is true/],
  ['throwIf(id > 0, (SELECT any(s) FROM cells))', /^A condition of throwIf is true/],
  ['id = (SELECT any(s) FROM cells)', /./],
  ['intDiv(1, id - 1)', /^Division by zero/],
  ['repeat(s, id * 100000000)', /too long/],
  ['range(id * 1000000000)', /range/],
];

it('says which type keys of a JOIN must not have', async () => {
  const keys = 'SELECT CAST(\'{"id":1}\' AS JSON) AS j, j.id AS k';
  const query = `SELECT count() AS n FROM (${keys}) AS a JOIN (${keys}) AS b USING (k)`;
  const { body } = await test.rest('POST', '/query', { body: { query } });
  expect(body.detail).toBe(
    'JOIN does not compare keys of the type Dynamic; cast them, as in key::String.',
  );
});

describe('an expression that fails on the data', () => {
  it.each(failing)('quotes no cell: %s', async (expression, said) => {
    const number = failing.findIndex(([text]) => text === expression);
    const name = `fails_${number}`;
    const query = `SELECT ${expression} AS v FROM cells ORDER BY id`;
    const made = await test.rest('POST', '/endpoints', { body: { name, query } });
    expect(made.status, made.text).toBe(201);
    const json = await test.rest('GET', `/endpoints/${name}/run`);
    expect(json.body).toMatchObject({ code: 'query_failed', detail: expect.stringMatching(said) });
    const format = ['csv', 'ndjson', 'arrow', 'parquet'][number % 4];
    const rows = await test.rest('GET', `/endpoints/${name}/run?format=${format}`);
    expect(rows.status).toBe(400);
    const texts = [json.text, rows.text];
    const run = `runEndpoint(projectId: "@current", name: "${name}") { results }`;
    const { text, body } = await test.graphql(`{ ${run} }`);
    expect(body.errors?.[0]?.extensions.code).toBe('query_failed');
    await test.app.core.recorder.flush();
    const endpoint = `endpoint(projectId: "@current", name: "${name}")`;
    const status = await test.graphql(`{ ${endpoint} { latestExecution { errorMessage } } }`);
    texts.push(text, status.text);
    expect(texts.filter((shown) => shown.includes(marker))).toEqual([]);
  });
});

describe('a result that fails late', () => {
  it.each(['csv', 'ndjson', 'arrow', 'parquet'])('quotes no cell in its %s', async (format) => {
    const query =
      'SELECT number, if(number = 2500000, toInt32(assumeNotNull((SELECT min(s) FROM cells)) || toString(number)), 1) AS v FROM numbers(3000000)';
    await test.rest('POST', '/endpoints', { body: { name: 'late', query } });
    const shown = await test
      .rest('GET', `/endpoints/late/run?format=${format}`)
      .then(({ text }) => text, String);
    expect(shown).not.toContain(marker);
    await test.app.core.recorder.flush();
    const { text } = await test.graphql(
      '{ endpoint(projectId: "@current", name: "late") { latestExecution { error errorMessage } } }',
    );
    expect(text).toContain('"error":true');
    expect(text).not.toContain(marker);
  });
});
