/**
 * Conditions on partial results that compare times of different types, or a FixedString with a text: the index would evaluate
 * them differently, so the read hides them from it and adds what follows from them in the column's own type.
 */

import { hiddenTexts, notCompared, type TypedSelect, typedSelect } from '../compared-selects.ts';
import { impliedCondition, isPlain } from '../key-conditions.ts';
import { rankOf } from './piece-comparisons.ts';
import { selectsOf } from './piece-roll-ups.ts';
import type { Splitting } from './pieces.ts';

export interface HiddenConditions {
  /** The place of each of their columns in the sorting key, by its name. */
  readonly ranks: ReadonlyMap<string, number>;
  /** The read with the conditions on these columns hidden. */
  hide(readQuery: string, columns: ReadonlySet<string>): string;
}

/** @param readQuery has the conditions. */
export async function hiddenConditions(
  splitting: Splitting,
  readQuery: string,
): Promise<HiddenConditions> {
  const found = new Map<string, number>();
  // By the conditions as they are written; two SELECTs may have the same one.
  const texts = new Map<string, { readonly column: string; readonly hidden: string }>();
  for (const table of splitting.pieces.keys()) {
    const given = selectsOf(splitting, table);
    const selects = await Promise.all(given.map((select) => typedSelect(select, splitting.query)));
    for (const column of new Set(selects.flatMap(({ compared }) => [...compared.keys()]))) {
      const rank = rankOfHidden(selects, column);
      const own = selects.flatMap((select) => hiddenTexts(select, column));
      const isFound = own.length > 0 && own.every(([written]) => readQuery.includes(written));
      if (rank === null || !isFound) continue;
      found.set(column, rank);
      for (const [written, hidden] of own) texts.set(written, { column, hidden });
    }
  }
  const hide = (text: string, columns: ReadonlySet<string>) =>
    [...texts]
      .filter(([, { column }]) => columns.has(column))
      .reduce((read, [written, { hidden }]) => read.replaceAll(written, () => hidden), text);
  return { ranks: found, hide };
}

/**
 * Null unless each comparison of the column in a WHERE is a whole condition of which something follows for the index. Keys
 * may be compared elsewhere, under other names.
 */
function rankOfHidden(selects: readonly TypedSelect[], column: string): number | null {
  const all = selects.flatMap(({ compared }) => compared.get(column)?.where ?? []);
  const others = selects.flatMap(({ predicates, nameOf, keys }) => [
    ...keys,
    ...notCompared(predicates, nameOf),
  ]);
  const canHide = all.every(
    (typed) => typed.comparison.role === 'whole' && impliedCondition(typed, column) !== null,
  );
  if (all.every(isPlain) || !canHide || others.includes(column)) return null;
  return Math.min(...all.flatMap(({ comparison }) => rankOf(comparison.operator) ?? []));
}
