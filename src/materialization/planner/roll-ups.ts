/** Columns of times or integers for which a table can also store rows merged per whole period. */
import {
  type MergedColumn,
  periodColumns,
  type ReadOfPeriods,
  type RollUp,
} from '../../model/materialization-plan.ts';
import {
  hiddenTexts,
  notCompared,
  noUses,
  type SelectOfTable,
  type TypedSelect,
  typedSelect,
  type Uses,
} from './compared-selects.ts';
import { impliedCases, impliedCondition, isPlain, type TypedComparison } from './key-conditions.ts';
import type { QueryContext } from './plan-context.ts';
import { isConvex, isInteger, isMonotone, isRanged, isTime } from './ranges.ts';
import { comparisonsIn } from './text/comparisons.ts';
import { renderCondition } from './text/stored-expressions.ts';
import { textOf } from './text/tokens.ts';

/** A table whose rows reads merge. */
interface MergingTable {
  /** Its index among those of the plan. */
  readonly table: number;
  readonly columns: readonly MergedColumn[];
  /** SELECT of the columns that are not merged, with one row per source row. */
  readonly ungrouped: string;
  readonly sortingKey: readonly string[];
  readonly selects: readonly SelectOfTable[];
}

/**
 * A column qualifies if runs only restrict it to a range and aggregates choose rows by ranges of it: a predicate that holds
 * for both ends of a period then holds for every value between them, and so does one that holds for neither.
 */
export async function findRollUps(
  query: Pick<QueryContext, 'analysis' | 'parameters'>,
  { table, columns, ungrouped, sortingKey, selects: given }: MergingTable,
): Promise<readonly RollUp[]> {
  const selects = await Promise.all(given.map((select) => typedSelect(select, query)));
  const otherwise = new Set(selects.flatMap(usedOtherwise));
  const names = [...new Set(selects.flatMap((select) => [...select.compared.keys()]))];
  const comparedIn = ({ compared }: TypedSelect, name: string) => compared.get(name) ?? noUses;
  const usesOf = (name: string) => selects.map((select) => comparedIn(select, name));
  const ranged = names.filter((name) => usesOf(name).some(({ where }) => isRanged(where)));
  const isChosen = (name: string) => usesOf(name).every(({ where }) => where.some(isChoice));
  const chosen = names.filter(
    (name) => isChosen(name) && !ranged.includes(name) && !otherwise.has(name),
  );
  const firstRange = sortingKey.findIndex((name) => ranged.includes(name) && !otherwise.has(name));
  const before = firstRange < 0 ? sortingKey : sortingKey.slice(0, firstRange);
  return names.flatMap((column) => {
    if (otherwise.has(column) || before.includes(column) || !isOfRanges(usesOf(column))) return [];
    const behind = sortingKey.slice(before.length).filter((name) => name !== column);
    return [
      {
        ...{ table, column, type: typeOf(usesOf(column)), chosen, ungrouped },
        others: columns.filter(({ name }) => name !== column),
        sortingKey: [...before, periodColumns.level, column, ...behind],
        reads: selects.map((select) => readOf(select, column, query)),
      },
    ];
  });
}

function readOf(
  select: TypedSelect,
  column: string,
  { parameters }: Pick<QueryContext, 'parameters'>,
): ReadOfPeriods {
  const uses = select.compared.get(column) ?? noUses;
  const mayBeCut = indexedCut(uses);
  const hidden = hiddenTexts(select, column).map(
    ([written, text]) => [parameters.restore(written), parameters.restore(text)] as const,
  );
  return {
    source: select.source,
    isWhole: parameters.restore(isWholeText(select, column)),
    ...(mayBeCut === null ? {} : { mayBeCut: parameters.restore(mayBeCut) }),
    ...(hidden.length === 0 ? {} : { hidden }),
  };
}

/** Names of the columns that conditions use in other ways than to compare them, and of the keys. */
function usedOtherwise({ predicates, conditions, nameOf, keys }: SelectOfTable): readonly string[] {
  return [...keys, ...notCompared([...predicates, ...conditions], nameOf)];
}

function isOfRanges(uses: readonly Uses[]): boolean {
  const all = uses.flatMap(({ where, chosen }) => [...where, ...chosen]);
  return (
    (isTime(typeOf(uses)) || all.every(areIntegers)) &&
    isRanged(all) &&
    uses.every(({ where, chosen }) => where.every(isIndexedRange) && chosen.every(isMonotone))
  );
}

/** A fraction could be NaN in a run, which is neither less nor greater than the ends of a period. */
function areIntegers({ columnType, givenType, isTypeOpen }: TypedComparison): boolean {
  return isInteger(columnType) && isInteger(givenType) && !isTypeOpen;
}

