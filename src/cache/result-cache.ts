import { LRUCache } from 'lru-cache';
import type { EngineResult } from '../engine/query-engine.ts';

/** A computed result with the facts that every answer made from it repeats. Immutable. */
export interface CachedResult extends EngineResult {
  readonly computedAt: Date;
  /** The execution that computed it; its query status stays readable under this id. */
  readonly executionId: string;
  /** Names this computation and its content; a recomputed result has another, also when its rows are equal. */
  readonly contentTag: string;
}

/** Results by what was asked: (version, bound values, limit, offset, format). Bounded in bytes. */
export interface ResultCache {
  get(key: string): CachedResult | undefined;
  set(key: string, result: CachedResult): void;
  /** Bytes held. */
  size(): number;
}

/** What an entry costs beside its rows: key, columns and bookkeeping. */
const entryOverheadBytes = 1024;

export function openResultCache(maxBytes: number): ResultCache {
  if (maxBytes === 0) return { get: () => undefined, set: () => undefined, size: () => 0 };
  const entries = new LRUCache<string, CachedResult>({
    maxSize: maxBytes,
    sizeCalculation: (result, key) => result.rows.length + key.length + entryOverheadBytes,
  });
  return {
    get: (key) => entries.get(key),
    set: (key, result) => void entries.set(key, result),
    size: () => entries.calculatedSize,
  };
}
