/** Sign-ins that somebody tampers with: between browser and service, and at the provider. None gives a key. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { openLog } from '../../src/config/open-log.ts';
import {
  type HostileProvider,
  type Json,
  openHostileProvider,
} from '../support/openid/hostile-provider.ts';
import {
  openPlainBrowser,
  openSignInService,
  type PlainBrowser,
  type SignInService,
} from '../support/openid/sign-in-service.ts';

let provider: HostileProvider;
let service: SignInService;

beforeAll(async () => {
  provider = await openHostileProvider();
  service = await openSignInService({ oidcIssuer: provider.issuer }, (id) => [
    { group: 'readers', scopes: ['endpoint:read'], projects: [id] },
  ]);
});
afterAll(async () => {
  await service?.close();
  await provider?.close();
});

interface Begun {
  readonly browser: PlainBrowser;
  readonly sent: URLSearchParams;
  /** The claims of an honest provider. */
  readonly claims: Json;
}

async function begin(browser = openPlainBrowser()): Promise<Begun> {
  const { location } = await browser.visit(`${service.origin}/auth/sign-in`);
  const sent = new URL(location ?? '').searchParams;
  const now = Math.floor(Date.now() / 1000);
  const claims = {
    iss: provider.issuer,
    aud: 'querydock',
    sub: 'ada',
    email: 'ada@example.test',
    groups: ['readers'],
    nonce: sent.get('nonce'),
    iat: now,
    exp: now + 300,
  };
  return { browser, sent, claims };
}

const tokens = (idToken: string): Json => ({
  access_token: 'access',
  token_type: 'Bearer',
  expires_in: 300,
  id_token: idToken,
});

/** Comes back from the provider. @param change of the query. */
async function comeBack({ browser, sent }: Begun, change: Readonly<Record<string, string>> = {}) {
  const honest = { code: 'one', state: sent.get('state') ?? '', iss: provider.issuer };
  const query = new URLSearchParams({ ...honest, ...change });
  const { location, cookies } = await browser.visit(`${service.origin}/auth/callback?${query}`);
  const failure = new URL(location ?? '').searchParams.get('sign-in');
  return { failure, session: cookies.some((cookie) => /session=[\w-]/.test(cookie)) };
}

const refused = (failure: string) => ({ failure, session: false });

async function keysMade(): Promise<number> {
  const { prisma } = service.test.backends.metadata;
  return prisma.apiKey.count({ where: { label: 'Sign-in' } });
}

it('an honest one is sent as OAuth and OpenID say, and gives a key', async () => {
  const begun = await begin();
  const { sent } = begun;
  expect(Object.fromEntries(sent)).toMatchObject({
    response_type: 'code',
    client_id: 'querydock',
    redirect_uri: `${service.origin}/auth/callback`,
    scope: 'openid email profile',
    code_challenge_method: 'S256',
    code_challenge: expect.stringMatching(/^[\w-]{43}$/),
    state: expect.stringMatching(/^[\w-]{43}$/),
    nonce: expect.stringMatching(/^[\w-]{43}$/),
  });
  provider.answer(200, tokens(provider.sign(begun.claims)));
  expect(await comeBack(begun)).toEqual({ failure: null, session: true });
  const asked = provider.asked.at(-1);
  expect(asked?.get('code_verifier')).toMatch(/^[\w-]{43,128}$/);
  expect(asked?.get('redirect_uri')).toBe(`${service.origin}/auth/callback`);
  expect(await keysMade()).toBe(1);
});

