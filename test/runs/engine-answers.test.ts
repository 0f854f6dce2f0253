/** What the engine answers wrongly by its own defaults: right here, or refused with what to write instead. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openTestApp();
  const settings = 'SETTINGS index_granularity = 8';
  const country = "['at', 'de', 'fr'][number % 3 + 1]";
  await test.sql(
    `CREATE TABLE texts (lc LowCardinality(String), s String, f FixedString(4)) ENGINE = MergeTree ORDER BY lc ${settings}
     AS SELECT ${country} AS lc, ${country} AS s, ${country} AS f FROM numbers(300)`,
  );
  await test.sql(
    `CREATE TABLE times (ts DateTime, t64 DateTime64(3), d Date) ENGINE = MergeTree ORDER BY (ts, t64) ${settings}
     AS SELECT toDateTime('2001-01-01 00:00:00') + number % 300 * 86400 AS ts, ts AS t64, toDate(ts) AS d FROM numbers(3000)`,
  );
  await test.sql(
    'CREATE TABLE a (k UInt32) ENGINE = MergeTree ORDER BY k AS SELECT number AS k FROM numbers(100)',
  );
  await test.sql(
    "CREATE TABLE b (k UInt32, d Date32) ENGINE = MergeTree ORDER BY k AS SELECT number AS k, toDate('2001-01-01') + number AS d FROM numbers(50)",
  );
  await test.sql(
    'CREATE TABLE signs (x Float64, day Date, at DateTime, code FixedString(3)) ENGINE = MergeTree ORDER BY tuple()',
  );
  await test.sql(
    "INSERT INTO signs SELECT [-0., 0., nan][number + 1], '2001-01-01', '2001-01-01 00:00:00', ['a', 'b', ''][number + 1] FROM numbers(3)",
  );
  await test.sql(
    'CREATE TABLE gaps (n Nullable(Int32)) ENGINE = MergeTree ORDER BY n SETTINGS index_granularity = 2, allow_nullable_key = 1 AS SELECT if(number % 7 = 0, NULL, number) AS n FROM numbers(60)',
  );
  // The NaNs are read before the numbers, in blocks of their own.
  await test.sql(
    `CREATE TABLE ratios (id UInt32, x Float64, y Float32, n Nullable(Float64), INDEX of_y y TYPE minmax) ENGINE = MergeTree ORDER BY id
     AS SELECT number AS id, if(id < 500000, nan, 5 + id % 7) AS x, x AS y, if(id % 2 = 0, NULL, x) AS n FROM numbers(600000)`,
  );
  await test.sql(
    "CREATE TABLE clocks (id UInt32, local Nullable(DateTime('Europe/Berlin')), at DateTime, day Date) ENGINE = MergeTree ORDER BY id",
  );
  await test.sql(
    'INSERT INTO clocks SELECT number, toDateTime(1729989000 + 3600 * (number % 2)), toDateTime(4294967295 - number), toDate(65535 - number) FROM numbers(4)',
  );
});
afterAll(() => test.close());

async function answer(query: string, variables: Readonly<Record<string, unknown>> = {}) {
  return (await test.rest('POST', '/query', { body: { query, variables } })).body;
}

it('LIMIT BY takes each text once of a time that clocks repeat, in a table sorted by the time', async () => {
  await test.sql(
    `CREATE TABLE hours (at DateTime('Europe/Berlin')) ENGINE = MergeTree ORDER BY at SETTINGS index_granularity = 8
     AS SELECT toDateTime('2024-10-27 00:00:00', 'UTC') + 600 * number AS at FROM numbers(12)`,
  );
  const query = 'SELECT count() FROM (SELECT toString(at) AS text FROM hours LIMIT 1 BY text)';
  expect(await answer(query)).toMatchObject({ results: [[6]] });
});

describe('an outer join filtered by a Date32 of the joined table', () => {
  it.each([
    ['LEFT JOIN', "b.d >= '1960-01-01'", 100],
    ['LEFT JOIN', "b.d = '1970-01-01'", 50],
    ['FULL JOIN', "b.d > toDate32('1960-01-01')", 100],
    ['LEFT JOIN', "b.d >= '2001-01-11'", 40],
  ])('%s … WHERE %s', async (join, where, rows) => {
    const query = `SELECT count() AS n FROM a ${join} b ON a.k = b.k WHERE ${where}`;
    expect(await answer(query)).toMatchObject({ results: [[rows]] });
  });
});

describe('a column that was added with a DEFAULT of other columns', () => {
  beforeAll(async () => {
    await test.sql(
      "CREATE TABLE grown (k UInt32, price Int32, n UInt8, shop String) ENGINE = MergeTree ORDER BY k AS SELECT number, number % 10 + 1, number % 4, ['a', 'b'][number % 2 + 1] FROM numbers(100)",
    );
    await test.sql(
      'ALTER TABLE grown ADD COLUMN total Int64 DEFAULT price * n, ADD COLUMN shops Array(String) DEFAULT [shop]',
    );
  });
  const rows = Array.from({ length: 100 }, (_row, k) => ({
    n: k % 4,
    total: ((k % 10) + 1) * (k % 4),
    isOfA: k % 2 === 0,
  }));
  const sum = (of: readonly { readonly total: number }[]) =>
    of.reduce((all, { total }) => all + total, 0);
  const ofA = sum(rows.filter(({ n, isOfA }) => n > 1 && isOfA));
  const all = sum(rows.filter(({ n }) => n > 1));

  it.each([
    ["grown WHERE n > 1 AND shop = 'a'", ofA],
    ["grown WHERE n > 1 AND shops = ['a']", ofA],
    ["grown WHERE n > 1 AND shop = 'a' AND price > 0 AND total > 0", ofA],
    ['grown INNER JOIN a ON a.k = grown.k WHERE n > 1', all],
    ['grown INNER JOIN a ON a.k = grown.k AND n > 1', all],
    ['a LEFT JOIN grown ON a.k = grown.k AND n > 1 AND price > 0', all],
    ["(SELECT total FROM grown WHERE n > 1 AND shop = 'a' ORDER BY k LIMIT 100)", ofA],
    ['grown PREWHERE n', sum(rows)],
    ["grown PREWHERE n > 1 AND shop = 'a'", ofA],
    ["(SELECT total FROM grown PREWHERE n > 1 AND shop = 'a' WHERE shops = ['a'])", ofA],
    ['a INNER JOIN grown ON a.k = grown.k PREWHERE n > 1 AND price > 0', all],
  ])('is read from these: sum(total) FROM %s', async (from, expected) => {
    expect(await answer(`SELECT sum(total) FROM ${from}`)).toMatchObject({
      results: [[expected]],
    });
  });
});

describe('parts that were merged, which the engine has statistics of', () => {
  beforeAll(async () => {
    await test.sql(
      "CREATE TABLE merged (n UInt32, x Float64, day Date) ENGINE = MergeTree ORDER BY n AS SELECT number, if(number < 13, nan, 1.5), toDate('2020-01-01') + number * 400 FROM numbers(100)",
    );
    await test.sql('OPTIMIZE TABLE merged FINAL');
  });

  it.each([
    ['NOT (x < 5)', 13],
    ['NOT (x <= {least:Float64})', 13],
    ["toStartOfDay(day) > toDateTime('2020-06-01 00:00:00') AND n < 70", 69],
  ])('are read for WHERE %s', async (where, rows) => {
    const variables = where.includes('{') ? { least: 101.5 } : {};
    const found = await answer(`SELECT count() AS c FROM merged WHERE ${where}`, variables);
    expect(found).toMatchObject({ results: [[rows]] });
  });
});

it('arrayJoin of a group is sorted by what follows the keys', async () => {
  await test.sql(
    'CREATE TABLE bags (k UInt8, items Array(UInt8)) ENGINE = MergeTree ORDER BY k AS SELECT number AS k, [[3, 1, 2], [9, 8]][number + 1] AS items FROM numbers(2)',
  );
  const query =
    'SELECT k, arrayJoin(groupArrayArray(items)) AS item FROM bags GROUP BY k ORDER BY k';
  const sorted = [
    [0, 1],
    [0, 2],
    [0, 3],
    [1, 8],
    [1, 9],
  ];
  expect(await answer(`${query}, item`)).toMatchObject({ results: sorted });
  expect(await answer(`${query}, item DESC LIMIT 1`)).toMatchObject({ results: [[0, 3]] });
});

describe('a run that returns a few of many groups', () => {
  it.each([
    ['SELECT count() OVER () AS groups FROM ratios GROUP BY id', [600_000]],
    [
      'SELECT DISTINCT toUInt8(1) AS one, id > 599000 AS late FROM ratios GROUP BY id',
      [1, expect.anything()],
    ],
    ['SELECT 1 AS one FROM ratios GROUP BY id QUALIFY max(id) OVER () = 599999', [1]],
    ['SELECT arrayJoin(range(toUInt8(id > 599990))) AS zero FROM ratios GROUP BY id', [0]],
  ])('is computed from all of them: %s', async (query, row) => {
    const { body } = await test.rest('POST', '/query', { body: { query, limit: 2 } });
    expect(body.results).toEqual([row, row]);
  });
});

it.each([
  ['ratios INNER JOIN one', 'isNaN(x)', 500_000],
  ['ratios LEFT SEMI JOIN one', 'isNaN(x)', 500_000],
  ['signs LEFT ANTI JOIN one', 'x = 0', 2],
  ['signs LEFT ANTI JOIN one', 'isNaN(x)', 2],
])(
  'a JOIN of floats compares their bits, however many there are: %s of %s',
  async (join, where, rows) => {
    const one = `WITH one AS (SELECT x FROM signs WHERE (${where}) AND code != 'b')`;
    const found = await answer(
      `${one} SELECT count() FROM ${join} ON ${join.split(' ')[0]}.x = one.x`,
    );
    expect(found).toMatchObject({ results: [[rows]] });
  },
);

describe('a value that is searched in a set of a type that cuts it', () => {
  const day = "toDate('2024-01-02')";
  beforeAll(async () => {
    await test.sql(
      `CREATE TABLE cuts (ts DateTime, t64 DateTime64(6), price Decimal(9, 2), s String, n Int8, paid Bool, day Date, plan Enum8('free' = 0, 'paid' = 1)) ENGINE = MergeTree ORDER BY (ts, t64, price, s) SETTINGS index_granularity = 2
       AS SELECT toDateTime('2024-01-01 00:00:00') + number * 3600 AS ts, ts AS t64, number / 4 AS price, toString(ts) AS s, number AS n, number % 2 AS paid, toDate(ts) AS day, number % 2 AS plan FROM numbers(48)`,
    );
    await test.sql(`CREATE TABLE days ENGINE = MergeTree ORDER BY day AS SELECT ${day} AS day`);
    await test.sql('CREATE TABLE day_set (day Date) ENGINE = Set');
    await test.sql(`INSERT INTO day_set VALUES (${day})`);
    await test.sql(
      'CREATE TABLE cut_keys ENGINE = MergeTree ORDER BY ts AS SELECT price, ts FROM cuts',
    );
  });

  it.each([
    [`ts IN (SELECT ${day})`, 'DateTime is searched by IN in a subquery'],
    [`t64 NOT IN (SELECT ${day} UNION ALL SELECT {day:Date})`, 'write CAST(… AS Date) NOT IN (…)'],
    [`s IN (SELECT ${day})`, 'values of type Date'],
    ["t64 IN (SELECT toDateTime64('2024-01-02', 3))", 'DateTime64(6) is searched'],
    ['price IN (SELECT k FROM a)', 'write CAST(… AS UInt32) IN'],
    ['price IN (SELECT toDecimal32(1, 1))', 'Decimal(9, 1)'],
    [`(price, ts) IN (SELECT price, toDate(ts) FROM cuts)`, 'values of type Date'],
    ['price IN a', 'write CAST(… AS UInt32) IN (…), or let a subquery return'],
    ['t64 NOT IN days', "a table's values of type Date"],
    ['n NOT IN (SELECT price FROM cuts)', 'cuts to Int8 where it is in the sorting key'],
    ['n IN (SELECT paid FROM cuts)', 'of type Bool, to which'],
    ['paid NOT IN (SELECT n FROM cuts)', 'write CAST(… AS Int8) NOT IN'],
    ["plan NOT IN (SELECT 'free')", 'write CAST(… AS String) NOT IN'],
    ['n IN (SELECT plan FROM cuts)', 'is searched by IN'],
    ['plan IN (SELECT n FROM cuts)', 'is searched by IN'],
    ['day NOT IN (SELECT ts FROM cuts)', 'write CAST(… AS DateTime) NOT IN'],
    ['day IN (SELECT n FROM cuts)', 'write CAST(… AS Int8) IN'],
    ['NOT (day IN (SELECT ts FROM cuts) AND n > 3)', 'write CAST(… AS DateTime) NOT IN'],
    ['ts NOT IN (SELECT t64 + 0.5 FROM cuts)', 'write CAST(… AS DateTime64(6)) NOT IN'],
    ['toNullable(ts) IN (SELECT day FROM cuts)', 'write CAST(… AS Nullable(Date)) IN'],
    ["day NOT IN (SELECT '2024-1-2')", 'write CAST(… AS String) NOT IN'],
    ['price NOT IN (SELECT avg(price) FROM cuts)', 'write CAST(… AS Float64) NOT IN'],
    ['s IN (SELECT n FROM cuts)', 'table; let the subquery return values of type String'],
    ['toFloat64(price) IN (SELECT price FROM cuts)', 'of type Float64 is searched by IN'],
    ['(price, n) IN (SELECT (8, 1))', 'write CAST(… AS UInt8) IN'],
  ])('is refused: %s', async (where, reason) => {
    const variables = where.includes('{') ? { day: '2024-01-01' } : {};
    expect(await answer(`SELECT count() FROM cuts WHERE ${where}`, variables)).toMatchObject({
      code: 'invalid_query',
      detail: expect.stringContaining(reason),
    });
  });

  it.each([
    [`toDate(ts) IN (SELECT ${day})`, 24],
    [`CAST(ts AS Date) IN (SELECT ${day})`, 24],
    [`ts IN (SELECT toDateTime(${day}))`, 1],
    ["t64 IN (SELECT toDateTime('2024-01-02 00:00:00'))", 1],
    [`ts IN (${day})`, 1],
    ['ts IN (SELECT ts FROM cuts)', 48],
    ['price IN (SELECT toDecimal32(k, 2) FROM a)', 12],
    [`(price, ts) IN (SELECT price, ts FROM cuts)`, 48],
    [`toDate(ts) IN (SELECT toDate32(${day}))`, 24],
    ['CAST(price AS UInt32) IN a', 48],
    ['price IN (SELECT CAST(k AS Decimal(9, 2)) FROM a)', 12],
    ['(price, ts) IN cut_keys', 48],
    ['toDate(ts) IN days', 24],
    ['toDate(ts) IN day_set', 24],
    ['ts NOT IN day_set', 24],
    ['n NOT IN (SELECT toInt64(price) FROM cuts)', 36],
    ['n IN (SELECT price FROM cuts)', 12],
    ["plan IN (SELECT 'free')", 24],
    ['plan NOT IN (SELECT plan FROM cuts WHERE paid)', 24],
    ['paid NOT IN (SELECT paid FROM cuts WHERE n = 0)', 24],
    ['day IN (SELECT ts FROM cuts)', 48],
    ['1 IN (SELECT paid FROM cuts)', 48],
    ['NOT (n IN (SELECT n FROM cuts WHERE paid) AND n > 3)', 26],
    ['CAST(ts AS DateTime64(6)) NOT IN (SELECT t64 + toIntervalMillisecond(500) FROM cuts)', 48],
    ["CAST(day AS String) NOT IN (SELECT '2024-1-2')", 48],
    ["day IN (SELECT '2024-01-02')", 24],
    ['price IN (SELECT avg(price) FROM cuts)', 0],
    ['s IN (SELECT toString(ts) FROM cuts WHERE paid)', 24],
    ['(price, n) IN (SELECT (price, n) FROM cuts WHERE paid)', 24],
    ["day NOT IN (SELECT toDate32('2024-01-01'))", 24],
  ])('is right otherwise: %s', async (where, rows) => {
    expect(await answer(`SELECT count() FROM cuts WHERE ${where}`)).toMatchObject({
      results: [[rows]],
    });
  });
});

describe('a value that is searched by has in a list of another type', () => {
  const lists = { days: ['2024-01-01'], prices: ['1.50'], some: [1, null], codes: ['abc'] };

  it.each([
    ['NOT has({days:Array(Date)}, ts)', 'give the list the type Array(DateTime), or write ts IN'],
    ['has({days:Array(Date32)}, t64)', 'of type DateTime64(6) in a list of Date32'],
    ['NOT has({prices:Array(Decimal(9, 2))}, n)', 'n of type Int8 in a list of Decimal(9, 2)'],
    ["NOT has([toDateTime64('2024-01-01 00:00:00.5', 3)], ts)", 'in a list of DateTime64(3)'],
    ["NOT has([CAST('2', 'UInt256')], paid)", 'paid of type Bool in a list of UInt256'],
    ['NOT has([0.5, 2], paid)', 'paid of type Bool in a list of Float64'],
    ["has({codes:Array(Enum8('abc' = 1))}, s)", 's of type String in a list of Enum8'],
    ['NOT has({codes:Array(FixedString(3))}, s)', 'write s IN (…) instead'],
    ['NOT has({some:Array(Nullable(Int8))}, n)', 'may have NULL'],
    ['NOT (n < 3 OR (has([1, NULL], n) AND paid))', 'may have NULL'],
  ])('is refused: %s', async (where, reason) => {
    expect(await searched(where)).toMatchObject({
      code: 'invalid_query',
      detail: expect.stringContaining(reason),
    });
  });

  it.each([
    ['NOT has({days:Array(Date)}, day)', 24],
    ["NOT has([toDateTime('2024-01-01 00:00:00')], ts)", 47],
    ['NOT has([1, 2], n)', 46],
    ["NOT has([toDateTime('2024-01-01 00:00:00')], t64)", 47],
    ["has([toDateTime64('2024-01-01 00:00:00', 3, 'UTC')], t64)", 1],
    ['has({some:Array(Nullable(Int8))}, n)', 1],
    ['n NOT IN {some:Array(Nullable(Int8))}', 47],
    ["has([toDate('2024-01-01')], toDate('2024-01-01')) AND NOT has([1], paid)", 24],
  ])('is right otherwise: %s', async (where, rows) => {
    expect(await searched(where)).toMatchObject({ results: [[rows]] });
  });

  function searched(where: string) {
    const named = Object.entries(lists).filter(([name]) => where.includes(`{${name}:`));
    return answer(`SELECT count() FROM cuts WHERE ${where}`, Object.fromEntries(named));
  }
});

describe('a search of texts', () => {
  beforeAll(() =>
    test.sql(
      `CREATE TABLE notes (id UInt8, plan Enum8('free' = 1, 'paid' = 2), code FixedString(3), note Nullable(String), INDEX of_note note TYPE text(tokenizer = 'splitByNonAlpha'))
       ENGINE = MergeTree ORDER BY plan SETTINGS index_granularity = 1
       AS SELECT number AS id, ['free', 'paid', 'paid'][number + 1] AS plan, ['ab', 'abc', ''][number + 1] AS code, ['x y', NULL, ''][number + 1] AS note FROM numbers(3)`,
    ),
  );

  it.each([
    ["NOT has(['paid'], plan)", 'write has(…, CAST(plan AS String))'],
    ['has({plans:Array(String)}, plan)', 'of type Enum8 in an array of String'],
    ["indexOf(['ab'], code) = 0", 'code of type FixedString(3)'],
  ])('is refused where the engine is wrong: %s', async (where, reason) => {
    const variables = where.includes('{') ? { plans: ['paid'] } : {};
    expect(await answer(`SELECT count() FROM notes WHERE ${where}`, variables)).toMatchObject({
      code: 'invalid_query',
      detail: expect.stringContaining(reason),
    });
  });

  it.each([
    ["NOT has(['paid'], CAST(plan AS String))", 1],
    ["plan IN ('paid')", 2],
    ['has({plans:Array(String)}, toString(plan))', 2],
    ["indexOf(['ab'], CAST(code AS String)) = 0", 2],
    ["has([plan], 'paid')", 2],
    ["hasToken(note, 'x') = 0", 1],
    ["NOT hasToken(note, 'x')", 1],
    ["NOT (hasAnyTokens(note, ['x']) OR id = 9)", 1],
    ["(hasToken(note, 'x') AND id < 9) = 0", 1],
    ["hasToken(note, 'x')", 1],
    ["NOT hasToken(assumeNotNull(note), 'x')", 2],
  ])('is right otherwise: %s', async (where, rows) => {
    const variables = where.includes('{') ? { plans: ['paid'] } : {};
    expect(await answer(`SELECT count() FROM notes WHERE ${where}`, variables)).toMatchObject({
      results: [[rows]],
    });
  });
});

it('hasToken of NULL is NULL, also where a condition has it', async () => {
  const query = "SELECT id, hasToken(note, 'x') AS hit FROM notes WHERE hit OR id > 0 ORDER BY id";
  expect(await answer(query)).toMatchObject({
    results: [
      [0, 1],
      [1, null],
      [2, 0],
    ],
  });
});

describe('DISTINCT in a table of several parts', () => {
  beforeAll(async () => {
    await test.sql('CREATE TABLE steps (x UInt32) ENGINE = MergeTree ORDER BY x');
    await test.sql('SYSTEM STOP MERGES steps');
    for (const from of [0, 1000])
      await test.sql(`INSERT INTO steps SELECT number FROM numbers(${from}, 1000)`);
  });
  const distinct = 'SELECT DISTINCT intDiv(x, 100) AS b FROM steps';

  it.each([
    [`${distinct} ORDER BY b OFFSET 15`, 'OFFSET without LIMIT'],
    [`SELECT count() AS n FROM (${distinct} OFFSET {skip:UInt8} ROWS)`, 'OFFSET without LIMIT'],
    [`${distinct} ORDER BY b LIMIT -1`, 'a negative number or a fraction'],
    [`${distinct} ORDER BY b LIMIT 5 OFFSET -2`, 'a negative number or a fraction'],
    [`${distinct} ORDER BY b LIMIT 3 OFFSET 0.5`, 'a negative number or a fraction'],
  ])('is refused where the engine ends it too early: %s', async (query, reason) => {
    expect(await answer(query, query.includes('{') ? { skip: 5 } : {})).toMatchObject({
      code: 'invalid_query',
      detail: expect.stringContaining(`DISTINCT is not accepted beside ${reason}`),
    });
  });

  it.each([
    [`${distinct} ORDER BY b LIMIT 3 OFFSET 15`, [15, 16, 17]],
    [`${distinct} ORDER BY b LIMIT {few:Int32}`, [0, 1]],
    [`SELECT * FROM (${distinct}) ORDER BY b LIMIT -2`, [18, 19]],
    [`SELECT * FROM (${distinct}) ORDER BY b OFFSET 17`, [17, 18, 19]],
    ['SELECT x FROM steps ORDER BY x OFFSET 1998', [1998, 1999]],
  ])('is right otherwise: %s', async (query, values) => {
    const found = await answer(query, query.includes('{') ? { few: 2 } : {});
    expect(found).toMatchObject({ results: values.map((value) => [value]) });
  });
});

describe('LIKE with a backslash after %', () => {
  beforeAll(() =>
    test.sql(
      String.raw`CREATE TABLE paths (s String) ENGINE = MergeTree ORDER BY s AS SELECT arrayJoin(['q\\a-', '_a-']) AS s`,
    ),
  );

  it.each([
    [String.raw`s LIKE '%_\\a-'`, {}, [[String.raw`q\a-`]]],
    [String.raw`s NOT LIKE '%_\\a-'`, {}, [['_a-']]],
    ['s LIKE {pattern:String}', { pattern: String.raw`%_\a-` }, [[String.raw`q\a-`]]],
    [String.raw`s LIKE '%\\_a-'`, {}, [['_a-']]],
  ])('finds what it says: %s', async (where, variables, results) => {
    expect(await answer(`SELECT s FROM paths WHERE ${where}`, variables)).toMatchObject({
      results,
    });
  });
});

describe('a search of a Nullable text with an index of type text', () => {
  // The engine takes the index for the result where few rows have the text.
  beforeAll(() =>
    test.sql(
      `CREATE TABLE hints (id UInt8, note Nullable(String), INDEX of_note note TYPE text(tokenizer = 'splitByNonAlpha'))
       ENGINE = MergeTree ORDER BY id SETTINGS index_granularity = 2
       AS SELECT number AS id, if(id % 7 = 0, NULL, ['a1 b', 'q', 'x', 'zz y', '100', 'mno'][intDiv(id, 8) % 6 + 1]) AS note FROM numbers(60)`,
    ),
  );

  it.each([
    ["note NOT LIKE '% y'", 44],
    ["NOT startsWith(note, 'zz ')", 44],
    ["NOT endsWith(note, ' y')", 44],
    ["NOT hasPhrase(note, 'zz y')", 44],
    ["(note LIKE '% y' AND id < 20) = 0", 57],
  ])('finds no NULL: %s', async (where, rows) => {
    expect(await answer(`SELECT count() FROM hints WHERE ${where}`)).toMatchObject({
      results: [[rows]],
    });
  });

  it.each(["note = '100'", "note LIKE '100'"])('%s of NULL is NULL', async (search) => {
    const query = `SELECT count() FROM (SELECT ${search} AS hit FROM hints WHERE hit OR id > 0) WHERE hit = 0`;
    expect(await answer(query)).toMatchObject({ results: [[44]] });
  });
});

describe('LIKE with a backslash that escapes nothing, over an index of texts', () => {
  const indexes = {
    ngrams: 'ngrambf_v1(2, 512, 3, 0)',
    words: 'tokenbf_v1(512, 3, 0)',
    text: "text(tokenizer = 'splitByNonAlpha')",
  };
  beforeAll(async () => {
    for (const [table, index] of Object.entries(indexes))
      await test.sql(
        String.raw`CREATE TABLE of_${table} (id UInt8, s String, INDEX of_s s TYPE ${index}) ENGINE = MergeTree ORDER BY id SETTINGS index_granularity = 1
         AS SELECT number AS id, ['a\\b1', 'x', 'a_b'][number + 1] AS s FROM numbers(3)`,
      );
  });

  it.each(
    Object.keys(indexes).flatMap((table) => [
      [table, String.raw`s LIKE 'a\\b1'`, null, 1],
      [table, String.raw`s LIKE 'a\\\\b1'`, null, 1],
      [table, String.raw`s LIKE 'a\_b'`, null, 1],
      [table, 's LIKE {p:String}', String.raw`a\b1`, 1],
      [table, 's LIKE {p:String}', String.raw`a\b%`, 1],
      [table, "s LIKE concat('%', {p:String}, '%')", String.raw`a\b`, 1],
    ]),
  )('of %s: %s', async (table, where, p, rows) => {
    const query = `SELECT count() FROM of_${table} WHERE ${where}`;
    expect(await answer(query, p === null ? {} : { p })).toMatchObject({ results: [[rows]] });
  });
});

describe('a DateTime64 that is compared with whole seconds', () => {
  beforeAll(async () => {
    // 100 rows each second.
    await test.sql(
      "CREATE TABLE fine (id UInt32, ts DateTime64(3, 'UTC'), end DateTime64(3) DEFAULT ts, since DateTime ALIAS toDateTime('2001-01-01 00:00:02', 'UTC')) ENGINE = MergeTree ORDER BY ts SETTINGS index_granularity = 8",
    );
    await test.sql(
      "INSERT INTO fine (id, ts) SELECT number, toDateTime64('2001-01-01 00:00:00', 3, 'UTC') + INTERVAL number * 10 MILLISECOND FROM numbers(500)",
    );
  });
  const at = '2001-01-01 00:00:02';

  it.each([
    ['ts > {at:DateTime}', at, 299],
    ['ts < {at:DateTime}', at, 200],
    ['{at:DateTime} < ts', at, 299],
    ['NOT (ts <= {at:DateTime})', at, 299],
    ['NOT (ts >= {at:DateTime})', at, 200],
    ['ts >= {at:DateTime}', at, 300],
    ['ts = {at:DateTime}', at, 1],
    ['ts IN ({at:DateTime})', at, 1],
    ['ts > {at:Nullable(DateTime)}', at, 299],
    ['ts > {at:Nullable(DateTime)}', null, 0],
    ["ts > {at:DateTime('Europe/Berlin')}", '2001-01-01 01:00:02', 299],
    ['ts > {at:DateTime} OR id = 1', at, 300],
    ['ts > {at:DateTime64(3)}', at, 299],
    ['ts > {at:String}', at, 299],
    ['id IN (SELECT id FROM fine WHERE ts > {at:DateTime}) AND ts > {at:DateTime}', at, 299],
  ])('finds the rows of that second: %s of %s', async (where, value, expected) => {
    const query = `SELECT count() FROM fine WHERE ${where}`;
    expect(await answer(query, { at: value })).toMatchObject({ results: [[expected]] });
  });

  it.each([
    ["ts > toDateTime('2001-01-01 00:00:02', 'UTC')", 299],
    ["toDateTime('2001-01-01 00:00:02', 'UTC') >= ts", 201],
    ["ts < toDateTime('2001-01-01 00:00:00', 'UTC') + 2 AND id >= 0", 200],
    ["ts > toDateTime('2001-01-01 01:00:02', 'UTC') - INTERVAL 1 HOUR", 299],
    ["(ts) > (toDateTime('2001-01-01 01:00:02', 'UTC') - toIntervalHour(1))", 299],
    ["ts > {at:DateTime('UTC')} + INTERVAL '1 second'", 199],
    ["NOT (ts <= '2001-01-01 00:00:02'::DateTime('UTC'))", 299],
    [
      "ts NOT BETWEEN toDateTime('2001-01-01 00:00:01', 'UTC') AND toDateTime('2001-01-01 00:00:02', 'UTC')",
      399,
    ],
    ["greater(ts, toDateTime('2001-01-01 00:00:02', 'UTC'))", 299],
    ["ts + INTERVAL 1 HOUR > toDateTime('2001-01-01 01:00:02', 'UTC')", 299],
    ["ts > CASE WHEN 1 THEN toDateTime('2001-01-01 00:00:02', 'UTC') END AND id > 2", 299],
    ['ts > 978307202', 299],
    ['ts > {seconds:UInt32}', 299],
    ['ts > {seconds:Int64}', 299],
    ["ts > (SELECT min(ts)::DateTime('UTC') + 2 FROM fine)", 299],
    ["if(ts > toDateTime('2001-01-01 00:00:02', 'UTC'), id > 3, 0) /* > */", 299],
    ["ts > toDateTime('2001-01-01 01:00:02', 'UTC') - INTERVAL 1 H", 299],
    ['ts > since', 299],
    ["end > toDateTime('2001-01-01 00:00:02', 'UTC')", 299],
    ["toDateTime('2001-01-01 00:00:02', 'UTC') < end", 299],
    [
      "end BETWEEN toDateTime('2001-01-01 00:00:01', 'UTC') AND toDateTime('2001-01-01 00:00:02', 'UTC')",
      101,
    ],
    ['ts > toInt128(978307202)', 299],
    [
      "id IN (SELECT id FROM fine WHERE ts > toDateTime('2001-01-01 00:00:02', 'UTC') GROUP BY id, ts > {at:DateTime})",
      299,
    ],
  ])('finds the rows of the second of a constant: %s', async (where, expected) => {
    const variables = {
      ...(where.includes('{at') ? { at } : {}),
      ...(where.includes('{seconds') ? { seconds: 978_307_202 } : {}),
    };
    const query = `SELECT count() FROM fine WHERE ${where}`;
    expect(await answer(query, variables)).toMatchObject({ results: [[expected]] });
  });

  it.each([
    "WITH toDateTime('2001-01-01 00:00:02', 'UTC') AS since SELECT count() FROM fine WHERE ts > since",
    "SELECT count() FROM (SELECT ts > toDateTime('2001-01-01 00:00:02', 'UTC') AS recent FROM fine) WHERE recent",
    "SELECT countIf(ts > toDateTime('2001-01-01 00:00:02', 'UTC')) FROM fine WHERE ts > toDateTime('2001-01-01 00:00:02', 'UTC')",
    "SELECT sum(c) FROM (SELECT ts, count() AS c FROM fine GROUP BY ts HAVING ts > toDateTime('2001-01-01 00:00:02', 'UTC'))",
    "SELECT count() FROM fine PREWHERE ts > toDateTime('2001-01-01 00:00:02', 'UTC')",
    "SELECT count() FROM (SELECT ts, toDateTime('2001-01-01 00:00:02', 'UTC') AS since FROM fine) WHERE ts > since",
    "SELECT count() FROM (SELECT ts, toDateTime('2001-01-01 00:00:03', 'UTC') AS n FROM fine) WHERE ts > n - 1",
    'SELECT count() FROM (SELECT ts, 978307202 AS n FROM fine WHERE id > 0 UNION ALL SELECT ts, 978307202 FROM fine WHERE id = 0) WHERE ts > n',
  ])('finds them wherever the comparison stands: %s', async (query) => {
    expect(await answer(query, {})).toMatchObject({ results: [[299]] });
  });

  it('names the columns as written', async () => {
    const query =
      "SELECT ts > toDateTime('2001-01-01 00:00:02'), count() FROM fine WHERE ts > toDateTime('2001-01-01 00:00:02') GROUP BY ts > toDateTime('2001-01-01 00:00:02')";
    expect(await answer(query, {})).toMatchObject({
      columns: ["greater(ts, toDateTime('2001-01-01 00:00:02'))", 'count()'],
      results: [[1, 299]],
    });
  });

  it('refuses an integer that the engine cannot compare with a time', async () => {
    const query = 'SELECT count() FROM fine WHERE ts > {big:Int128}';
    const big = '170141183460469231731687303715884105727';
    expect(await answer(query, { big })).toMatchObject({ detail: 'A decimal is out of range.' });
  });

  it('refuses a comparison that cannot be converted, with what to write', async () => {
    const query =
      "SELECT count() FROM fine WHERE ts > ALL (SELECT toDateTime('2001-01-01 00:00:02'))";
    expect(await answer(query, {})).toMatchObject({
      code: 'invalid_query',
      detail: expect.stringContaining('Write it as toDateTime64(…, 0).'),
    });
  });

  it('finds them in a JOIN, and groups by the comparison', async () => {
    const joined =
      'SELECT count() FROM fine AS x INNER JOIN fine AS y ON x.id = y.id AND y.ts > {at:DateTime}';
    expect(await answer(joined, { at })).toMatchObject({ results: [[299]] });
    const grouped =
      'SELECT ts > {at:DateTime}, count() FROM fine GROUP BY ts > {at:DateTime} ORDER BY 1';
    expect(await answer(grouped, { at })).toMatchObject({
      results: [
        [0, 201],
        [1, 299],
      ],
    });
  });
});

