/** Sign-ins with two processes over one metadata database: what one of them ends or renews, the other does not undo. */
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, openApp } from '../../src/app.ts';
import { openLog } from '../../src/config/open-log.ts';
import { eventually } from '../support/eventually.ts';
import { failOnce } from '../support/fail-once.ts';
import {
  openReleasedProvider,
  type ReleasedProvider,
} from '../support/openid/released-provider.ts';
import {
  openPlainBrowser,
  openSignInService,
  type PlainBrowser,
  type SignInService,
  signInBy,
} from '../support/openid/sign-in-service.ts';

let provider: ReleasedProvider;
let service: SignInService;
let second: App;
let origins: readonly [string, string];

beforeAll(async () => {
  provider = await openReleasedProvider();
  const { issuer, clientSecret } = provider;
  const settings = {
    oidcIssuer: issuer,
    oidcClientSecret: clientSecret,
    oidcScopes: 'openid email profile offline_access',
  };
  service = await openSignInService(settings, (projectId, otherId) => [
    { group: 'authors', scopes: ['endpoint:write'], projects: [projectId] },
    { group: 'readers', scopes: ['endpoint:read'], projects: [projectId, otherId] },
  ]);
  provider.register(service.origin);
  const { app, backends, clock } = service.test;
  const log = openLog('silent');
  second = await openApp({ config: app.core.config, log, backends, clock });
  const { port } = await second.start();
  origins = [service.origin, `http://127.0.0.1:${port}`];
});
afterAll(async () => {
  await second?.stop();
  await service?.close();
  await provider?.close();
});

/** The key that the process gives for the cookie of the browser. */
async function askKey(browser: PlainBrowser, which: 0 | 1): Promise<string | null> {
  const { status, text } = await browser.post(`${origins[which]}/auth/key`);
  expect([status, text]).toEqual([200, expect.anything()]);
  return (JSON.parse(text) as { readonly key: string | null }).key;
}

const minutes = (count: number) => service.test.clock.advance(count * 60_000);

async function signedIn(account: string, group: string) {
  provider.accounts.set(account, { groups: [group] });
  const browser = openPlainBrowser();
  expect((await signInBy(browser, service, account)).location).toBe(`${service.origin}/`);
  const key = (await askKey(browser, 0)) ?? '';
  expect(key).toMatch(/^qdk_/);
  return { browser, key };
}

