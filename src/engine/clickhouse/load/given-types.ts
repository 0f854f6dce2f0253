/** Types that the caller of a load gives for columns. Pure. */
import { withoutAliases } from '../../../sql/type-aliases.ts';
import type { Column } from '../../query-engine.ts';
import type { ColumnTypes } from './load-request.ts';

/** Applies the given types, by the engine's own names of these, to the columns. Throws what `refuse` returns for the name of an unknown column. */
export function withGivenTypes(
  columns: readonly Column[],
  given: ColumnTypes,
  refuse: (name: string, names: readonly string[]) => Error,
): readonly Column[] {
  for (const name of given.keys()) {
    if (columns.some((column) => column.name === name)) continue;
    throw refuse(
      name,
      columns.map((column) => column.name),
    );
  }
  return columns.map(({ name, type }) => {
    const own = given.get(name);
    // Values arrive exactly by the rules of their type, which are found by its name.
    return { name, type: own === undefined ? type : withoutAliases(own) };
  });
}
