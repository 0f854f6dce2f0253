/** Tables that store whole periods: every form of a range reads what the query itself returns. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openPlanner } from '../../../src/materialization/open-planner.ts';
import type { TestApp } from '../../support/test-app.ts';
import { byPeriods, switchedPlanner } from '../support/chosen-storage.ts';
import {
  materialized,
  measured,
  openMaterializedApp,
  run,
  statusOf,
  sync,
} from '../support/materialized.ts';

let test: TestApp;
let at = 0;
const planner = switchedPlanner();
const rows = 6000;

beforeAll(async () => {
  test = await openMaterializedApp({ planMaterialization: planner.plan });
  planner.use(byPeriods(openPlanner(test.app.core.engine), () => at));
  await test.sql(
    `CREATE TABLE visits (kind LowCardinality(String), amount Int32, price Float64, user UInt32, day Date, seen Nullable(Date32),
      at DateTime('Europe/Berlin'), at_ms DateTime64(3, 'UTC'), old Date32) ENGINE = MergeTree ORDER BY day`,
  );
  // Two years, one value in seven NULL; clocks change in March and October; some times are beyond the years of periods.
  await test.sql(
    `INSERT INTO visits SELECT ['a', 'b', 'c'][1 + cityHash64(number, 1) % 3], cityHash64(number, 2) % 1000, (cityHash64(number, 3) % 1000) / 8,
      cityHash64(number, 4) % 90, toDate('2023-01-15') + cityHash64(number, 5) % 700,
      if(number % 7 = 0, NULL, toDate32('2023-01-15') + cityHash64(number, 6) % 700),
      toDateTime('2023-03-20 00:00:00', 'Europe/Berlin') + 613 * number + if(number % 50 = 0, 2000000000, 0),
      toDateTime64('2024-02-20 00:00:00.000', 3, 'UTC') + number * 173.003,
      if(number % 9 = 0, toDate32('1905-05-05'), toDate32('2200-01-01')) + number FROM numbers(${rows})`,
  );
});
afterAll(() => test.close());

const aggregates =
  'count() AS n, sum(amount) AS total, min(amount) AS least, avg(amount) AS mean, uniqExact(user) AS users, quantileExact(0.9)(amount) AS most, argMax(amount, (user, amount)) AS best, countIf(amount > 500) AS large, arraySort(groupUniqArray(user % 5)) AS some';

interface Form {
  readonly where: string;
  /** Two values as the column has them, at random; and the periods of its type. */
  readonly value: (random: () => number) => string | number;
  readonly periods: number;
}

const two = (n: number) => String(n).padStart(2, '0');
/** Half of the days begin or end a month. */
function day(random: () => number, years = [2022, 2023, 2024, 2025]): string {
  const year = years[Math.floor(random() * years.length)] ?? 2023;
  const month = 1 + Math.floor(random() * 12);
  const last = new Date(Date.UTC(year, month, 0)).getUTCDate();
  const which = random();
  const dayOfMonth = which < 0.25 ? 1 : which < 0.5 ? last : 1 + Math.floor(random() * last);
  return `${year}-${two(month)}-${two(dayOfMonth)}`;
}
/** Half of the numbers begin or end a hundred. */
function number(random: () => number): number {
  const any = Math.floor(random() * 1400) - 700;
  return random() < 0.5 ? any : Math.round(any / 100) * 100 - Math.floor(random() * 2);
}
function time(random: () => number, years?: number[]): string {
  const hour = random() < 0.4 ? 0 : Math.floor(random() * 24);
  const isEnd = random() < 0.3;
  const rest = isEnd ? '59:59' : random() < 0.5 ? '00:00' : `${two(Math.floor(random() * 60))}:07`;
  return `${day(random, years)} ${two(isEnd ? 23 : hour)}:${rest}`;
}

