/** Time columns for which a table can also store rows merged per whole period. */
import { type MergedColumn, periodColumns, type RollUp } from '../../model/materialization-plan.ts';
import { isPlain, type TypedComparison } from './key-conditions.ts';
import type { PlanContext } from './plan-context.ts';
import { isInRange, isRanged, isTime } from './ranges.ts';
import { stored } from './stored-columns.ts';
import { comparisonsIn } from './text/comparisons.ts';
import { renderCondition } from './text/stored-expressions.ts';

interface MergingTable {
  readonly columns?: readonly MergedColumn[];
  readonly ungrouped?: string;
  readonly sortingKey: readonly string[];
}

/**
 * A column qualifies if runs only restrict it to a range: a predicate that holds for both ends of a period then holds
 * for every time between them.
 *
 * @param indexed comparisons of columns that predicates use in no other way.
 */
export function findRollUps(
  context: Pick<PlanContext, 'condition' | 'parameters'>,
  indexed: readonly TypedComparison[],
  { columns = [], ungrouped = '', sortingKey }: MergingTable,
): readonly RollUp[] {
  if (columns.length === 0) return [];
  const byColumn = Map.groupBy(indexed, ({ comparison }) => comparison.column);
  const nameOf = (isOf: (own: readonly TypedComparison[]) => boolean) =>
    [...byColumn].flatMap(([at, own]) => (isOf(own) ? [stored.variable(at)] : []));
  const ranged = new Set(nameOf(isRanged));
  const chosen = nameOf((own) => own.some(isChoice) && !isRanged(own));
  return [...byColumn].flatMap(([at, own]) => {
    const column = stored.variable(at);
    if (!isTime(own[0]?.columnType ?? '') || !isInRange(own)) return [];
    const firstRange = sortingKey.findIndex((name) => ranged.has(name));
    const before = firstRange < 0 ? sortingKey : sortingKey.slice(0, firstRange);
    const behind = sortingKey.slice(before.length).filter((name) => name !== column);
    return [
      {
        column,
        type: own[0]?.columnType ?? '',
        others: columns.filter(({ name }) => name !== column),
        chosen,
        ungrouped,
        sortingKey: [...before, periodColumns.level, column, ...behind],
        isWhole: context.parameters.restore(isWholeText(context, at, own.every(isPlain))),
      },
    ];
  });
}

function isChoice({ comparison: { kind, role } }: TypedComparison): boolean {
  return (kind === 'equal' || kind === 'set') && (role === 'whole' || role === 'choice');
}

/**
 * The predicates on the column, applied to those ends of a period that decide them.
 *
 * @param isIndexed false if the index would evaluate the predicates differently.
 */
function isWholeText(
  { condition: { predicates } }: Pick<PlanContext, 'condition'>,
  column: number,
  isIndexed: boolean,
): string {
  const { first, last } = periodColumns;
  const texts = predicates.flatMap(({ condition }) => {
    const own = comparisonsIn(condition).filter((one) => one.column === column);
    const bounds = new Set(own.flatMap(({ operator }) => boundedEnds(operator)));
    return [first, last]
      .filter((end) => bounds.has(end))
      .map((end) => {
        const name = isIndexed ? end : `identity(${end})`;
        return `(${renderCondition(condition, (at) => (at === column ? name : stored.variable(at)))})`;
      });
  });
  return texts.join(' AND ');
}

/** The ends of a period that decide whether the comparison holds for the whole period. */
function boundedEnds(operator: string): readonly string[] {
  const { first, last } = periodColumns;
  if (operator.startsWith('>')) return [first];
  return operator.startsWith('<') ? [last] : [first, last];
}
