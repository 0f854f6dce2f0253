/** Where a query compares its String variables with dates and times, by the engine's resolved tree. Pure. */
import {
  type ClickHouseType,
  isTextListType,
  isTextType,
  parseClickHouseType,
  typeToText,
  withoutWrappers,
} from '../../../sql/clickhouse-type.ts';
import { argumentsOf, attributeOf, type TreeNode, typeOf } from '../../../sql/query-tree.ts';
import { isTimeType } from '../../../sql/time-text.ts';
import { replaceSubstitutions, type SqlText, type Substitution } from '../guard/parse/sql-text.ts';

/** A variable that, wherever it has this mark, is compared only with a date or a time. */
export interface TimeComparison {
  /** The type without Nullable and LowCardinality. */
  readonly type: ClickHouseType;
  /** Whether it is an element of a set, or the set: `IN`. */
  readonly isSet: boolean;
  /** Whether it is compared by `=` or `!=` anywhere. */
  readonly isEquality: boolean;
}

const MARK = 'querydock time ';

/**
 * Wraps each text variable in an expression of the same value that has the variable's mark among its operands, so that
 * the resolved tree shows where it is used.
 */
export function markedStatement(
  text: SqlText,
  markOf: (substitution: Substitution) => string,
): string {
  return replaceSubstitutions(text, (substitution, written) => {
    const mark = `'${MARK}${markOf(substitution)}'`;
    if (isTextType(substitution.type)) return `concat(${written}, substring(${mark}, 1, 0))`;
    if (!isTextListType(substitution.type)) return written;
    return `arrayConcat(${written}, arrayResize([${mark}], 0))`;
  });
}

const MARKED = /'querydock time (\w+)'/;

/** Keyed by mark. Omits marks that occur anywhere but in comparisons with times of one type. */
export function readTimeComparisons(
  nodes: readonly TreeNode[],
): ReadonlyMap<string, TimeComparison> {
  const found = new Map<string, TimeComparison | null>();
  for (const node of nodes) {
    const mark = node.kind === 'CONSTANT' ? MARKED.exec(node.attributes)?.[1] : undefined;
    if (mark === undefined) continue;
    const comparison = comparisonOf(node);
    const earlier = found.get(mark);
    found.set(mark, earlier === undefined ? comparison : both(earlier, comparison));
  }
  return new Map([...found].flatMap(([mark, one]) => (one === null ? [] : [[mark, one] as const])));
}

/** Null unless both are the same use of one type. */
function both(one: TimeComparison | null, other: TimeComparison | null): TimeComparison | null {
  if (one === null || other === null || one.isSet !== other.isSet) return null;
  if (typeToText(one.type) !== typeToText(other.type)) return null;
  return { ...one, isEquality: one.isEquality || other.isEquality };
}

const COMPARISON =
  /^(?:equals|notEquals|less|greater|lessOrEquals|greaterOrEquals|isNotDistinctFrom|isDistinctFrom)$/;
const EQUALITY = /^(?:equals|notEquals)$/;
const SET = /^(?:in|notIn|globalIn|globalNotIn)$/;

function comparisonOf(mark: TreeNode): TimeComparison | null {
  const value = valueAround(functionAround(valueAround(functionAround(mark))));
  const outer = functionAround(value);
  if (value === null || outer === null) return null;
  const name = attributeOf(outer, 'function_name');
  if (COMPARISON.test(name)) {
    const other = argumentsOf(outer).find((argument) => argument !== value);
    const use = { isSet: false, isEquality: EQUALITY.test(name) };
    return other === undefined ? null : toComparison(other, use);
  }
  const set = name === 'tuple' ? valueAround(outer) : value;
  const test = name === 'tuple' ? functionAround(set) : outer;
  if (test === null || !SET.test(attributeOf(test, 'function_name'))) return null;
  const [compared, given] = argumentsOf(test);
  if (compared === undefined || given !== set) return null;
  return toComparison(compared, { isSet: true, isEquality: false });
}

/** The function whose argument a node is. */
function functionAround(node: TreeNode | null): TreeNode | null {
  const list = node?.parent ?? null;
  const part = list?.kind === 'LIST' ? list.parent : list;
  return part?.kind === 'ARGUMENTS' && part.parent?.kind === 'FUNCTION' ? part.parent : null;
}

/** The constant that the engine has evaluated a function to. */
function valueAround(call: TreeNode | null): TreeNode | null {
  const value = call?.parent?.kind === 'EXPRESSION' ? call.parent.parent : call;
  return value ?? null;
}

function toComparison(
  other: TreeNode,
  use: Pick<TimeComparison, 'isSet' | 'isEquality'>,
): TimeComparison | null {
  const type = withoutWrappers(parseClickHouseType(typeOf(other)));
  return isTimeType(type) ? { type, ...use } : null;
}
