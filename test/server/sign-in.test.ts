/** Signing in by a released OpenID provider, over plain HTTP: whose key it is, how long it holds, how it ends. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openApp } from '../../src/app.ts';
import { openLog } from '../../src/config/open-log.ts';
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
    { group: 'gone', scopes: ['endpoint:read'], projects: [2_000_000_000] },
  ]);
  provider.register(service.origin);
  const verified = { email_verified: true };
  provider.accounts.set('ada', {
    email: 'ada@example.test',
    ...verified,
    groups: ['authors', 'readers'],
  });
  provider.accounts.set('bob', { email: 'bob@example.test', ...verified, groups: ['readers'] });
  provider.accounts.set('eve', { email: 'eve@example.test', ...verified, groups: ['strangers'] });
});
afterAll(async () => {
  await service?.close();
  await provider?.close();
});

interface KeyAnswer {
  readonly key: string | null;
  readonly expires_at: string;
  readonly ends_at: string;
}

const askKey = async (browser: PlainBrowser): Promise<KeyAnswer> =>
  JSON.parse((await browser.post(`${service.origin}/auth/key`)).text) as KeyAnswer;

async function signedIn(account: string) {
  const browser = openPlainBrowser();
  const back = await signInBy(browser, service, account);
  expect(back.location).toBe(`${service.origin}/`);
  const answer = await askKey(browser);
  return { browser, answer, key: answer.key ?? '' };
}

const whoIs = async (key: string) =>
  (
    await service.test.graphql(
      '{ currentKey { label scopes projectIds owner { email } } }',
      {},
      { key },
    )
  ).body;

describe('a sign-in', () => {
  it('comes back to the view it was begun from, with a key of the first rule and nothing in an address', async () => {
    const browser = openPlainBrowser();
    const view = `/project/${service.test.project.id}/endpoints?q=a%20b`;
    const back = await signInBy(browser, service, 'ada', { to: view });
    expect([back.status, back.location]).toEqual([303, `${service.origin}${view}`]);
    expect(back.cookies.map((cookie) => cookie.replace(/=[^;]*/, '='))).toEqual([
      'querydock-session=; Path=/; Max-Age=28800; HttpOnly; SameSite=Strict',
      'querydock-attempt=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax',
    ]);
    const answer = await askKey(browser);
    expect(answer.key).toMatch(/^qdk_/);
    expect(JSON.stringify([back.location, back.cookies])).not.toContain(answer.key);
    expect(await whoIs(answer.key ?? '')).toEqual({
      data: {
        currentKey: {
          label: 'Sign-in',
          scopes: ['endpoint:write'],
          projectIds: [String(service.test.project.id)],
          owner: { email: 'ada@example.test' },
        },
      },
    });
  });

  it('is one key for all tabs of a browser, and is in the audit log under the name of the user', async () => {
    const { browser, key } = await signedIn('bob');
    expect((await askKey(browser)).key).toBe(key);
    const { body } = await service.test.graphql(
      '{ auditLog(first: 5, filter: {action: "key.create"}) { edges { node { action user { email } after } } } }',
      {},
      { key: service.test.adminKey },
    );
    expect(JSON.stringify(body.data)).toContain('"user":{"email":"bob@example.test"}');
    expect(JSON.stringify(body.data)).not.toContain(key);
  });

  it('writes under the name of the user', async () => {
    const { key } = await signedIn('ada');
    const made = await service.test.rest('POST', '/endpoints', {
      key,
      body: { name: 'by_ada', query: 'SELECT 1 AS one' },
    });
    expect(made.body).toMatchObject({ created_by: { email: 'ada@example.test' } });
    const refused = await service.test.rest('POST', '/endpoints', {
      key: (await signedIn('bob')).key,
      body: { name: 'by_bob', query: 'SELECT 1 AS one' },
    });
    expect(refused.body).toMatchObject({ code: 'permission_denied' });
  });

  it('of somebody whom no rule is about gives nothing', async () => {
    const browser = openPlainBrowser();
    const back = await signInBy(browser, service, 'eve');
    expect(back.location).toBe(`${service.origin}/?sign-in=no_rights`);
    expect(browser.jar.size).toBe(0);
    expect((await askKey(browser)).key).toBeNull();
  });

  it('of a rule about a project that is gone gives nothing', async () => {
    provider.accounts.set('gus', { groups: ['gone'] });
    const back = await signInBy(openPlainBrowser(), service, 'gus');
    expect(back.location).toBe(`${service.origin}/?sign-in=no_rights`);
  });

  it('with an address that is not proved never becomes the user who has it', async () => {
    const mallory = { email: 'AUTHOR@querydock.test', groups: ['readers'] };
    provider.accounts.set('mallory', mallory);
    const taken = `${service.origin}/?sign-in=email_taken`;
    expect((await signInBy(openPlainBrowser(), service, 'mallory')).location).toBe(taken);
    provider.accounts.set('mallory', { ...mallory, email_verified: true });
    const { key } = await signedIn('mallory');
    expect(await whoIs(key)).toMatchObject({
      data: { currentKey: { owner: { email: 'author@querydock.test' } } },
    });
    // The address is proved for another person of the same provider: there is one user of it.
    provider.accounts.set('second', { ...mallory, email_verified: true });
    expect((await signInBy(openPlainBrowser(), service, 'second')).location).toBe(taken);
  });

  it('goes to no other place than a view of the console', async () => {
    const hostile = [
      'https://evil.test/',
      '//evil.test',
      '/\\evil.test',
      '/project/\\..',
      '/project/1\n',
      '/auth/sign-out',
    ];
    for (const to of hostile) {
      const back = await signInBy(openPlainBrowser(), service, 'bob', { to });
      expect([to, back.location]).toEqual([to, `${service.origin}/`]);
    }
  });
});

