/** RateLimit-… headers: what is left of the budget that a caller uses up first. */
import { afterEach, expect, it } from 'vitest';
import type { Config } from '../../../src/config/config.ts';
import { openSalesApp, save } from '../../rest/support/sales.ts';
import type { TestApp } from '../../support/test-app.ts';

let test: TestApp;
afterEach(() => test.close());

async function open(settings: Partial<Config>) {
  test = await openSalesApp(settings);
  await save(test, 'sales');
}

const limits = ({ headers }: { readonly headers: Headers }) =>
  ['limit', 'remaining', 'reset'].map((name) => headers.get(`ratelimit-${name}`));
const run = (headers: Readonly<Record<string, string>> = {}) =>
  test.rest('GET', '/endpoints/sales/run', { key: test.project.readKey, headers });

it('counts down with each run, from the cache as well, and begins anew', async () => {
  await open({ ratePerKey: 5, ratePerProject: 0 });
  expect(limits(await run())).toEqual(['5', '4', '60']);
  test.clock.advance(20_500);
  const cached = await run();
  expect(cached.body).toMatchObject({ is_cached: true });
  expect(limits(cached)).toEqual(['5', '3', '40']);
  const same = await run({ 'if-none-match': cached.headers.get('etag') ?? '' });
  expect([same.status, ...limits(same)]).toEqual([304, '5', '2', '40']);
  const document = '{ runEndpoint(projectId: "@current", name: "sales") { results } }';
  expect(limits(await test.graphql(document, {}, { key: test.project.readKey }))[1]).toBe('1');
  const list = await test.rest('GET', '/endpoints', { key: test.project.readKey });
  expect(limits(list)).toEqual(['5', '0', '40']);
  const refused = await run();
  expect([refused.status, ...limits(refused)]).toEqual([429, '5', '0', '40']);
  expect(refused.headers.get('retry-after')).toBe('40');
  test.clock.advance(40_000);
  expect(limits(await run())).toEqual(['5', '4', '60']);
});

it('tells the budget of the project where that is closer to its end', async () => {
  await open({ ratePerKey: 100, ratePerProject: 4 });
  expect(limits(await run())).toEqual(['4', '2', '60']);
});

it('is absent without a limit, and without a key', async () => {
  await open({ ratePerKey: 0, ratePerProject: 0 });
  expect(limits(await run())).toEqual([null, null, null]);
  const unknown = await test.rest('GET', '/endpoints', { key: null });
  expect(limits(unknown)).toEqual([null, null, null]);
});

it('is on the wire, where the headers of a cached response are prepared as text', async () => {
  await open({ ratePerKey: 10, ratePerProject: 0, port: 0 });
  const { host, port } = await test.app.start();
  const url = `http://${host}:${port}/api/projects/${test.project.id}/endpoints/sales/run`;
  const headers = { authorization: `Bearer ${test.project.readKey}` };
  const left: (string | null)[] = [];
  for (let n = 0; n < 5; n += 1) {
    const response = await fetch(url, { headers });
    await response.text();
    left.push(response.headers.get('ratelimit-remaining'));
  }
  expect(left).toEqual(['9', '8', '7', '6', '5']);
});
