import { LRUCache } from 'lru-cache';
import type { FilterTypes } from '../query/filters/filter-types.ts';

/** The types of filtered columns, by project and marked text. */
export interface FilterTypesMemo {
  find(projectId: number, marked: string): FilterTypes | undefined;
  store(projectId: number, marked: string, types: FilterTypes): void;
  /** After a filter failed, possibly because a column has another type now. */
  forget(projectId: number): void;
}

export function openFilterTypesMemo(): FilterTypesMemo {
  const types = new LRUCache<string, FilterTypes>({ max: 1000, ttl: 60_000 });
  const prefixOf = (projectId: number) => `${projectId}\n`;
  return {
    find: (projectId, marked) => types.get(prefixOf(projectId) + marked),
    store: (projectId, marked, found) => void types.set(prefixOf(projectId) + marked, found),
    forget(projectId) {
      for (const key of types.keys()) if (key.startsWith(prefixOf(projectId))) types.delete(key);
    },
  };
}
