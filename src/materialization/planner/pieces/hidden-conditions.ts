/**
 * Conditions on partial results that compare times of different types: the index would evaluate them differently, so the
 * read hides them from it and adds what follows from them in the column's own type.
 */
import { impliedCondition, isPlain } from '../key-conditions.ts';
import { hiddenTexts, notCompared, type TypedSelect, typedSelect } from '../roll-ups.ts';
import { rankOf } from '../sorting-key.ts';
import { ranks } from './piece-comparisons.ts';
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
  const texts: { readonly column: string; readonly written: string; readonly hidden: string }[] =
    [];
  for (const table of splitting.pieces.keys()) {
    const given = selectsOf(splitting, table);
    const selects = await Promise.all(given.map((select) => typedSelect(select, splitting.query)));
    for (const column of new Set(selects.flatMap(({ compared }) => [...compared.keys()]))) {
      const rank = rankOfHidden(selects, column);
      const own = selects.flatMap((select) => hiddenTexts(select, column));
      const isFound = own.length > 0 && own.every(([written]) => readQuery.includes(written));
      if (rank === null || !isFound) continue;
      found.set(column, rank);
      texts.push(...own.map(([written, hidden]) => ({ column, written, hidden })));
    }
  }
  const hide = (text: string, columns: ReadonlySet<string>) =>
    texts
      .filter(({ column }, at) => columns.has(column) && isFirst(texts, at))
      .reduce((read, { written, hidden }) => read.replaceAll(written, () => hidden), text);
  return { ranks: found, hide };
}

/** Two SELECTs may have the same condition. */
function isFirst(texts: readonly { readonly written: string }[], at: number): boolean {
  return texts.findIndex(({ written }) => written === texts[at]?.written) === at;
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
  const isOne = all.some(({ comparison }) => rankOf(comparison) === ranks.equal);
  return isOne ? ranks.equal : ranks.range;
}
