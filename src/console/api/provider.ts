/**
 * Signing in by an OpenID provider. The service holds the sign-in in a cookie that scripts cannot read, and gives the pages
 * that come from it a key for some minutes at a time.
 */
import { currentKey, forgetKey, keepKey, millisecondsLeft } from './session.ts';

/** Where signing in begins; null without a provider. */
export function providerUrl(): string | null {
  const name = 'meta[name="querydock-sign-in"]';
  const url = document.querySelector<HTMLMetaElement>(name)?.content ?? '';
  return url === '' ? null : url;
}

/** What the service keeps of an address while somebody signs in. */
const longestPath = 1500;

/** The same, to come back to what is shown now. @param again asks for another account than the one in use there. */
export function signInHere(url: string, again: boolean): string {
  const view = `${location.pathname}${location.search}`;
  // A document stands behind `#`; one that is too long is left behind.
  const whole = `${view}${location.hash}`;
  const query = new URLSearchParams({ to: whole.length > longestPath ? view : whole });
  if (again) query.set('again', '');
  return `${url}?${query}`;
}

interface Answer {
  readonly key?: string | null;
  readonly expires_at?: string;
  readonly url?: string | null;
}

/** Null when the service does not answer, or refuses. What is not possible at the moment is tried three times. */
async function post(path: string, triesLeft = 2): Promise<Answer | null> {
  try {
    const headers = { 'content-type': 'application/json', accept: 'application/json' };
    const response = await fetch(path, { method: 'POST', headers, body: '{}' });
    if (response.status === 503 && triesLeft > 0) {
      await new Promise((resolve) => setTimeout(resolve, 1000));
      return post(path, triesLeft - 1);
    }
    return response.ok ? ((await response.json()) as Answer) : null;
  } catch {
    return null;
  }
}

let asking: Promise<string | null> | null = null;

/** The key of the sign-in, kept for the tab; null when there is none. Asked once for all who ask meanwhile. */
export function askForKey(): Promise<string | null> {
  asking ??= ask().finally(() => {
    asking = null;
  });
  return asking;
}

async function ask(): Promise<string | null> {
  if (providerUrl() === null) return null;
  const answer = await post('/auth/key');
  const key = answer?.key ?? null;
  if (key === null) {
    // Nobody is signed in any more. Without an answer it is asked again: the key may still be good.
    if (answer !== null && millisecondsLeft() !== null) forgetKey();
    return null;
  }
  const until = Date.parse(answer?.expires_at ?? '');
  const before = currentKey();
  if (before === null || before === key) keepKey(key, until);
  else {
    // Somebody else, or other rights: nothing that was shown stays.
    forgetKey();
    setTimeout(() => keepKey(key, until));
  }
  return key;
}

/** Of this tab, and of the provider where that is how somebody came in. */
export async function signOut(): Promise<void> {
  const isByProvider = millisecondsLeft() !== null;
  const answer = isByProvider ? await post('/auth/sign-out') : null;
  forgetKey();
  if (typeof answer?.url === 'string') location.assign(answer.url);
}
