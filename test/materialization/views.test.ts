/** Views have to give the same rows every time, as queries that are materialized do themselves. */
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
    'CREATE TABLE events (id UInt32, user UInt8, name String, place String, at DateTime) ENGINE = MergeTree ORDER BY id',
    "INSERT INTO events SELECT number, number % 5, concat('user ', toString(number % 5)), ['x', 'y', 'z'][number % 3 + 1], toDateTime('2026-01-01 00:00:00') + number FROM numbers(90)",
    'CREATE VIEW users AS SELECT user, any(name) AS name, any(place) AS place, count() AS n FROM events GROUP BY user',
    'CREATE VIEW behind AS SELECT user, upper(place) AS place, name FROM users',
    "CREATE VIEW recent AS SELECT id, user, at > now() - 60 AS isNew FROM events WHERE at > toDateTime('2026-01-01 00:00:10')",
    'CREATE VIEW random AS SELECT id, user, rand() AS r FROM events',
    'CREATE VIEW lists AS SELECT user, groupArray(id) AS ids, arraySort(groupArray(id)) AS sorted FROM events GROUP BY user',
    'CREATE VIEW joined AS SELECT e.id AS id, e.user AS user, p.place AS place FROM events AS e ANY LEFT JOIN (SELECT user, place FROM events) AS p ON e.user = p.user',
    'CREATE VIEW some AS SELECT id, user FROM events LIMIT 3',
    'CREATE VIEW after AS SELECT id, user, name FROM events WHERE id > {least:UInt32}',
    'CREATE VIEW late AS SELECT id, user, name FROM after(least = 40)',
    'CREATE VIEW named AS SELECT user, any(name) AS name FROM events WHERE id > {least:UInt32} GROUP BY user',
    'CREATE VIEW lateNames AS SELECT user, name FROM named(least = 40)',
  ]) {
    await test.sql(sql);
  }
});
afterAll(() => test?.close());

it.each([
  'SELECT user, name, n FROM users WHERE user = {u:UInt8}',
  'SELECT e.id, v.name FROM events AS e JOIN users AS v ON e.user = v.user WHERE e.id < {u:UInt8} ORDER BY e.id',
  'SELECT user, name FROM behind WHERE user >= {u:UInt8} ORDER BY user',
  'SELECT user, sorted FROM lists WHERE user = {u:UInt8}',
  'SELECT id FROM recent WHERE user = {u:UInt8} ORDER BY id',
  'SELECT count() AS n FROM random WHERE user = {u:UInt8}',
  'SELECT name, count() AS n FROM users GROUP BY name ORDER BY name',
  'SELECT id FROM (SELECT * FROM recent) WHERE user = {u:UInt8} ORDER BY id',
  'WITH r AS (SELECT * FROM random) SELECT count() AS n FROM r WHERE user = {u:UInt8}',
  'SELECT id, name FROM late WHERE user = {u:UInt8} ORDER BY id',
  'SELECT user, count() AS n FROM late GROUP BY user ORDER BY user',
])('are read from stored tables as far as they do: %s', (query) =>
  expectServed(test, query, query.includes('{u:') ? [{ u: 0 }, { u: 3 }, { u: 9 }] : [{}]),
);

it.each([
  'SELECT user, place FROM users WHERE user = {u:UInt8}',
  'SELECT user, place FROM behind WHERE user = {u:UInt8}',
  'SELECT place, count() AS n FROM behind GROUP BY place',
])('are refused while they choose one of several values: %s', (query) =>
  expectRefusedBySync(
    test,
    query,
    expect.stringMatching(
      /^In the view (?:users|behind): The result of any\(place\) depends on the order of the rows where a group has several values, as one does; /,
    ),
  ),
);

it.each([
  [
    'SELECT id, isNew FROM recent WHERE user = {u:UInt8}',
    'In the view recent: its rows depend on the current time; write its SELECT into the query (line 1, column 23).',
  ],
  ['SELECT count() AS n FROM recent WHERE isNew', 'In the view recent: its rows depend on'],
  ['SELECT id, r FROM random WHERE user = {u:UInt8}', 'In the view random: The function rand'],
  [
    'SELECT id FROM events WHERE (id, user, id) IN random AND user = {u:UInt8}',
    'In the view random',
  ],
  ['SELECT id FROM events WHERE (id, user, id) IN random', 'In the view random'],
  ['SELECT max(r) AS r FROM random', 'In the view random: The function rand'],
  [
    'SELECT ids FROM lists WHERE user = {u:UInt8}',
    'In the view lists: The result of the aggregate groupArray depends on the order of the rows',
  ],
  [
    'SELECT id FROM some WHERE user = {u:UInt8}',
    'In the view some: A subquery, CTE or branch of UNION with LIMIT but without ORDER BY takes any rows',
  ],
  [
    'SELECT name FROM lateNames WHERE user = {u:UInt8}',
    'In the view lateNames: each sync would have to check its rows, but it has parameters; write its SELECT into the query (line 1, column 18).',
  ],
])('are refused at once where they do not: %s', (query, reason) =>
  expectNeverMaterialized(test, query, reason),
);

it.each([
  'SELECT id, place FROM joined WHERE user = {u:UInt8}',
  'SELECT place, count() AS n FROM joined GROUP BY place',
])('are refused while a row of a join in them has several matches: %s', (query) =>
  expectRefusedBySync(
    test,
    query,
    expect.stringMatching(/^In the view joined: An ANY JOIN takes any of several matching rows/),
  ),
);
