import { auditServer } from 'graphql-http';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;

beforeAll(async () => {
  test = await openTestApp();
});
afterAll(() => test.close());

it('passes every MUST and SHOULD of the GraphQL-over-HTTP audit', async () => {
  const results = await auditServer({
    url: 'http://querydock.test/graphql',
    fetchFn: (url: string, init: RequestInit) => test.app.fetch(new Request(url, init)),
  });
  const failed = results
    .filter((result) => result.status === 'error' || result.status === 'warn')
    .map((result) => `${result.status} ${result.name}: ${'reason' in result ? result.reason : ''}`);
  expect(failed).toEqual([]);
  expect(results.length).toBeGreaterThan(50);
});
