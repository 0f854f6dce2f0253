import { LRUCache } from 'lru-cache';
import type { Clock } from '../lib/clock.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';

/** Records cached in memory for the hot path, each for at most `maxAgeMs` even if no invalidation arrives. */
export interface LookupCache<V> {
  /**
   * The cached value at once, else what `load` returns; null (there is none) is cached as well.
   *
   * @param now for callers that have read the clock already.
   */
  get(key: string, load: () => Promise<V | null>, now?: Date): MaybePromise<V | null>;
  invalidate(key: string): void;
  clear(): void;
}

/** What an entry costs beside its value. */
const entryBytes = 500;

interface Entry<V> {
  readonly value: V | null;
  readonly loadedAt: number;
}

/**
 * A load that was in progress when its key was invalidated is returned to its callers but not cached, so a change is
 * never overwritten by an earlier read.
 */
export function openLookupCache<V>(options: {
  readonly clock: Clock;
  readonly maxEntries: number;
  readonly maxAgeMs: number;
  /** For records that may be long: the bytes that one takes, and those that all may take. */
  readonly weigh?: (value: V) => number;
  readonly maxBytes?: number;
}): LookupCache<V> {
  const { maxEntries, maxBytes, weigh } = options;
  const entries = new LRUCache<string, Entry<V>>({
    max: maxEntries,
    ...(maxBytes === undefined || weigh === undefined
      ? {}
      : {
          maxSize: maxBytes,
          sizeCalculation: ({ value }) => entryBytes + (value === null ? 0 : weigh(value)),
        }),
  });
  const loading = new Map<string, Promise<V | null>>();

  function startLoad(key: string, load: () => Promise<V | null>): Promise<V | null> {
    const loadedAt = options.clock.now().getTime();
    const promise: Promise<V | null> = load().then(
      (value) => {
        if (loading.get(key) === promise) {
          loading.delete(key);
          entries.set(key, { value, loadedAt });
        }
        return value;
      },
      (error: unknown) => {
        if (loading.get(key) === promise) loading.delete(key);
        throw error;
      },
    );
    loading.set(key, promise);
    return promise;
  }

  /** An entry from the future (the clock was set back) counts as expired, so that nothing outlives its maximum age. */
  function isYoung(entry: Entry<V>, now: Date): boolean {
    const age = now.getTime() - entry.loadedAt;
    return age >= 0 && age < options.maxAgeMs;
  }

  return {
    get(key, load, now) {
      const entry = entries.get(key);
      if (entry !== undefined && isYoung(entry, now ?? options.clock.now())) return entry.value;
      return loading.get(key) ?? startLoad(key, load);
    },
    invalidate(key) {
      entries.delete(key);
      loading.delete(key);
    },
    clear() {
      entries.clear();
      loading.clear();
    },
  };
}
