/**
 * `has(list, x)` of a constant list whose values are of another type than x, or may be NULL. The engine takes it for `x IN list` where x
 * is in a sorting key, and converts the values of the list to the type of x, so that `NOT has` loses rows; without the key it does not
 * find a time in a list of another type of time at all. Indexes of elements do not find those of another type either. Found in ClickHouse 26.7. Pure.
 */
import {
  type ClickHouseType,
  innerType,
  isNullable,
  parseClickHouseType,
  typeToText,
  withoutWrappers,
} from '../../../../sql/clickhouse-type.ts';
import {
  argumentsOf,
  attributeOf,
  bareTypeOf,
  isWithinNot,
  type TreeNode,
  typeOf,
} from '../../../../sql/query-tree.ts';
import { decimalsOf, isTimeType } from '../../../../sql/time-text.ts';
import { type LexedText, positionOfName } from '../parse/lexed-text.ts';
import { isComputed, misreadPair, toGiven } from './nested-values.ts';

/**
 * @param node node of the resolved tree.
 * @returns a sentence for the author, or null when the node is accepted.
 */
export function refusalOfSearchedList(node: TreeNode, lexed: LexedText): string | null {
  const name = attributeOf(node, 'function_name');
  if (/^has(?:Any|All|Substr)$/.test(name)) return refusalOfLists(node, lexed);
  if (name !== 'has') return null;
  const [list, value] = argumentsOf(node);
  if (list?.kind !== 'CONSTANT' || value === undefined || value.kind === 'CONSTANT') return null;
  const item = innerType(parseClickHouseType(typeOf(list)));
  const column = attributeOf(value, 'column_name');
  const where = `has${positionOfName(lexed, 'has')}`;
  const [listed, type] = [withoutWrappers(item), bareTypeOf(value)];
  if (type.name === 'Array' && !isComputed(value))
    return `${where} looks for an array in a list of arrays, where an index of type bloom_filter does not find it; write ${column === '' ? '…' : column} IN (…) instead.`;
  if (isOtherType(listed, type)) {
    const [own, given] = [typeToText(type), typeToText(listed)];
    return `${where} looks for ${column === '' ? 'a value' : column} of type ${own} in a list of ${given}, which the engine does not compare exactly; give the list the type Array(${own}), or write ${column === '' ? '…' : column} IN (…) instead.`;
  }
  if (!isNullable(item) || !isWithinNot(node)) return null;
  return `NOT ${where} of a list that may have NULL finds no rows in the sorting key of a table; give the list a type that is not Nullable, or write NOT IN instead.`;
}

/** `hasAny(tags, list)` and the like. Indexes of texts and of type bloom_filter answer the first two by bytes or numbers. */
function refusalOfLists(node: TreeNode, lexed: LexedText): string | null {
  const sides = argumentsOf(node);
  const unclear = refusalOfNulls(node, sides, lexed);
  if (unclear !== null || attributeOf(node, 'function_name') === 'hasSubstr') return unclear;
  const given = sides.find(({ kind }) => kind === 'CONSTANT');
  const other = sides.find((side) => side !== given && side.kind !== 'CONSTANT');
  const pair =
    given === undefined || other === undefined ? null : misreadPair(toGiven(given), other);
  if (other === undefined || pair === null) return null;
  const name = attributeOf(node, 'function_name');
  const [own, listed] = pair.map(typeToText);
  return `${name}${positionOfName(lexed, name)} compares elements of type ${own} with those of type ${listed}, which an index of a table does not find; give these the type ${typeToText(bareTypeOf(other))}.`;
}

/**
 * NULL is never in a list without any, but the engine takes it for the empty text or 0. Arrays of a table that may have NULL are
 * accepted, as those of JSON have no other type.
 */
function refusalOfNulls(
  node: TreeNode,
  sides: readonly TreeNode[],
  lexed: LexedText,
): string | null {
  const made = sides.find((side) => mayHaveNull(side) && side.kind !== 'COLUMN');
  if (made === undefined || sides.every(mayHaveNull)) return null;
  const name = attributeOf(node, 'function_name');
  return `${name}${positionOfName(lexed, name)} looks for elements that may be NULL in a list that has none, and the engine takes NULL for the empty text or 0; give the list a type that is not Nullable, or write arrayMap(x -> assumeNotNull(x), arrayFilter(x -> isNotNull(x), list)) in its place.`;
}

function mayHaveNull(list: TreeNode): boolean {
  const item = innerType(parseClickHouseType(typeOf(list)));
  // An empty list is one of Nothing.
  return isNullable(item) && item.name !== 'Nothing';
}

const TEXT = /^(?:String|FixedString|Enum\d+)$/;

function isOtherType(listed: ClickHouseType, value: ClickHouseType): boolean {
  if (isTimeType(listed) && isTimeType(value))
    return value.name === 'DateTime64' && listed.name.startsWith('DateTime')
      ? decimalsOf(listed) > decimalsOf(value)
      : listed.name !== value.name;
  if (TEXT.test(listed.name) && TEXT.test(value.name))
    return listed.name !== 'String' && typeToText(listed) !== typeToText(value);
  const isFraction = /^(?:Decimal|Float|BFloat)/.test(listed.name);
  if (value.name === 'Bool' && /^(?:Enum|U?Int(?:128|256)$)/.test(listed.name)) return true;
  if (value.name === 'Bool' || value.name.startsWith('Enum')) return isFraction;
  return /^U?Int/.test(value.name) && listed.name.startsWith('Decimal');
}
