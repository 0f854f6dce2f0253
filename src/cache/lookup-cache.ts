import { LRUCache } from 'lru-cache';
import { isOutage } from '../errors/service-error.ts';
import type { Clock } from '../lib/clock.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';

/**
 * Records cached in memory for the hot path, each for at most `maxAgeMs` even if no invalidation arrives. While they
 * cannot be reloaded because the metadata database is down, known records are used for up to `outageMs`.
 */
export interface LookupCache<V> {
  /**
   * Returns the cached value at once, else what `load` returns; null (no record) is cached as well, apart from the
   * records, but not used during an outage.
   *
   * @param now for callers that have already read the clock.
   */
  get(key: string, load: () => Promise<V | null>, now?: Date): MaybePromise<V | null>;
  /** The record has changed: drops what is cached. */
  invalidate(key: string): void;
  clear(): void;
  /** The record, or any record, may have changed: reloads it, and uses the cached value only if that is impossible. */
  expire(key?: string): void;
}

/** Size of an entry without its value. */
const entryBytes = 500;
/** The name of no record is longer. What callers send as a name may be, and would be kept. */
const longestKey = 500;
/** During an outage, the interval at which a known record is reloaded. */
const retryMs = 1000;

interface Entry<V> {
  readonly value: V | null;
  readonly loadedAt: number;
  isExpired: boolean;
  /** When the last reload failed. */
  failedAt: number;
}

export interface LookupCacheOptions<V> {
  readonly clock: Clock;
  readonly maxEntries: number;
  /** Maximum number of keys without a record, which callers may make up. */
  readonly maxMissing: number;
  readonly maxAgeMs: number;
  /** How long after loading a known record may be used while it cannot be reloaded; 0 disables that. */
  readonly outageMs: number;
  /** For records that may be long: the size of one in bytes, and the limit for all. */
  readonly weigh?: (value: V) => number;
  readonly maxBytes?: number;
}

/**
 * A load that was in progress when its key was invalidated is returned to its callers but not cached, so an earlier
 * read never overwrites a change.
 */
export function openLookupCache<V>(options: LookupCacheOptions<V>): LookupCache<V> {
  const { clock, maxAgeMs, outageMs } = options;
  const entries = openEntries(options);
  /** Separate, so that made-up keys do not displace records. */
  const missing = new LRUCache<string, Entry<V>>({ max: options.maxMissing });
  const loading = new Map<string, Promise<V | null>>();

  function startLoad(key: string, load: () => Promise<V | null>): Promise<V | null> {
    const loadedAt = clock.now().getTime();
    const promise: Promise<V | null> = load().then(
      (value) => {
        if (loading.get(key) === promise) {
          loading.delete(key);
          const failedAt = Number.NEGATIVE_INFINITY;
          forget(key);
          const kept = value === null ? missing : entries;
          kept.set(key, { value, loadedAt, isExpired: false, failedAt });
        }
        return value;
      },
      (error: unknown) => {
        if (loading.get(key) === promise) loading.delete(key);
        return useKnown(key, error);
      },
    );
    loading.set(key, promise);
    return promise;
  }

  function find(key: string): Entry<V> | undefined {
    return entries.get(key) ?? missing.get(key);
  }

  function forget(key: string): void {
    entries.delete(key);
    missing.delete(key);
  }

  function useKnown(key: string, error: unknown): V {
    const known = entries.get(key);
    const now = clock.now().getTime();
    const isKnown = known !== undefined && isYounger(known.loadedAt, outageMs, now);
    if (!isKnown || known.value === null || !isOutage(error)) throw error;
    known.failedAt = now;
    return known.value;
  }

  function isUsable(entry: Entry<V>, now: number): boolean {
    if (!entry.isExpired && isYounger(entry.loadedAt, maxAgeMs, now)) return true;
    return isYounger(entry.failedAt, retryMs, now) && isYounger(entry.loadedAt, outageMs, now);
  }

  return {
    get(key, load, now) {
      if (key.length > longestKey) return load();
      const entry = find(key);
      if (entry !== undefined && isUsable(entry, (now ?? clock.now()).getTime()))
        return entry.value;
      return loading.get(key) ?? startLoad(key, load);
    },
    invalidate(key) {
      forget(key);
      loading.delete(key);
    },
    clear() {
      entries.clear();
      missing.clear();
      loading.clear();
    },
    expire(key) {
      if (key === undefined) {
        for (const kept of [entries, missing])
          for (const entry of kept.values()) Object.assign(entry, expired);
        loading.clear();
        return;
      }
      const entry = find(key);
      if (entry !== undefined) Object.assign(entry, expired);
      loading.delete(key);
    },
  };
}

const expired = { isExpired: true, failedAt: Number.NEGATIVE_INFINITY } as const;

/** A time in the future (the clock was set back) has no known age, so that nothing outlives its bound. */
function isYounger(since: number, ageMs: number, now: number): boolean {
  return now >= since && now - since < ageMs;
}

function openEntries<V>({ maxEntries, maxBytes, weigh }: LookupCacheOptions<V>) {
  return new LRUCache<string, Entry<V>>({
    max: maxEntries,
    ...(maxBytes === undefined || weigh === undefined
      ? {}
      : {
          maxSize: maxBytes,
          sizeCalculation: ({ value }) => entryBytes + (value === null ? 0 : weigh(value)),
        }),
  });
}
