/** The wall clock is set back while streams are open: what is due by an interval comes as if it had not been. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { openSalesApp, save } from '../rest/support/sales.ts';
import { type EventReader, readEvents } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { type HeldEngine, openHeldEngine } from '../support/held-engine.ts';
import type { TestApp } from '../support/test-app.ts';

const hour = 3_600_000;
let held: HeldEngine;
let test: TestApp;
const readers: EventReader[] = [];

beforeAll(async () => {
  held = await openHeldEngine();
  test = await openSalesApp({ clickhouseUrl: held.clickhouseUrl });
});
afterEach(() => {
  held.release();
  for (const reader of readers.splice(0)) reader.close();
});
afterAll(async () => {
  await test.close();
  await held.close();
});

async function follow(path: string, init: RequestInit = {}): Promise<EventReader> {
  const headers = {
    authorization: `Bearer ${test.project.readKey}`,
    accept: 'text/event-stream',
    'content-type': 'application/json',
  };
  const reader = await readEvents((signal) =>
    test.app.fetch(new Request(`http://querydock.test${path}`, { ...init, headers, signal })),
  );
  readers.push(reader);
  return reader;
}

const followRun = (path: string) => follow(`/api/projects/${test.project.id}/endpoints/${path}`);

function pass(ms: number): void {
  test.clock.advance(ms);
  test.app.live.tick();
}

const rowsOf = (event: { readonly data: unknown } | undefined) =>
  (event?.data as { readonly results: readonly unknown[] } | undefined)?.results;

for (const [what, path] of [
  ['a stream with an interval', 'run?interval_seconds=30'],
  ['a stream that follows the cache age', 'run'],
] as const) {
  it(`${what} computes its result again when it is due`, async () => {
    const name = path.length > 3 ? 'polled' : 'aged';
    await save(test, name, { query: 'SELECT count() FROM sales', cache_age_seconds: 30 });
    const reader = await followRun(`${name}/${path}`);
    const [first] = await reader.until(1);
    const [[before = 0] = []] = rowsOf(first) as number[][];
    await test.sql("INSERT INTO sales VALUES ('se', 4, '2026-03-01', NULL)");
    pass(-hour);
    pass(30_000);
    const [, next] = await reader.until(2);
    expect(rowsOf(next)).toEqual([[before + 1]]);
    await test.sql("INSERT INTO sales VALUES ('no', 4, '2026-03-01', NULL)");
    pass(30_000);
    const [, , last] = await reader.until(3);
    expect(rowsOf(last)).toEqual([[before + 2]]);
  });
}

it('a status is read again', async () => {
  await save(test, 'followed', { query: "SELECT 1 AS n, 'followed' AS o" });
  held.hold("'followed'");
  const run = test.rest('GET', '/endpoints/followed/run?client_query_id=followed');
  await eventually('it runs', () => Promise.resolve(held.held() > 0));
  const query = 'subscription { queryStatus(projectId: "@current", id: "followed") { complete } }';
  const reader = await follow('/graphql', { method: 'POST', body: JSON.stringify({ query }) });
  await reader.until(1);
  pass(-hour);
  held.release();
  expect((await run).status).toBe(200);
  await eventually('it is over', () => {
    pass(1000);
    return reader.isOver();
  });
});
