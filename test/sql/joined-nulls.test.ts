import { expect, it } from 'vitest';
import { mayJoinNull } from '../../src/sql/joined-nulls.ts';

it.each([
  'SELECT 1 FROM a JOIN b ON a.k = b.k AND b.x = (SELECT max(x) FROM c)',
  'SELECT 1 FROM a JOIN b ON (a.k = b.k AND b.x > (WITH 1 AS n SELECT n)) WHERE a.y = 1',
  'WITH (SELECT 1) AS one SELECT 1 FROM a JOIN b ON a.k = b.k AND one = b.x',
  'WITH 2 AS two, (SELECT 1) AS `one` SELECT 1 FROM a JOIN (SELECT 1 AS k) AS b ON a.k = b.k AND b.x = "one"',
  'SELECT 1 FROM (SELECT 2 FROM a JOIN b ON a.k = b.k AND a.x = (SELECT 1)) AS c',
  "SELECT 1 FROM a JOIN b ON a.k = b.k AND b.x = nullIf({x:String}, '')",
  'SELECT 1 FROM a JOIN b ON a.k = b.k AND b.x = toUInt8OrNull({x:String}) WHERE a.y = 1',
  'SELECT 1 FROM a JOIN b ON a.k = b.k AND b.x = if({x:UInt8} = 0, NULL, {x:UInt8})',
  "WITH nullIf({x:String}, '') AS chosen SELECT 1 FROM a JOIN b ON a.k = b.k AND b.x = chosen",
  "SELECT 1 FROM a JOIN b ON a.k = b.k AND b.x = JSONExtract({s:String}, 'x', 'Nullable(UInt8)')",
  'SELECT 1 FROM a JOIN b ON a.k = b.k AND b.x = {s:String}::Nullable(UInt8)',
  'SELECT 1 FROM a JOIN b ON a.k = b.k AND b.x = {m:Map(String, Nullable(UInt8))}[a.s]',
  'SELECT 1 FROM a JOIN b ON a.k = b.k AND b.x = CASE WHEN {x:UInt8} > 0 THEN {x:UInt8} END',
  'SELECT 1 FROM a JOIN b ON a.k = b.k AND b.x = `nullIf`({x:UInt8}, 0)',
  "SELECT 1 FROM a JOIN b ON a.k = b.k AND b.x = dictGet('plans', 'parent', {x:UInt64})",
  'SELECT 1 FROM a JOIN b ON a.k = b.k AND a.offset = b.offset AND a.group = nullIf({x:UInt8}, 0)',
  'SELECT 1 FROM a JOIN b ON a.k = b.k AND b.x = ( -- the newest\n SELECT x FROM c)',
  'SELECT 1 FROM a JOIN b ON a.k = b.k AND b.x = (/* the newest */ SELECT x FROM c)',
  'WITH toUInt8((SELECT x FROM c)) AS one SELECT 1 FROM a JOIN b ON a.k = b.k AND b.x = one',
  'WITH (SELECT x FROM c) AS one, one + 1 AS two SELECT 1 FROM a JOIN b ON a.k = b.k AND b.x = two',
  'WITH two + 1 AS three, (SELECT x FROM c) AS two SELECT 1 FROM a JOIN b ON a.k = b.k AND b.x = three',
  'WITH (SELECT (x, y) FROM c) AS one SELECT 1 FROM a JOIN b ON a.k = b.k AND b.x = one.1',
  'SELECT a.k IS NOT DISTINCT FROM b.k AS same, (SELECT x FROM c) AS one FROM a JOIN b ON a.k = b.k AND b.x = one',
  'WITH (SELECT (x, y)::Tuple(p UInt8, q UInt8) FROM plan) AS plan SELECT EXTRACT(YEAR FROM plan.q) FROM a JOIN b ON a.k = b.k AND b.x = plan.p',
  'WITH (SELECT (x, y) FROM one) AS one SELECT 1 FROM a JOIN b ON a.k = b.k AND b.x = one.1',
  'WITH (SELECT (x, y)::Tuple(least UInt8, y UInt8) FROM c) AS one SELECT 1 FROM a JOIN b ON a.k = b.k AND b.x = one.least',
  'WITH [NULL, 1][{x:UInt8}] AS one SELECT 1 FROM a JOIN b ON a.k = b.k AND b.x = one',
  'SELECT nullIf({x:UInt8}, 0) chosen, b.k FROM a JOIN b ON a.k = b.k AND b.x = chosen',
  "SELECT 1 FROM a JOIN b ON a.k = b.k AND window = nullIf({w:String}, '')",
  'SELECT 1 FROM a JOIN b ON a.k = b.k AND b.y = EXTRACT(YEAR FROM (SELECT d FROM c WHERE id = {id:UInt8}))',
  'SELECT 1 FROM a JOIN b ON a.k = b.k AND b.y = (FROM c SELECT max(y))',
  'SELECT 1 FROM a JOIN b ON a.k = b.k AND b.y > ALL (SELECT y FROM c)',
  "SELECT 1 FROM a JOIN b ON a.k = b.k AND b.y = arrayReduce('maxOrNull', {list:Array(UInt8)})",
])('a value that may be NULL is joined: %s', (sql) => {
  expect(mayJoinNull(sql)).toBe(true);
});

