/** Followers whose keys have used up their requests, and those who follow the same result with other keys. */
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { addSale, openSalesApp, save } from '../rest/support/sales.ts';
import { type EventReader, readEvents } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import type { TestApp } from '../support/test-app.ts';

let test: TestApp;
const readers: EventReader[] = [];

beforeAll(async () => {
  test = await openSalesApp({ ratePerKey: 20 });
});
afterEach(() => {
  for (const reader of readers.splice(0)) reader.close();
});
afterAll(async () => {
  await test.close();
});

const issueKey = async () =>
  (await test.issueKey({ scopes: ['endpoint:read'], projects: [test.project] })).key;

async function follow(key: string): Promise<EventReader> {
  const reader = await readEvents((signal) =>
    test.app.fetch(
      new Request(`http://querydock.test/api/projects/${test.project.id}/endpoints/shared/run`, {
        headers: { authorization: `Bearer ${key}`, accept: 'text/event-stream' },
        signal,
      }),
    ),
  );
  readers.push(reader);
  await reader.until(1);
  return reader;
}

/** Runs until the key is refused. */
async function useUp(key: string): Promise<void> {
  for (;;) {
    const { status } = await test.rest('GET', '/endpoints/shared/run', { key });
    if (status === 429) return;
    expect(status).toBe(200);
  }
}

it('a key that has used up its requests keeps nobody waiting, until all have', async () => {
  await save(test, 'shared', { query: 'SELECT count() AS n FROM sales' });
  const [busy, idle] = [await issueKey(), await issueKey()];
  const followers = [await follow(busy), await follow(idle), await follow(busy)];
  const events = () => followers.map((reader) => reader.events.map(({ event }) => event));
  await useUp(busy);
  for (const count of [2, 3, 4]) {
    await addSale(test);
    await Promise.all(followers.map((reader) => reader.until(count)));
  }
  const results = Array.from({ length: 4 }, () => 'result');
  expect(events()).toEqual(followers.map(() => results));

  await useUp(idle);
  await addSale(test);
  await Promise.all(followers.map((reader) => reader.until(5)));
  expect(events()).toEqual(followers.map(() => [...results, 'error']));
  expect(followers[1]?.events.at(-1)?.data).toMatchObject({ code: 'throttled' });
  await eventually('the minute is over', () => {
    test.clock.advance(61_000);
    test.app.live.tick();
    return followers.every((reader) => reader.events.length === 6);
  });
  expect(events()).toEqual(followers.map(() => [...results, 'error', 'result']));
});