describe('gives no key', () => {
  afterEach(async () => {
    expect(await keysMade()).toBe(1);
  });

  const now = () => Math.floor(Date.now() / 1000);
  const sign = (claims: Json) => provider.sign(claims);
  const wrongTokens: readonly (readonly [string, (claims: Json) => string])[] = [
    ['of another nonce', (claims) => sign({ ...claims, nonce: 'another' })],
    ['of no nonce', (claims) => sign({ ...claims, nonce: undefined })],
    ['of another issuer', (claims) => sign({ ...claims, iss: 'https://evil.test' })],
    ['for another client', (claims) => sign({ ...claims, aud: 'another' })],
    [
      'for several, by another one',
      (claims) => sign({ ...claims, aud: ['querydock', 'another'], azp: 'another' }),
    ],
    ['that is over', (claims) => sign({ ...claims, iat: now() - 600, exp: now() - 60 })],
    ['of a time to come', (claims) => sign({ ...claims, nbf: now() + 600 })],
    ['without an end', (claims) => sign({ ...claims, exp: undefined })],
    ['without a subject', (claims) => sign({ ...claims, sub: undefined })],
    ['that nobody signed', (claims) => provider.sign(claims, { alg: 'none' })],
    ['signed with another key', (claims) => provider.forge(claims)],
    ['signed as no key is', (claims) => provider.sign(claims, { alg: 'HS256' })],
    [
      'whose claims were changed',
      (claims) => {
        const [head, , signature] = sign(claims).split('.');
        const body = Buffer.from(JSON.stringify({ ...claims, sub: 'root' })).toString('base64url');
        return `${head}.${body}.${signature}`;
      },
    ],
    ['with a subject that cannot be stored', (claims) => sign({ ...claims, sub: 'a\u0000b' })],
    ['with a subject that is a list', (claims) => sign({ ...claims, sub: ['ada'] })],
  ];
  it.each(wrongTokens)('to a token %s', async (_, make) => {
    const begun = await begin();
    provider.answer(200, tokens(make(begun.claims)));
    expect(await comeBack(begun)).toEqual(refused('not_accepted'));
  });

  it('without an ID token, to a code that was used before, and to a provider that fails', async () => {
    const cases = [
      [200, { access_token: 'access', token_type: 'Bearer' }, 'not_accepted'],
      [400, { error: 'invalid_grant' }, 'not_accepted'],
      [401, { error: 'invalid_client' }, 'unavailable'],
      [500, {}, 'unavailable'],
      [200, tokens('none.of.them'), 'unavailable'],
    ] as const;
    for (const [status, body, failure] of cases) {
      provider.answer(status, body);
      expect(await comeBack(await begin())).toEqual(refused(failure));
    }
  });

  it('to another state, or none, and asks the provider nothing', async () => {
    const begun = await begin();
    const asked = provider.asked.length;
    provider.answer(200, tokens(provider.sign(begun.claims)));
    expect(await comeBack(begun, { state: 'another' })).toEqual(refused('not_begun'));
    expect(await comeBack(begun, { state: '' })).toEqual(refused('not_begun'));
    expect(provider.asked.length).toBe(asked);
  });

  it('to a browser that did not begin it, or that changed what it keeps', async () => {
    const begun = await begin();
    provider.answer(200, tokens(provider.sign(begun.claims)));
    const other = { ...begun, browser: openPlainBrowser() };
    expect(await comeBack(other)).toEqual(refused('not_begun'));
    const kept = begun.browser.jar.get('querydock-attempt') ?? '';
    const sealed = Buffer.from(kept, 'base64url');
    sealed[sealed.length - 1] = (sealed.at(-1) ?? 0) ^ 1;
    const wrong = [sealed.toString('base64url'), kept.slice(4), 'A'.repeat(kept.length), '%', ''];
    for (const value of wrong) {
      begun.browser.jar.set('querydock-attempt', value);
      expect(await comeBack(begun)).toEqual(refused('not_begun'));
    }
    // That of somebody else, whose state it is not.
    const { browser } = await begin();
    begun.browser.jar.set('querydock-attempt', browser.jar.get('querydock-attempt') ?? '');
    expect(await comeBack(begun)).toEqual(refused('not_begun'));
  });

  it('after ten minutes', async () => {
    const begun = await begin();
    provider.answer(200, tokens(provider.sign(begun.claims)));
    service.test.clock.advance(601_000);
    expect(await comeBack(begun)).toEqual(refused('not_begun'));
  });

  it('to the answer of another provider than it was begun at', async () => {
    const begun = await begin();
    provider.answer(200, tokens(provider.sign(begun.claims)));
    expect(await comeBack(begun, { iss: 'https://evil.test' })).toEqual(refused('not_accepted'));
  });

  it('to whoever cancels, and shows nothing of what the provider says', async () => {
    const cancelled = ['access_denied', 'login_required', 'interaction_required'];
    cancelled.push('consent_required', 'account_selection_required');
    for (const error of cancelled) {
      const said = { error, error_description: '<img src=x onerror=alert(1)>' };
      expect(await comeBack(await begin(), said)).toEqual(refused('cancelled'));
    }
  });

  it('to a provider that cannot sign anybody in, which is not called a cancellation', async () => {
    const faults = ['server_error', 'temporarily_unavailable', 'invalid_scope', 'made_up'];
    for (const error of faults)
      expect([error, await comeBack(await begin(), { error })]).toEqual([
        error,
        refused('unavailable'),
      ]);
  });

  it('by groups of an unproved address, where addresses are the groups', async () => {
    const { config } = service.test.app.core;
    Object.assign(config, {
      oidcGroupsClaim: 'email',
      oidcRules: [{ group: 'boss@example.test', scopes: ['admin'], projects: [] }],
    });
    const begun = await begin();
    const claims = { ...begun.claims, email: 'boss@example.test' };
    provider.answer(200, tokens(provider.sign(claims)));
    expect(await comeBack(begun)).toEqual(refused('no_rights'));
  });
});

