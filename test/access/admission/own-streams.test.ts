/** What lasts as long as its caller likes has half the places of its project, whatever limits that has of its own. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { openTestApp, type TestApp, type TestProject } from '../../support/test-app.ts';

let test: TestApp;
let away = new AbortController();

beforeAll(async () => {
  test = await openTestApp({ maxConcurrentQueries: 4 });
  const query = 'SELECT number, toString(cityHash64(number)) AS hash FROM numbers(3000000)';
  for (const project of [test.project, test.other])
    await test.rest('POST', '/endpoints', { project, body: { name: 'large', query } });
});
afterAll(() => test.close());

/** What is not held is collected, and then nobody hears that its caller goes. */
let held: Response[] = [];

/** With a body that nobody reads. */
async function open(offset: number, project: TestProject = test.project): Promise<Response> {
  const url = `http://querydock.test/api/projects/${project.id}/endpoints/large/run?format=csv&offset=${offset}`;
  const headers = { authorization: `Bearer ${project.readKey}` };
  const response = await test.app.fetch(new Request(url, { headers, signal: away.signal }));
  held.push(response);
  return response;
}

/** All callers go. */
async function leave(): Promise<void> {
  away.abort();
  away = new AbortController();
  await eventually('none is under way', () => test.app.core.streams.size() === 0);
  held = [];
}

it('streams are bounded by the slots of the project itself', async () => {
  const both = [await open(1), await open(2)];
  expect(both.map(({ status }) => status)).toEqual([200, 200]);
  expect((await open(3)).status).toBe(429);
  await leave();

  const { body } = await test.graphql(
    'mutation ($id: ID!) { setProjectLimits(projectId: $id, limits: { concurrentQueries: 2 }) { id } }',
    { id: test.project.id },
    { key: test.adminKey },
  );
  expect(body.errors).toBeUndefined();
  const only = await open(4);
  expect(only.status).toBe(200);
  const refused = await open(5);
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '1']);
  expect(await refused.json()).toMatchObject({
    code: 'too_many_concurrent_queries',
    detail: expect.stringContaining('already receiving 1 results'),
  });
  const others = [await open(6, test.other), await open(7, test.other)];
  expect(others.map(({ status }) => status)).toEqual([200, 200]);
  await leave();
});
