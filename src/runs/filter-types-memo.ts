import { LRUCache } from 'lru-cache';
import { openSingleFlight } from '../lib/single-flight.ts';
import type { FilterTypes } from '../query/filters/filter-types.ts';

export interface KnownFilterTypes {
  readonly types: FilterTypes;
  /** Whether they were read within the last minute. */
  readonly isFresh: boolean;
}

/** The types of filtered columns, by project and marked text. */
export interface FilterTypesMemo {
  find(projectId: number, marked: string): KnownFilterTypes | null;
  /**
   * Reads types once for concurrent runs of the same group. Stores them only if they cover every `{filters}` and were
   * not forgotten meanwhile.
   */
  read(of: {
    readonly projectId: number;
    readonly marked: string;
    readonly group: string;
    readonly read: (signal: AbortSignal) => Promise<FilterTypes>;
    readonly signal: AbortSignal | undefined;
  }): Promise<FilterTypes>;
  /**
   * After a filter failed or a load, because a column may have another type now: later callers read anew.
   *
   * @param projectId null: of all projects.
   */
  forget(projectId: number | null): void;
}

const freshMs = 60_000;
const maxTypes = 1000;
/** Limit for the total length of all keys. */
const maxBytes = 16_777_216;

export function openFilterTypesMemo({ nowMs }: { readonly nowMs: () => number }): FilterTypesMemo {
  const known = new LRUCache<string, { readonly types: FilterTypes; readonly atMs: number }>({
    max: maxTypes,
    maxSize: maxBytes,
    sizeCalculation: (_types, key) => key.length,
  });
  const flights = openSingleFlight<FilterTypes>();
  /** How often types of a project were forgotten. What is known or read for a former number is no longer used. */
  const generations = new Map<number, number>();
  /** How often those of all projects were forgotten. */
  let clears = 0;
  const generationOf = (projectId: number) => generations.get(projectId) ?? 0;
  const keyOf = (projectId: number, marked: string) =>
    `${projectId}/${clears}/${generationOf(projectId)}\n${marked}`;
  return {
    find(projectId, marked) {
      const found = known.get(keyOf(projectId, marked));
      if (found === undefined) return null;
      return { types: found.types, isFresh: nowMs() - found.atMs < freshMs };
    },
    async read({ projectId, marked, group, read, signal }) {
      const key = keyOf(projectId, marked);
      const types = await flights.join(`${group}\n${key}`, read, signal);
      if (types.isComplete) known.set(key, { types, atMs: nowMs() });
      return types;
    },
    forget(projectId) {
      if (projectId === null) clears += 1;
      else generations.set(projectId, generationOf(projectId) + 1);
    },
  };
}