const forms: Readonly<Record<string, Form>> = {
  'days, both ends included': {
    where: 'day >= {from:Date} AND day <= {to:Date}',
    value: day,
    periods: 2,
  },
  'days, both ends excluded, written the other way round': {
    where: '{from:Date} < day AND {to:Date} > day',
    value: day,
    periods: 2,
  },
  'BETWEEN, beside a value': {
    where:
      "kind IN ['a', 'c'] AND user % 3 = {third:UInt8} AND day BETWEEN {from:Date} AND {to:Date}",
    value: day,
    periods: 2,
  },
  'optional ends over a column with NULL': {
    where:
      '({from:Nullable(Date32)} IS NULL OR seen >= {from:Nullable(Date32)}) AND ({to:Nullable(Date32)} IS NULL OR seen < {to:Nullable(Date32)})',
    value: day,
    periods: 2,
  },
  'an optional range as a whole': {
    where:
      '(({from:Nullable(Date)} IS NULL) OR (day >= {from:Nullable(Date)} AND day < {to:Nullable(Date)}))',
    value: day,
    periods: 2,
  },
  'an optional value and an optional end in one condition': {
    where:
      "({from:Nullable(Date)} IS NULL OR (day >= {from:Nullable(Date)} AND kind = 'a')) AND day <= {to:Date}",
    value: day,
    periods: 2,
  },
  'a time of a zone whose clocks change': {
    where: 'at >= {from:DateTime} AND at < {to:DateTime}',
    value: (random) => time(random, [2023, 2023, 2086]),
    periods: 4,
  },
  'hours of it': {
    where: 'toStartOfHour(at) >= {from:DateTime} AND toStartOfHour(at) <= {to:DateTime}',
    value: (random) => time(random, [2023, 2023, 2086]),
    periods: 4,
  },
  'a time with milliseconds, compared with a day': {
    where: 'at_ms >= {from:Date} AND at_ms < {to:DateTime}',
    value: (random) => day(random, [2024]),
    periods: 4,
  },
  'days before 1971 and after 2105': {
    where: 'old >= {from:Date32} AND old <= {to:Date32}',
    value: (random) => day(random, [1905, 1906, 2199, 2200, 2201]),
    periods: 2,
  },
  'numbers, also negative ones': {
    where: 'amount - 500 >= {from:Int64} AND amount - 500 < {to:Int64}',
    value: number,
    periods: 3,
  },
  'numbers with an optional end': {
    where:
      '({from:Nullable(Int64)} IS NULL OR amount > {from:Nullable(Int64)} + 500) AND amount <= {to:Int16} + 500',
    value: number,
    periods: 3,
  },
  'days compared with the dates of an older client': {
    where: 'day >= {variables.from} AND day < {variables.to}',
    value: (random) => (random() < 0.5 ? day(random) : time(random)),
    periods: 2,
  },
  'two ranges, of which one is stored by periods': {
    where: 'day >= {from:Date} AND amount < {third:UInt8} * 400 AND day <= {to:Date}',
    value: day,
    periods: 2,
  },
};

function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return state / 2 ** 32;
  };
}

const ascending = (a: string | number, b: string | number) => (a < b ? -1 : Number(a > b));

/** What the runs of a range give, from the table and inline; NULL for some of the optional ends. */
async function compareRanges(name: string, { where, value }: Form, count: number) {
  const random = randomOf(name.length + count);
  for (let turn = 0; turn < count; turn += 1) {
    const ends: unknown[] = [value(random), value(random)].sort(ascending);
    if (turn % 5 === 1) ends[1] = ends[0];
    if (turn % 7 === 2) ends.reverse();
    if (where.includes('Nullable') && turn % 3 === 0) ends[0] = null;
    if (where.includes('to:Nullable') && turn % 4 === 0) ends[1] = null;
    const third = where.includes('{third') ? { third: turn % 3 } : {};
    const variables = { from: ends[0], to: ends[1], ...third };
    const stored = await run(test, name, { variables, refresh: 'force' });
    const inline = await run(test, name, { variables, refresh: 'direct' });
    expect(stored.results, JSON.stringify(variables)).toEqual(inline.results);
    if (ends[0] !== null && ends[1] !== null)
      expect(stored).toMatchObject({ endpoint_materialized: true });
  }
}