/** Whether a comparison that the index would evaluate differently can be hidden from it. */
function isIndexedRange(typed: TypedComparison): boolean {
  return isConvex(typed) && (isPlain(typed) || impliedCondition(typed) !== null);
}

function typeOf(uses: readonly Uses[]): string {
  const [first] = uses.flatMap(({ where, chosen }) => [...where, ...chosen]);
  return first?.columnType ?? '';
}

function isChoice({ comparison: { kind, role } }: TypedComparison): boolean {
  return (kind === 'equal' || kind === 'set') && (role === 'whole' || role === 'choice');
}

/**
 * Whether WHERE includes the whole period, and each comparison in the condition of an aggregate holds for all of its values
 * or for none.
 */
function isWholeText(select: TypedSelect, column: string): string {
  const { where, chosen } = select.compared.get(column) ?? noUses;
  const texts = [
    ...includedText(select, column, where.every(isPlain)),
    ...chosen.map(constantText),
  ];
  return texts.length === 0 ? '1' : [...new Set(texts)].join(' AND ');
}

/**
 * The predicates on the column, applied to those ends of a period that decide them.
 *
 * @param isIndexed false if the index would evaluate the predicates differently.
 */
function includedText(
  { predicates, nameOf }: SelectOfTable,
  column: string,
  isIndexed: boolean,
): readonly string[] {
  const { first, last } = periodColumns;
  const isOfColumn = (at: number) => nameOf(at) === column;
  return predicates.flatMap((condition) => {
    const inside = comparisonsIn(condition).filter((one) => isOfColumn(one.column));
    const bounds = new Set(inside.flatMap(({ operator }) => boundedEnds(operator)));
    return [first, last]
      .filter((end) => bounds.has(end))
      .map((end) => {
        const name = isIndexed ? end : `identity(${end})`;
        return `(${renderCondition(condition, (at) => (isOfColumn(at) ? name : nameOf(at)))})`;
      });
  });
}

/** The ends of a period that decide whether the comparison holds for the whole period. */
function boundedEnds(operator: string): readonly string[] {
  const { first, last } = periodColumns;
  if (operator.startsWith('>')) return [first];
  return operator.startsWith('<') ? [last] : [first, last];
}

const opposites: Readonly<Record<string, string>> = { '>': '<=', '>=': '<', '<': '>=', '<=': '>' };

/** Without NULL, so that rows count for other aggregates. A variable of an open type may be NULL in a run. */
function constantText(typed: TypedComparison): string {
  const { operator, right } = typed.comparison;
  const [first, last] = [periodColumns.first, periodColumns.last].map((end) =>
    isPlain(typed) ? end : `identity(${end})`,
  );
  const [low, high] = operator.startsWith('>')
    ? [`${last} ${opposites[operator]}`, `${first} ${operator}`]
    : [`${last} ${operator}`, `${first} ${opposites[operator]}`];
  const given = textOf(right);
  const text = `((${low} ${given}) OR (${high} ${given}))`;
  return mayBeNull(typed) ? `ifNull(${text}, 1)` : text;
}

function mayBeNull({ isTypeOpen, columnType, givenType }: TypedComparison): boolean {
  return isTypeOpen || /Nullable|Nothing/.test(`${columnType} ${givenType}`);
}

/** Null if the index can evaluate `isWhole` itself, or no predicate for it is known. */
function indexedCut({ where, chosen }: Uses): string | null {
  const all = [...where, ...chosen];
  const cuts = all.map(casesOfCut);
  const isIndexed = all.every(isPlain) && !chosen.some(mayBeNull);
  if (isIndexed || cuts.includes(null)) return null;
  return [...new Set(cuts.flatMap((cases) => cases ?? []))].map((one) => `(${one})`).join(' OR ');
}

/**
 * The conditions of which one holds for a period for whose values the comparison differs: the period begins before the
 * given value and ends after it, or a conversion changes values.
 */
function casesOfCut(typed: TypedComparison): readonly string[] | null {
  const { first, last } = periodColumns;
  const { right } = typed.comparison;
  if (isPlain(typed)) return [`(${first} <= ${textOf(right)}) AND (${last} >= ${textOf(right)})`];
  const casesAt = (operator: string, end: string) =>
    impliedCases({ ...typed, comparison: { ...typed.comparison, operator } }, end);
  const [begins, ends] = [casesAt('<=', first), casesAt('>=', last)];
  if (begins === null || ends === null) return null;
  const [before, ...changedFirst] = begins;
  const [after, ...changedLast] = ends;
  return [`(${before}) AND (${after})`, ...changedFirst, ...changedLast];
}
