/**
 * Sign-in through an OpenID provider. The service stores the sign-in in a cookie that scripts cannot read, and gives
 * its own pages a key that is valid for a few minutes.
 */
import { currentKey, forgetKey, keepKey, millisecondsLeft } from './session.ts';

/** URL that starts the sign-in; null without a provider. */
export function providerUrl(): string | null {
  const name = 'meta[name="querydock-sign-in"]';
  const url = document.querySelector<HTMLMetaElement>(name)?.content ?? '';
  return url === '' ? null : url;
}

/** Maximum path length that the service keeps during a sign-in. */
const longestPath = 1500;

/** The same, returning to the current view. @param again requests a different account than the one in use there. */
export function signInHere(url: string, again: boolean): string {
  const view = `${location.pathname}${location.search}`;
  // The hash contains the document; drops it if the URL would be too long.
  const whole = `${view}${location.hash}`;
  const query = new URLSearchParams({ to: whole.length > longestPath ? view : whole });
  if (again) query.set('again', '');
  return `${url}?${query}`;
}

interface KeyResponse {
  readonly key?: string | null;
  readonly expires_at?: string;
  readonly url?: string | null;
}

/** Null when the service does not respond, or refuses. Temporary failures are retried twice. */
async function post(path: string, triesLeft = 2): Promise<KeyResponse | null> {
  try {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const response = await fetch(path, { method: 'POST', headers, body: '{}' });
    if (response.status === 503 && triesLeft > 0) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      return post(path, triesLeft - 1);
    }
    return response.ok ? ((await response.json()) as KeyResponse) : null;
  } catch {
    return null;
  }
}

let pending: Promise<string | null> | null = null;

/** The sign-in's key, stored for the tab; null when there is none. Single flight. */
export function requestKey(): Promise<string | null> {
  pending ??= fetchKey().finally(() => {
    pending = null;
  });
  return pending;
}

async function fetchKey(): Promise<string | null> {
  if (providerUrl() === null) return null;
  const response = await post('/auth/key');
  const key = response?.key ?? null;
  if (key === null) {
    // Nobody is signed in any more. Without a response it is retried, since the key may still be valid.
    if (response !== null && millisecondsLeft() !== null) forgetKey();
    return null;
  }
  const until = Date.parse(response?.expires_at ?? '');
  const before = currentKey();
  if (before === null || before === key) keepKey(key, until);
  else {
    // Another person, or other rights: drop everything that was shown.
    forgetKey();
    setTimeout(() => keepKey(key, until));
  }
  return key;
}

/**
 * Signs out of this tab, and of the provider if that was used to sign in.
 *
 * @throws when the service does not confirm it: the cookie would sign the person in again.
 */
export async function signOut(): Promise<void> {
  const isByProvider = millisecondsLeft() !== null;
  const response = isByProvider ? await post('/auth/sign-out') : {};
  if (response === null) throw new Error('Signing out failed. Try again.');
  forgetKey();
  if (typeof response.url === 'string') location.assign(response.url);
}
