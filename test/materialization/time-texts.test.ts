/**
 * Strings in ISO 8601 that a query compares with dates and times: the same rows whatever the table is sorted by, inline and
 * materialized. The judge is the same comparison of times in microseconds, all of the engine's own types.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';
import { evenly, materialized, run, servedRows } from './support/materialized.ts';

let test: TestApp;

/** Where a text without an offset is meant. */
interface TimeColumn {
  readonly type: string;
  readonly zone: string;
}

const inUtc = (type: string): TimeColumn => ({ type, zone: 'UTC' });
const columns: readonly TimeColumn[] = [
  inUtc('DateTime'),
  { type: "DateTime('Europe/Berlin')", zone: 'Europe/Berlin' },
  inUtc('DateTime64(3)'),
  inUtc('Date'),
  inUtc('Date32'),
  inUtc('Nullable(DateTime64(3))'),
];
const sortings = ['sorted', 'unsorted'] as const;

const texts = [
  '2024-03-05T10:00:00Z',
  '2024-03-05T09:59:59.250Z',
  '2024-03-05T10:00:00.250001Z',
  '2024-03-05T12:00:00+02:00',
  '2024-03-05 10:00:05.25',
  '2024-03-05',
  '2200-01-01T00:00:00Z',
];

const operators: Readonly<Record<string, string>> = {
  atLeast: '@ >= $',
  above: '@ > $',
  below: '@ < $',
  atMost: '$ >= @',
  equal: '@ = $',
  unequal: '@ != $',
  between: '@ BETWEEN $ AND $',
  in: '@ IN ($, $)',
  notIn: '@ NOT IN ($)',
  after: '(@, id) > ($, 3)',
  until: '($, 3) >= (@, id)',
  same: '(id, (@, 1)) = (3, ($, 1))',
  other: '(@, id) != ($, 3)',
  among: '(@, id) IN (($, 3), ($, 4))',
  notAmong: '(id, @) NOT IN (3, $)',
};

const tableOf = (at: number, sorting: string) => `t${at}_${sorting}`;

/** The rows of every operator, with the operator. */
function everyOperator(table: string, column: string, param: string): string {
  return Object.entries(operators)
    .map(([name, text]) => {
      const condition = text.replaceAll('@', column).replaceAll('$', param);
      return `SELECT '${name}' AS op, id FROM ${table} WHERE ${condition}`;
    })
    .join(' UNION ALL ');
}

async function rowsOf(sql: string, variables: object): Promise<readonly string[]> {
  const query = `SELECT op, id FROM (${sql}) ORDER BY op, id`;
  const { body } = await test.rest('POST', '/query', { body: { query, variables } });
  expect(body.detail).toBeUndefined();
  return (body.results as readonly (readonly unknown[])[]).map((row) => row.join(' '));
}

/** Comparisons of microseconds, which no index and no conversion of a text takes part in. */
async function judged(at: number, start: string): Promise<readonly string[]> {
  const { zone } = columns[at] ?? inUtc('');
  const table = `(SELECT id, toUnixTimestamp64Micro(toDateTime64(c, 6, 'UTC')) AS us FROM ${tableOf(at, 'unsorted')})`;
  const param = `toUnixTimestamp64Micro({start:DateTime64(6, '${zone}')})`;
  return rowsOf(everyOperator(table, 'us', param), { start });
}

beforeAll(async () => {
  test = await openTestApp({}, undefined, { workerTimes: evenly });
  for (const [at, { type }] of columns.entries()) {
    for (const sorting of sortings) {
      const table = tableOf(at, sorting);
      const key = sorting === 'sorted' ? 'c' : 'id';
      await test.sql(
        `CREATE TABLE ${table} (id UInt32, c ${type}) ENGINE = MergeTree ORDER BY ${key} SETTINGS index_granularity = 2, allow_nullable_key = 1`,
      );
      await test.sql(`INSERT INTO ${table} SELECT number, ${columnValue(type)} FROM numbers(60)`);
    }
  }
});
afterAll(() => test.close());

/** Days, seconds or quarters of a second around the texts, with some NULLs. */
function columnValue(type: string): string {
  const step = type.includes('64')
    ? 'toIntervalMillisecond(250 * (number - 30))'
    : 'toIntervalSecond(number - 30)';
  const time = `toDateTime64('2024-03-05 10:00:00', 6, 'UTC') + ${step} - toIntervalHour(number % 4)`;
  const value = /\bDate(32)?\b/.test(type) ? "toDate('2024-03-01') + number % 9" : time;
  return type.startsWith('Nullable') ? `if(number % 7 = 0, NULL, ${value})` : value;
}

