import type { Column } from './query-engine.ts';

/** Whether both have the same names and types in the same order. */
export function areSameColumns(one: readonly Column[], other: readonly Column[]): boolean {
  return (
    one.length === other.length &&
    one.every(({ name, type }, at) => other[at]?.name === name && other[at]?.type === type)
  );
}
