/** Which columns of subqueries count when a read is compared with its query. */
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { withoutUnused } from '../../../src/materialization/planner/tree/unused-columns.ts';
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
async function left(sql: string): Promise<readonly string[]> {
  const [root] = readQueryTree(await laboratory.analysis.tree(sql, {})) ?? [];
  if (root === undefined) throw new Error('no tree');
  const columns = (node: TreeNode): readonly string[] => [
    ...(node.kind === 'QUERY' ? [namesIn(node)] : []),
    ...node.children.flatMap(columns),
  ];
  return columns(withoutUnused(root));
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
