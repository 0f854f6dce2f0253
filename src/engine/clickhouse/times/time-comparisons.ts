/** Where a query compares its String variables with dates and times, by the engine's resolved tree. Pure. */
import {
  type ClickHouseType,
  elementTypes,
  isTextListType,
  isTextType,
  parseClickHouseType,
  typeToText,
  withoutWrappers,
} from '../../../sql/clickhouse-type.ts';
import {
  argumentsOf,
  attributeOf,
  functionAround,
  isComparison,
  type TreeNode,
  typeOf,
  valueAround,
  valueOfMark,
} from '../../../sql/query-tree.ts';
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

const EQUALITY = /^(?:equals|notEquals)$/;
const SET = /^(?:in|notIn|globalIn|globalNotIn)$/;

function comparisonOf(mark: TreeNode): TimeComparison | null {
  const own = valueOfMark(mark);
  const { value, path } = outermost(own);
  const test = functionAround(value);
  if (value === null || test === null) return null;
  const name = attributeOf(test, 'function_name');
  const [compared, given] = argumentsOf(test);
  if (isComparison(test)) {
    const other = compared === value ? given : compared;
    const type = other === undefined ? null : elementType(parseClickHouseType(typeOf(other)), path);
    return ofTime(type, { isSet: false, isEquality: EQUALITY.test(name) });
  }
  if (!SET.test(name) || compared === undefined || given !== value) return null;
  const type = typeInSet(parseClickHouseType(typeOf(compared)), path);
  return ofTime(type, { isSet: true, isEquality: false });
}

interface Element {
  /** The outermost tuple, or the value itself if it is in none. */
  readonly value: TreeNode | null;
  /** Indexes of the elements, from the outermost tuple. */
  readonly path: readonly number[];
}

function outermost(value: TreeNode | null): Element {
  const tuple = functionAround(value);
  const isElement = tuple !== null && attributeOf(tuple, 'function_name') === 'tuple';
  if (value === null || !isElement) return { value, path: [] };
  const outer = outermost(valueAround(tuple));
  return { ...outer, path: [...outer.path, argumentsOf(tuple).indexOf(value)] };
}

/** Null for a type without such an element. */
function elementType(type: ClickHouseType, path: readonly number[]): ClickHouseType | null {
  const [at, ...others] = path;
  if (at === undefined) return type;
  const element = type.name === 'Tuple' ? elementTypes(type)[at] : undefined;
  return element === undefined ? null : elementType(element, others);
}

/** The type of what is compared with an element of a set: of tuples, or of one tuple without further brackets. */
function typeInSet(compared: ClickHouseType, path: readonly number[]): ClickHouseType | null {
  if (compared.name !== 'Tuple') return path.length > 1 ? null : compared;
  return path.length > 2 ? null : elementType(compared, path.slice(-1));
}

function ofTime(
  compared: ClickHouseType | null,
  use: Pick<TimeComparison, 'isSet' | 'isEquality'>,
): TimeComparison | null {
  const type = compared === null ? null : withoutWrappers(compared);
  return type !== null && isTimeType(type) ? { type, ...use } : null;
}