async function isGood(key: string, which: 0 | 1): Promise<boolean> {
  const response = await fetch(`${origins[which]}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query: '{ currentKey { id } }' }),
  });
  return !(await response.text()).includes('authentication_failed');
}

/** Resolves when so many statements wait for a lock. */
async function waiting(count: number): Promise<void> {
  await eventually(`${count} statements wait for a lock`, async () => {
    const { rows } = await service.test.backends.metadata.pool.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    return rows[0]?.n === count;
  });
}

async function goodSignInKeys(): Promise<number> {
  const { rows } = await service.test.backends.metadata.pool.query<{ n: number }>(
    `SELECT count(*)::int AS n FROM api_key WHERE label = 'Sign-in' AND revoked_at IS NULL`,
  );
  return rows[0]?.n ?? -1;
}

describe('a sign-in at one process', () => {
  it('is one at the other, until it ends at either', async () => {
    const { browser, key } = await signedIn('ada', 'readers');
    expect(await askKey(browser, 1)).toBe(key);
    expect([await isGood(key, 0), await isGood(key, 1)]).toEqual([true, true]);
    const cookie = browser.jar.get('querydock-session') ?? '';
    expect((await browser.post(`${origins[1]}/auth/sign-out`)).status).toBe(200);
    expect(await isGood(key, 1)).toBe(false);
    await eventually('the other refuses the key', async () => !(await isGood(key, 0)));
    browser.jar.set('querydock-session', cookie);
    expect(await askKey(browser, 0)).toBeNull();
  });

  it('that ends while the other replaces its key leaves no key behind', async () => {
    const before = await goodSignInKeys();
    const { browser } = await signedIn('bea', 'readers');
    provider.accounts.set('bea', { groups: ['authors'] });
    minutes(7);
    const held = provider.holdNext('/me');
    const asked = browser.post(`${origins[1]}/auth/key`);
    await held.arrived;
    const holder = await service.test.backends.metadata.pool.connect();
    await holder.query('BEGIN');
    await holder.query('SELECT id FROM sign_in WHERE ended_at IS NULL FOR UPDATE');
    held.release();
    await waiting(1);
    const signedOut = browser.post(`${origins[0]}/auth/sign-out`);
    await waiting(2);
    await holder.query('COMMIT');
    holder.release();
    expect((await signedOut).status).toBe(200);
    expect((await asked).status).toBe(200);
    expect(await goodSignInKeys()).toBe(before);
  });

  it('that could not end because the metadata database failed ends when it is tried again', async () => {
    const { pool } = service.test.backends.metadata;
    const { browser, key } = await signedIn('cleo', 'readers');
    const cookie = browser.jar.get('querydock-session') ?? '';
    const end = await failOnce(pool, { table: 'api_key', event: 'UPDATE OF revoked_at' });
    expect((await browser.post(`${origins[0]}/auth/sign-out`)).status).toBe(503);
    browser.jar.set('querydock-session', cookie);
    expect((await browser.post(`${origins[0]}/auth/sign-out`)).status).toBe(200);
    await end();
    expect(await isGood(key, 0)).toBe(false);
  });

  it('whose key an administrator revokes gets no other from the one that is asking the provider', async () => {
    const { browser, key } = await signedIn('dora', 'readers');
    provider.accounts.set('dora', { groups: ['authors'] });
    minutes(7);
    const held = provider.holdNext('/me');
    const asked = askKey(browser, 1);
    await held.arrived;
    const { graphql, adminKey } = service.test;
    const { body } = await graphql('{ currentKey { id } }', {}, { key });
    const current = body.data?.currentKey as { readonly id: string } | undefined;
    const id = current?.id;
    await graphql('mutation ($id: ID!) { revokeApiKey(id: $id) }', { id }, { key: adminKey });
    held.release();
    expect(await asked).toBeNull();
  });
});

describe('a renewal by one process', () => {
  it('that takes longer than its claim does not undo that of the other', async () => {
    const { browser, key } = await signedIn('eva', 'readers');
    minutes(6);
    const held = provider.holdNext('/me');
    const late = askKey(browser, 0);
    await held.arrived;
    minutes(2);
    expect(await askKey(browser, 1)).toBe(key);
    held.release();
    expect(await late).toBe(key);
    for (const which of [0, 1] as const) {
      minutes(7);
      expect(await askKey(browser, which)).toBe(key);
    }
  });

  it('keeps its refresh token from the other for as long as the provider and the storing may take', async () => {
    const { browser, key } = await signedIn('fay', 'readers');
    minutes(6);
    const held = provider.holdNext('/token');
    const slow = askKey(browser, 0);
    await held.arrived;
    service.test.clock.advance(70_000);
    expect(await askKey(browser, 1)).toBe(key);
    held.release();
    expect(await slow).toBe(key);
    minutes(7);
    expect(await askKey(browser, 1)).toBe(key);
  });

  it('is finished by one that is told to stop, although the tab has been closed', async () => {
    const { browser, key } = await signedIn('gus', 'readers');
    const { app, backends, clock } = service.test;
    const config = { ...app.core.config, shutdownSeconds: 60 };
    const third = await openApp({ config, log: openLog('silent'), backends, clock });
    const own = `http://127.0.0.1:${(await third.start()).port}`;
    minutes(6);
    const held = provider.holdNext('/token');
    const tab = new AbortController();
    const cookie = `querydock-session=${browser.jar.get('querydock-session')}`;
    const asked = fetch(`${own}/auth/key`, {
      method: 'POST',
      body: '{}',
      headers: { cookie, origin: own, 'content-type': 'application/json' },
      signal: tab.signal,
    });
    await held.arrived;
    tab.abort();
    await expect(asked).rejects.toThrow('aborted');
    let isStopped = false;
    const stopping = third.stop().then(() => {
      isStopped = true;
    });
    // Time for one that does not wait.
    await Promise.race([stopping, delay(2000)]);
    expect(isStopped).toBe(false);
    held.release();
    await stopping;
    const { rows } = await backends.metadata.pool.query(
      'SELECT id FROM sign_in WHERE claimed_until IS NOT NULL AND ended_at IS NULL',
    );
    expect(rows).toEqual([]);
    minutes(6);
    expect(await askKey(browser, 1)).toBe(key);
  });
});