describe('rows of a table that is sorted by a Nullable column', () => {
  it.each([
    ['count()', 'n != 1000', 51],
    ['count()', 'NOT (n = 30)', 50],
    ['sum(1)', 'n NOT IN ({x:Int32}, 30)', 49],
    ['count()', 'n != {x:Int32}', 50],
    ['count()', 'n IS NULL OR n < 1000', 60],
  ])('%s WHERE %s', async (counted, where, rows) => {
    const variables = where.includes('{x') ? { x: 31 } : {};
    const found = await answer(`SELECT ${counted} AS c FROM gaps WHERE ${where}`, variables);
    expect(found).toMatchObject({ results: [[rows]] });
  });
});

describe('the first rows by a column with NaNs', () => {
  it.each([
    ['x', [5, 5, 5]],
    ['x DESC', [11, 11, 11]],
    ['x NULLS FIRST, id', [0, 1, 2]],
    ['x DESC NULLS FIRST, id', [0, 1, 2]],
    ['y', [5, 5, 5]],
    ['y DESC', [11, 11, 11]],
    ['y NULLS FIRST, id', [0, 1, 2]],
    ['n', [5, 5, 5]],
    ['n DESC', [11, 11, 11]],
  ])('are those of ORDER BY %s', async (order, expected) => {
    const [column] = order.includes('id') ? ['id'] : order.split(' ');
    const found = await answer(`SELECT ${column} AS value FROM ratios ORDER BY ${order} LIMIT 3`);
    expect(found).toMatchObject({ results: expected.map((value) => [value]) });
  });
});

