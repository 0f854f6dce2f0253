/** Which columns of subqueries count when a read is compared with its query. */
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import {
  withoutUnused,
  withoutUnusedExpressions,
} from '../../../src/materialization/planner/tree/unused-columns.ts';
import { partOf, readQueryTree, type TreeNode } from '../../../src/sql/query-tree.ts';
import { takeProjectIds } from '../../support/take-project-ids.ts';
import { type Laboratory, openLaboratory } from '../support/laboratory.ts';

let laboratory: Laboratory;

beforeAll(async () => {
  laboratory = await openLaboratory(inject('engine'), await takeProjectIds(inject('postgres')));
  for (const table of ['t', 'u'])
    await laboratory.admin(
      `CREATE TABLE ${table} (a Int32, b Nullable(String), c Decimal(9, 2)) ENGINE = MergeTree ORDER BY a`,
    );
  await laboratory.admin(
    'CREATE TABLE v (d Tuple(x Int32, y String), m Map(String, Int32), j JSON, r Array(Int32)) ENGINE = MergeTree ORDER BY tuple()',
  );
});

afterAll(() => laboratory?.close());

/** The columns of every SELECT, outermost first. */
async function left(sql: string, cut = withoutUnused): Promise<readonly string[]> {
  const [root] = readQueryTree(await laboratory.analysis.tree(sql, {})) ?? [];
  if (root === undefined) throw new Error('no tree');
  const columns = (node: TreeNode): readonly string[] => [
    ...(node.kind === 'QUERY' ? [namesIn(node)] : []),
    ...node.children.flatMap(columns),
  ];
  return columns(cut(root));
}

function namesIn(query: TreeNode): string {
  return partOf(query, 'PROJECTION COLUMNS')
    .map(({ kind }) => kind.split(' ')[0])
    .join(' ');
}

it.each([
  ['SELECT a FROM (SELECT * FROM t)', ['a', 'a']],
  ['SELECT a FROM (SELECT * FROM (SELECT * FROM t) WHERE c > 1)', ['a', 'a', 'a c']],
  ['WITH q AS (SELECT * FROM t) SELECT q.a FROM q JOIN u USING (a) WHERE c > 1', ['a', 'a c']],
  [
    'SELECT count() FROM (SELECT * FROM t) AS x JOIN (SELECT * FROM u) AS y ON x.a = y.a',
    ['count()', 'a', 'a'],
  ],
  ['SELECT b FROM t WHERE EXISTS (SELECT * FROM u WHERE u.c = t.c)', ['b', '1', '']],
  ['SELECT b.null FROM (SELECT * FROM t)', ['b.null', 'b']],
  ['SELECT d.x FROM (SELECT * FROM v)', ['d.x', 'd']],
  ['SELECT m.keys FROM (SELECT * FROM v)', ['m.keys', 'm']],
  ['SELECT j.a.b FROM (SELECT * FROM v)', ['j.a.b', 'j']],
  ['SELECT r.size0 FROM (SELECT * FROM v)', ['r.size0', 'r']],
  ['SELECT e FROM (SELECT * FROM v) ARRAY JOIN r AS e', ['e', 'r']],
  ['SELECT a FROM (SELECT a, b AS x, rand() AS r FROM t)', ['a', 'a r']],
  ['SELECT a FROM (SELECT a, b FROM t ORDER BY c LIMIT 1 BY b)', ['a', 'a']],
])('are those that are used: %s', async (sql, columns) => {
  expect(await left(sql)).toEqual(columns);
});

it.each([
  ['a result', 'SELECT * FROM t', ['a b c']],
  ['DISTINCT', 'SELECT a FROM (SELECT DISTINCT * FROM t)', ['a', 'a b c']],
  ['UNION', 'SELECT a FROM (SELECT * FROM t UNION ALL SELECT * FROM u)', ['a', 'a b c', 'a b c']],
  ['IN', 'SELECT a FROM t WHERE (a, b) IN (SELECT a, b FROM u)', ['a', 'a b']],
  [
    'IN of a join',
    'SELECT x.a FROM t AS x JOIN u ON x.a = u.a AND x.b IN (SELECT b FROM u)',
    ['a', 'b'],
  ],
  ['a scalar subquery', 'SELECT (SELECT tuple(a, b) AS x FROM u LIMIT 1) AS s FROM t', ['s', 'x']],
])('are all in %s', async (_where, sql, columns) => {
  expect(await left(sql)).toEqual(columns);
});

it.each([
  [
    'SELECT a FROM (SELECT a, any(b) AS x, max(c) AS y FROM t GROUP BY a) WHERE y > 1',
    ['a', 'a y'],
  ],
  ['SELECT a FROM (SELECT a, row_number() OVER () AS n, 1 AS k FROM t)', ['a', 'a']],
  ['SELECT count() FROM (SELECT any(b) AS x FROM t)', ['count()', '']],
  ['SELECT x.1 FROM (SELECT tuple(any(b)) AS x, any(a) AS y FROM t)', ['tupleElement(x,', 'x']],
  ["SELECT x.k FROM (SELECT CAST(tuple(any(a)), 'Tuple(k Int32)') AS x FROM t)", ['x.k', 'x']],
  [
    'SELECT y FROM (SELECT x AS y, a FROM (SELECT any(b) AS x, any(c) AS z, a FROM t GROUP BY a))',
    ['y', 'y', 'x'],
  ],
  ['SELECT a FROM (SELECT a, any(b) AS x FROM t GROUP BY a ORDER BY x)', ['a', 'a']],
])('expressions are left out like columns: %s', async (sql, columns) => {
  expect(await left(sql, withoutUnusedExpressions)).toEqual(columns);
});

it.each([
  [
    'changes the number of rows',
    'SELECT a FROM (SELECT a, arrayJoin([1, 2]) + 1 AS x FROM t)',
    ['a', 'a x'],
  ],
  ['is distinct', 'SELECT a FROM (SELECT DISTINCT a, any(b) AS x FROM t GROUP BY a)', ['a', 'a x']],
  [
    'is of a UNION',
    "SELECT a FROM (SELECT a, b || 'x' AS x FROM t UNION ALL SELECT a, b FROM u)",
    ['a', 'a x', 'a b'],
  ],
  [
    'joins',
    'SELECT t.a FROM t JOIN (SELECT any(a) AS a, any(b) AS x FROM u) AS s USING (a)',
    ['a', 'a'],
  ],
])('an expression is kept that %s', async (_what, sql, columns) => {
  expect(await left(sql, withoutUnusedExpressions)).toEqual(columns);
});