describe('the provider is asked again', () => {
  const minutes = (count: number) => service.test.clock.advance(count * 60_000);

  it('about somebody who signed in with another account, too', async () => {
    provider.accounts.set('guy', { groups: ['readers'] });
    const browser = openPlainBrowser();
    expect((await signInBy(browser, service, 'guy', { again: '' })).location).toBe(
      `${service.origin}/`,
    );
    const { key, expires_at: expiresAt } = await askKey(browser);
    expect(Date.parse(expiresAt) - service.test.clock.now().getTime()).toBe(10 * 60_000);
    const bystander = await signedIn('bob');
    provider.accounts.delete('guy');
    minutes(7);
    expect((await askKey(browser)).key).toBeNull();
    expect((await whoIs(key ?? '')).errors).toBeDefined();
    expect((await askKey(bystander.browser)).key).toBe(bystander.key);
  });

  it('in the second half of the time of a key, which is longer then', async () => {
    const { browser, answer, key } = await signedIn('ada');
    minutes(4);
    expect(await askKey(browser)).toEqual(answer);
    minutes(3);
    const renewed = await askKey(browser);
    expect(renewed.key).toBe(key);
    expect(Date.parse(renewed.expires_at) - Date.parse(answer.expires_at)).toBe(7 * 60_000);
    minutes(9);
    expect((await whoIs(key)).data).toMatchObject({ currentKey: { label: 'Sign-in' } });
    minutes(2);
    expect((await whoIs(key)).errors?.[0]?.extensions.code).toBe('authentication_failed');
    // A page that slept over it asks once more.
    expect((await askKey(browser)).key).toBe(key);
    expect((await whoIs(key)).errors).toBeUndefined();
  });

  it('by one of several tabs and processes at once: a refresh token that is used twice would end it all', async () => {
    const { app, backends, clock } = service.test;
    const second = await openApp({
      config: app.core.config,
      log: openLog('silent'),
      backends,
      clock,
    });
    const { port } = await second.start();
    const origins = [service.origin, `http://127.0.0.1:${port}`];
    const { browser, key } = await signedIn('ada');
    for (let round = 0; round < 4; round += 1) {
      minutes(8);
      const asked = [...origins, ...origins, ...origins].map((origin) =>
        browser.post(`${origin}/auth/key`),
      );
      for (const answer of await Promise.all(asked))
        expect(JSON.parse(answer.text)).toMatchObject({ key });
    }
    expect((await whoIs(key)).errors).toBeUndefined();
    await second.stop();
  });

  it('and its new token is not lost to a short outage of the metadata database', async () => {
    const { pool } = service.test.backends.metadata;
    const { browser, key } = await signedIn('ada');
    const bystander = await signedIn('bob');
    const end = await failOnce(pool, { table: 'sign_in', event: 'UPDATE OF secrets' });
    for (let round = 0; round < 2; round += 1) {
      minutes(8);
      expect((await askKey(browser)).key).toBe(key);
    }
    await end();
    expect((await whoIs(key)).errors).toBeUndefined();
    expect((await askKey(bystander.browser)).key).toBe(bystander.key);
  });

  it('and its new token is not lost when only its user info is away', async () => {
    const { browser, key } = await signedIn('ada');
    const bystander = await signedIn('bob');
    provider.setAway(true, '/me');
    minutes(7);
    expect((await askKey(browser)).key).toBe(key);
    minutes(4);
    expect((await browser.post(`${service.origin}/auth/key`)).status).toBe(503);
    provider.setAway(false);
    expect((await askKey(browser)).key).toBe(key);
    expect((await whoIs(key)).errors).toBeUndefined();
    expect((await askKey(bystander.browser)).key).toBe(bystander.key);
  });

  it('and whoever may not sign in any more is out, with the key', async () => {
    provider.accounts.set('dan', { groups: ['readers'] });
    const { browser, key } = await signedIn('dan');
    const bystander = await signedIn('bob');
    provider.accounts.delete('dan');
    minutes(7);
    const answer = await browser.post(`${service.origin}/auth/key`);
    expect(JSON.parse(answer.text)).toEqual({ key: null });
    expect(browser.jar.has('querydock-session')).toBe(false);
    expect((await whoIs(key)).errors?.[0]?.extensions.code).toBe('authentication_failed');
    expect((await askKey(bystander.browser)).key).toBe(bystander.key);
  });

  it('and other groups give another key; the one before is over', async () => {
    provider.accounts.set('fay', { groups: ['authors'] });
    const { browser, key } = await signedIn('fay');
    provider.accounts.set('fay', { groups: ['readers'] });
    minutes(7);
    const answer = await askKey(browser);
    expect(answer.key).not.toBe(key);
    expect((await whoIs(answer.key ?? '')).data).toMatchObject({
      currentKey: { scopes: ['endpoint:read'] },
    });
    expect((await whoIs(key)).errors?.[0]?.extensions.code).toBe('authentication_failed');
    provider.accounts.set('fay', { groups: ['strangers'] });
    minutes(7);
    expect((await askKey(browser)).key).toBeNull();
    expect((await whoIs(answer.key ?? '')).errors).toBeDefined();
  });

  it('and while it is away a key holds to its end, and the sign-in beyond', async () => {
    const { browser, key } = await signedIn('bob');
    provider.setAway(true);
    minutes(7);
    expect((await askKey(browser)).key).toBe(key);
    minutes(4);
    const late = await browser.post(`${service.origin}/auth/key`);
    expect([late.status, JSON.parse(late.text)]).toMatchObject([
      503,
      { code: 'service_unavailable' },
    ]);
    expect((await whoIs(key)).errors).toBeDefined();
    provider.setAway(false);
    expect((await askKey(browser)).key).toBe(key);
    expect((await whoIs(key)).errors).toBeUndefined();
  });

  it('no longer than the sign-in may last', async () => {
    const { browser, key, answer } = await signedIn('bob');
    for (let at = 0; at < 60; at += 1) {
      minutes(8);
      if ((await askKey(browser)).key === null) break;
    }
    expect(service.test.clock.now().getTime()).toBeGreaterThanOrEqual(Date.parse(answer.ends_at));
    expect((await whoIs(key)).errors).toBeDefined();
    service.test.clock.set(new Date().toISOString());
  });
});

