/** The key of this tab. It is kept until the tab closes, and never becomes part of an address. */
import { useSyncExternalStore } from 'react';

const storedAt = 'querydock:key';
/** The key that somebody left, or that was refused: a demo would sign in with it again by itself. */
const leftAt = 'querydock:signed-out';
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

export function keepKey(key: string): void {
  sessionStorage.setItem(storedAt, key);
  sessionStorage.removeItem(leftAt);
  for (const listener of listeners) listener();
}

export function forgetKey(): void {
  sessionStorage.removeItem(storedAt);
  sessionStorage.setItem(leftAt, demoKey() ?? '');
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Null when nobody is signed in. */
export function useKey(): string | null {
  return useSyncExternalStore(subscribe, currentKey);
}
