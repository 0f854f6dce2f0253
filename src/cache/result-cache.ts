import { LRUCache } from 'lru-cache';
import type { EngineResult } from '../engine/query-engine.ts';

/** A computed result with the facts that every response built from it repeats. Immutable. */
export interface CachedResult extends EngineResult {
  readonly computedAt: Date;
  /** The execution that computed it; its query status stays readable under this id. */
  readonly executionId: string;
  /** Identifies this computation and its content; a recomputed result has another tag, even when its rows are equal. */
  readonly contentTag: string;
  /** Where the next page begins; null when there is none, or the run is not paged by cursors. */
  readonly nextCursor: string | null;
}

/**
 * Results by (version, bound values, limit, offset, format), and the response bodies built from them. Bounded in bytes.
 */
export interface ResultCache {
  get(key: string): CachedResult | undefined;
  set(key: string, result: CachedResult): void;
  /** The key identifies the content, so a body can never belong to another result. */
  getBody(key: string): CachedBody | undefined;
  setBody(key: string, body: CachedBody): void;
  /** Bytes held. */
  size(): number;
  /** Totals since the process started. */
  facts(): CacheFacts;
}

interface CacheFacts {
  /** Results and response bodies. */
  readonly entries: number;
  readonly bytes: number;
  readonly maxBytes: number;
  /** Lookups of results that found one, however old. */
  readonly hits: number;
  readonly misses: number;
  /** Entries that were evicted to make room. */
  readonly evictions: number;
}

/** A body as sent: one string, or pieces in which null stands for the rows of its result. */
export type CachedBody = string | readonly (Buffer | null)[];

/** Size of an entry besides its bytes: key, columns and bookkeeping. */
const entryOverheadBytes = 1024;

type Entry = { readonly result: CachedResult } | { readonly body: CachedBody };

const nothing: ResultCache = {
  get: () => undefined,
  set: () => undefined,
  getBody: () => undefined,
  setBody: () => undefined,
  size: () => 0,
  facts: () => ({ entries: 0, bytes: 0, maxBytes: 0, hits: 0, misses: 0, evictions: 0 }),
};

/** Results and bodies share the limit; the least recently used entry is evicted first. */
export function openResultCache(maxBytes: number): ResultCache {
  if (maxBytes === 0) return nothing;
  let [hits, misses, evictions] = [0, 0, 0];
  const results = new LRUCache<string, Entry>({
    maxSize: maxBytes,
    dispose(_entry, _key, reason) {
      if (reason === 'evict') evictions += 1;
    },
    sizeCalculation: (entry, key) => bytesOf(entry) + key.length + entryOverheadBytes,
  });
  return {
    get(key) {
      const entry = results.get(key);
      if (entry === undefined || !('result' in entry)) {
        misses += 1;
        return undefined;
      }
      hits += 1;
      return entry.result;
    },
    set: (key, result) => void results.set(key, { result }),
    getBody(key) {
      const entry = results.get(key);
      return entry !== undefined && 'body' in entry ? entry.body : undefined;
    },
    setBody: (key, body) => void results.set(key, { body }),
    size: () => results.calculatedSize,
    facts: () => ({
      entries: results.size,
      bytes: results.calculatedSize,
      maxBytes,
      hits,
      misses,
      evictions,
    }),
  };
}

function bytesOf(entry: Entry): number {
  if ('result' in entry) return entry.result.rows.length;
  const { body } = entry;
  if (typeof body === 'string') return body.length;
  return body.reduce((sum, piece) => sum + (piece?.length ?? 0), 0);
}