describe.each(columns.map((column, at) => ({ ...column, at })))('$type', ({ type, at }) => {
  it('is compared with every spelling as with a time, whatever the table is sorted by', async () => {
    for (const start of texts) {
      const expected = await judged(at, start);
      expect(expected.length).toBeGreaterThan(0);
      for (const sorting of sortings) {
        const table = tableOf(at, sorting);
        const typed = await rowsOf(everyOperator(table, 'c', '{start:String}'), { start });
        expect(typed, `${sorting} ${start}`).toEqual(expected);
      }
    }
  });

  it.each([
    [
      'equals none of several that it cannot hold',
      '@ = {a:String} OR @ = {b:String} OR @ = {c:String}',
      '0',
    ],
    [
      'differs from all of them',
      '@ != {a:String} AND @ != {b:String} AND @ != {c:String}',
      '@ IS NOT NULL',
    ],
  ])('%s', async (_what, condition, expected) => {
    const variables = {
      a: '2024-03-05T10:00:00.250001Z',
      b: '2024-03-05T10:00:00.500001Z',
      c: '2024-03-05T09:59:59.750001Z',
    };
    const forms = type.includes('64') ? ['c'] : ['c', 'toLowCardinality(c)'];
    for (const column of forms) {
      // Not count(), which the engine may take from the index of a Nullable column, including its NULLs.
      const sumOf = (text: string) =>
        `SELECT 'sum' AS op, sum(id) AS id FROM ${tableOf(at, 'sorted')} WHERE ${text.replaceAll('@', column)}`;
      expect(await rowsOf(sumOf(condition), variables)).toEqual(await rowsOf(sumOf(expected), {}));
    }
  });

  it('is filtered in a stored table as inline', async () => {
    const name = `stored${at}`;
    const sql = `SELECT id FROM ${tableOf(at, 'unsorted')} WHERE c >= {variables.from} AND c < {to:String} ORDER BY id`;
    const variables = { from: { code_name: 'from', type: 'String' } };
    await materialized(test, name, { query: { kind: 'SQLQuery', query: sql, variables } });
    let count = 0;
    for (const from of texts) {
      const body = { variables: { from, to: '2024-03-05T10:00:20.500+00:00' } };
      const stored = await run(test, name, body);
      const inline = await run(test, name, { ...body, refresh: 'direct' });
      expect(stored).toMatchObject({ served_from: 'materialized', results: inline.results });
      count += (stored.results as readonly unknown[]).length;
    }
    expect(count).toBeGreaterThan(0);
  });
});

it.each([
  'WITH {x:String} AS t SELECT countIf(c = t) AS same, countIf(c < t) AS before FROM t0_unsorted',
  'SELECT countIf(m) AS same, count() - same AS before FROM (SELECT c = {x:String} AS m FROM t0_unsorted WHERE c <= {x:String})',
])('is one time where it is compared in several ways: %s', async (query) => {
  const of = async (x: string) => {
    const { body } = await test.rest('POST', '/query', { body: { query, variables: { x } } });
    return body.results as readonly (readonly number[])[];
  };
  const [[same = 0, before = 0] = []] = await of('2024-03-05T09:59:58Z');
  expect(same).toBeGreaterThan(0);
  expect(await of('2024-03-05T09:59:58.5Z')).toEqual([[0, before + same]]);
});

it.each([
  '(c, id) > ({from:String}, {k:UInt32})',
  'id != {other:UInt32} AND ({from:String}, {k:UInt32}) <= (c, id)',
  '{k:UInt32} = 0 OR tuple(id, c) IN (tuple({k:UInt32}, {from:String}), ({k:UInt32} + 1, {from:String}))',
])(
  'is compared in a stored table as inline where it is an element of a tuple: %s',
  async (where) => {
    const name = `pages_${pages++}`;
    const query = `SELECT c, id FROM t0_unsorted WHERE ${where} ORDER BY c, id LIMIT 5`;
    await materialized(test, name, { query });
    const other = where.includes('{other') ? { other: 40 } : {};
    for (const from of texts) await servedRows(test, name, { from, k: 32, ...other });
  },
);
let pages = 0;

const lists = `SELECT id, c >= {start:String} FROM t0_sorted WHERE c IN {times:Array(String)} AND {start:String} != 'x' ORDER BY id`;

