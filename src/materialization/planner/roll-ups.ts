/** Time columns for which a table can also store rows merged per whole period. */
import {
  type MergedColumn,
  periodColumns,
  type ReadOfPeriods,
  type RollUp,
} from '../../model/materialization-plan.ts';
import { isPlain, type TypedComparison } from './key-conditions.ts';
import { isInRange, isRanged, isTime } from './ranges.ts';
import { comparisonsIn } from './text/comparisons.ts';
import type { Parameters } from './text/parameters.ts';
import { renderCondition } from './text/stored-expressions.ts';
import type { Tokens } from './text/tokens.ts';

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

/** A SELECT of the read over the table. */
export interface SelectOfTable {
  /** The table in FROM, as no other SELECT writes it. */
  readonly source: string;
  /** Over stored columns. */
  readonly predicates: readonly Tokens[];
  /** The comparisons in them. */
  readonly comparisons: readonly TypedComparison[];
  readonly nameOf: (column: number) => string;
  /** Columns that it uses in other ways too. */
  readonly otherwise: readonly string[];
}

/**
 * A column qualifies if runs only restrict it to a range: a predicate that holds for both ends of a period then holds
 * for every time between them.
 */
export function findRollUps(
  parameters: Parameters,
  { table, columns, ungrouped, sortingKey, selects }: MergingTable,
): readonly RollUp[] {
  const otherwise = new Set(selects.flatMap((select) => select.otherwise));
  const compared = selects.map((select) =>
    Map.groupBy(select.comparisons, ({ comparison }) => select.nameOf(comparison.column)),
  );
  const names = [...new Set(compared.flatMap((own) => [...own.keys()]))];
  const usesOf = (name: string) => compared.flatMap((own) => own.get(name) ?? []);
  const ranged = new Set(names.filter((name) => isRanged(usesOf(name))));
  const isChosen = (name: string) => compared.every((own) => own.get(name)?.some(isChoice));
  const chosen = names.filter(
    (name) => isChosen(name) && !ranged.has(name) && !otherwise.has(name),
  );
  return names.flatMap((column) => {
    const type = usesOf(column)[0]?.columnType ?? '';
    if (otherwise.has(column) || !isTime(type) || !isInRange(usesOf(column))) return [];
    const firstRange = sortingKey.findIndex((name) => ranged.has(name) && !otherwise.has(name));
    const before = firstRange < 0 ? sortingKey : sortingKey.slice(0, firstRange);
    const behind = sortingKey.slice(before.length).filter((name) => name !== column);
    return [
      {
        ...{ table, column, type, chosen, ungrouped },
        others: columns.filter(({ name }) => name !== column),
        sortingKey: [...before, periodColumns.level, column, ...behind],
        reads: selects.map((select) => readOf(select, column, parameters)),
      },
    ];
  });
}

function isChoice({ comparison: { kind, role } }: TypedComparison): boolean {
  return (kind === 'equal' || kind === 'set') && (role === 'whole' || role === 'choice');
}

function readOf(select: SelectOfTable, column: string, parameters: Parameters): ReadOfPeriods {
  return { source: select.source, isWhole: parameters.restore(isWholeText(select, column)) };
}

/** The predicates on the column, applied to those ends of a period that decide them. */
function isWholeText({ predicates, comparisons, nameOf }: SelectOfTable, column: string): string {
  const { first, last } = periodColumns;
  const isOfColumn = (at: number) => nameOf(at) === column;
  const own = comparisons.filter(({ comparison }) => isOfColumn(comparison.column));
  // The index would evaluate other predicates differently.
  const isIndexed = own.every(isPlain);
  const texts = predicates.flatMap((condition) => {
    const inside = comparisonsIn(condition).filter((one) => isOfColumn(one.column));
    const bounds = new Set(inside.flatMap(({ operator }) => boundedEnds(operator)));
    return [first, last]
      .filter((end) => bounds.has(end))
      .map((end) => {
        const name = isIndexed ? end : `identity(${end})`;
        return `(${renderCondition(condition, (at) => (isOfColumn(at) ? name : nameOf(at)))})`;
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