describe('a sign-in ends', () => {
  it('by signing out, here and at the provider', async () => {
    const { browser, key } = await signedIn('ada');
    const kept = browser.jar.get('querydock-session') ?? '';
    const answer = await browser.post(`${service.origin}/auth/sign-out`);
    const { url } = JSON.parse(answer.text) as { readonly url: string };
    expect(url.startsWith(`${provider.issuer}/session/end?`)).toBe(true);
    const back = new URL(url).searchParams.get('post_logout_redirect_uri');
    expect(back).toBe(`${service.origin}/`);
    expect((await whoIs(key)).errors?.[0]?.extensions.code).toBe('authentication_failed');
    browser.jar.set('querydock-session', kept);
    expect((await askKey(browser)).key).toBeNull();
  });

  it('by another one in the same browser, which does not send its cookie on the way back', async () => {
    const bystander = await signedIn('ada');
    const { browser, key } = await signedIn('ada');
    const { location } = await browser.visit(`${service.origin}/auth/sign-in`);
    const visit = await browser.follow(location ?? '');
    const [, action = ''] = /action="([^"]+)"/.exec(visit.text) ?? [];
    const at = new URL(action, visit.url).href;
    const consent = await browser.visit(at, { prompt: 'consent' });
    const callback = `${service.origin}/auth/callback`;
    const back = await browser.follow(consent.location ?? '', callback);
    expect((await whoIs(key)).errors).toBeUndefined();
    browser.jar.delete('querydock-session');
    expect((await browser.visit(back.location ?? '')).location).toBe(`${service.origin}/`);
    expect((await whoIs(key)).errors?.[0]?.extensions.code).toBe('authentication_failed');
    const { key: next } = await askKey(browser);
    expect((await whoIs(next ?? '')).errors).toBeUndefined();
    await browser.post(`${service.origin}/auth/sign-out`);
    expect((await whoIs(next ?? '')).errors?.[0]?.extensions.code).toBe('authentication_failed');
    expect((await askKey(bystander.browser)).key).toBe(bystander.key);
  });

  it('when the address by which it came is used again: its code was stolen, or the browser went back', async () => {
    const browser = openPlainBrowser();
    const back = await signInBy(browser, service, 'ada');
    const { key } = await askKey(browser);
    const thief = openPlainBrowser();
    expect((await thief.visit(back.url)).location).toBe(`${service.origin}/?sign-in=not_begun`);
    thief.jar.set('querydock-attempt', back.attempt ?? '');
    expect((await thief.visit(back.url)).location).toBe(`${service.origin}/?sign-in=not_accepted`);
    expect((await askKey(thief)).key).toBeNull();
    // The provider has taken back what it gave for the code, which shows when it is asked again.
    service.test.clock.advance(7 * 60_000);
    expect((await askKey(browser)).key).toBeNull();
    expect((await whoIs(key ?? '')).errors).toBeDefined();
  });

  it('when an administrator revokes its key', async () => {
    const { browser, key } = await signedIn('ada');
    const { body } = await service.test.graphql('{ currentKey { id } }', {}, { key });
    const current = body.data?.currentKey as { readonly id: string } | undefined;
    const id = current?.id;
    const admin = { key: service.test.adminKey };
    await service.test.graphql('mutation ($id: ID!) { revokeApiKey(id: $id) }', { id }, admin);
    expect((await askKey(browser)).key).toBeNull();
  });
});

