/**
 * The short form of `npm run bench -- fairness overload`: what everybody is told while one project asks for far more than
 * the engine can do. On outcomes; how fast it is the bench measures.
 */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type BusyApp, openBusyApp } from '../support/busy.ts';

const queued = 4;
const offered = 60;
let test: BusyApp;

beforeAll(async () => {
  test = await openBusyApp({
    engineCores: 2,
    maxEngineQueries: 2,
    maxQueuedQueries: queued,
    queueSeconds: 600,
  });
});
afterEach(() => test.freeAll());
afterAll(() => test.close());

it('what is too much is refused with a time to wait, the rest gets right results, and others go on', async () => {
  const blocker = await test.block();
  const numbers = Array.from({ length: offered }, (_, n) => 4_000_000 + n);
  const waiting: Promise<unknown>[] = [];
  const responses = numbers.map((n) => test.quick({ n }));
  const settled: { readonly n: number; readonly status: number }[] = [];
  const refused = new Promise<void>((resolve) => {
    for (const [at, response] of responses.entries()) {
      waiting.push(
        response.then(({ status, headers, body }) => {
          const n = numbers[at] ?? 0;
          settled.push({ n, status });
          if (status === 200) return expect(body.results).toEqual([[n]]);
          expect([429, 503]).toContain(status);
          expect(headers.get('retry-after')).toMatch(/^[1-9]\d*$/);
          if (settled.length === offered - queued) resolve();
        }),
      );
    }
  });
  await refused;
  expect(settled.every(({ status }) => status !== 200)).toBe(true);
  expect(test.app.core.admission.waiting()).toBe(queued);

  // Another project finds its place at once, as often as it asks.
  for (let at = 0; at < 5; at += 1) {
    const other = await test.quick({ project: test.other, n: 5_000_000 + at });
    expect(other).toMatchObject({ status: 200, body: { results: [[5_000_000 + at]] } });
  }
  expect(test.app.core.admission.waiting()).toBe(queued);

  await blocker.free();
  await Promise.all(waiting);
  expect(settled.filter(({ status }) => status === 200)).toHaveLength(queued);
  expect(test.app.core.admission.waiting()).toBe(0);
  for (let at = 0; at < 5; at += 1) expect((await test.quick()).status).toBe(200);
});
