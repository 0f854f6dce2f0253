/** SQL as query builders and dashboards write it: operators as functions, strings that the query parses, chains of CTEs, arrays of sorted groups. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { takeProjectIds } from '../../support/take-project-ids.ts';
import { type Laboratory, openLaboratory, type Values } from '../support/laboratory.ts';

let laboratory: Laboratory;

beforeAll(async () => {
  laboratory = await openLaboratory(inject('engine'), await takeProjectIds(inject('postgres')));
  await laboratory.admin(
    "CREATE TABLE events (team Int64, event String, at DateTime64(3, 'UTC'), visitor UInt32, ref UUID, host IPv4, properties String) ENGINE = MergeTree ORDER BY (team, at)",
  );
  await laboratory.admin(
    `INSERT INTO events SELECT number % 2, ['view', 'buy', 'leave'][number % 3 + 1], toDateTime64('2024-01-01 00:00:00', 3, 'UTC') + number * 4000.5,
      number % 17, reinterpretAsUUID(number % 5), toIPv4(concat('10.0.0.', toString(number % 4))), concat('{"price": ', toString(number % 9), '}') FROM numbers(600)`,
  );
  await laboratory.admin(
    'CREATE TABLE teams (id Int64, name String) ENGINE = MergeTree ORDER BY id',
  );
  await laboratory.admin("INSERT INTO teams VALUES (0, 'red'), (1, 'blue')");
});
afterAll(() => laboratory?.close());

const times: readonly Values[] = [
  { from: '2024-01-02 00:00:00', to: '2024-01-09 12:30:00', event: 'view' },
  { from: '2024-01-03 04:05:06', to: '2024-01-03 04:05:06', event: 'buy' },
  { from: '2023-01-01 00:00:00', to: '2025-01-01 00:00:00', event: 'none' },
];
const within =
  "and(equals(e.team, 1), greaterOrEquals(e.at, toStartOfDay(toDateTime({from:String}, 'UTC'))), less(e.at, assumeNotNull(toDateTime({to:String}, 'UTC'))), equals(e.event, {event:String}))";

const queries: readonly (readonly [sql: string, values: readonly Values[]])[] = [
  [
    'SELECT toStartOfInterval(at, toIntervalDay(toInt32({days:String}))) AS d, count() AS c FROM events GROUP BY d ORDER BY d',
    [{ days: '1' }, { days: '7' }],
  ],
  [
    'SELECT event, visitor FROM events ORDER BY event, visitor, at LIMIT toUInt32({n:String}) OFFSET {m:String}::UInt8',
    [
      { n: '2', m: '0' },
      { n: '5', m: '100' },
    ],
  ],
  [
    `SELECT toDate(e.at) AS day, count() AS c FROM events AS e WHERE ${within} GROUP BY day ORDER BY day`,
    times,
  ],
  [
    `SELECT ifNull(sum(JSONExtractFloat(e.properties, 'price')), 0) AS total FROM events AS e WHERE ${within}`,
    times,
  ],
  [
    `SELECT active, count() AS visitors FROM (SELECT e.visitor AS v, uniqExact(toDate(e.at)) AS active FROM events AS e WHERE ${within} GROUP BY v) GROUP BY active ORDER BY active`,
    times,
  ],
  [
    `SELECT name, uniqExact(visitor) AS c FROM events AS e LEFT JOIN teams AS t ON equals(e.team, t.id) WHERE and(or(equals(e.event, {event:String}), equals(e.event, 'leave')), greaterOrEquals(e.at, parseDateTimeBestEffort({from:String}, 'UTC')), not(less(e.visitor, 3)), notIn(e.visitor, [5, 6])) GROUP BY name ORDER BY name`,
    times.map(({ from, event }) => ({ from, event })),
  ],
  [
    "SELECT countIf(and(equals(event, 'view'), in(team, (SELECT id FROM teams WHERE equals(name, {name:String}))))) AS c, minus(count(), 1) AS rest FROM events",
    [{ name: 'red' }, { name: 'blue' }, { name: 'none' }],
  ],
  [
    'SELECT count() AS c FROM events WHERE visitor >= toUInt32({least:String}) AND at > {from:String}::DateTime',
    [
      { least: '3', from: '2024-01-02 00:00:00' },
      { least: '16', from: '2024-01-20 01:00:00' },
    ],
  ],
  [
    'SELECT event, count() AS c FROM events WHERE ref = toUUID({ref:String}) AND host = toIPv4({host:String}) AND visitor > CAST({least:String} AS Nullable(Int32)) GROUP BY event ORDER BY event',
    [
      { ref: '00000000-0000-0000-0000-000000000000', host: '10.0.0.0', least: '2' },
      { ref: '00000000-0000-0001-0000-000000000000', host: '10.0.0.1', least: '0' },
    ],
  ],
  // An alias with the name of a function that needs no brackets.
  [
    'SELECT a.day AS now, a.c AS today FROM (SELECT toDate(at) AS day, count() AS c FROM events WHERE visitor > {least:UInt32} GROUP BY day) AS a JOIN teams AS t ON a.c > t.id + {least:UInt32} ORDER BY now, t.id, today',
    [{ least: 0 }, { least: 3 }],
  ],
  [
    'SELECT dateDiff({unit:String}, min(at), max(at)) AS span FROM events',
    [{ unit: 'day' }, { unit: 'minute' }],
  ],
  // Days and hours of the caller's time zone.
  [
    "SELECT toDate(at, {zone:String}) AS day, count() AS c FROM events WHERE at >= toDateTime('2024-01-03 00:00:00', {zone:String}) AND visitor > 2 GROUP BY day ORDER BY day",
    [{ zone: 'UTC' }, { zone: 'America/New_York' }, { zone: 'Asia/Kolkata' }],
  ],
  [
    "SELECT formatDateTime(dateTrunc('hour', at, {zone:String}), '%F %H', {zone:String}) AS hour, toHour(toTimeZone(at, {zone:String})) AS h FROM events WHERE visitor = {visitor:UInt32} ORDER BY at",
    [
      { zone: 'Asia/Kathmandu', visitor: 3 },
      { zone: 'UTC', visitor: 16 },
    ],
  ],
  // Chains of CTEs.
  [
    'WITH base AS (SELECT *, toStartOfDay(at) AS day FROM events), daily AS (SELECT day, visitor, count() AS c FROM base WHERE event = {event:String} GROUP BY day, visitor), ranked AS (SELECT *, row_number() OVER (PARTITION BY day ORDER BY c DESC, visitor) AS n FROM daily) SELECT day, visitor, c FROM ranked WHERE n <= {n:UInt8} ORDER BY day, n',
    [
      { event: 'view', n: 1 },
      { event: 'buy', n: 3 },
      { event: 'none', n: 9 },
    ],
  ],
  [
    'WITH base AS (SELECT team, visitor, event FROM events), some AS (SELECT team, count() AS c FROM base AS b WHERE event = {event:String} GROUP BY team) SELECT a.team, a.c + b.c AS both FROM some AS a JOIN some AS b ON a.team = b.team ORDER BY a.team',
    [{ event: 'view' }, { event: 'none' }],
  ],
  [
    'WITH teams AS (SELECT visitor AS id, event AS name FROM events WHERE event = {event:String}), chosen AS (SELECT id FROM teams WHERE id > 3) SELECT count() AS c, sum(id) AS s FROM chosen',
    [{ event: 'view' }, { event: 'none' }],
  ],
  [
    'WITH {event:String} AS wanted, base AS (SELECT visitor FROM events WHERE event = wanted), few AS (SELECT visitor, count() AS c FROM base GROUP BY visitor) SELECT c, count() AS n FROM few GROUP BY c ORDER BY c',
    [{ event: 'view' }, { event: 'none' }],
  ],
  // Arrays of sorted groups.
  [
    'SELECT day, groupArray((event, c)) AS all FROM (SELECT toStartOfDay(at) AS day, event, count() AS c FROM events WHERE visitor > {least:UInt32} GROUP BY day, event ORDER BY day, event) GROUP BY day ORDER BY day',
    [{ least: 0 }, { least: 12 }, { least: 100 }],
  ],
  [
    'SELECT groupArray(day) AS days, groupArray(2)(c) AS counts FROM (SELECT toStartOfDay(at) AS day, count() AS c FROM events WHERE visitor IN (SELECT toUInt32(id + {more:UInt8}) FROM teams) GROUP BY day ORDER BY day DESC)',
    [{ more: 0 }, { more: 5 }, { more: 200 }],
  ],
  [
    'SELECT visitor FROM events WHERE event LIKE {event:String} AND (1, 2) = (visitor, 2) ORDER BY visitor',
    [{ event: 'v%' }],
  ],
];

describe('is materialized, and exact', () => {
  it.each(queries)('%s', async (sql, values) => {
    const planned = await laboratory.plan({ sql });
    if (planned.kind === 'refusal') throw new Error(planned.reason);
    const table = await laboratory.store(planned.plan);
    for (const each of values) {
      const inline = await laboratory.run({ sql }, each);
      expect(inline[0]).not.toMatch(/^error/);
      expect(await laboratory.read({ plan: planned.plan, table }, { sql }, each)).toEqual(inline);
    }
    await laboratory.drop(table);
  });
});

it.each([
  'SELECT day, groupArray(c) AS all FROM (SELECT toStartOfDay(at) AS day, event, count() AS c FROM events WHERE visitor > {least:UInt32} GROUP BY day, event ORDER BY day) GROUP BY day ORDER BY day',
  'SELECT day, groupArray(c) AS all FROM (SELECT toStartOfDay(at) AS day, count() AS c FROM events WHERE visitor > {least:UInt32} GROUP BY day) GROUP BY day ORDER BY day',
  'SELECT groupArray(visitor) AS all FROM (SELECT visitor FROM events WHERE visitor > {least:UInt32} ORDER BY at)',
  'SELECT groupArray(c) AS all FROM (SELECT event, count() AS c FROM events WHERE visitor > {least:UInt32} GROUP BY event WITH ROLLUP ORDER BY event)',
  'SELECT groupArray(c) AS all FROM (SELECT event, count() AS c FROM events WHERE visitor > {least:UInt32} GROUP BY event ORDER BY event) AS a JOIN teams AS t ON a.c = t.id',
])('an array is refused whose order the query leaves open: %s', async (sql) => {
  expect(await laboratory.plan({ sql })).toEqual({
    kind: 'refusal',
    reason: expect.stringContaining('groupArray'),
  });
});

it('is stored by group where the same conditions as operators would be', async () => {
  const stored = async (where: string) => {
    const sql = `SELECT event, count() AS c FROM events WHERE ${where} GROUP BY event`;
    const planned = await laboratory.plan({ sql });
    return planned.kind === 'plan' ? planned.plan : planned.reason;
  };
  const asFunctions = await stored(
    'and(equals(team, 1), or(equals(visitor, {v:UInt32}), equals(visitor, 3)))',
  );
  expect(asFunctions).toEqual(await stored('team = 1 AND (visitor = {v:UInt32} OR visitor = 3)'));
  expect(asFunctions).toHaveProperty('storedQuery');
});