it('by addresses with a slash at the end is the same, and HEAD neither begins nor completes one', async () => {
  admitReaders();
  const begun = await begin();
  provider.answer(200, tokens(provider.sign(begun.claims)));
  const honest = { code: 'one', state: begun.sent.get('state') ?? '', iss: provider.issuer };
  const back = `${service.origin}/auth/callback/?${new URLSearchParams(honest)}`;
  const cookie = `querydock-attempt=${begun.browser.jar.get('querydock-attempt')}`;
  const asked = provider.asked.length;
  const starts = [`${service.origin}/auth/sign-in`, `${service.origin}/auth/sign-in/`];
  for (const url of [...starts, back]) {
    const head = await fetch(url, { method: 'HEAD', redirect: 'manual', headers: { cookie } });
    expect([head.status, head.headers.getSetCookie()]).toEqual([303, []]);
    const isStart = head.headers.get('location')?.startsWith(`${provider.issuer}/authorize?`);
    expect(isStart).toBe(url !== back);
  }
  expect(provider.asked.length).toBe(asked);
  const { cookies } = await begun.browser.visit(back);
  expect(cookies[0]).toMatch(/^querydock-session=[\w-]{43};/);
  const held = await begun.browser.post(`${service.origin}/auth/key/`);
  expect(held.text).toContain('qdk_');
  const ended = await begun.browser.post(`${service.origin}/auth/sign-out/`);
  expect([ended.status, begun.browser.jar.size]).toEqual([200, 0]);

  const allowed = [];
  for (const path of ['sign-in', 'callback', 'key', 'sign-out']) {
    const wrong = await fetch(`${service.origin}/auth/${path}/`, { method: 'DELETE' });
    allowed.push([wrong.status, wrong.headers.get('allow')]);
  }
  const [read, posted] = [
    [405, 'GET, HEAD, OPTIONS'],
    [405, 'POST, OPTIONS'],
  ];
  expect(allowed).toEqual([read, read, posted, posted]);
  expect((await begun.browser.visit(`${service.origin}/auth/key//`)).status).toBe(404);
});

it('of two that were begun in one browser, the later is completed although the former returns', async () => {
  admitReaders();
  const former = await begin();
  const later = await begin(former.browser);
  provider.answer(200, tokens(provider.sign(former.claims)));
  expect(await comeBack(former)).toEqual(refused('not_begun'));
  provider.answer(200, tokens(provider.sign(later.claims)));
  expect(await comeBack(later)).toEqual({ failure: null, session: true });
  // It is used up now.
  expect(await comeBack(later)).toEqual(refused('not_begun'));
});

function admitReaders(): void {
  const projects = [service.test.project.id];
  const oidcRules = [{ group: 'readers', scopes: ['endpoint:read'], projects }];
  Object.assign(service.test.app.core.config, { oidcGroupsClaim: 'groups', oidcRules });
}

it('a claim that is null is one that the provider does not have', async () => {
  admitReaders();
  const optional = ['email', 'email_verified', 'given_name', 'family_name', 'name'];
  const nulls = Object.fromEntries(optional.map((name) => [name, null]));
  const begun = await begin();
  provider.answer(200, tokens(provider.sign({ ...begun.claims, ...nulls, sub: 'nameless' })));
  expect(await comeBack(begun)).toEqual({ failure: null, session: true });
  const { prisma } = service.test.backends.metadata;
  const found = { email: 'nameless@localhost', firstName: '', lastName: '' };
  expect(await prisma.user.findMany({ where: found })).toHaveLength(1);
  const without = await begin();
  provider.answer(200, tokens(provider.sign({ ...without.claims, groups: null })));
  expect(await comeBack(without)).toEqual(refused('no_rights'));
  const nobody = await begin();
  provider.answer(200, tokens(provider.sign({ ...nobody.claims, sub: null })));
  expect(await comeBack(nobody)).toEqual(refused('not_accepted'));
});

