import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

interface Plan {
  readonly reads: readonly { readonly table: string; readonly rows: number }[];
  readonly steps: readonly {
    readonly name: string;
    readonly description: string;
    readonly indexes: readonly {
      readonly kind: string;
      readonly granules: number;
      readonly granules_before: number;
    }[];
  }[];
}

interface Entry {
  readonly status: string;
  readonly error_code: string | null;
  readonly served_from: string;
  readonly plan: Plan | null;
}

const sold = `SELECT count() AS sold FROM sales
  WHERE city = {city:String} AND day >= {from:Date} GROUP BY city`;

/** The newest executions of an endpoint, as REST lists them. */
async function entriesOf(test: TestApp, name: string): Promise<readonly Entry[]> {
  const { body } = await test.rest('GET', `/endpoints/${name}/logs`);
  return body.results as readonly Entry[];
}

async function openShop(settings: Parameters<typeof openTestApp>[0]): Promise<TestApp> {
  const test = await openTestApp(settings);
  await test.sql('CREATE TABLE sales (city String, day Date) ENGINE = MergeTree ORDER BY city');
  await test.sql("INSERT INTO sales SELECT 'c' || number % 50, '2024-01-01' FROM numbers(100000)");
  const { status, text } = await test.rest('POST', '/endpoints', {
    body: { name: 'sold', query: sold },
  });
  if (status !== 201) throw new Error(text);
  return test;
}

function run(test: TestApp, more = '') {
  test.clock.advance(1000);
  const values = 'variables[city]=c7secret&variables[from]=2024-01-01';
  return test.rest('GET', `/endpoints/sold/run?${values}${more}`);
}

describe('the plans of slow executions', () => {
  let test: TestApp;

  beforeAll(async () => {
    test = await openShop({ slowExecutionMs: 0 });
  });
  afterAll(() => test?.close());

  it('are recorded with what was read by which index, and without values', async () => {
    expect((await run(test)).status).toBe(200);
    await eventually('the plan is recorded', async () => {
      return (await entriesOf(test, 'sold'))[0]?.plan !== null;
    });
    const [entry] = await entriesOf(test, 'sold');
    expect(entry?.plan?.reads).toMatchObject([{ table: 'sales' }]);
    const read = entry?.plan?.steps.find(({ name }) => name === 'ReadFromMergeTree');
    expect(read?.description).toBe('sales');
    const key = read?.indexes.find(({ kind }) => kind === 'PrimaryKey');
    expect(key?.granules).toBe(1);
    expect(key?.granules_before).toBeGreaterThan(10);
    const { prisma } = test.backends.metadata;
    const stored = await prisma.queryStatus.findMany({ select: { plan: true } });
    expect(JSON.stringify([entry, stored])).not.toMatch(/c7secret|2024-01-01/);
  });

  it('are the same by GraphQL', async () => {
    const [entry] = await entriesOf(test, 'sold');
    const { body } = await test.graphql(
      `query($project: ID!) { executions(projectId: $project, name: "sold") { entries { plan {
        reads { table rows parts granules }
        steps { depth name description indexes { kind parts parts_before: partsBefore granules granules_before: granulesBefore condition } }
      } } } }`,
      { project: test.project.id },
    );
    const text = JSON.stringify(body.data).replaceAll(',"condition":""', '');
    const { executions } = JSON.parse(text) as {
      readonly executions: { readonly entries: readonly unknown[] };
    };
    expect(executions.entries).toEqual([{ plan: entry?.plan }]);
  });

  it('are there of streams and of queries that are not saved', async () => {
    const planned = (count: number) =>
      eventually('the plan is recorded', async () => {
        const { body } = await test.rest('GET', '/logs');
        const entries = body.results as readonly Entry[];
        return entries.length === count && entries.every(({ plan }) => plan !== null);
      });
    await run(test, '&format=csv&refresh=force');
    await planned(2);
    const body = { query: 'SELECT max(day) AS d FROM sales' };
    expect((await test.rest('POST', '/query', { body })).status).toBe(200);
    await planned(3);
  });

  it('are none of reads of a stored table, and of the usage endpoint', async () => {
    await test.rest('PATCH', '/endpoints/sold', { body: { is_materialized: true } });
    await test.app.materialization.runOnce();
    const { body } = await run(test, '&refresh=force');
    expect(body.endpoint_materialized).toBe(true);
    expect((await test.rest('GET', '/endpoints/_usage/run')).status).toBe(200);
    await eventually('nothing is done any more', () => test.app.core.background.size() === 0);
    const [stored] = await entriesOf(test, 'sold');
    expect(stored).toMatchObject({ served_from: 'materialized', plan: null });
    const { body: log } = await test.rest('GET', '/logs?search=path=inline');
    const planless = (log.results as readonly (Entry & { readonly endpoint: string })[]).filter(
      ({ plan }) => plan === null,
    );
    expect(planless.map(({ endpoint }) => endpoint)).toEqual(['_usage']);
  });
});

describe('of executions that are not slow', () => {
  let test: TestApp;

  beforeAll(async () => {
    test = await openShop({ slowExecutionMs: 60_000 });
  });
  afterAll(() => test?.close());

  it('quick executions have no plan, and those that run out of time have', async () => {
    await test.rest('POST', '/endpoints', {
      body: {
        name: 'long',
        // Of many short blocks, between which the engine checks the time.
        query: 'SELECT sum(cityHash64(number)) AS n FROM numbers(1000000000000)',
      },
    });
    expect((await run(test)).status).toBe(200);
    const { body } = await test.graphql(
      'mutation { setProjectLimits(projectId: "@current", limits: { executionSeconds: 1 }) { id } }',
      {},
      { key: test.adminKey },
    );
    expect(body.errors).toBeUndefined();
    expect((await test.rest('GET', '/endpoints/long/run')).body.code).toBe('query_timeout');
    await eventually('the plan of the long one is recorded', async () => {
      return (await entriesOf(test, 'long'))[0]?.plan !== null;
    });
    expect((await entriesOf(test, 'long'))[0]).toMatchObject({ error_code: 'query_timeout' });
    expect((await entriesOf(test, 'sold'))[0]).toMatchObject({ status: 'completed', plan: null });
  });

  it('those that fail at the engine have one, unless it was a value that failed', async () => {
    await test.rest('POST', '/endpoints', {
      body: {
        name: 'fails',
        query: "SELECT sum(throwIf(city = {city:String}, 'refused')) AS x FROM sales",
      },
    });
    const fail = (name: string, values: string) =>
      test.rest('GET', `/endpoints/${name}/run?${values}`);
    expect((await fail('fails', 'variables[city]=c7')).body.code).toBe('query_failed');
    await eventually('the plan is recorded', async () => {
      return (await entriesOf(test, 'fails'))[0]?.plan !== null;
    });
    const [entry] = await entriesOf(test, 'fails');
    expect(entry).toMatchObject({ error_code: 'query_failed' });
    expect(entry?.plan?.reads).toMatchObject([{ table: 'sales' }]);
    const wrong = 'variables[city]=c7&variables[from]=no date';
    expect((await fail('sold', wrong)).status).toBe(400);
    await eventually('nothing is done any more', () => test.app.core.background.size() === 0);
    expect((await entriesOf(test, 'sold'))[0]).toMatchObject({ plan: null });
  });
});
