/** Queries in which each shard of a Distributed table looks up its own rows of another table. */
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openLog } from '../../../src/config/open-log.ts';
import { openTestApp, type TestApp } from '../../support/test-app.ts';
import { openTwoNodes, type TwoNodes } from '../../support/two-nodes.ts';
import {
  evenly,
  materialized,
  measured,
  run,
  save,
  servedRows,
  statusOf,
  sync,
} from '../support/materialized.ts';

let nodes: TwoNodes;
let test: TestApp;
beforeAll(async () => {
  nodes = await openTwoNodes();
  const servers = { engine: nodes.shared, postgres: inject('postgres') };
  test = await openTestApp({}, openLog('silent'), { servers, workerTimes: evenly });
  const database = `project_${test.project.id}`;
  for (const node of [0, 1] as const) {
    for (const sql of [
      'CREATE DATABASE IF NOT EXISTS $',
      'CREATE TABLE $.events_part (user UInt32, x UInt8) ENGINE = MergeTree ORDER BY user',
      `INSERT INTO $.events_part SELECT number * 2 + ${node}, number % 5 FROM numbers(300)`,
      'CREATE TABLE $.users_part (user UInt32, plan String) ENGINE = MergeTree ORDER BY user',
      `INSERT INTO $.users_part SELECT number * 2 + ${node}, ['free', 'pro'][number % 2 + 1] FROM numbers(300)`,
      `CREATE TABLE $.events AS $.events_part ENGINE = Distributed(${nodes.clusters.shards}, $, events_part, user)`,
      `CREATE TABLE $.users AS $.users_part ENGINE = Distributed(${nodes.clusters.shards}, $, users_part, user)`,
      "CREATE TABLE $.merged AS $.events_part ENGINE = Merge($, '^events$')",
      'CREATE TABLE $.buffered AS $.events_part ENGINE = Buffer($, events, 1, 10, 100, 10000, 1000000, 10000000, 100000000)',
      "CREATE VIEW $.pros AS SELECT e.user AS user, e.x AS x FROM $.events AS e JOIN $.users_part AS u ON e.user = u.user WHERE u.plan = 'pro'",
    ])
      await nodes.sql(node, sql.replaceAll('$', database));
  }
});
afterAll(async () => {
  await test?.close();
  await nodes?.stop();
});

const shared = 'SELECT plan, count() AS n FROM events AS e';
const grouped = 'GROUP BY plan ORDER BY plan';
let saved = 0;
const newName = () => `shards_${++saved}`;

describe('the rows of all shards are stored', () => {
  it.each([
    ['a join', `${shared} JOIN users_part AS u ON e.user = u.user ${grouped}`, {}],
    [
      'a join with a condition on a variable',
      `${shared} JOIN users_part AS u ON e.user = u.user WHERE e.x > {x:UInt8} ${grouped}`,
      { x: 1 },
    ],
    [
      'IN',
      "SELECT count() AS n FROM events WHERE x > {x:UInt8} AND user IN (SELECT user FROM users_part WHERE plan = 'pro')",
      { x: 1 },
    ],
    [
      'IN of a CTE',
      "WITH pros AS (SELECT user FROM users_part WHERE plan = 'pro') SELECT count() AS n FROM events WHERE user IN pros",
      {},
    ],
    [
      'a view',
      'SELECT x, count() AS n FROM pros WHERE x > {x:UInt8} GROUP BY x ORDER BY x',
      { x: 1 },
    ],
    [
      'a Merge table',
      'SELECT count() AS n FROM merged WHERE user IN (SELECT user FROM users_part)',
      {},
    ],
    [
      'a Buffer table',
      'SELECT count() AS n FROM buffered AS e JOIN users_part AS u ON e.user = u.user WHERE e.x > {x:UInt8}',
      { x: 1 },
    ],
    [
      'GLOBAL IN with a variable in its subquery',
      'SELECT count() AS n FROM events WHERE user GLOBAL IN (SELECT user FROM users WHERE plan = {plan:String})',
      { plan: 'pro' },
    ],
    [
      'a subquery that gives one value',
      'SELECT count() AS n, (SELECT count() FROM users WHERE plan = {plan:String}) AS m FROM events',
      { plan: 'pro' },
    ],
  ])('of %s', async (_what, query, variables) => {
    const name = newName();
    await materialized(test, name, { query });
    await measured(test, name);
    expect(await servedRows(test, name, variables)).not.toEqual([]);
  });
});

it.each([
  [
    'a subquery of IN',
    'SELECT count() AS n FROM events WHERE user IN (SELECT user FROM users_part WHERE plan = {plan:String})',
  ],
  [
    'the condition of a join',
    'SELECT count() AS n FROM events AS e JOIN users_part AS u ON e.user = u.user AND u.plan = {plan:String}',
  ],
])('is refused for a variable in %s, which needs several tables', async (_what, query) => {
  const name = newName();
  await save(test, name, { query, is_materialized: true });
  expect(await sync(test)).toEqual(['failed']);
  expect(await statusOf(test, name)).toMatchObject({
    can_materialize: false,
    reason: expect.stringMatching(
      /^Each shard of \w+\.events looks up its own rows of \w+\.users_part, .*\bGLOBAL JOIN or GLOBAL IN\.$/,
    ),
  });
  expect(await run(test, name, { variables: { plan: 'pro' } })).toMatchObject({
    served_from: 'inline',
    results: [[300]],
  });
});
