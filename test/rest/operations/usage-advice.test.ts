/** Advice beside what the test did: each kind is told once, with its numbers, and nothing else is. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { statementsOf } from '../../support/statements.ts';
import type { TestApp } from '../../support/test-app.ts';
import { describeAccess } from '../support/access.ts';
import { change, openSalesApp, save } from '../support/sales.ts';

let test: TestApp;
const start = '2026-01-01T12:00:00.000Z';
const dayMs = 86_400_000;

interface Advice {
  readonly kind: string;
  readonly endpoint: string;
  readonly version: number;
  readonly key: { readonly prefix: string } | null;
  readonly detail: string;
  readonly facts: Readonly<Record<string, unknown>>;
}

async function ask(): Promise<readonly Advice[]> {
  const { status, body } = await test.rest('GET', '/usage/advice');
  expect(status).toBe(200);
  return body.results as readonly Advice[];
}

async function run(times: number, path: string, key = test.project.writeKey): Promise<void> {
  for (let at = 0; at < times; at += 1) {
    const { status } = await test.rest('GET', `/endpoints/${path}`, { key });
    expect(status).toBe(200);
  }
}

const optional = {
  kind: 'SQLQuery',
  query:
    'SELECT amount, rand() AS chance FROM sales WHERE country = {country:String} AND note != {without:String} AND day >= {since:Date}',
  variables: {
    without: { code_name: 'without', value: '' },
    since: { code_name: 'since', value: '2000-01-01' },
  },
};

beforeAll(async () => {
  test = await openSalesApp();
  test.clock.set(start);
  await test.sql(
    'CREATE TABLE events (kind UInt8, value UInt32) ENGINE = MergeTree ORDER BY value AS SELECT number % 7, number FROM numbers(1000000)',
  );
  await save(test, 'forgotten');
  test.clock.advance(1000);
  await save(test, 'used_long_ago');
  await save(test, 'switched_off', { is_active: false });
  await run(1, 'used_long_ago/run');
  test.clock.advance(91 * dayMs);
  await save(test, 'new_one');
  await save(test, 'pinned', { query: 'SELECT 1 AS n' });
  await change(test, 'pinned', { query: 'SELECT 2 AS n' });
  await save(test, 'steady', {
    query: 'SELECT sum(amount) AS n FROM sales',
    cache_age_seconds: 10,
  });
  await save(test, 'moving', { query: 'SELECT count() AS n FROM sales', cache_age_seconds: 10 });
  await save(test, 'optional', { query: optional });
  await save(test, 'heavy', {
    query: 'SELECT kind, uniqExact(value) AS n FROM events GROUP BY kind',
  });
  await save(test, 'daily', {
    query: 'SELECT {least:UInt8} AS n',
    cache_age_seconds: 86_400,
  });
  await run(3, 'pinned/run?version=1');
  const runDaily = async () => {
    for (let least = 0; least < 10; least += 1) await run(1, `daily/run?variables[least]=${least}`);
  };
  await runDaily();
  test.clock.advance(dayMs + 1000);
  await runDaily();
  await run(4, 'pinned/run?version=1', test.project.readKey);
  await run(2, 'pinned/run');
  for (let at = 0; at < 12; at += 1) {
    await run(1, 'steady/run');
    await run(1, 'moving/run');
    await test.sql("INSERT INTO sales VALUES ('it', 0, '2026-01-03', NULL)");
    test.clock.advance(11_000);
  }
  const given = 'variables[country]=de&refresh=force';
  await run(20, `optional/run?${given}`);
  await run(1, `optional/run?${given}&variables[without]=two`);
  await run(20, 'heavy/run?refresh=force');
  await change(test, 'pinned', { query: 'SELECT 3 AS n' });
});
afterAll(() => test.close());

describe('200', () => {
  it('tells each kind with its numbers, and nothing of what gives no reason to', async () => {
    await eventually('the gains are measured', async () =>
      (await ask()).every(({ facts }) => facts.expected_gain !== null),
    );
    const told = await ask();
    expect(told.map(({ kind, endpoint }) => [kind, endpoint])).toEqual([
      ['unused_endpoint', 'forgotten'],
      ['unused_endpoint', 'used_long_ago'],
      ['old_version', 'pinned'],
      ['cache_age', 'steady'],
      ['materialize', 'heavy'],
      ['unused_variables', 'optional'],
    ]);
    const [never, long, old, steady, heavy, variables] = told;
    expect(never?.facts).toEqual({ created_at: start, last_executed_at: null });
    const later = '2026-01-01T12:00:01.000Z';
    expect(long?.facts).toEqual({ created_at: later, last_executed_at: later });
    expect(old).toMatchObject({
      version: 1,
      key: { prefix: test.project.readKey.slice(0, old?.key?.prefix.length) },
      detail: expect.stringContaining('after version 2 was saved. The current version is 3.'),
      facts: { current_version: 3, runs: 4, last_day: '2026-04-03' },
    });
    expect(steady?.facts).toEqual({ cache_age_seconds: 10, recomputed: 11, unchanged: 11 });
    expect(heavy?.facts).toMatchObject({ executions: 20 });
    const { engine_seconds: took, expected_saved_seconds: saved } = heavy?.facts ?? {};
    const gain = Number(heavy?.facts.expected_gain);
    expect(gain).toBeGreaterThan(1.5);
    expect(saved).toBeCloseTo(Number(took) * (1 - 1 / gain), 6);
    expect(variables?.facts).toEqual({ variables: ['since'], executions: 21 });
    expect(variables?.detail).toContain('since');
  });

  it('is told alike by GraphQL, for one project only', async () => {
    const document =
      'query ($id: ID!) { usageAdvice(projectId: $id) { kind endpoint version key { prefix } detail facts } }';
    const { body } = await test.graphql(document, { id: test.project.id });
    const told = (await ask()).map(({ kind, endpoint, version, key, detail, facts }) => ({
      kind,
      endpoint,
      version,
      key: key === null ? null : { prefix: key.prefix },
      detail,
      facts,
    }));
    expect(body.data).toEqual({ usageAdvice: told });
    const { body: other } = await test.rest('GET', '/usage/advice', { project: test.other });
    expect(other).toEqual({ results: [] });
  });

  it('costs the same statements whatever was found', async () => {
    const found = await statementsOf(test, ask);
    const none = await statementsOf(test, () =>
      test.rest('GET', '/usage/advice', { project: test.other }),
    );
    expect(found.length).toBe(none.length);
  });
});

it('is for keys that may write endpoints', async () => {
  const { readKey: key } = test.project;
  expect((await test.rest('GET', '/usage/advice', { key })).status).toBe(403);
});

describeAccess(() => test, {
  method: 'GET',
  scope: 'endpoint:write',
  status: 200,
  call: async () => ({ path: '/usage/advice' }),
});
