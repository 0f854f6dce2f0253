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
