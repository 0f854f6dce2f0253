/** Results that are larger than the service returns: an error, never a shorter answer. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSalesApp, run, save } from '../rest/support/sales.ts';
import type { TestApp } from '../support/test-app.ts';

let test: TestApp;

beforeAll(async () => {
  test = await openSalesApp({ maxResultBytes: 100_000 });
  await save(test, 'large', { query: "SELECT repeat('x', 1000) AS x FROM numbers(400)" });
});
afterAll(() => test.close());

describe('a result above the limit', () => {
  it('is refused, with a message on what to do', async () => {
    const { status, body } = await test.rest('POST', '/endpoints/large/run', { body: {} });
    expect(status).toBe(400);
    expect(body).toEqual({
      type: 'validation_error',
      code: 'query_too_large',
      detail: expect.stringContaining('fewer rows'),
      attr: null,
    });
  });

  it('is returned when fewer rows are requested', async () => {
    const body = await run(test, 'large', { limit: 10 });
    expect(body.results).toHaveLength(10);
    expect(body.hasMore).toBe(true);
  });
});
