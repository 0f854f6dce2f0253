/** Conditions that let an index begin where a comparison of tuples does, as in `(at, id) > ({at:DateTime}, {id:UInt64})`. */
import { elementTypes, parseClickHouseType, typeToText } from '../../sql/clickhouse-type.ts';
import { impliedCondition, isPlain, type TypedComparison } from './key-conditions.ts';
import type { ReadOrder } from './plan-context.ts';
import { conditionOf } from './stored-columns.ts';
import { elementsOf } from './text/comparisons.ts';
import { hasSameText, type Tokens, textOf, unwrapped } from './text/tokens.ts';

interface OrderedRead {
  readonly readQuery: string;
  /** Whose first column is in the sorting key. */
  readonly order: ReadOrder;
  readonly typeOf: (column: string) => string;
  /** What a stored column with this number holds. */
  readonly expressionOf: (column: number) => Tokens;
}

/** The read with what follows from comparisons of tuples for the column that it is ordered by first. */
export function boundedRead(read: OrderedRead, comparisons: readonly TypedComparison[]): string {
  return comparisons.reduce((text, typed) => {
    const bound = boundOf(read, typed);
    const condition = conditionOf(typed.comparison);
    // The same comparison may also be an operand elsewhere.
    return bound === null ? text : text.replaceAll(condition, () => `(${condition} AND ${bound})`);
  }, read.readQuery);
}

/** Null unless the first elements of the tuples are that column and a value. */
function boundOf(
  { order, typeOf, expressionOf }: OrderedRead,
  { comparison, givenType, isTypeOpen }: TypedComparison,
): string | null {
  const [column = ''] = order.columns;
  const { role, kind, operator, right } = comparison;
  const [first] = elementsOf(expressionOf(comparison.column));
  const [given] = elementsOf(unwrapped(right));
  const [type] = elementTypes(parseClickHouseType(givenType));
  if (role !== 'whole' || kind !== 'range' || first === undefined) return null;
  if (given === undefined || type === undefined) return null;
  if (!order.first.some((expression) => hasSameText(expression, first))) return null;
  const bound: TypedComparison = {
    comparison: { ...comparison, operator: `${operator.slice(0, 1)}=`, right: given },
    columnType: typeOf(column),
    givenType: typeToText(type),
    isTypeOpen,
  };
  if (!isPlain(bound)) return impliedCondition(bound, column);
  return `(${column} ${bound.comparison.operator} (${textOf(given)}))`;
}