describe('values of one column', () => {
  const hours = [12, 13, 14].map((hour) => `2001-01-01 ${hour}:00:00`);
  const parts = [5, 6, 7].map((part) => `2001-01-01 00:00:00.${part}`);
  it.each([
    ['x', 'Float64', [0, 1, 2], 2],
    ['x', 'Float64', [-0, 1, 2], 2],
    ['x', 'Float64', ['nan', 1, 2], 0],
    ['day', 'DateTime', hours, 0],
    ['day', 'DateTime', [...hours, '2001-01-01 00:00:00'], 3],
    ['at', 'DateTime64(1)', parts, 0],
    ['code', 'String', ['a', 'b', 'cccc'], 2],
  ] as const)('%s as %s is one of %j', async (column, type, values, rows) => {
    const variables = Object.fromEntries(values.map((value, at) => [`v${at}`, value]));
    const each = values.map((_value, at) => `{v${at}:${type}}`);
    const any = each.map((value) => `${column} = ${value}`).join(' OR ');
    const none = each.map((value) => `${column} != ${value}`).join(' AND ');
    const query = `SELECT countIf(${any}) AS a, (SELECT count() FROM signs WHERE ${any}) AS b, countIf(${none}) AS c, (SELECT count() FROM signs WHERE ${none}) AS d FROM signs`;
    const expected = [rows, rows, 3 - rows, 3 - rows];
    expect(await answer(query, variables)).toMatchObject({ results: [expected] });
  });
});

