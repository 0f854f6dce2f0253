/** Finds where the next page begins, from the two rows around the end of this page. Pure. */
import type { Column } from '../../query-engine.ts';
import type { PageEnd } from '../../row-selection.ts';
import type { ResolvedSelection } from './resolve-selection.ts';
import { areEqualKeys, sortValuesOf } from './sort-values.ts';

/** A start by more keys would nest deeper than the engine accepts; such a page begins at a row offset. */
const maxKeys = 32;

/** @param edge JSON of the last row of the page and of the one after it. */
export function pageEndOf(
  {
    plan,
    selection,
  }: {
    readonly plan: { readonly columns: readonly Column[] };
    readonly selection: ResolvedSelection;
  },
  edge: readonly [string, string],
): PageEnd {
  const { keys, positions } = selection;
  if (keys !== null && keys.length > maxKeys) return { keys, next: null };
  // A key that is not among the columns appears in no row.
  if (keys?.every(({ position }) => positions.includes(position)) !== true) {
    return { keys, next: null };
  }
  const columns = keys.map(({ position }) => plan.columns[position] ?? { name: '', type: '' });
  const [last, next] = edge.map((row) => {
    const values = parseExactly(row);
    return keys.map(({ position }, index) =>
      Array.isArray(values)
        ? (values as readonly unknown[])[positions.indexOf(position)]
        : (values as Readonly<Record<string, unknown>>)[columns[index]?.name ?? ''],
    );
  });
  const isTied = columns.every(({ type }, at) => areEqualKeys(type, last?.[at], next?.[at]));
  if (isTied || next === undefined) return { keys, next: null };
  return { keys, next: sortValuesOf(columns, next) };
}

/** Parses with numbers kept as written. */
function parseExactly(row: string): object {
  const exact = (_key: string, value: unknown, context?: { readonly source?: string }): unknown =>
    typeof value === 'number' ? (context?.source ?? value) : value;
  return JSON.parse(row, exact as (key: string, value: unknown) => unknown) as object;
}
