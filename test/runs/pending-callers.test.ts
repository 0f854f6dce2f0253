import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;

beforeAll(async () => {
  test = await openTestApp();
  await test.rest('POST', '/endpoints', { body: { name: 'one', query: 'SELECT 1' } });
  await test.rest('POST', '/endpoints', {
    body: {
      name: 'endless',
      query: 'SELECT sum(cityHash64(number)) AS s FROM numbers(1000000000000)',
    },
  });
});
afterAll(() => test.close());

async function statusOf(id: string) {
  const { body } = await test.graphql(
    'query ($id: ID!) { queryStatus(projectId: "@current", id: $id) { id complete } }',
    { id },
  );
  return body.data?.queryStatus as { id: string; complete: boolean } | null;
}

describe('a caller who joins the run of another', () => {
  it('is found by its own id, and sent away without harm to the other', async () => {
    const first = test.rest('GET', '/endpoints/endless/run?client_query_id=first');
    await eventually('the first runs', async () => (await statusOf('first')) !== null);
    const second = test.rest('GET', '/endpoints/endless/run?client_query_id=second');
    await eventually('the second waits', async () => (await statusOf('second')) !== null);
    expect((await statusOf('second'))?.id).toBe((await statusOf('first'))?.id);
    await test.graphql('mutation { cancelQuery(projectId: "@current", id: "second") { id } }');
    expect((await second).body).toMatchObject({ code: 'query_cancelled' });
    expect(await statusOf('first')).toMatchObject({ complete: false });
    expect(test.app.core.flights.size()).toBe(1);
    await test.graphql('mutation { cancelQuery(projectId: "@current", id: "first") { id } }');
    expect((await first).body).toMatchObject({ code: 'query_cancelled' });
    await eventually('nobody runs', () => test.app.core.flights.size() === 0);
  });
});

it('a run that was served from the cache is found by its id as the execution that computed it', async () => {
  const { body } = await test.rest('GET', '/endpoints/one/run');
  await test.rest('GET', '/endpoints/one/run?client_query_id=from-cache');
  expect(await statusOf('from-cache')).toMatchObject({ id: body.execution_id, complete: true });
});