describe('a JOIN that compares a column with a variable that is NULL', () => {
  it.each([
    ['JOIN', 'a.k = {x:Nullable(UInt32)}', 0],
    ['JOIN', 'b.k > {x:Nullable(UInt32)}', 0],
    ['JOIN', 'NOT (b.k = {x:Nullable(UInt32)})', 0],
    ['SEMI LEFT JOIN', 'b.k = {x:Nullable(UInt32)}', 0],
    ['LEFT JOIN', 'b.k = {x:Nullable(UInt32)}', 100],
    ['RIGHT JOIN', 'a.k != {x:Nullable(UInt32)}', 50],
    ['JOIN', '({x:Nullable(UInt32)} IS NULL OR b.k = {x:Nullable(UInt32)})', 50],
  ])('%s … AND %s', async (join, condition, rows) => {
    const query = `FROM a ${join} b ON a.k = b.k AND ${condition}`;
    const counted = await answer(`SELECT count() AS n ${query}`, { x: null });
    expect(counted).toMatchObject({ results: [[rows]] });
    const body = { name: 'joins', query: `SELECT a.k AS k ${query}` };
    await test.rest('POST', '/endpoints', { body });
    const given = { variables: { x: null }, order_by: ['k'] };
    const sorted = await test.rest('POST', '/endpoints/joins/run', { body: given });
    expect(sorted.body.results).toHaveLength(rows);
    const csv = { ...given, format: 'csv' };
    const { text } = await test.rest('POST', '/endpoints/joins/run', { body: csv });
    expect(text.trimEnd().split('\n')).toHaveLength(rows + 1);
    await test.rest('DELETE', '/endpoints/joins');
  });
});