it('a clock that is some seconds off is no reason to refuse', async () => {
  admitReaders();
  for (const off of [-20, 20]) {
    const begun = await begin();
    const now = Math.floor(Date.now() / 1000) + off;
    const times = { iat: now, nbf: now, exp: off < 0 ? now : now + 300 };
    provider.answer(200, tokens(provider.sign({ ...begun.claims, ...times })));
    expect(await comeBack(begun)).toEqual({ failure: null, session: true });
  }
});

it('a provider that signs with a new key signs people in, and keeps them signed in, from the same moment', async () => {
  admitReaders();
  const refreshing = (begun: Begun, token: string, more: Json = {}) =>
    provider.answer(200, {
      ...tokens(provider.sign({ ...begun.claims, ...more })),
      refresh_token: token,
    });
  const begun = await begin();
  refreshing(begun, 'first');
  expect(await comeBack(begun)).toEqual({ failure: null, session: true });
  provider.rotate();
  service.test.clock.advance(8 * 60_000);
  refreshing(begun, 'second', { nonce: undefined });
  const held = await begun.browser.post(`${service.origin}/auth/key`);
  expect([held.status, provider.asked.at(-1)?.get('refresh_token')]).toEqual([200, 'first']);
  expect(held.text).toContain('qdk_');
  provider.rotate();
  const next = await begin();
  provider.answer(200, tokens(provider.sign(next.claims)));
  expect(await comeBack(next)).toEqual({ failure: null, session: true });
  // A key that nobody published is looked for, and not found.
  const forged = await begin();
  provider.answer(200, tokens(provider.sign(forged.claims, { kid: 'nobody' })));
  expect(await comeBack(forged)).toEqual(refused('not_accepted'));
});

it.each([
  ['nothing', {}],
  ['an error with the status of success', { error: 'temporarily_unavailable' }],
  ['no access token', { access_token: null, token_type: 'Bearer' }],
  ['no ID token', tokens('')],
])(
  'a provider that sends %s when it is asked again has not refused the person',
  async (_, body) => {
    admitReaders();
    const { clock } = service.test;
    const begun = await begin();
    const signed = (more: Json = {}) => tokens(provider.sign({ ...begun.claims, ...more }));
    provider.answer(200, { ...signed(), refresh_token: 'first' });
    expect(await comeBack(begun)).toEqual({ failure: null, session: true });
    const ask = () => begun.browser.post(`${service.origin}/auth/key`);
    const { text } = await ask();
    clock.advance(8 * 60_000);
    provider.answer(200, body);
    expect(await ask()).toMatchObject({ status: 200, text });
    clock.advance(3 * 60_000);
    expect((await ask()).status).toBe(503);
    provider.answer(200, { ...signed({ nonce: undefined }), refresh_token: 'second' });
    const { key } = JSON.parse(text) as { readonly key: string };
    expect(JSON.parse((await ask()).text)).toMatchObject({ key });
    expect(provider.asked.at(-1)?.get('refresh_token')).toBe('first');
  },
);

it('a person whose renewed ID token the provider has not signed is signed out', async () => {
  admitReaders();
  const begun = await begin();
  provider.answer(200, { ...tokens(provider.sign(begun.claims)), refresh_token: 'first' });
  expect(await comeBack(begun)).toEqual({ failure: null, session: true });
  service.test.clock.advance(8 * 60_000);
  const signed = provider.sign({ ...begun.claims, nonce: undefined });
  const [head, claims] = signed.split('.');
  const [, , foreign] = provider.sign({ ...begun.claims, nonce: 'other' }).split('.');
  provider.answer(200, { ...tokens(`${head}.${claims}.${foreign}`), refresh_token: 'second' });
  const held = await begun.browser.post(`${service.origin}/auth/key`);
  expect(JSON.parse(held.text)).toEqual({ key: null });
});

it('a provider whose keys are not to be had when it is asked again has replaced the refresh token', async () => {
  admitReaders();
  const begun = await begin();
  const refreshing = (token: string, more: Json = {}) =>
    provider.answer(200, {
      ...tokens(provider.sign({ ...begun.claims, ...more })),
      refresh_token: token,
    });
  refreshing('first');
  expect(await comeBack(begun)).toEqual({ failure: null, session: true });
  const ask = () => begun.browser.post(`${service.origin}/auth/key`);
  const { text } = await ask();
  provider.rotate();
  provider.hideKeys(true);
  service.test.clock.advance(8 * 60_000);
  refreshing('second', { nonce: undefined });
  expect(await ask()).toMatchObject({ status: 200, text });
  provider.hideKeys(false);
  refreshing('third', { nonce: undefined });
  expect((await ask()).text).not.toBe(text);
  expect(provider.asked.slice(-2).map((sent) => sent.get('refresh_token'))).toEqual([
    'first',
    'second',
  ]);
});

