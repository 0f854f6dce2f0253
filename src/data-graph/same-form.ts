import { stableJson } from '../lib/stable-json.ts';
import type { GraphShape } from './shape.ts';

/**
 * Whether documents mean the same for two versions of one endpoint, so that one field serves both. The shapes must have
 * the same field; descriptions, defaults and the order of columns and arguments may differ.
 */
export function isSameForm(one: GraphShape, other: GraphShape): boolean {
  return one.id === other.id || formOf(one) === formOf(other);
}

function formOf({ field, columns, args, objects, enums, sortable }: GraphShape): string {
  return stableJson([
    field,
    columns.map(({ name, source, type }) => stableJson([name, source, type])).sort(),
    args
      .map(({ name, source, type, isRequired }) => stableJson([name, source, type, isRequired]))
      .sort(),
    objects.map((object) => stableJson(object)).sort(),
    enums.map(({ name, members }) => stableJson([name, [...members].sort()])).sort(),
    [...sortable].sort(),
  ]);
}
