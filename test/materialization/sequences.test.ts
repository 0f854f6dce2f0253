/** `sequenceMatch` and the like, which are exact where the events of one time in a group fulfil the same conditions. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestApp } from '../support/test-app.ts';
import {
  expectNeverMaterialized,
  expectRefusedBySync,
  expectServed,
} from './support/checked-queries.ts';
import { openMaterializedApp } from './support/materialized.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openMaterializedApp();
  for (const sql of [
    'CREATE TABLE events (user UInt16, ts DateTime, n UInt8, name String, shop Nullable(String)) ENGINE = MergeTree ORDER BY (user, ts, n)',
    // The events of user 210 are of one time, the other way round than they happened; the views of all users are.
    "INSERT INTO events SELECT intDiv(number, 3) AS user, toDateTime('2026-11-01 00:00:00') + if(user = 210, 0, number % 3) AS ts, number % 3 AS n, ['order', 'cart', 'view'][if(user % 4 = 0, number % 3, 2 - number % 3) + 1], if(number % 7 = 0, NULL, 'x') FROM numbers(900)",
    "INSERT INTO events SELECT number AS user, toDateTime('2026-11-01 00:00:00'), 9, ['view', 'view', 'other'][number % 3 + 1], 'y' FROM numbers(300)",
    'CREATE VIEW most AS SELECT * FROM events WHERE user != 210',
  ]) {
    await test.sql(sql);
  }
});
afterAll(() => test?.close());

const values = [
  { u: 3, names: ['order', 'cart'], from: '2026-01-01 00:00:00', shop: 'x' },
  { u: 4, names: ['cart', 'view'], from: '2026-11-01 00:00:01', shop: 'y' },
  { u: 9999, names: [], from: '2026-01-01 00:00:00', shop: '' },
];

it.each([
  "sequenceMatch('(?1).*(?2)')(ts, name = 'cart', name = 'order') AS m FROM most WHERE user = {u:UInt16}",
  "user, sequenceCount('(?1).*(?2)')(ts, name = 'cart', name = 'order') AS c FROM most WHERE ts >= {from:DateTime} GROUP BY user ORDER BY user LIMIT 50",
  "user, sequenceMatchEvents('(?1).*(?2)')(ts, name = 'cart', name = 'order') AS e FROM most WHERE name IN {names:Array(String)} GROUP BY user ORDER BY user LIMIT 50",
  "count() AS users, sum(m) AS matches FROM (SELECT user, sequenceMatch('(?1).*(?2)')(ts, name = 'cart', name = 'order') AS m FROM most WHERE ts >= {from:DateTime} GROUP BY user)",
  "user, sequenceMatchIf('(?1).*(?2)')(ts, name = 'cart', name = 'order', shop = 'x') AS m, sequenceCountOrNull('(?1)(?t<=5)(?2)')(toUnixTimestamp(ts), name = 'cart', name = 'order') AS c FROM most WHERE user < {u:UInt16} GROUP BY user ORDER BY user",
])('are served from stored tables: SELECT %s', (rest) =>
  expectServed(test, `SELECT ${rest}`, values),
);

it.each([
  "sequenceMatch('(?1).*(?2)')(ts, name = 'cart', name = 'order') AS m FROM events WHERE user = {u:UInt16}",
  "sequenceCount('(?1)(?t<=5)(?2)')(ts, name = 'cart', name = 'order') AS c FROM events WHERE name IN {names:Array(String)} AND user = {u:UInt16}",
  "user, sequenceMatchEvents('(?1).*(?2)')(ts, name = 'cart', name = 'order') AS e FROM events GROUP BY user ORDER BY user",
  "max(c) AS most FROM (SELECT user, sequenceCountIf('(?1).*(?2)')(ts, name = 'cart', name = 'order', n < 9) AS c FROM events WHERE ts >= {from:DateTime} GROUP BY user)",
  // Within a user no two events of a time differ, but among all of them.
  "sequenceCount('(?1).*(?2)')(ts, name = 'view', name = 'order') AS c FROM most WHERE user >= {u:UInt16}",
  "sequenceCount('(?1).*(?2)')(ts, name = 'view', name = 'order') AS c FROM most",
])('are refused while events of one time differ: SELECT %s', (rest) =>
  expectRefusedBySync(
    test,
    `SELECT ${rest}`,
    expect.stringMatching(
      /^The result of sequence\w+\(.*depends on the order of the rows where events of one time fulfil different conditions, as some of a group do; use a time that no two events of a group share, or windowFunnel\.$/,
    ),
  ),
);

it('are refused at once where their groups cannot be checked', () =>
  expectNeverMaterialized(
    test,
    "SELECT sequenceMatch('(?1).*(?2)')(ts, name = {name:String}, name = 'order') AS m FROM events WHERE user = {u:UInt16}",
    'depends on the order of the rows',
  ));