it.each([
  'SELECT count() AS n FROM a JOIN b ON a.k = b.k AND b.k = nullIf({x:UInt32}, 0)',
  'WITH toUInt32OrNull(replace(toString({x:UInt32}), toString(0), toString(toDate(0)))) AS found SELECT count() AS n FROM a JOIN b ON a.k = b.k AND b.k = found',
  'SELECT count() AS n FROM a JOIN b ON a.k = b.k AND b.k = if({x:UInt32} = 0, NULL, {x:UInt32})',
  'SELECT count() AS n FROM a JOIN b ON a.k = b.k AND b.k = CASE WHEN {x:UInt32} > 0 THEN {x:UInt32} END',
  "SELECT count() AS n FROM a JOIN b ON a.k = b.k AND b.k = JSONExtract(if({x:UInt32} = 0, '{}', '{\"x\": 6}'), 'x', 'Nullable(UInt32)')",
  'SELECT count() AS n FROM a JOIN b ON a.k = b.k AND b.k = map(6, toNullable(6))[{x:UInt32}]',
  'SELECT count() AS n FROM a JOIN (SELECT k, k AS offset FROM b) AS b ON a.k = b.k AND a.k = b.offset AND b.k = nullIf({x:UInt32}, 0)',
  'SELECT count() AS n FROM a JOIN b ON a.k = b.k AND b.k = ( -- the only one\n SELECT k FROM b WHERE k = {x:UInt32} AND k > 0)',
  'WITH toUInt32((SELECT k FROM b WHERE k = {x:UInt32} AND k > 0)) AS found SELECT count() AS n FROM a JOIN b ON a.k = b.k AND b.k = found',
])('a JOIN that compares a column with a NULL finds no rows: %s', async (query) => {
  expect(await answer(query, { x: 0 })).toMatchObject({ results: [[0]] });
  expect(await answer(query, { x: 6 })).toMatchObject({ results: [[1]] });
});