it.each([
  'SELECT 1 FROM a JOIN b ON a.k = b.k WHERE b.x = (SELECT max(x) FROM c)',
  'SELECT 1 FROM a JOIN (SELECT 1 AS k) AS b ON a.k = b.k',
  'SELECT 1 FROM a, (SELECT 1 AS k) AS b JOIN c ON b.k = c.k',
  'SELECT 1 FROM a JOIN d ON a.order = d.k AND a.with = 1, (SELECT 1 AS k) AS b JOIN c ON b.k = c.k',
  'SELECT 1 FROM a JOIN b ON a.k = b.k AND b.x IN (SELECT x FROM c)',
  'WITH (SELECT 1) AS one SELECT one FROM a JOIN b ON a.k = b.k AND a.x = b.x WHERE a.y = one',
  'SELECT 1 FROM a JOIN b ON a.k = b.k JOIN (SELECT 1 AS k) AS c ON c.k = a.k GROUP BY a.k HAVING a.k = (SELECT 1)',
  'SELECT nullIf(1, {x:UInt8}) FROM a JOIN b ON a.k = b.k WHERE b.x = NULL',
  'SELECT 1 FROM a JOIN b ON a.k = b.k AND b.x IS NULL AND a.x IS NOT NULL WHERE toUInt8OrNull(b.y) = 1',
  "WITH nullIf({x:String}, '') AS chosen SELECT 1 FROM a AS c JOIN b AS d ON c.k = d.k WHERE d.x = chosen",
  'SELECT a.k AS k, nullIf(a.x, 0) AS x FROM a JOIN b ON a.k = b.k AND a.x = b.x',
  'SELECT a.y AS y, toUInt8OrNull(a.s) AS x FROM a JOIN b ON a.k = b.k AND y = b.y',
  'WITH c AS (SELECT nullIf(x, 0) AS x FROM a) SELECT 1 FROM c JOIN b ON c.k = b.k AND b.k > {k:UInt8}',
  'SELECT 1 FROM a JOIN b ON a.k = b.k AND b.x = {x:Nullable(UInt8)} AND b.y = {y:LowCardinality(Nullable(String))}',
  'SELECT 1 FROM a JOIN b ON a.k = b.k AND b.x = CASE WHEN {x:UInt8} > 0 THEN CASE a.y WHEN 1 THEN 2 ELSE 3 END ELSE 0 END',
])('none is: %s', (sql) => {
  expect(mayJoinNull(sql)).toBe(false);
});

it('reads a text of many cases in one pass', () => {
  const cases = 'CASE WHEN 1 THEN 2 ELSE 3 END, '.repeat(20_000);
  const unended = 'CASE '.repeat(50_000);
  expect(mayJoinNull(`SELECT ${cases} 1 FROM a JOIN b ON a.k = b.k`)).toBe(false);
  expect(mayJoinNull(`SELECT 1 FROM a JOIN b ON a.k = b.k WHERE ${unended}`)).toBe(false);
});
