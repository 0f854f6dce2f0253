/** Right plans of the planner, changed in one place each: the proof refuses every one whose results are others. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ProofRequest } from '../../../src/materialization/proof/proof-request.ts';
import { prove } from '../../../src/materialization/proof/prove.ts';
import type { MaterializationPlan } from '../../../src/model/materialization-plan.ts';
import { type ParsedQuery, parseQuery } from '../../../src/query/query-definition.ts';
import type { RunDeps } from '../../../src/runs/deps.ts';
import type { TestApp } from '../../support/test-app.ts';
import { openMaterializedApp } from '../support/materialized.ts';
import { type Mutant, mutantsOf } from '../support/mutations.ts';

let test: TestApp;
let deps: RunDeps;
let tables = 0;

beforeAll(async () => {
  test = await openMaterializedApp();
  deps = test.app.core;
  await test.sql(
    'CREATE TABLE facts (v UInt32, w UInt32, k String, g LowCardinality(String), n Nullable(Int32), d Date, t DateTime, f Float64) ENGINE = MergeTree ORDER BY v',
  );
  await test.sql(`INSERT INTO facts SELECT number, cityHash64(number, 1) % 11, ['', 'a', 'ab', 'b%', 'é'][cityHash64(number, 2) % 5 + 1],
    ['x', 'y', 'z'][cityHash64(number, 3) % 3 + 1], if(cityHash64(number, 4) % 5 = 0, NULL, toInt32(cityHash64(number, 5) % 7) - 2),
    toDate('2024-01-30') + 2 * (cityHash64(number, 6) % 9), toDateTime('2024-01-31 23:00:00') + 3600 * (cityHash64(number, 7) % 90),
    [0., 1.5, -2., 0.1][cityHash64(number, 8) % 4 + 1] FROM numbers(300)`);
});
afterAll(() => test.close());

const queries: readonly string[] = [
  'SELECT k, v, w FROM facts WHERE d >= {a:Date} AND d < {b:Date} ORDER BY w DESC, v LIMIT 40',
  'SELECT k, g, count() AS n, sum(v) AS s, max(w) AS m, min(v) AS l FROM facts WHERE d > {a:Date} AND d <= {b:Date} GROUP BY k, g ORDER BY m DESC, k, g',
  'SELECT DISTINCT k, g FROM facts WHERE n > {x:Int32} ORDER BY k, g',
  'SELECT uniqExact(v), avg(w), argMax(v, (d, v)) FROM facts WHERE k IN {s:Array(String)} AND n != {x:Int32}',
  'SELECT n, v FROM facts WHERE k LIKE {p:String} AND w > 3 ORDER BY n NULLS FIRST, v LIMIT 30 OFFSET 2',
  'SELECT k, w, count() AS c FROM facts WHERE n NOT IN {s:Array(Int32)} GROUP BY k, w HAVING c > 2 ORDER BY c, k, w LIMIT 7',
  'SELECT v, w FROM facts WHERE k IN ({a:String}, {b:String}) ORDER BY w DESC, v LIMIT 3 BY w',
  'SELECT k FROM facts WHERE n != {x:Int32} ORDER BY w DESC, v LIMIT 2 BY w, g LIMIT 10 OFFSET 2',
  'SELECT toDate(t) AS day, count() AS c, max(v) FROM facts WHERE toDate(t) BETWEEN {a:Date} AND {b:Date} GROUP BY day ORDER BY day',
  'SELECT sum(v) AS s, countIf(w = 2) AS c FROM facts WHERE t >= {a:DateTime} AND t <= {b:DateTime} AND g = {g:String}',
  'SELECT v, k FROM facts WHERE k = {a:String} OR k = {b:String} ORDER BY v',
  'SELECT f, v FROM facts WHERE f <= {x:Float64} AND k = {k:String} ORDER BY f, v',
  'SELECT k, sum(v) AS s, count() AS c FROM facts WHERE w < 7 GROUP BY k ORDER BY s DESC LIMIT 3',
  'SELECT g, v FROM facts WHERE v < 40 AND w >= 2 ORDER BY g DESC',
];

interface Given {
  readonly query: ParsedQuery;
  readonly plan: MaterializationPlan;
}

async function planOf(text: string): Promise<Given> {
  const query = parseQuery({ kind: 'SQLQuery', query: text, variables: {} });
  const planned = await deps.eligibility.plan(test.project.id, query);
  if (planned.kind === 'refusal') throw new Error(`${text}: ${planned.reason}`);
  return { query, plan: planned.plan };
}

/** Null: the engine does not take it. */
async function build({ query, plan }: Given): Promise<ProofRequest | null> {
  tables += 1;
  const projectId = test.project.id;
  const table = `_materialized_mutant${tables}`;
  const made = { projectId, table, sql: plan.storedQuery, params: {}, orderBy: plan.sortingKey };
  try {
    const { rows } = await deps.engine.createTableFrom({ ...made, maxRows: 1000, queryId: table });
    return {
      projectId,
      table,
      query,
      plan,
      rows,
      buildMs: 0,
      signal: new AbortController().signal,
    };
  } catch {
    return null;
  }
}

/** Those that the proof takes for right. */
async function survivorsOf(text: string): Promise<{ survivors: readonly Mutant[]; tried: number }> {
  const right = await planOf(text);
  const own = await build(right);
  if (own === null || (await prove(deps, own)).disproof !== null)
    throw new Error(`${text} is refused`);
  const survivors: Mutant[] = [];
  let tried = 0;
  for (const mutant of mutantsOf(right.plan)) {
    const isRead = mutant.plan.storedQuery === right.plan.storedQuery;
    const proof = isRead
      ? { ...own, plan: mutant.plan }
      : await build({ ...right, plan: mutant.plan });
    if (proof === null) continue;
    tried += 1;
    if ((await prove(deps, proof)).disproof === null) survivors.push(mutant);
  }
  return { survivors, tried };
}

it.each(queries)('%s', async (text) => {
  const { survivors, tried } = await survivorsOf(text);
  console.info(`${tried} changes, ${survivors.length} not seen`);
  expect(survivors.map(({ what }) => what)).toEqual([]);
  expect(tried).toBeGreaterThan(4);
});