describe('a JOIN that compares a column with a subquery that finds no row', () => {
  const none = '(SELECT k FROM b WHERE k = {x:UInt32})';
  it.each([
    `SELECT count() AS n FROM a JOIN b ON a.k = b.k AND a.k = ${none}`,
    `SELECT count() AS n FROM a JOIN b ON a.k = b.k AND (b.k > ${none}) JOIN b AS c ON c.k = a.k WHERE a.k > 3`,
    `WITH ${none} AS found SELECT count() AS n FROM a JOIN b ON b.k = found AND a.k = b.k`,
    `SELECT count() AS n FROM (SELECT a.k FROM a SEMI LEFT JOIN b ON a.k = b.k AND b.k != ${none})`,
  ])('finds no rows: %s', async (query) => {
    expect(await answer(query, { x: 4000 })).toMatchObject({ results: [[0]] });
  });
});

it('groups by the text of a time have it once, also of an hour that clocks repeat', async () => {
  for (const query of [
    'SELECT toString(local) AS text, count() AS n FROM clocks GROUP BY text',
    'SELECT text, count() AS n FROM (SELECT toString(local) AS text FROM clocks) GROUP BY text',
  ]) {
    expect(await answer(query)).toMatchObject({ results: [['2024-10-27 02:30:00', 4]] });
  }
});

