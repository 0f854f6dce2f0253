/** What is compared before a table is served, with the engine's own comparison and the planner of the service. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { storedTable } from '../../../src/model/materialization-plan.ts';
import { openEngineRelay } from '../../support/engine-relay.ts';
import type { TestApp } from '../../support/test-app.ts';
import { handPlanner, wrongPlan } from '../support/hand-plans.ts';
import {
  expectNoOrphans,
  ofCountry,
  openMaterializedApp,
  run,
  save,
  statusOf,
  sync,
} from '../support/materialized.ts';

const planner = handPlanner();
let test: TestApp;
let name = '';
let count = 0;

beforeAll(async () => {
  test = await openMaterializedApp({ planMaterialization: planner.plan });
  await test.sql(
    'CREATE TABLE points (id UInt32, label Nullable(String), x Float64, xs Array(Float64)) ENGINE = MergeTree ORDER BY id',
  );
  await test.sql(
    "INSERT INTO points SELECT number, if(number % 7 = 0, NULL, concat('l', toString(number % 50))), number / 3, [number / 7] FROM numbers(60000)",
  );
});
afterAll(() => test.close());
beforeEach(async () => {
  await test.backends.metadata.prisma.endpoint.deleteMany();
  await expectNoOrphans(test);
  name = `p${++count}`;
});

/** A query without variables, and what a planner stores instead of it. */
async function syncWith(query: string, stored: string): Promise<Record<string, unknown>> {
  planner.set({
    kind: 'plan',
    plan: {
      storedQuery: stored,
      readQuery: `SELECT * FROM ${storedTable}`,
      sortingKey: [],
      predicates: [],
      aggregates: [],
    },
  });
  await save(test, name, { query, is_materialized: true });
  await sync(test);
  return statusOf(test, name);
}

const every = 'SELECT id, label, x FROM points';
const not = (difference: RegExp) => ({
  status: 'Failed',
  can_materialize: false,
  ready: false,
  error: expect.stringMatching(difference),
});

describe('more rows than anybody would fetch are compared whole', () => {
  it('the same are the same, in any order', async () => {
    expect(await syncWith(every, `${every} ORDER BY x DESC`)).toMatchObject({
      status: 'Completed',
      rows: 60_000,
    });
  });

  it.each([
    [
      'one other value',
      "SELECT id, if(id = 54321, 'other', label) AS label, x FROM points",
      /inline has one more row \[54321,"l21",18107\] than the stored table\.$/,
    ],
    [
      'NULL instead of an empty text',
      'SELECT id, if(id = 3, NULL, label) AS label, x FROM points',
      /inline has one more row \[3,"l3",1\] than/,
    ],
    [
      'a row twice and another not',
      "SELECT if(id = 6, 5, id) AS id, if(id = 6, 'l5', label) AS label, if(id = 6, 5 / 3, x) AS x FROM points",
      /inline has one more row \[6,"l6",2\] than/,
    ],
    [
      'another value beside NULL',
      'SELECT id, label, if(id = 7, 100, x) AS x FROM points',
      /inline has \[7,null,2\.33\d*\] where the stored table gives \[7,null,100\]/,
    ],
    [
      'a row too many',
      'SELECT id, label, x FROM points UNION ALL SELECT id, label, x FROM points WHERE id = 9',
      /the stored table gives one more row \[9,"l9",3\] than inline/,
    ],
    [
      'a floating point number that is another',
      'SELECT id, label, if(id = 3000, 1000.001, x) AS x FROM points',
      /inline has \[3000,"l0",1000\] where the stored table gives \[3000,"l0",1000\.001\]/,
    ],
    [
      'NaN instead of a number',
      'SELECT id, label, if(id = 3000, nan, x) AS x FROM points',
      /inline has \[3000,"l0",1000\] where the stored table gives \[3000,"l0",null\]/,
    ],
  ])('%s is found', async (_what, stored, difference) => {
    expect(await syncWith(every, stored)).toMatchObject(not(difference));
    expect(await run(test, name, { limit: 1 })).toMatchObject({ inline_reason: 'failed' });
  });

  it('another type or name of a column is found', async () => {
    const stored = 'SELECT toUInt64(id) AS id, label, x FROM points';
    expect(await syncWith(every, stored)).toMatchObject(
      not(/the columns are id UInt32, .* inline and id UInt64, /),
    );
  });

  it('digits that depend on the order of adding up are no difference', async () => {
    const sums = (order: string) =>
      `SELECT label, sum(x) AS s, sum(-x) AS m FROM (SELECT * FROM points ORDER BY ${order}) GROUP BY label`;
    const last = 'SELECT label, s * (1 + 2e-16) AS s, m FROM';
    expect(await syncWith(sums('id'), `${last} (${sums('id DESC')})`)).toMatchObject({
      status: 'Completed',
    });
  });

  it('two numbers with the sum of two others are a difference', async () => {
    const query = 'SELECT 1 AS k, x FROM points WHERE id IN (3, 9)';
    const stored = 'SELECT 1 AS k, x * 0 + 2 AS x FROM points WHERE id IN (3, 9)';
    expect(await syncWith(query, stored)).toMatchObject(not(/inline has/));
  });
});

