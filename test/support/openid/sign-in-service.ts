/** A service with an OpenID provider, and a browser without a page: cookies, redirects, and nothing else. */
import type { Config } from '../../../src/config/config.ts';
import type { Log } from '../../../src/lib/log.ts';
import { openTestApp, type TestApp } from '../test-app.ts';

export interface SignInService {
  readonly test: TestApp;
  readonly origin: string;
  close(): Promise<void>;
}

export const credentialsKey = 'ab'.repeat(32);

/** @param rules of the groups, by the id of the project of the test. */
export async function openSignInService(
  settings: Partial<Config>,
  rules: (projectId: number, otherId: number) => Config['oidcRules'],
  log?: Log,
): Promise<SignInService> {
  const own = { port: 0, publicUrl: '', credentialsKey, oidcClientId: 'querydock' };
  const test = await openTestApp({ ...own, ...settings }, log);
  // The projects of a test have ids once it is open.
  Object.assign(test.app.core.config, { oidcRules: rules(test.project.id, test.other.id) });
  // Providers and browsers go by the time of day.
  test.clock.set(new Date().toISOString());
  const { port } = await test.app.start();
  return { test, origin: `http://127.0.0.1:${port}`, close: () => test.close() };
}

export interface Visit {
  readonly status: number;
  readonly url: string;
  readonly location: string | null;
  readonly text: string;
  readonly cookies: readonly string[];
  /** What the browser kept when it came back from the provider. */
  readonly attempt?: string;
}

export interface PlainBrowser {
  /** One request, with the cookies of the host; keeps those that it gets. */
  visit(url: string, form?: Readonly<Record<string, string>>): Promise<Visit>;
  /** The same until there is no redirect, or one to the address. */
  follow(url: string, until?: string): Promise<Visit>;
  /** As a page of the service does, unless the headers say otherwise. */
  post(url: string, headers?: Readonly<Record<string, string>>): Promise<Visit>;
  /** By name. */
  readonly jar: Map<string, string>;
}

interface Sent {
  readonly method?: string;
  readonly body?: string | URLSearchParams;
  readonly headers?: Readonly<Record<string, string>>;
}

export function openPlainBrowser(): PlainBrowser {
  const jars = new Map<string, Map<string, string>>();
  const jarOf = (url: string) => {
    const { host } = new URL(url);
    const jar = jars.get(host) ?? new Map<string, string>();
    jars.set(host, jar);
    return jar;
  };
  const own = new Map<string, string>();

  async function send(url: string, init: Sent): Promise<Visit> {
    const jar = url.startsWith('http://127.0.0.1') ? own : jarOf(url);
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ');
    const headers = { ...init.headers, ...(cookie === '' ? {} : { cookie }) };
    const response = await fetch(url, { ...init, headers, redirect: 'manual' });
    const cookies = response.headers.getSetCookie();
    for (const line of cookies) keep(jar, line);
    const location = response.headers.get('location');
    return {
      status: response.status,
      url,
      location: location === null ? null : new URL(location, url).href,
      text: await response.text(),
      cookies,
    };
  }

  const browser: PlainBrowser = {
    jar: own,
    visit: (url, form) =>
      send(url, form === undefined ? {} : { method: 'POST', body: new URLSearchParams(form) }),
    async follow(url, until = 'nowhere') {
      let visit = await browser.visit(url);
      for (let hops = 0; visit.location !== null && hops < 10; hops += 1) {
        if (visit.location.startsWith(until)) return visit;
        visit = await browser.visit(visit.location);
      }
      return visit;
    },
    post: (url, headers = {}) =>
      send(url, {
        method: 'POST',
        body: '{}',
        headers: {
          'content-type': 'application/json',
          origin: new URL(url).origin,
          'sec-fetch-site': 'same-origin',
          ...headers,
        },
      }),
  };
  return browser;
}

function keep(jar: Map<string, string>, line: string): void {
  const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
  const isGone = /max-age=0(;|$)/i.test(line) || /expires=Thu, 01 Jan 1970/i.test(line);
  if (isGone) jar.delete(name);
  else jar.set(name, value);
}

/**
 * Signs in at the released provider by its forms. Ends at the service, or where the provider refuses.
 *
 * @param from query string of the address where it begins.
 */
export async function signInBy(
  browser: PlainBrowser,
  { origin }: SignInService,
  account: string,
  from: Readonly<Record<string, string>> = {},
): Promise<Visit> {
  const query = new URLSearchParams({ to: '/', ...from });
  let visit = await browser.follow(`${origin}/auth/sign-in?${query}`);
  for (let forms = 0; forms < 2 && visit.text.includes('name="prompt"'); forms += 1) {
    const [, action = ''] = /action="([^"]+)"/.exec(visit.text) ?? [];
    const [, prompt = ''] = /name="prompt" value="(\w+)"/.exec(visit.text) ?? [];
    const at = new URL(action, visit.url).href;
    const answer = await browser.visit(at, { prompt, login: account, password: 'any' });
    visit =
      answer.location === null
        ? answer
        : await browser.follow(answer.location, `${origin}/auth/callback`);
    if (visit.location?.startsWith(`${origin}/auth/callback`) === true) {
      const attempt = browser.jar.get('querydock-attempt') ?? '';
      return { ...(await browser.visit(visit.location)), attempt };
    }
  }
  return visit;
}