describe('its cookie', () => {
  it('is good for nothing but the key: neither interface looks at it', async () => {
    const { browser } = await signedIn('ada');
    const cookie = `querydock-session=${browser.jar.get('querydock-session')}`;
    for (const path of ['/graphql', `/api/projects/${service.test.project.id}/endpoints`]) {
      const response = await fetch(`${service.origin}${path}`, {
        method: 'POST',
        headers: { cookie, 'content-type': 'application/json' },
        body: '{"query":"mutation { deleteEndpoint(projectId: \\"1\\", name: \\"a\\") }"}',
      });
      expect(await response.text()).toContain('not_authenticated');
    }
  });

  it('gives no other page a key, nor signs somebody out', async () => {
    const { browser, key } = await signedIn('ada');
    const hostile = [
      { origin: 'https://evil.test', 'sec-fetch-site': 'cross-site' },
      { origin: 'https://evil.test' },
      { origin: 'null' },
      { origin: '' },
      { 'sec-fetch-site': 'same-site' },
      { origin: provider.issuer, 'sec-fetch-site': 'same-site' },
    ];
    for (const path of ['/auth/key', '/auth/sign-out']) {
      for (const headers of hostile) {
        const answer = await browser.post(`${service.origin}${path}`, headers);
        expect([headers, answer.status]).toEqual([headers, 403]);
        expect(answer.text).not.toContain('qdk_');
      }
      const form = { 'content-type': 'text/plain' };
      expect((await browser.post(`${service.origin}${path}`, form)).status).toBe(415);
      const got = await browser.visit(`${service.origin}${path}`);
      expect([got.status, got.text.includes('qdk_')]).toEqual([405, false]);
    }
    expect((await whoIs(key)).errors).toBeUndefined();
  });

  it('is of no use when it is changed, or made up before', async () => {
    const { browser } = await signedIn('ada');
    const right = browser.jar.get('querydock-session') ?? '';
    const wrong = [
      `${right}A`,
      right.slice(1),
      `A${right.slice(1)}`,
      '',
      'a'.repeat(43),
      '../..',
      '%00',
    ];
    for (const value of wrong) {
      browser.jar.set('querydock-session', value);
      expect((await askKey(browser)).key).toBeNull();
    }
    // Fixation: what somebody has planted is not what signing in makes valid.
    const victim = openPlainBrowser();
    victim.jar.set('querydock-session', 'a'.repeat(43));
    await signInBy(victim, service, 'bob');
    expect(victim.jar.get('querydock-session')).not.toBe('a'.repeat(43));
    const attacker = openPlainBrowser();
    attacker.jar.set('querydock-session', 'a'.repeat(43));
    expect((await askKey(attacker)).key).toBeNull();
  });
});

it('without the provider says so, and a key is as good as ever', async () => {
  provider.setAway(true);
  const { test } = service;
  const other = await openSignInService(
    { oidcIssuer: provider.issuer, oidcClientSecret: provider.clientSecret },
    () => [],
  );
  const answer = await openPlainBrowser().visit(`${other.origin}/auth/sign-in`);
  expect(answer.location).toBe(`${other.origin}/?sign-in=unavailable`);
  const { key } = await other.test.issueKey({
    scopes: ['endpoint:read'],
    projects: [other.test.project],
  });
  expect(
    (await other.test.graphql('{ currentKey { label } }', {}, { key })).body.errors,
  ).toBeUndefined();
  provider.setAway(false);
  await other.close();
  expect(test.app.core.config.oidcIssuer).toBe(provider.issuer);
});