describe('a query that runs may not finish', () => {
  it('is materialized all the same, when the time limit of runs stops the comparison', async () => {
    const slow = await openMaterializedApp({}, { queryTimeoutSeconds: 1 });
    try {
      const query = 'SELECT sum(cityHash64(number) % 7) AS s FROM numbers(600000000)';
      await save(slow, 'slow', { query, is_materialized: true });
      // A machine that is busy may answer too late at all; the sync is then tried again, as ever.
      for (let turn = 0; turn < 5 && (await sync(slow)).includes('failed'); turn += 1) {
        slow.clock.advance(3_600_000);
      }
      expect(await statusOf(slow, 'slow')).toMatchObject({ status: 'Completed', error: null });
      expect(await run(slow, 'slow')).toMatchObject({ served_from: 'materialized' });
    } finally {
      await slow.close();
    }
  });

  it('fails its sync when it fails either way', async () => {
    const query = 'SELECT throwIf(id = 59999) AS t FROM points';
    expect(await syncWith(query, query)).toMatchObject({ status: 'Failed', can_materialize: true });
  });

  it('but not when only one of both fails', async () => {
    const query = 'SELECT throwIf(id = 59999) AS t FROM points';
    expect(await syncWith(query, 'SELECT toUInt8(0) AS t FROM points')).toMatchObject(
      not(/only the query itself fails/),
    );
  });
});

describe('an engine that breaks off in the middle', () => {
  it.each([
    ['as the results are summed up', 'toString(groupBitXor(h))'],
    ['as the row that differs is looked for', 'countIf(s = -1)'],
  ])('%s is asked again later: that is no difference', async (_when, text) => {
    const relay = await openEngineRelay();
    const away = await openMaterializedApp(
      { planMaterialization: planner.plan },
      { clickhouseUrl: relay.clickhouseUrl },
    );
    try {
      planner.set({ kind: 'plan', plan: wrongPlan });
      await save(away, 'away', { query: ofCountry, is_materialized: true });
      expect(await relay.breakingAt(text, () => sync(away))).toEqual(['failed']);
      const status = await statusOf(away, 'away');
      expect(status).toMatchObject({ status: 'Failed', can_materialize: true, ready: false });
      expect(status.error).not.toMatch(/differ|does not give the same/);
      away.clock.advance(30_000);
      expect(await sync(away)).toEqual(['failed']);
      expect(await statusOf(away, 'away')).toMatchObject(not(/does not give the same/));
      await expectNoOrphans(away);
    } finally {
      await away.close();
      await relay.close();
    }
  });
});
