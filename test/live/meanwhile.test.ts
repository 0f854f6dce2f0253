/** Streams while something else is under way, or fails: the callers that join, the keys, and the refreshes. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openSalesApp, save } from '../rest/support/sales.ts';
import { type EventReader, readEvents } from '../support/events.ts';
import { eventually } from '../support/eventually.ts';
import { type HeldEngine, openHeldEngine } from '../support/held-engine.ts';
import type { TestApp } from '../support/test-app.ts';

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

const accept = 'text/event-stream';

async function open(ask: (signal: AbortSignal) => Promise<Response>): Promise<EventReader> {
  const reader = await readEvents(ask);
  readers.push(reader);
  return reader;
}

const followStatus = (id: string, key: string) =>
  open((signal) =>
    test.app.fetch(
      new Request('http://querydock.test/graphql', {
        method: 'POST',
        headers: { authorization: `Bearer ${key}`, accept, 'content-type': 'application/json' },
        body: JSON.stringify({
          query: `subscription { queryStatus(projectId: "@current", id: "${id}") { complete } }`,
        }),
        signal,
      }),
    ),
  );

const isHeld = () => Promise.resolve(held.held() > 0);

describe('a status', () => {
  it('is followed on when another caller that joins may not read it', async () => {
    await save(test, 'followed', { query: "SELECT 1 AS n, 'followed' AS o" });
    held.hold("'followed'");
    const run = test.rest('GET', '/endpoints/followed/run?client_query_id=followed');
    await eventually('it runs', isHeld);
    const reader = await followStatus('followed', test.project.readKey);
    expect((await reader.until(1))[0]?.data).toEqual({
      data: { queryStatus: { complete: false } },
    });
    const { key } = await test.issueKey({ scopes: ['data:write'], projects: [test.project] });
    const refused = await followStatus('followed', key);
    expect((await refused.until(1))[0]?.data).toMatchObject({
      errors: [{ extensions: { code: 'permission_denied' } }],
    });
    held.release();
    expect((await run).status).toBe(200);
    await eventually('it is over', () => {
      test.clock.advance(1000);
      test.app.live.tick();
      return reader.isOver();
    });
    expect(reader.events.findLast(({ event }) => event === 'next')?.data).toEqual({
      data: { queryStatus: { complete: true } },
    });
  });
});
