/** The key of this tab. It is stored until the tab closes, and never becomes part of a URL. */
import { useSyncExternalStore } from 'react';

const storedAt = 'querydock:key';
/**
 * The key that the user signed out of, or that was refused: without this, a demo would sign in with it again
 * automatically.
 */
const leftAt = 'querydock:signed-out';
/** When the key has to be renewed; only set for a key from a provider sign-in. */
const untilAt = 'querydock:key-until';
const listeners = new Set<() => void>();

/** The key of a demo on this machine; null elsewhere. */
function demoKey(): string | null {
  const found = document.querySelector<HTMLMetaElement>('meta[name="querydock-demo-key"]')?.content;
  return found === undefined || found === '' ? null : found;
}

export function currentKey(): string | null {
  const own = sessionStorage.getItem(storedAt);
  if (own !== null) return own;
  const key = demoKey();
  return key === sessionStorage.getItem(leftAt) ? null : key;
}

/** @param until milliseconds since 1970, for a key that has to be renewed. */
export function keepKey(key: string, until: number | null = null): void {
  sessionStorage.setItem(storedAt, key);
  if (until === null) sessionStorage.removeItem(untilAt);
  else sessionStorage.setItem(untilAt, String(until));
  sessionStorage.removeItem(leftAt);
  for (const listener of listeners) listener();
}

export function forgetKey(): void {
  sessionStorage.removeItem(storedAt);
  sessionStorage.removeItem(untilAt);
  sessionStorage.setItem(leftAt, demoKey() ?? '');
  for (const listener of listeners) listener();
}

/** Milliseconds until the key has to be renewed; null for a manually entered one. */
export function millisecondsLeft(): number | null {
  const until = sessionStorage.getItem(untilAt);
  return until === null ? null : Number(until) - Date.now();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Null when nobody is signed in. */
export function useKey(): string | null {
  return useSyncExternalStore(subscribe, currentKey);
}