it.each([
  'toYear(at) = 2106',
  'toYear(at) <= {year:UInt16}',
  'toYYYYMM(at) = 210602',
  'toYear(day) = 2149',
  'NOT (toYear(day) != 2149)',
  'toYYYYMM(day) <= 214906',
])('conditions find the last year and month that a time can be in: %s', async (where) => {
  const variables = where.includes('{year') ? { year: 2106 } : {};
  const found = await answer(`SELECT count() AS n FROM clocks WHERE ${where}`, variables);
  expect(found).toMatchObject({ results: [[4]] });
});

it.each([
  ['arrayExists(x -> x = {at:DateTime}, [d])', 10],
  ['arrayExists(x -> x = {n:Int64}, [bitOr(toUInt64(d), 18446744073709551615)])', 0],
])('elements of arrays are compared as = does: %s', async (where, rows) => {
  const given = { at: '2001-01-02 00:00:00', n: -1 };
  const variables = Object.fromEntries(
    Object.entries(given).filter(([name]) => where.includes(`{${name}:`)),
  );
  const found = await answer(`SELECT count() AS n FROM times WHERE ${where}`, variables);
  expect(found).toMatchObject({ results: [[rows]] });
});

describe('a filter on floats', () => {
  it.each([
    ['exact', [0, 1], [0, -0]],
    ['exact', [-0, 1, 2], [0, -0]],
    ['is_not', [0, 1], [null]],
    ['exact', 0, [0, -0]],
  ])('%s %j compares as = does', async (operator, value, expected) => {
    await test.rest('POST', '/endpoints', {
      body: { name: 'floats', query: 'SELECT x FROM signs WHERE {filters.at} ORDER BY code DESC' },
    });
    const filters = { properties: [{ key: 'x', operator, value }] };
    const { body } = await test.rest('POST', '/endpoints/floats/run', {
      body: { filters_override: filters },
    });
    expect(body).toMatchObject({ results: expected.map((x) => [x]) });
  });
});

describe('a FixedString compared with a text', () => {
  it.each([
    'lc = {x:FixedString(20)}',
    's >= {x:FixedString(20)}',
    "lc != toFixedString('de', 20)",
    'f = {x:FixedString(20)}',
    'lc = {x:FixedString(2)}',
    "lc = CAST('de' AS FixedString(3))",
  ])('is refused where it may be padded: %s', async (where) => {
    const body = await answer(
      `SELECT count() AS n FROM texts WHERE ${where}`,
      where.includes('{x') ? { x: 'de' } : {},
    );
    expect(body).toMatchObject({
      code: 'invalid_query',
      detail: expect.stringMatching(/line 1, column 38.*\{name:String\}/),
    });
  });

  it.each([
    ['lc = {x:String}', 100],
    ['f = {x:String}', 100],
    ['f = {x:FixedString(4)}', 100],
    ['s >= {x:String}', 200],
  ])('is right where it is none: %s', async (where, rows) => {
    const query = `SELECT count() AS n FROM texts WHERE ${where}`;
    expect(await answer(query, { x: 'de' })).toMatchObject({ results: [[rows]] });
  });

  it('is right where it has no zero bytes', async () => {
    for (const where of ["lc = toFixedString('de', 2)", "lc < unhex('ff')"]) {
      const { results } = await answer(`SELECT count() > 0 AS n FROM texts WHERE ${where}`);
      expect(results).toEqual([[1]]);
    }
  });
});

