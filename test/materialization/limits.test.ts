/** Subqueries with LIMIT but without ORDER BY, which are exact as long as the rows that they may take are equal. */
import { afterAll, beforeAll, it } from 'vitest';
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
    'CREATE TABLE users (id UInt32, email String, team Nullable(UInt8), name LowCardinality(String)) ENGINE = MergeTree ORDER BY id',
    "INSERT INTO users SELECT number, concat('u', toString(number), '@x'), if(number % 4 = 0, NULL, number % 4), ['ann', 'bob'][number % 2 + 1] FROM numbers(40)",
    // Twice the same, in another part.
    "INSERT INTO users VALUES (7, 'u7@x', 3, 'bob'), (8, 'u8@x', NULL, 'ann')",
    'CREATE TABLE events (user UInt32, team UInt8, at DateTime, n Int32) ENGINE = MergeTree ORDER BY (user, at)',
    "INSERT INTO events SELECT number % 40, number % 4, toDateTime('2026-01-01 00:00:00') + number * 60, number % 11 FROM numbers(2000)",
    // One key with NULL and an empty text, and one with 0 and NULL.
    'CREATE TABLE odd (k UInt8, t Nullable(String), n Nullable(Int32)) ENGINE = MergeTree ORDER BY k',
    "INSERT INTO odd VALUES (1, NULL, 1), (1, '', 1), (2, 'a', 0), (2, 'a', NULL), (3, NULL, NULL), (3, NULL, NULL), (4, 'one', 1)",
  ]) {
    await test.sql(sql);
  }
});
afterAll(() => test?.close());

const values = [
  { e: 'u7@x', k: 3, d: '2026-01-01 10:00:00' },
  { e: 'u8@x', k: 4, d: '2026-01-02 00:00:00' },
  { e: 'nobody', k: 9, d: '2026-01-01 00:00:00' },
];

it.each([
  'SELECT toDate(at) AS day, sum(n) AS total FROM events WHERE user = (SELECT id FROM users WHERE email = {e:String} LIMIT 1) GROUP BY day ORDER BY day',
  'SELECT user, count() AS c FROM events WHERE team IN (SELECT team FROM users WHERE email = {e:String} LIMIT 5) AND at >= {d:DateTime} GROUP BY user ORDER BY user',
  'WITH (SELECT (id, team) FROM users WHERE email = {e:String} LIMIT 1) AS u SELECT count() AS c, u.2 AS team FROM events WHERE user = u.1',
  'WITH one AS (SELECT * FROM users WHERE email = {e:String} LIMIT 1) SELECT e.at, one.name FROM events AS e JOIN one ON e.user = one.id WHERE e.n > {k:Int32} ORDER BY e.at, e.n',
  "SELECT user, sum(n) AS total FROM events WHERE user != (SELECT id FROM users WHERE email = 'u7@x' LIMIT 1) AND at >= {d:DateTime} GROUP BY user ORDER BY user",
  "SELECT count() AS c FROM events WHERE user = (SELECT id FROM users WHERE email = 'u8@x' LIMIT 1)",
  'WITH u AS (SELECT id AS user, lower(email) AS mail FROM users WHERE email = {e:String} LIMIT 1) SELECT sum(n) AS total, max(mail) AS m FROM events JOIN u USING (user)',
  'SELECT count() AS c, (SELECT team FROM users WHERE email = {e:String} LIMIT 1) AS t FROM events WHERE user = (SELECT id FROM users WHERE email = {e:String} LIMIT 1)',
  'SELECT (SELECT count() FROM users WHERE email = {e:String}) AS c, (SELECT id FROM users WHERE email = {e:String} LIMIT 1) AS i',
  'SELECT n, t FROM (SELECT n, t FROM odd WHERE k = {k:UInt8} AND k > 2 LIMIT 1 OFFSET 1) AS o',
])('are served from stored tables: %s', (query) => expectServed(test, query, values));

it.each([
  'SELECT count() AS c FROM events WHERE user = (SELECT id FROM users WHERE name = {e:String} LIMIT 1)',
  "SELECT count() AS c FROM events WHERE user > (SELECT id FROM users WHERE name = 'ann' LIMIT 1) AND team = {k:UInt8}",
  'SELECT count() AS c, (SELECT t FROM odd WHERE k = {k:UInt8} LIMIT 1) AS t FROM events',
  "SELECT count() AS c, (SELECT n FROM odd WHERE k = {k:UInt8} AND t = 'a' LIMIT 1) AS n FROM events",
])('are refused while the rows differ: %s', (query) =>
  expectRefusedBySync(
    test,
    query,
    'A subquery, CTE or branch of UNION with LIMIT but without ORDER BY takes any rows, and some that one may take differ; add an ORDER BY so that it takes the same each time.',
  ),
);

it.each([
  'SELECT count() AS c FROM events WHERE user IN (SELECT user FROM events GROUP BY user LIMIT 3) AND team = {k:UInt8}',
  'SELECT count() AS c FROM events WHERE user IN (SELECT row_number() OVER () FROM events LIMIT 3) AND team = {k:UInt8}',
  'SELECT count() AS c FROM events WHERE user IN (SELECT arrayJoin([n, 1]) FROM events WHERE user = 3 LIMIT 1) AND team = {k:UInt8}',
  'SELECT count() AS c FROM events WHERE user = (SELECT id FROM users WHERE email >= {e:String} LIMIT 1)',
  'SELECT count() AS c FROM events WHERE user = (SELECT max(u) FROM (SELECT id AS u FROM users LIMIT 3)) AND team = {k:UInt8}',
])('are refused at once where no rows can be compared: %s', (query) =>
  expectNeverMaterialized(test, query, 'takes any rows; add an ORDER BY'),
);
