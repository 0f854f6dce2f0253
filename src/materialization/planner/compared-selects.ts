/** How the SELECTs of a read compare the columns of a table whose rows they merge. */
import { impliedCondition, isPlain, type TypedComparison } from './key-conditions.ts';
import type { QueryContext, StoredConditions } from './plan-context.ts';
import { comparisonsIn } from './text/comparisons.ts';
import { renderCondition, storedColumnAt } from './text/stored-expressions.ts';
import { type Tokens, textOf } from './text/tokens.ts';
import { typedComparisons } from './typed-comparisons.ts';

/** A SELECT of the read over the table. */
export interface SelectOfTable extends StoredConditions {
  /** The table in FROM, as no other SELECT writes it. */
  readonly source: string;
  /** Of WHERE, over stored columns. */
  readonly predicates: readonly Tokens[];
  /** The type of a stored column. */
  readonly typeOf: (column: string) => string;
  /** Whether the read has the predicates on a column as they are, so that the index would evaluate them. */
  readonly isRead: (column: string) => boolean;
}

export interface TypedSelect extends SelectOfTable {
  readonly compared: ReadonlyMap<string, Uses>;
}

/** Comparisons of a column in a SELECT. */
export interface Uses {
  readonly where: readonly TypedComparison[];
  /** In conditions of aggregates. */
  readonly chosen: readonly TypedComparison[];
}

export const noUses: Uses = { where: [], chosen: [] };

export async function typedSelect(
  select: SelectOfTable,
  query: Pick<QueryContext, 'analysis' | 'parameters'>,
): Promise<TypedSelect> {
  const { predicates, conditions, nameOf } = select;
  const typesOf = (tokens: readonly Tokens[]) =>
    typedComparisons(query, { predicates: tokens, typeOf: (at) => select.typeOf(nameOf(at)) });
  const byName = (comparisons: readonly TypedComparison[]) =>
    Map.groupBy(comparisons, ({ comparison }) => nameOf(comparison.column));
  const where = byName(await typesOf(predicates));
  const chosen = byName(await typesOf(conditions));
  const names = new Set([...where.keys(), ...chosen.keys()]);
  const uses = [...names].map((name) => {
    const own = { where: where.get(name) ?? [], chosen: chosen.get(name) ?? [] };
    return [name, own] as const;
  });
  return { ...select, compared: new Map(uses) };
}

/** Names of the columns that conditions use in other ways than to compare them. */
export function notCompared(
  written: readonly Tokens[],
  nameOf: (column: number) => string,
): readonly string[] {
  const uses = written.flat().flatMap((token) => storedColumnAt(token) ?? []);
  const compared = written.flatMap(comparisonsIn).map(({ column }) => column);
  const countOf = (columns: readonly number[], at: number) =>
    columns.filter((column) => column === at).length;
  return uses.filter((at) => countOf(uses, at) !== countOf(compared, at)).map(nameOf);
}

/**
 * The predicates that compare the column with other types, hidden from the index: it is in the sorting key. A predicate that is one such comparison comes with what follows from it for the index.
 */
export function hiddenTexts(
  { predicates, nameOf, compared, isRead }: TypedSelect,
  column: string,
): readonly (readonly [written: string, hidden: string])[] {
  const { where } = compared.get(column) ?? noUses;
  if (!isRead(column) || where.every(isPlain)) return [];
  return predicates.flatMap((condition) => {
    const isOfColumn = (at: number) => nameOf(at) === column;
    const written = `(${renderCondition(condition, nameOf)})`;
    const hidden = `(${renderCondition(condition, (at) => (isOfColumn(at) ? `identity(${column})` : nameOf(at)))})`;
    if (hidden === written) return [];
    const implied = where.flatMap((typed) => {
      const { operator, right } = typed.comparison;
      const isWhole = written === `(${column} ${operator} ${textOf(right)})`;
      return isWhole ? (impliedCondition(typed, column) ?? []) : [];
    });
    return [[written, [hidden, ...implied].join(' AND ')]];
  });
}