const definitions = {
  from: { code_name: 'from', type: 'Date', value: '2023-01-01' },
  to: { code_name: 'to', type: 'Date', value: '2024-01-01' },
};

let count = 0;
async function storeByPeriods(form: Form, period: number, sql: string): Promise<string> {
  const name = `p${++count}`;
  at = period;
  const variables = form.where.includes('{variables.') ? definitions : {};
  await materialized(test, name, { query: { kind: 'SQLQuery', query: sql, variables } });
  await measured(test, name);
  const preview = await test.rest('POST', `/endpoints/${name}/materialization_preview`);
  expect(String(preview.body.read_query)).toContain('__querydock_level');
  return name;
}

describe.each(Object.entries(forms))('%s', (_what, form) => {
  it.each(Array.from({ length: form.periods }, (_none, period) => period))(
    'gives the same by period %i',
    async (period) => {
      const sql = `SELECT kind, ${aggregates} FROM visits WHERE ${form.where} GROUP BY kind ORDER BY kind`;
      const name = await storeByPeriods(form, period, sql);
      await compareRanges(name, form, 10);
    },
  );
});

describe('the rest of a query', () => {
  const range = forms['days, both ends included'] as Form;

  it.each([
    `SELECT ${aggregates} FROM visits WHERE ${range.where}`,
    `SELECT kind, user % 4 AS u, count() AS n FROM visits WHERE ${range.where} GROUP BY ROLLUP(kind, u) ORDER BY kind, u`,
    `SELECT kind, sum(amount) AS s FROM visits WHERE ${range.where} GROUP BY kind HAVING s > 20000 ORDER BY s DESC LIMIT 2`,
    `SELECT toStartOfMonth(day) AS month, kind, count() AS n, sum(n) OVER (PARTITION BY kind ORDER BY month) AS so_far FROM visits WHERE ${range.where} GROUP BY month, kind ORDER BY month, kind`,
    `SELECT user % 7 AS u, sumIf(amount, kind = 'a') / count() AS r, max(price) AS p FROM visits WHERE ${range.where} AND seen IS NOT NULL GROUP BY u ORDER BY u LIMIT 1 BY p`,
  ])('is the same: %s', async (sql) => {
    await compareRanges(await storeByPeriods(range, 0, sql), range, 8);
  });

  const merged =
    'count() AS n, sum(amount) AS total, min(amount) AS least, avg(amount) AS mean, uniqExact(user) AS users, quantileExact(0.9)(amount) AS most, countIf(amount > 500) AS large';

  it.each([
    `WITH a AS (SELECT kind, ${merged} FROM visits WHERE ${range.where} GROUP BY kind), b AS (SELECT kind, count() AS n, max(amount) AS best FROM visits WHERE day < {from:Date} GROUP BY kind) SELECT a.*, b.n AS before, b.best AS best FROM a LEFT JOIN b ON a.kind = b.kind ORDER BY a.kind`,
    `SELECT kind, n, n / (SELECT count() FROM visits WHERE ${range.where}) AS share, (SELECT max(amount) FROM visits) AS most FROM (SELECT kind, count() AS n FROM visits WHERE ${range.where} AND user % 3 = {third:UInt8} GROUP BY kind) ORDER BY kind`,
    `SELECT * FROM (SELECT 'within' AS part, ${merged} FROM visits WHERE ${range.where} UNION ALL SELECT 'after' AS part, ${merged} FROM visits WHERE day > {to:Date} UNION ALL SELECT 'all' AS part, ${merged} FROM visits) ORDER BY part`,
    `SELECT month, sum(n) OVER (ORDER BY month) AS so_far, u FROM (SELECT toStartOfMonth(day) AS month, count() AS n, uniqExact(user) AS u FROM visits WHERE ${range.where} AND seen >= {from:Date} GROUP BY month) ORDER BY month`,
  ])('is the same around SELECTs that group: %s', async (sql) => {
    for (const period of [0, 1]) {
      const name = await storeByPeriods(range, period, sql);
      await compareRanges(name, { ...range, where: sql }, 10);
    }
  });

  it.each([
    'SELECT kind, sumIf(amount, day >= {from:Date} AND day <= {to:Date}) AS within, countIf(day < {from:Date}) AS before, count() AS n FROM visits GROUP BY kind ORDER BY kind',
    'SELECT uniqExactIf(user, NOT (seen >= {from:Date}) OR seen > {to:Date}) AS users, sum(if({to:Date} < seen, amount, 0)) AS after, count() AS n FROM visits',
    'SELECT kind, countIf(day >= {from:Nullable(Date)}) AS n, avgIf(amount, day < {to:Nullable(Date)}) AS mean, max(amount) AS most, count() AS all FROM visits GROUP BY kind ORDER BY kind',
    'SELECT kind, sumIf(amount, day > {from:Date}) - sumIf(amount, day <= {from:Date}) AS change FROM visits WHERE day <= {to:Date} AND user % 3 = {third:UInt8} GROUP BY kind ORDER BY kind',
    "SELECT sum(n) AS n, max(k) AS k FROM (SELECT user % 9 AS u, countIf(day >= {from:Date}) AS n, minIf(amount, day < {to:Date} AND kind = 'a') AS k FROM visits GROUP BY u)",
  ])('is the same where conditions of aggregates compare the times: %s', async (sql) => {
    for (const period of [0, 1]) {
      const name = await storeByPeriods({ ...range, where: '' }, period, sql);
      await compareRanges(name, { ...range, where: sql }, 12);
    }
  });

  it('is the same where they compare the times with the current one', async () => {
    const since = "date_diff('day', toDate('2023-11-11'), today())";
    const sql = `SELECT kind, countIf(day >= today() - ${since}) AS n, maxIf(amount, day < today() - ${since}) AS most, count() AS all FROM visits GROUP BY kind ORDER BY kind`;
    for (const period of [0, 1]) {
      const name = await storeByPeriods({ ...range, where: '' }, period, sql);
      const stored = await run(test, name, { refresh: 'force' });
      const inline = await run(test, name, { refresh: 'direct' });
      expect(stored).toMatchObject({ results: inline.results, endpoint_materialized: true });
    }
  });

  it.each(['String', 'Date'])(
    'is the same where the time of an older client, a %s, is NULL',
    async (type) => {
      const name = `p${++count}`;
      at = 0;
      const own = { from: { code_name: 'from', type, value: '2023-06-05' } };
      const sql =
        'SELECT kind, countIf(day >= {variables.from}) AS n, countIf(seen < {variables.from}) AS before, count() AS all FROM visits GROUP BY kind ORDER BY kind';
      const query = { kind: 'SQLQuery', query: sql, variables: own };
      await materialized(test, name, { query });
      await measured(test, name);
      const { body } = await test.rest('POST', `/endpoints/${name}/materialization_preview`);
      expect(String(body.read_query)).toContain('__querydock_level');
      for (const from of [null, '2023-06-05', '2024-01-01']) {
        const inline = await run(test, name, { variables: { from }, refresh: 'direct' });
        const isServed = from !== null || type === 'String';
        expect(await run(test, name, { variables: { from }, refresh: 'force' })).toMatchObject({
          results: inline.results,
          served_from: isServed ? 'materialized' : 'inline',
        });
      }
    },
  );

  it.each([
    'SELECT kind, countIf(day = {from:Date}) AS n FROM visits WHERE day <= {to:Date} GROUP BY kind',
    'SELECT kind, countIf(day >= {from:Date} AND day != {to:Date}) AS n FROM visits GROUP BY kind',
    'SELECT kind, day, count() AS n FROM visits WHERE day >= {from:Date} AND day <= {to:Date} GROUP BY kind, day',
    'SELECT kind, count() AS n FROM visits WHERE day != {from:Date} AND day <= {to:Date} GROUP BY kind',
    'SELECT kind, sum(n) AS n FROM (SELECT kind, count() AS n FROM visits WHERE day < {to:Date} GROUP BY kind UNION ALL SELECT kind, count() AS n FROM visits WHERE day NOT IN [{from:Date}] GROUP BY kind) GROUP BY kind',
  ])('stores no periods of days that a SELECT uses in another way: %s', async (inner) => {
    const name = `p${++count}`;
    await materialized(test, name, {
      query: `SELECT kind, sum(n) AS n FROM (${inner}) GROUP BY kind ORDER BY kind`,
    });
    await measured(test, name);
    const { body } = await test.rest('POST', `/endpoints/${name}/materialization_preview`);
    expect(String(body.read_query)).toContain('_states');
    expect(String(body.read_query)).not.toContain('__querydock_level');
    await compareRanges(name, { ...range, where: inner }, 6);
  });

  it('stores no periods of integers that are compared with fractions, which may be NaN', async () => {
    const name = `p${++count}`;
    await materialized(test, name, {
      query:
        'SELECT kind, countIf(amount > {from:Nullable(Float64)}) AS n, count() AS all FROM visits GROUP BY kind ORDER BY kind',
    });
    await measured(test, name);
    const { body } = await test.rest('POST', `/endpoints/${name}/materialization_preview`);
    expect(String(body.read_query)).not.toContain('__querydock_level');
    for (const from of ['nan', '499.5', null]) {
      const inline = await run(test, name, { variables: { from }, refresh: 'direct' });
      const stored = await run(test, name, { variables: { from }, refresh: 'force' });
      expect(stored.results).toEqual(inline.results);
    }
  });

  it.each(['day != {from:Date} AND day < {to:Date}', 'NOT (day > {from:Date}) OR day > {to:Date}'])(
    'stores no periods where a condition is no range: %s',
    async (where) => {
      const name = `p${++count}`;
      await materialized(test, name, {
        query: `SELECT kind, count() AS n FROM visits WHERE ${where} GROUP BY kind ORDER BY kind`,
      });
      await measured(test, name);
      const { body } = await test.rest('POST', `/endpoints/${name}/materialization_preview`);
      expect(String(body.read_query)).not.toContain('__querydock_level');
      await compareRanges(name, { ...range, where }, 6);
    },
  );
});

describe('a table of an earlier release, which stores no periods', () => {
  it('serves runs until the next sync, which stores them', async () => {
    const plain = openPlanner(test.app.core.engine);
    const form = forms['days, both ends included'] as Form;
    const sql = `SELECT kind, ${aggregates} FROM visits WHERE ${form.where} GROUP BY kind ORDER BY kind`;
    planner.use(async (request) => {
      const planned = await plain(request);
      if (planned.kind === 'refusal') return planned;
      const { rollUps: _possible, ...plan } = planned.plan;
      return { kind: 'plan', plan };
    });
    const name = 'earlier';
    await materialized(test, name, { query: sql, sync_frequency: '1hour' });
    await measured(test, name);
    const before = await statusOf(test, name);
    planner.use(byPeriods(plain, () => 0));
    await compareRanges(name, form, 6);
    test.clock.advance(3_600_000);
    expect(await sync(test)).toContain('completed');
    await measured(test, name);
    const after = await statusOf(test, name);
    expect(Number(after.rows)).toBeGreaterThan(Number(before.rows));
    await compareRanges(name, form, 8);
  });
});
