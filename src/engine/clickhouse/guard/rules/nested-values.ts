/**
 * Arrays, tuples and maps that are compared as a whole. In the sorting key and the indexes of a table the engine orders NULLs and Bools
 * in them otherwise than in rows, and compares values of some other types by their bytes or numbers. Found in ClickHouse 26.7. Pure.
 */
import {
  type ClickHouseType,
  elementTypes,
  typeToText,
  withoutWrappers,
} from '../../../../sql/clickhouse-type.ts';
import {
  attributeOf,
  bareTypeOf,
  isAggregate,
  nodesIn,
  partOf,
  type TreeNode,
} from '../../../../sql/query-tree.ts';
import { columnOrElse, type LexedText } from '../parse/lexed-text.ts';

/** What is compared with a column. */
export interface Given {
  readonly type: ClickHouseType;
  /** Whether it may be a FixedString with zero bytes at its end. */
  readonly mayBePadded: boolean;
  readonly isEmpty: boolean;
}

export function toGiven(constant: TreeNode): Given {
  const isOfVariable = partOf(constant, 'EXPRESSION').flatMap(nodesIn).some(isVariable);
  return {
    type: bareTypeOf(constant),
    // At run time a variable's value may be another than the one that the query is checked with.
    mayBePadded: isOfVariable || PADDED.test(constant.attributes),
    isEmpty: !isOfVariable && EMPTY.test(constant.attributes),
  };
}

function isVariable(made: TreeNode): boolean {
  return attributeOf(made, 'function_name') === '_CAST';
}

const PADDED = /^constant_value: .*\\0'.*, constant_value_type: /s;
const EMPTY = /^constant_value: Array_\[\], constant_value_type: /;

interface Compared {
  /** The function that compares. */
  readonly operator: string;
  readonly lexed: LexedText;
}

/** @returns a sentence for the author, or null when the comparison is accepted. */
export function refusalOfNested(
  given: Given,
  other: TreeNode,
  { operator, lexed }: Compared,
): string | null {
  const type = bareTypeOf(other);
  if (!isNest(type) || isComputed(other) || given.isEmpty) return null;
  const column = attributeOf(other, 'column_name');
  const what = columnOrElse(lexed, column, 'A value');
  const leaves = leavesOf(type);
  const hasNull = leaves.some(mayBeNull);
  if (hasNull || leaves.some(({ name }) => name === 'Bool')) {
    const [which, where] = hasNull
      ? ['elements that may be NULL', 'the sorting key']
      : ['elements of type Bool', 'an index'];
    const name = column === '' ? '…' : column;
    return `${what} has ${which} and is compared as a whole, by which ${where} of a table does not find all rows; ${insteadOf(operator, name, type)}.`;
  }
  const pair = misreadPair(given, other);
  if (pair === null) return null;
  const [own, listed] = pair.map(typeToText);
  return `${what} has elements of type ${own} and is compared with those of type ${listed}, which the sorting key of a table does not find; give these the type ${typeToText(type)}.`;
}

const NEST = /^(?:Array|Tuple|Map)$/;

function isNest({ name }: ClickHouseType): boolean {
  return NEST.test(name);
}

/** What is made here of columns, or of several rows, is in no sorting key. Elements of written tuples are compared by `=` one by one. */
export function isComputed(node: TreeNode): boolean {
  return /^(?:array|map|tuple)$/.test(attributeOf(node, 'function_name')) || isAggregate(node);
}

function leavesOf(type: ClickHouseType): readonly ClickHouseType[] {
  return isNest(type) ? elementTypes(type).flatMap(leavesOf) : [type];
}

function mayBeNull(type: ClickHouseType): boolean {
  return (
    type.name === 'Nullable' ||
    (type.name === 'LowCardinality' && typeToText(type).includes('(Nullable('))
  );
}

function insteadOf(operator: string, name: string, type: ClickHouseType): string {
  if (/^(?:equals|isNotDistinctFrom)$/.test(operator)) return `write ${name} IN (…) instead`;
  if (/^(?:notEquals|isDistinctFrom)$/.test(operator)) return `write ${name} NOT IN (…) instead`;
  const element = { Array: '[1]', Tuple: '.1' }[type.name] ?? '[…]';
  return `compare its elements instead, as ${name}${element}`;
}

/** The types of the column and of the constant in the first place where an index does not compare them as rows do. */
export function misreadPair(
  given: Given,
  other: TreeNode,
): readonly [ClickHouseType, ClickHouseType] | null {
  return isComputed(other) ? null : pairIn(bareTypeOf(other), given.type, given.mayBePadded);
}

function pairIn(
  own: ClickHouseType,
  type: ClickHouseType,
  mayBePadded: boolean,
): readonly [ClickHouseType, ClickHouseType] | null {
  const [value, listed] = [withoutWrappers(own), withoutWrappers(type)];
  if (!isNest(value)) return isMisread(listed, value, mayBePadded) ? [value, listed] : null;
  if (value.name !== listed.name) return null;
  const types = elementTypes(listed);
  for (const [at, element] of elementTypes(value).entries()) {
    const other = types[at];
    const pair = other === undefined ? null : pairIn(element, other, mayBePadded);
    if (pair !== null) return pair;
  }
  return null;
}

/** Whether an index does not find some values of a type as those of another. */
function isMisread(listed: ClickHouseType, value: ClickHouseType, mayBePadded: boolean): boolean {
  if (value.name === 'String')
    return listed.name.startsWith('Enum') || (listed.name === 'FixedString' && mayBePadded);
  return value.name.startsWith('DateTime') && /^Date(?:32)?$/.test(listed.name);
}