it('binds the elements of a list, and a text that is used otherwise as well keeps its value there', async () => {
  const times = ['2024-03-05T10:00:02.000Z', '2024-03-05T11:00:02+01:00', '2024-03-05 10:00:06.5'];
  const variables = { start: '2024-03-05T10:00:02.5Z', times: [...times, '2024-03-05T10:00:10Z'] };
  const { body } = await test.rest('POST', '/query', { body: { query: lists, variables } });
  expect(body).toMatchObject({
    results: [
      [32, 0],
      [40, 1],
    ],
    columns: ['id', 'greaterOrEquals(c, {start})'],
  });
});

it('leaves a text as it is where it is compared with something else', async () => {
  const query =
    "SELECT {start:String} AS text, toDateTime({start:String}, 'UTC') AS time, count() FROM t0_sorted WHERE toString(c) < {start:String}";
  const body = { query, variables: { start: '2024-03-05T10:00:00+02:00' } };
  expect((await test.rest('POST', '/query', { body })).body).toMatchObject({
    results: [['2024-03-05T10:00:00+02:00', '2024-03-05T08:00:00Z', 60]],
  });
});

it.each(['sorted', 'unsorted'])(
  'is read in the other spellings of the engine: %s',
  async (sorting) => {
    const query = `SELECT count() FROM t0_${sorting} WHERE c >= {start:String}`;
    for (const start of ['Mar 5 2024 10:00:00', '1709632800', '20240305T100000Z']) {
      const { body } = await test.rest('POST', '/query', { body: { query, variables: { start } } });
      expect(body).toMatchObject({ results: [[7]] });
    }
  },
);

it.each([
  'hello',
  '',
  '2024-02-30',
  '2024-03-05T10:00:00.1234567891Z',
  '12:00',
  '5 May',
  '5 May -0800',
  '05/06/2001',
])('refuses %j and says what is accepted', async (start) => {
  for (const sorting of sortings) {
    const query = `SELECT count() FROM t0_${sorting} WHERE c >= {start:String}`;
    const { status, body } = await test.rest('POST', '/query', {
      body: { query, variables: { start } },
    });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      code: 'invalid_input',
      attr: 'variables.start',
      detail: expect.stringMatching(/compared with a DateTime.*ISO 8601.*2001-01-01T00:00:00Z/),
    });
  }
});

describe('a day that the query makes the end of', () => {
  it.each([
    "c >= toDate({start:String}) AND c <= toDateTime(concat({end:String}, ' 23:59:59'))",
    "c >= {start:String} AND c <= concat({start:String}, ' 23:59:59')",
    "c >= parseDateTimeBestEffort({start:String}) AND c <= parseDateTimeBestEffort({start:String} || ' 23:59:59')",
    "toDate(c) = toDate({start:String}) AND c < toDateTime({start:String} || 'T12:00:00')",
  ])('is materialized: %s', async (where) => {
    const name = `days_${days++}`;
    const query = `SELECT id FROM t0_sorted WHERE ${where} ORDER BY id`;
    await materialized(test, name, { query });
    for (const [start, rows] of [
      ['2024-03-05', true],
      ['2001-01-01', false],
    ] as const) {
      const variables = where.includes('{end') ? { start, end: start } : { start };
      const found = await servedRows(test, name, variables);
      expect((found as readonly unknown[]).length > 0).toBe(rows);
    }
  });
  let days = 0;

  it('can be saved where it is read as a time as well', async () => {
    const query = `WITH e AS (SELECT id, c FROM t0_sorted WHERE c >= parseDateTimeBestEffort({start:String}) AND c <= parseDateTimeBestEffort(concat({end:String}, ' 23:59:59'))),
      r AS (SELECT arrayJoin(arrayMap(d -> toDate({start:String}) + d, range(toUInt32(dateDiff('day', toDate({start:String}), toDate({end:String})) + 1)))) AS day)
      SELECT r.day, count(e.id) AS n FROM r LEFT JOIN e ON toDate(e.c) = r.day GROUP BY r.day ORDER BY r.day`;
    const made = await test.rest('POST', '/endpoints', { body: { name: 'by_days', query } });
    expect(made.body).not.toHaveProperty('code');
    const variables = { start: '2024-03-05', end: '2024-03-06' };
    const { body } = await test.rest('POST', '/endpoints/by_days/run', { body: { variables } });
    expect(body.results).toHaveLength(2);
  });
});
