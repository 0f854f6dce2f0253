/** Clauses with which every run fails are refused when a query is saved, with what to write. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openTestApp();
  await test.sql(
    'CREATE TABLE visits (id UInt32, day Date, at DateTime64(3), name String, data JSON) ENGINE = MergeTree ORDER BY id',
  );
  await test.sql(
    `INSERT INTO visits VALUES (1, '2024-01-01', '2024-01-01 00:00:00', 'a', '{"a": "x"}'), (2, '2024-01-03', '2024-01-01 00:00:02', 'x', '{"a": "y"}')`,
  );
});
afterAll(() => test.close());

let saved = 0;

async function save(query: string) {
  saved += 1;
  const name = `q_${saved}`;
  return { name, ...(await test.rest('POST', '/endpoints', { body: { name, query } })) };
}

describe('a query of which every run would fail', () => {
  it.each([
    [
      'SELECT a.id FROM visits AS a JOIN visits AS b ON a.data.a = b.data.a',
      /^JOIN at line 1, column \d+ does not compare keys of the type Dynamic; cast them, as in data\.a::String\.$/,
    ],
    ['SELECT a.id FROM visits AS a JOIN visits AS b ON a.id = b.id AND b.name = a.data.a', /^JOIN/],
    [
      'SELECT a.id FROM visits AS a LEFT JOIN visits AS b ON a.name = b.id',
      /^JOIN at line 1, column \d+ does not compare keys of the types String and UInt32, which have none in common; convert one, as in toString\(id\)\.$/,
    ],
    [
      'SELECT a.id FROM visits AS a JOIN (SELECT count() AS n, toInt32(id) AS k FROM visits GROUP BY k) AS b ON a.id = b.k AND toInt64(a.id) = b.n',
      /of the types Int64 and UInt64, which have none in common; convert one, as in toInt128\(n\)\.$/,
    ],
    [
      'SELECT a.id FROM visits AS a JOIN (SELECT avg(id) AS m, count() AS n FROM visits) AS b ON a.id = b.m JOIN visits AS c ON c.id = a.id AND b.m = toUInt64(c.id)',
      /of the types Float64 and UInt64, .* as in toFloat64\(…\)\.$/,
    ],
    [
      'SELECT a.id FROM visits AS a JOIN visits AS b ON a.at = b.id',
      /UInt32 and DateTime64\(3\), .* toUnixTimestamp\(at\)\.$/,
    ],
    [
      "SELECT day FROM visits ORDER BY day WITH FILL FROM toDateTime('2024-01-01 00:00:00')",
      /^WITH FILL at line 1, column \d+ fills day of type Date by values of type DateTime; convert them, as in TO toDate\(…\),/,
    ],
    [
      'SELECT day AS d FROM visits ORDER BY d WITH FILL TO {until:DateTime}',
      /or give the variable that type\.$/,
    ],
    [
      "SELECT at FROM visits ORDER BY at WITH FILL TO toDateTime('2024-01-01 00:00:05')",
      /as in TO toDateTime64\(…, 3\)/,
    ],
    [
      "SELECT id FROM visits ORDER BY id WITH FILL TO toDate('2024-01-05')",
      /fills id of type UInt32 by values of type Date; write values of type UInt32\.$/,
    ],
    [
      'SELECT id FROM visits ORDER BY id WITH FILL FROM 1.5',
      /fills id of type UInt32 by values of type Float64; write values of type UInt32\.$/,
    ],
    [
      'SELECT id FROM visits ORDER BY id WITH FILL TO {n:Float64}',
      /write values of type UInt32\.$/,
    ],
    [
      'SELECT at FROM visits ORDER BY at WITH FILL TO {until:DateTime64(6)}',
      /as in TO toDateTime64\(…, 3\), or give the variable that type\.$/,
    ],
    [
      'SELECT id FROM visits ORDER BY id WITH FILL TO 9 STEP 0.5',
      /fills id of type UInt32 in steps of type Float64; write a number of type UInt32\.$/,
    ],
    [
      'SELECT id FROM visits ORDER BY id WITH FILL TO 9 STEP INTERVAL 1 DAY',
      /in steps of type IntervalDay; write a number of type UInt32\.$/,
    ],
    [
      'SELECT day FROM visits ORDER BY day WITH FILL STEP INTERVAL 24 HOUR',
      /in steps of type IntervalHour; write days or more, as in STEP INTERVAL 1 DAY\.$/,
    ],
    [
      'SELECT at::DateTime AS t FROM visits ORDER BY t WITH FILL STEP INTERVAL 1500 MILLISECOND',
      /write seconds or more, as in STEP INTERVAL 1 SECOND\.$/,
    ],
    [
      'SELECT at FROM visits ORDER BY at WITH FILL STEP INTERVAL 500 MICROSECOND',
      /write an interval or a number that its 3 decimals can hold\.$/,
    ],
    [
      'SELECT name FROM visits ORDER BY name WITH FILL',
      /fills name of type String; whole numbers, floating-point numbers, dates and times are filled\.$/,
    ],
    [
      'SELECT id / 1::Decimal(9, 2) AS d FROM visits ORDER BY d WITH FILL',
      /are filled: convert it, as in toFloat64\(…\)\.$/,
    ],
  ])('is refused: %s', async (query, detail) => {
    const { status, body } = await save(query);
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'invalid_query', detail: expect.stringMatching(detail) });
  });

  it.each([
    ['SELECT b.id AS i FROM visits AS a JOIN visits AS b ON a.data.a::String = b.name', [[2]]],
    [
      "SELECT a.id AS i FROM visits AS a JOIN visits AS b ON a.id = b.id AND a.data.a = 'x' ORDER BY i",
      [[1]],
    ],
    [
      'SELECT day FROM visits ORDER BY day WITH FILL TO toDate(toDateTime(1704412800))',
      [['2024-01-01'], ['2024-01-02'], ['2024-01-03'], ['2024-01-04']],
    ],
    ['SELECT id FROM visits ORDER BY id WITH FILL TO 4', [[1], [2], [3]]],
    ['SELECT id / 1 AS f FROM visits ORDER BY f WITH FILL STEP 0.5', [[1], [1.5], [2]]],
    [
      'SELECT day FROM visits ORDER BY day WITH FILL STEP INTERVAL 1 DAY',
      [['2024-01-01'], ['2024-01-02'], ['2024-01-03']],
    ],
    [
      'SELECT toSecond(at) AS s FROM visits ORDER BY at WITH FILL STEP INTERVAL 1000 MILLISECOND',
      [[0], [0], [2]],
    ],
    ['SELECT id::Int128 AS i FROM visits ORDER BY i WITH FILL TO 4.0', [['1'], ['2'], ['3']]],
    ['SELECT b.id AS i FROM visits AS a JOIN visits AS b ON a.name = toString(b.id)', []],
    [
      'SELECT b.id AS i FROM visits AS a JOIN visits AS b ON toInt64(a.id) = toInt128(toUInt64(b.id)) ORDER BY i',
      [[1], [2]],
    ],
    [
      'SELECT b.id AS i FROM visits AS a JOIN visits AS b ON toFloat64(a.id) = b.id ORDER BY i',
      [[1], [2]],
    ],
    [
      'SELECT c.id AS i FROM visits AS a JOIN (SELECT toInt64(id) AS k FROM visits) AS b ON a.id = b.k JOIN visits AS c ON c.id = a.id AND b.k = toUInt64(a.id) ORDER BY i',
      [[1], [2]],
    ],
    [
      'SELECT count() AS n FROM visits AS a, visits AS b WHERE toInt64(a.id) = toUInt64(b.id)',
      expect.anything(),
    ],
  ])('is accepted where it runs: %s', async (query, results) => {
    const { name, status, body } = await save(query);
    expect(status, JSON.stringify(body)).toBe(201);
    const run = await test.rest('POST', `/endpoints/${name}/run`, { body: {} });
    expect(run.body).toMatchObject({ results });
  });
});

it('a STEP of 0 is named as what is wrong', async () => {
  const { name } = await save('SELECT id FROM visits ORDER BY id WITH FILL TO 4 STEP {s:UInt8}');
  const { body } = await test.rest('GET', `/endpoints/${name}/run?variables[s]=0`);
  expect(body.detail).toBe(
    'The STEP of WITH FILL has to be above 0, or below 0 where ORDER BY is DESC.',
  );
});

it('a whole array over an index of texts has a message that says what to write', async () => {
  await test.sql(
    "CREATE TABLE labelled (id UInt8, tags Array(String), INDEX i tags TYPE text(tokenizer = 'array')) ENGINE = MergeTree ORDER BY id",
  );
  await test.sql("INSERT INTO labelled VALUES (1, ['a', 'b']), (2, ['a'])");
  const runOf = async (condition: string) => {
    const query = `SELECT id FROM labelled WHERE ${condition}`;
    return (await test.rest('POST', '/query', { body: { query, variables: { l: ['a'] } } })).body;
  };
  expect(await runOf('tags = {l:Array(String)}')).toMatchObject({
    code: 'query_failed',
    detail: expect.stringMatching(/in place of = and !=, write IN and NOT IN/),
  });
  expect(await runOf('tags IN ({l:Array(String)})')).toMatchObject({ results: [[2]] });
});

it('a view with parameters has a message that says what to write', async () => {
  await test.sql('CREATE VIEW recent AS SELECT id FROM visits WHERE id > {least:UInt32}');
  const { body } = await save('SELECT id FROM recent(least = {n:UInt32})');
  expect(body).toMatchObject({
    code: 'invalid_query',
    detail: expect.stringMatching(
      /^The table function recent at line 1, column 16 .* In place of a view with parameters, write its query as a subquery\.$/,
    ),
  });
});
