/** Grouping queries without variables: of which of them a part of the groups is compared, and that it is compared. */
import { afterAll, beforeAll, beforeEach, describe, expect, inject, it } from 'vitest';
import { storedTable } from '../../../src/model/materialization-plan.ts';
import { takeProjectIds } from '../../support/take-project-ids.ts';
import type { TestApp } from '../../support/test-app.ts';
import { handPlanner } from '../support/hand-plans.ts';
import { type Laboratory, openLaboratory } from '../support/laboratory.ts';
import { openMaterializedApp, run, save, statusOf, sync } from '../support/materialized.ts';
import { createTables } from '../support/tables.ts';

describe('the plan', () => {
  let laboratory: Laboratory;
  beforeAll(async () => {
    laboratory = await openLaboratory(inject('engine'), await takeProjectIds(inject('postgres')));
    await createTables(laboratory);
  });
  afterAll(() => laboratory?.close());

  async function columnsOf(sql: string): Promise<readonly string[]> {
    const planned = await laboratory.plan({ sql });
    if (planned.kind === 'refusal') throw new Error(planned.reason);
    return (planned.plan.groupColumns ?? []).map(({ name, column }) => `${name} in ${column}`);
  }

  it.each([
    ['SELECT s, count() AS n FROM few GROUP BY s', ['s in __c0']],
    [
      'SELECT count(), toYear(d) AS y, lc AS l, sum(i) AS t, max(f) FROM many AS m WHERE u > 1 GROUP BY y, l HAVING t > 0 ORDER BY t',
      ['y in __c1', 'l in __c2'],
    ],
    ['SELECT f, s, uniq(i), avg(f), quantileExact(0.5)(u) FROM few GROUP BY f, s', ['s in __c1']],
    ['SELECT s, arraySort(groupArray(i)) AS a FROM few GROUP BY s', ['s in __c0']],
  ])('names the keys of %s', async (sql, columns) => {
    expect(await columnsOf(sql)).toEqual(columns);
  });

  it.each([
    ['SELECT s, i FROM few'],
    ['SELECT count() AS n FROM few'],
    ['SELECT s, count() AS n FROM few GROUP BY s ORDER BY n LIMIT 3'],
    ['SELECT s, count() AS n FROM few GROUP BY s LIMIT 1 BY n'],
    ['SELECT DISTINCT s, count() AS n FROM few GROUP BY s'],
    ['SELECT s, count() AS n FROM few GROUP BY s WITH TOTALS'],
    ['SELECT s, count() AS n FROM few GROUP BY ALL'],
    ['SELECT s, argMax(i, u) AS a FROM few GROUP BY s'],
    ['SELECT s, argMin(i, u) AS a FROM few GROUP BY s'],
    ['SELECT s, count() AS n, sum(n) OVER (ORDER BY s) AS t FROM few GROUP BY s'],
    ['SELECT s, count() AS n FROM (SELECT s FROM few ORDER BY id LIMIT 3) GROUP BY s'],
    ['WITH w AS (SELECT s FROM few) SELECT s, count() AS n FROM w GROUP BY s'],
    ['SELECT few.s, count() AS n FROM few JOIN many ON few.id = many.id GROUP BY few.s'],
    ['SELECT s, count() AS n FROM few WHERE ts < now() GROUP BY s'],
    ['SELECT s, count() AS n FROM few GROUP BY s UNION ALL SELECT s, 1 AS n FROM few'],
    ['SELECT f, count() AS n FROM few GROUP BY f'],
  ])('names none of %s, which is compared whole', async (sql) => {
    expect(await columnsOf(sql)).toEqual([]);
  });
});

describe('the proof', () => {
  const query = 'SELECT day, kind, sum(n) AS total FROM visits GROUP BY day, kind';
  const planner = handPlanner();
  let test: TestApp;
  let name = '';
  let count = 0;
  /** All 600 days, as the proof would choose them: ten of them. */
  let days: readonly string[] = [];

  beforeAll(async () => {
    test = await openMaterializedApp({ planMaterialization: planner.plan });
    await test.sql(
      'CREATE TABLE visits (day Date, kind String, n UInt32) ENGINE = MergeTree ORDER BY kind',
    );
    await test.sql(
      "INSERT INTO visits SELECT toDate('2024-01-01') + number % 600, toString(number % 3), number FROM numbers(36000)",
    );
    const listed = await test.sql('SELECT DISTINCT day FROM visits ORDER BY sipHash64(day)');
    days = listed.trim().split('\n');
  });
  afterAll(() => test.close());
  beforeEach(() => {
    name = `g${++count}`;
  });

  /** Stored with another total on one day. */
  async function syncWrongOn(day: string, end = ''): Promise<Record<string, unknown>> {
    const stored = `SELECT day, kind, total + if(day = '${day}', 1, 0) AS total FROM (${query})`;
    planner.set({
      kind: 'plan',
      plan: {
        storedQuery: `SELECT * FROM (${stored}) AS q(__c0, __c1, __c2)`,
        readQuery: `SELECT __c0 AS day, __c1 AS kind, __c2 AS total FROM ${storedTable}`,
        sortingKey: [],
        predicates: [],
        aggregates: [],
        groupColumns: [
          { name: 'kind', column: '__c1' },
          { name: 'day', column: '__c0' },
        ],
      },
    });
    await save(test, name, { query: `${query}${end}`, is_materialized: true });
    await sync(test);
    return statusOf(test, name);
  }

  it('finds another value in the groups of every chosen day', async () => {
    expect(days).toHaveLength(600);
    for (const day of [days[0], days[9]]) {
      name = `g${++count}`;
      expect(await syncWrongOn(day ?? '')).toMatchObject({
        status: 'Failed',
        can_materialize: false,
        error: expect.stringMatching(new RegExp(`inline has \\["${day}",.* where|one more row`)),
      });
    }
  });

  it('does not read the days beyond them', async () => {
    expect(await syncWrongOn(days[10] ?? '')).toMatchObject({ status: 'Completed' });
  });

  it.each([';', ' ;;\n', '; -- the end', ' -- groups\n;'])(
    'compares the groups of a text that ends with %j',
    async (end) => {
      expect(await syncWrongOn('1999-01-01', end)).toMatchObject({ status: 'Completed' });
    },
  );

  it('leaves a right table be, with the same rows as inline', async () => {
    expect(await syncWrongOn('1999-01-01')).toMatchObject({ status: 'Completed', rows: 600 });
    const rows = async (refresh: string) => {
      const { results } = await run(test, name, { refresh });
      return (results as readonly unknown[]).map((row) => JSON.stringify(row)).sort();
    };
    expect(await rows('force')).toEqual(await rows('direct'));
  });
});
