/** A revoked or expired key is refused by every process, at the latest after 5 s, also when no word of it arrives. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, openApp } from '../../src/app.ts';
import { openLog } from '../../src/config/open-log.ts';
import { type MetadataDatabase, openMetadataDatabase } from '../../src/store/metadata-database.ts';
import { eventually } from '../support/eventually.ts';
import { openRelay, type Relay } from '../support/relay.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

const log = openLog('silent');
let test: TestApp;
let relay: Relay;
let far: MetadataDatabase;
let second: App;

/** The second process reaches the same records by a way that can be frozen; its statements go the straight way. */
beforeAll(async () => {
  test = await openTestApp();
  await test.rest('POST', '/endpoints', { body: { name: 'one', query: 'SELECT 1' } });
  const { connectionString = '' } = test.backends.metadata.connection;
  relay = await openRelay(connectionString);
  await relay.listen();
  far = await openMetadataDatabase({ log, databaseUrl: connectionString });
  const records = { ...far, connection: { connectionString: relay.databaseUrl } };
  second = await openApp({
    config: test.app.core.config,
    log,
    backends: { ...test.backends, metadata: records },
    clock: test.clock,
  });
});
afterAll(async () => {
  await second.stop();
  await far.close();
  await relay.close();
  await test.close();
});

async function ask(app: App, key: string, path = '/endpoints/one/run'): Promise<number> {
  const url = `http://querydock.test/api/projects/${test.project.id}${path}`;
  const request = new Request(url, { headers: { authorization: `Bearer ${key}` } });
  return (await app.fetch(request)).status;
}

const issue = (expiresAt?: Date) =>
  test.issueKey({
    scopes: ['endpoint:read'],
    projects: [test.project],
    ...(expiresAt === undefined ? {} : { expiresAt }),
  });

const revoke = (id: string) =>
  test.graphql('mutation ($id: ID!) { revokeApiKey(id: $id) }', { id }, { key: test.adminKey });

describe('a revoked key', () => {
  it('is refused at once by the process that revoked it', async () => {
    const { id, key } = await issue();
    expect(await ask(test.app, key)).toBe(200);
    await revoke(id);
    expect(await ask(test.app, key)).toBe(401);
  });

  it('is refused by another process when the change feed reports it, with the clock standing still', async () => {
    const { id, key } = await issue();
    expect(await ask(second, key)).toBe(200);
    await revoke(id);
    await eventually('it is refused', async () => (await ask(second, key)) === 401);
  });

  it('is refused by another after 5 s when its change feed is dead without knowing it', async () => {
    const { id, key } = await issue();
    const bystander = await issue();
    relay.freeze();
    expect(await ask(second, key)).toBe(200);
    expect(await ask(second, bystander.key)).toBe(200);
    await revoke(id);
    test.clock.advance(4999);
    // Nobody has told it, so it still believes what it looked up: the bound is what is tested next.
    expect(await ask(second, key)).toBe(200);
    test.clock.advance(1);
    expect(await ask(second, key)).toBe(401);
    expect(await ask(second, bystander.key)).toBe(200);
  });

  it('is refused at once by another whose clock was set back', async () => {
    const { id, key } = await issue();
    expect(await ask(second, key)).toBe(200);
    await revoke(id);
    test.clock.advance(-3_600_000);
    expect(await ask(second, key)).toBe(401);
    test.clock.advance(3_600_000);
  });
});

describe('a process that is cut off from the metadata database', () => {
  it('runs what it knows for 60 s, a revoked key included, and then nothing', async () => {
    const { connectionString = '' } = test.backends.metadata.connection;
    const way = await openRelay(connectionString);
    await way.listen();
    const metadata = await openMetadataDatabase({ log, databaseUrl: way.databaseUrl });
    const cutOff = await openApp({
      config: test.app.core.config,
      log,
      backends: { ...test.backends, metadata },
      clock: test.clock,
    });
    const { id, key } = await issue();
    const bystander = await issue();
    const unknown = await issue();
    expect([await ask(cutOff, key), await ask(cutOff, bystander.key)]).toEqual([200, 200]);
    await way.cut();
    await revoke(id);
    expect(await ask(test.app, key)).toBe(401);
    for (const waited of [5000, 30_000, 24_999]) {
      test.clock.advance(waited);
      expect([await ask(cutOff, key), await ask(cutOff, bystander.key)]).toEqual([200, 200]);
      expect(await ask(cutOff, unknown.key)).toBe(503);
    }
    test.clock.advance(1);
    expect([await ask(cutOff, key), await ask(cutOff, bystander.key)]).toEqual([503, 503]);
    await way.resume();
    await eventually('it is refused', async () => (await ask(cutOff, key)) === 401);
    await eventually('the other one runs', async () => (await ask(cutOff, bystander.key)) === 200);
    await cutOff.stop();
    await metadata.close();
    await way.close();
  });

  it('goes on with what it knows when somebody begins to follow a result', async () => {
    const { connectionString = '' } = test.backends.metadata.connection;
    const way = await openRelay(connectionString);
    await way.listen();
    const metadata = await openMetadataDatabase({ log, databaseUrl: way.databaseUrl });
    const backends = { ...test.backends, metadata };
    const { config } = test.app.core;
    const cutOff = await openApp({ config, log, backends, clock: test.clock });
    const { key } = await issue();
    const follow = (path: string) =>
      cutOff.fetch(
        new Request(`http://querydock.test/api/projects/${test.project.id}${path}`, {
          headers: {
            authorization: `Bearer ${key}`,
            accept: 'text/event-stream',
            'last-event-id': 'of-another-process',
          },
        }),
      );
    const paths = ['/endpoints/one/run', '/endpoints/one/run?version=1'];
    for (const path of paths) expect(await ask(cutOff, key, path)).toBe(200);
    await way.cut();
    const streams: Response[] = [];
    for (const path of paths) {
      streams.push(await follow(path));
      expect([streams.at(-1)?.status, await ask(cutOff, key, path)]).toEqual([200, 200]);
    }
    for (const { body } of streams) await body?.cancel();
    await cutOff.stop();
    await metadata.close();
    await way.close();
  });
});

describe('an expired key', () => {
  it('is refused from the moment of its expiry, by every process that has cached it', async () => {
    const expiresAt = new Date(test.clock.now().getTime() + 2000);
    const { key } = await issue(expiresAt);
    test.clock.advance(1999);
    expect([await ask(test.app, key), await ask(second, key)]).toEqual([200, 200]);
    test.clock.advance(1);
    expect([await ask(test.app, key), await ask(second, key)]).toEqual([401, 401]);
  });
});

describe('a key that nearly is one', () => {
  it('is refused with the same message as an expired and a revoked one', async () => {
    const { key } = await issue();
    const { id, key: revoked } = await issue();
    await revoke(id);
    const last = key.at(-1) === 'A' ? 'B' : 'A';
    const wrong = [
      key.slice(0, -1) + last,
      key.slice(0, -1),
      `${key}A`,
      key.toUpperCase(),
      key.slice(0, 8),
      revoked,
    ];
    const responses = await Promise.all(
      wrong.map((other) => test.rest('GET', '/endpoints', { key: other })),
    );
    const bodies = responses.map(({ status, text }) => `${status} ${text}`);
    expect(new Set(bodies).size).toBe(1);
    expect(responses[0]?.body).toMatchObject({ code: 'authentication_failed' });
  });
});
