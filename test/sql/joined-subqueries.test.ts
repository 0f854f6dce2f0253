import { expect, it } from 'vitest';
import { joinsOnSubquery } from '../../src/sql/joined-subqueries.ts';

it.each([
  'SELECT 1 FROM a JOIN b ON a.k = b.k AND b.x = (SELECT max(x) FROM c)',
  'SELECT 1 FROM a JOIN b ON (a.k = b.k AND b.x > (WITH 1 AS n SELECT n)) WHERE a.y = 1',
  'WITH (SELECT 1) AS one SELECT 1 FROM a JOIN b ON a.k = b.k AND one = b.x',
  'WITH 2 AS two, (SELECT 1) AS `one` SELECT 1 FROM a JOIN (SELECT 1 AS k) AS b ON a.k = b.k AND b.x = "one"',
  'SELECT 1 FROM (SELECT 2 FROM a JOIN b ON a.k = b.k AND a.x = (SELECT 1)) AS c',
])('a value of a subquery is joined: %s', (sql) => {
  expect(joinsOnSubquery(sql)).toBe(true);
});

it.each([
  'SELECT 1 FROM a JOIN b ON a.k = b.k WHERE b.x = (SELECT max(x) FROM c)',
  'SELECT 1 FROM a JOIN (SELECT 1 AS k) AS b ON a.k = b.k',
  'SELECT 1 FROM a, (SELECT 1 AS k) AS b JOIN c ON b.k = c.k',
  'SELECT 1 FROM a JOIN b ON a.k = b.k AND b.x IN (SELECT x FROM c)',
  'WITH (SELECT 1) AS one SELECT one FROM a JOIN b ON a.k = b.k AND a.x = b.x WHERE a.y = one',
  'SELECT 1 FROM a JOIN b ON a.k = b.k JOIN (SELECT 1 AS k) AS c ON c.k = a.k GROUP BY a.k HAVING a.k = (SELECT 1)',
])('none is: %s', (sql) => {
  expect(joinsOnSubquery(sql)).toBe(false);
});
