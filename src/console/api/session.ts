/** The key of this tab. It is kept until the tab closes, and never becomes part of an address. */
import { useSyncExternalStore } from 'react';

const storedAt = 'querydock:key';
/** The key that somebody left, or that was refused: a demo would sign in with it again by itself. */
const leftAt = 'querydock:signed-out';
/** When it has to be asked for again; only there for a key of a sign-in by a provider. */
const untilAt = 'querydock:key-until';
const listeners = new Set<() => void>();

/** Of a demo on this machine; null elsewhere. */
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

/** @param until milliseconds since 1970, of one that has to be asked for again. */
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

/** Milliseconds until the key has to be asked for again; null for one that somebody typed in. */
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
