/** Streams while something else is under way, or fails: the callers that join, the keys, and the refreshes. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors/service-error.ts';
import { commandLineActor } from '../../src/model/actor.ts';
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

const followRun = (path: string, key = test.project.readKey) =>
  open((signal) =>
    test.app.fetch(
      new Request(`http://querydock.test/api/projects/${test.project.id}/endpoints/${path}`, {
        headers: { authorization: `Bearer ${key}`, accept },
        signal,
      }),
    ),
  );

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

describe('a key', () => {
  it('keeps its streams while it cannot be read, and loses them when it is revoked', async () => {
    await save(test, 'watched', { query: 'SELECT 1 AS n' });
    const { id, key } = await test.issueKey({
      scopes: ['endpoint:read'],
      projects: [test.project],
    });
    const reader = await followRun('watched/run', key);
    await reader.until(1);
    const away = keysAreAway();
    test.clock.advance(31_000);
    test.app.live.tick();
    await eventually('the key was looked up', () => away.failed() > 0);
    away.end();
    test.app.live.tick();
    expect(await test.app.core.keys.findKeyByHash(Buffer.alloc(32))).toBeNull();
    expect([reader.isOver(), reader.events.length]).toEqual([false, 1]);
    await test.graphql(
      'mutation ($id: ID!) { revokeApiKey(id: $id) }',
      { id },
      { key: test.adminKey },
    );
    await reader.ended();
    expect(reader.events.at(-1)?.data).toMatchObject({ code: 'authentication_failed' });
  });

  it('that expires while it cannot be read loses its streams', async () => {
    await save(test, 'expiring', { query: 'SELECT 1 AS n' });
    const expiresAt = new Date(test.clock.now().getTime() + 60_000);
    const { key } = await test.issueKey({
      scopes: ['endpoint:read'],
      projects: [test.project],
      expiresAt,
    });
    const reader = await followRun('expiring/run', key);
    await reader.until(1);
    const away = keysAreAway();
    test.clock.advance(61_000);
    test.app.live.tick();
    await reader.ended();
    away.end();
    expect(reader.events.at(-1)?.data).toMatchObject({ code: 'authentication_failed' });
  });
});

/** As if the metadata database were away, for lookups of keys. */
function keysAreAway() {
  const { keys, lookups } = test.app.core;
  const { findKeyByHash } = keys;
  let failed = 0;
  Object.assign(keys, {
    findKeyByHash: () => {
      failed += 1;
      return Promise.reject(new ServiceError('service_unavailable', 'It is away.'));
    },
  });
  lookups.keys.clear();
  return { failed: () => failed, end: () => Object.assign(keys, { findKeyByHash }) };
}

describe('an interval', () => {
  it('that ends during another refresh computes the result again, too', async () => {
    const query = "SELECT count() AS n, 'timed' AS o FROM sales";
    await save(test, 'timed', { query, cache_age_seconds: 3600 });
    const reader = await followRun('timed/run?interval_seconds=30');
    await reader.until(1);
    held.hold("'timed'");
    await test.app.core.projects.recordDataChange({
      projectId: test.project.id,
      table: 'sales',
      by: commandLineActor,
      action: 'data.loaded',
    });
    await eventually('the change causes a refresh', isHeld);
    test.clock.advance(31_000);
    test.app.live.tick();
    const executions = async () => {
      await test.app.core.recorder.flush();
      return test.backends.metadata.prisma.queryStatus.count({ where: { endpointName: 'timed' } });
    };
    held.release();
    await eventually('the interval causes a second one', async () => (await executions()) === 3);
  });
});
