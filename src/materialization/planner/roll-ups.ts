/** Columns of times of which a table may store whole periods, merged, beside its rows. */
import { type MergedColumn, periodColumns, type RollUp } from '../../model/materialization-plan.ts';
import { parseClickHouseType, withoutWrappers } from '../../sql/clickhouse-type.ts';
import { isTimeType } from '../../sql/time-text.ts';
import { isPlain, type TypedComparison } from './key-conditions.ts';
import type { PlanContext } from './plan-context.ts';
import { stored } from './stored-columns.ts';
import { comparisonsIn } from './text/comparisons.ts';
import { renderCondition } from './text/stored-expressions.ts';

interface MergingTable {
  readonly columns?: readonly MergedColumn[];
  readonly ungrouped?: string;
  readonly sortingKey: readonly string[];
}

/**
 * A column qualifies where all that a run asks of it is that it lies in a range: what holds for both ends of a period then
 * holds for every time between them.
 *
 * @param indexed comparisons of columns that conditions use for nothing else.
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
    if (!isInRange(own)) return [];
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

function isRanged(own: readonly TypedComparison[]): boolean {
  return own.some(({ comparison }) => comparison.kind === 'range');
}

function isChoice({ comparison: { kind, role } }: TypedComparison): boolean {
  return (kind === 'equal' || kind === 'set') && (role === 'whole' || role === 'choice');
}

/** Both ends of the range count, whatever decides whether they do: `{x} IS NULL OR day >= {x}` is a range as well. */
function isInRange(own: readonly TypedComparison[]): boolean {
  const type = own[0]?.columnType ?? '';
  const isConvex = ({ comparison: { kind, role, operator } }: TypedComparison) =>
    (kind === 'range' || operator === '=') && (role === 'whole' || role === 'optional');
  const isOrdered = (typed: TypedComparison) => isPlain(typed) || isTime(typed.givenType);
  return (
    isTime(type) &&
    !type.includes('LowCardinality') &&
    isRanged(own) &&
    own.every((typed) => isConvex(typed) && isOrdered(typed))
  );
}

function isTime(type: string): boolean {
  return isTimeType(withoutWrappers(parseClickHouseType(type)));
}

/**
 * The conditions on the column, for the ends of a period that they bound.
 *
 * @param isIndexed otherwise the engine's index would evaluate them in another way.
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

/** Which end of a period decides whether the comparison holds for all of it. */
function boundedEnds(operator: string): readonly string[] {
  const { first, last } = periodColumns;
  if (operator.startsWith('>')) return [first];
  return operator.startsWith('<') ? [last] : [first, last];
}