it.each([
  'SELECT * APPLY (x -> toString(x) || {suffix:String}) FROM texts LIMIT 1',
  "SELECT 3 AS n, 'a' AS s ORDER BY n WITH FILL FROM 1 INTERPOLATE (s AS {suffix:String})",
])('says where the engine gives a variable no value: %s', async (query) => {
  expect(await answer(query, { suffix: '!' })).toMatchObject({
    code: 'invalid_query',
    attr: 'query',
    detail: expect.stringContaining('within INTERPOLATE or the lambda of APPLY'),
  });
});

it('accepts for INTERPOLATE what the message suggests', async () => {
  const query =
    "WITH {suffix:String} AS x SELECT 2 AS n, 'a' AS s ORDER BY n WITH FILL FROM 1 INTERPOLATE (s AS x)";
  expect(await answer(query, { suffix: '!' })).toMatchObject({
    results: [
      [1, '!'],
      [2, 'a'],
    ],
  });
});

describe('the length of a FixedString', () => {
  it.each(['length(f)', 'octet_length(f)', 'arrayMap(x -> LENGTH(x), [f])'])(
    'is refused, with the number to write instead: %s',
    async (length) => {
      expect(await answer(`SELECT ${length} AS n FROM texts`)).toMatchObject({
        code: 'invalid_query',
        detail: expect.stringMatching(/of a FixedString\(4\).*write 4, or length\(CAST\([fx] AS/),
      });
    },
  );

  it('is right for a String', async () => {
    const query = 'SELECT n FROM (SELECT DISTINCT length(CAST(f AS String)) AS n FROM texts)';
    expect(await answer(query)).toMatchObject({ results: [[2]] });
  });
});

describe('a day without separators, compared with a time', () => {
  it.each([
    ["ts >= '20010501'", "write '2001-05-01'."],
    ["t64 < '20010501103000'", "write '2001-05-01 10:30:00'."],
    ["'200105' < ts", "write '2001-05-01'."],
  ])('is refused in the text: %s', async (where, mend) => {
    const body = await answer(`SELECT count() AS n FROM times WHERE ${where}`);
    expect(body).toMatchObject({ code: 'invalid_query', detail: expect.stringContaining(mend) });
  });

  it('is right with separators, over a date, in seconds and as the value of a variable', async () => {
    const from = async (where: string, variables = {}) =>
      (await answer(`SELECT count() AS n FROM times WHERE ${where}`, variables)).results;
    expect(await from("ts >= '2001-05-01'")).toEqual([[1800]]);
    expect(await from("d >= '20010501'")).toEqual([[1800]]);
    expect(await from("ts >= '988675200'")).toEqual([[1800]]);
    expect(await from('ts >= {from:String}', { from: '2001-05-01T00:00:00Z' })).toEqual([[1800]]);
  });
});

it('a key of GROUPING SETS that is computed of another one is grouped by where it is among them', async () => {
  const sums = async (groupBy: string) =>
    (
      await answer(
        `SELECT d, toStartOfMonth(d) AS month, count() AS n FROM times WHERE d < '2001-06-03' GROUP BY ${groupBy} ORDER BY ALL`,
      )
    ).results;
  const found = await sums('GROUPING SETS ((month, d), (month), ())');
  expect(found).toEqual(await sums('ROLLUP (month, d)'));
  expect(found).toContainEqual(['2001-05-31', '2001-05-01', expect.any(Number)]);
});

it.each(['LEFT', 'RIGHT'])(
  'an ANY %s JOIN finds the day of a row without a match',
  async (side) => {
    const sides = [
      '(SELECT arrayJoin([1, 2]) AS id) AS a',
      "(SELECT 1 AS id, toDate32('2024-01-01') AS day) AS b",
    ];
    const from = (side === 'LEFT' ? sides : sides.toReversed()).join(` ANY ${side} JOIN `);
    const ids = async (where: string) =>
      (await answer(`SELECT a.id AS id FROM ${from} ON a.id = b.id WHERE ${where} ORDER BY id`))
        .results;
    expect(await ids("b.day = '1970-01-01'")).toEqual([[2]]);
    expect(await ids("b.day > '1960-01-01'")).toEqual([[1], [2]]);
  },
);

describe('the part of a second of a DateTime64', () => {
  beforeAll(() =>
    test.sql(
      "CREATE TABLE halves (ts DateTime64(9), t3 DateTime64(3) ALIAS toDateTime64(ts, 3), t6 DateTime64(6) ALIAS toDateTime64(ts, 6)) ENGINE = MergeTree ORDER BY ts SETTINGS index_granularity = 1 AS SELECT addNanoseconds(addMilliseconds(toDateTime64('1969-12-31 23:59:58', 9), number * 250), number * 1001) AS ts FROM numbers(20)",
    ),
  );

  it.each([
    ['count() AS n FROM halves WHERE toMillisecond(ts) = 500', 'toMillisecond', 'ts'],
    ['m FROM (SELECT toMicrosecond(ts) AS m FROM halves) WHERE m < 400', 'toMicrosecond', 'ts'],
    ['toNanosecond(ts) AS n FROM halves ORDER BY n LIMIT 3', 'toNanosecond', 'ts'],
    ['DISTINCT EXTRACT(MILLISECOND FROM t6) AS n FROM halves', 'toMillisecond', 't6'],
    ['count() FROM halves GROUP BY toMicrosecond(t3)', 'toMicrosecond', 't3'],
    ['count() FROM halves GROUP BY toMillisecond(t3)', 'toMillisecond', 't3'],
  ])('is refused with what to write: SELECT %s', async (select, name, time) => {
    const { code, detail } = await answer(`SELECT ${select}`);
    expect({ code, detail }).toEqual({
      code: 'invalid_query',
      detail: expect.stringMatching(
        new RegExp(`^${name}( at line 1, column \\d+)? of a DateTime64 returns`),
      ),
    });
    const written = String(detail)
      .replace(/^.*; write (.*)\.$/, '$1')
      .replace('(x)', `(${time})`);
    const list = (of: string) => `SELECT toString(groupArray(${of})) AS l FROM halves`;
    const found = await answer(list(written));
    expect(found).toMatchObject({ results: [[(await test.sql(list(`${name}(${time})`))).trim()]] });
  });

  it('is accepted of constants, whole seconds and aggregates', async () => {
    const query =
      "SELECT toMillisecond(toDateTime64('2024-01-01 00:00:00.5', 3)) AS a, max(toMillisecond(toDateTime(ts))) AS b, toMillisecond(min(ts) + INTERVAL 1 MILLISECOND) AS c FROM halves";
    const least = Number(await test.sql('SELECT toMillisecond(min(ts)) FROM halves'));
    expect(await answer(query)).toMatchObject({ results: [[500, 0, (least + 1) % 1000]] });
  });
});