it('a provider with another name than the settings say is logged with that name', async () => {
  const other = await openHostileProvider();
  const issuer = `${other.issuer}/realm`;
  other.describe({ issuer });
  let logged = '';
  const write = (line: string) => {
    logged += line;
  };
  const named = await openSignInService(
    { oidcIssuer: other.issuer },
    () => [],
    openLog('warn', { write }),
  );
  const answer = await openPlainBrowser().visit(`${named.origin}/auth/sign-in`);
  expect(answer.location).toBe(`${named.origin}/?sign-in=unavailable`);
  expect(logged).toContain(`OIDC_ISSUER has to be ${issuer}, exactly`);
  await named.close();
  await other.close();
});

it('a provider that cannot be reached is logged with the reason', async () => {
  const gone = await openHostileProvider();
  await gone.close();
  let logged = '';
  const write = (line: string) => {
    logged += line;
  };
  const log = openLog('warn', { write });
  const other = await openSignInService({ oidcIssuer: gone.issuer }, () => [], log);
  const answer = await openPlainBrowser().visit(`${other.origin}/auth/sign-in`);
  expect(answer.location).toBe(`${other.origin}/?sign-in=unavailable`);
  // An attempt that is pending stays.
  expect(answer.cookies).toEqual([]);
  expect(logged).toMatch(/"reason":"the provider cannot be used: fetch failed: [^"]*ECONNREFUSED/);
  await other.close();
});

it('settings that would be unsafe, or of no effect, are refused in words', () => {
  const right = {
    OIDC_ISSUER: 'https://login.example.test',
    OIDC_CLIENT_ID: 'querydock',
    OIDC_RULES: '[{"group":"readers","scopes":["endpoint:read"],"projects":[1]}]',
    CREDENTIALS_KEY: 'ab'.repeat(32),
    PUBLIC_URL: 'https://data.example.test',
  };
  expect(readConfig(right).oidcRules).toEqual([
    { group: 'readers', scopes: ['endpoint:read'], projects: [1] },
  ]);
  const wrong = [
    [{ OIDC_ISSUER: 'http://login.example.test' }, /OIDC_ISSUER is not an https/],
    [{ OIDC_ISSUER: '' }, /OIDC_ISSUER is empty/],
    [{ PUBLIC_URL: 'https://queries.example.test/base' }, /a PUBLIC_URL without a path/],
    [{ OIDC_CLIENT_ID: '' }, /needs OIDC_CLIENT_ID/],
    [{ OIDC_RULES: '' }, /needs OIDC_RULES/],
    [{ OIDC_RULES: '{"readers":[1]}' }, /OIDC_RULES.*is not a list like/],
    [{ OIDC_RULES: '[{"group":"a","scopes":["root"],"projects":[1]}]' }, /is not a list like/],
    [{ OIDC_RULES: '[{"group":"a","scopes":["endpoint:read"]}]' }, /is not a list like/],
    [{ CREDENTIALS_KEY: '' }, /needs CREDENTIALS_KEY/],
    [{ PUBLIC_URL: 'http://data.example.test' }, /needs an https:\/\/ URL in PUBLIC_URL/],
    [{ PUBLIC_URL: '', HOST: '0.0.0.0' }, /PUBLIC_URL/],
    [{ OIDC_SCOPES: 'email' }, /OIDC_SCOPES.*openid/],
  ] as const;
  for (const [change, words] of wrong)
    expect(() => readConfig({ ...right, ...change }), JSON.stringify(change)).toThrow(words);
  // A setting that is not accepted is not also called missing.
  const once = /^OIDC_RULES=[^\n]*$/;
  expect(() => readConfig({ ...right, OIDC_RULES: '{"readers":[1]}' })).toThrow(once);
  const secret = { OIDC_CLIENT_SECRET: 'hidden', OIDC_ISSUER: '' };
  expect(() => readConfig({ ...right, ...secret })).toThrow(/^(?!.*hidden)/);
});
