/**
 * `has(list, x)`, `indexOf`, `countEqual`, `mapContains` and `map[x]` of LowCardinality values and a constant x: the engine looks for x
 * in the dictionary of the values, and never finds '' or 0 there, but finds them for NULL. The constant is converted, to
 * `materialize(x)`, which uses the same indexes. Found in ClickHouse 26.7. Pure.
 */
import {
  type ClickHouseType,
  elementTypes,
  innerType,
  isNullable,
  isTextType,
  parseClickHouseType,
  typeToText,
  withoutWrappers,
} from '../../../../sql/clickhouse-type.ts';
import {
  argumentsOf,
  attributeOf,
  bareTypeOf,
  functionAround,
  hasPart,
  nodesIn,
  type TreeNode,
  typeOf,
  valueOfMark,
} from '../../../../sql/query-tree.ts';
import { quoteName } from '../../../../sql/quote-name.ts';
import { type LexedText, positionOfName } from '../parse/lexed-text.ts';
import type { SqlText } from '../parse/sql-text.ts';
import { constantsOf, type IsConstant } from './constants.ts';
import type { Written } from './operand-marks.ts';

interface Search {
  readonly name: string;
  readonly list: TreeNode;
  /** Of a value of the list, or a key of the map. */
  readonly item: ClickHouseType;
  readonly value: TreeNode;
}

/** Null for any other function. */
function searchOf(node: TreeNode): Search | null {
  const name = attributeOf(node, 'function_name');
  if (!/^(?:has|indexOf|countEqual|mapContains(?:Key|Value)?|arrayElement(?:OrNull)?)$/.test(name))
    return null;
  const [list, value] = argumentsOf(node);
  if (list === undefined || value === undefined) return null;
  const type = parseClickHouseType(typeOf(list));
  const isMap = type.name === 'Map';
  // An array has no keys, and `map[x]` finds none for NULL.
  if (isMap ? name === 'has' : name.startsWith('arrayElement') || type.name !== 'Array')
    return null;
  const item = name === 'mapContainsValue' ? elementTypes(type)[1] : innerType(type);
  return item === undefined ? null : { name, list, item, value };
}

/** Whether a tree, resolved with or without marks, has such a search of a constant that may be '' or 0. */
export function mayMissDefault(nodes: readonly TreeNode[], text: SqlText): boolean {
  return missesOf(nodes, text).length > 0;
}

function missesOf(nodes: readonly TreeNode[], text: SqlText): readonly Search[] {
  const isConstant = constantsOf(nodes);
  return nodes.flatMap((node) => {
    const search = searchOf(node);
    return search !== null && mayMiss(search, isConstant, text) ? [search] : [];
  });
}

function mayMiss({ name, item, value }: Search, isConstant: IsConstant, text: SqlText): boolean {
  if (item.name !== 'LowCardinality') return false;
  // NULL itself is found where there may be one.
  if (isNullable(item) && bareTypeOf(value).name === 'Nothing') return false;
  if (attributeOf(value, 'function_name') === 'materialize') return false;
  // Of NULL the element is NULL.
  if (name.startsWith('arrayElement') && isNullable(parseClickHouseType(typeOf(value))))
    return false;
  // The text of a variable looks like a literal, and may be another one in the next run.
  if (text.substitutions.length === 0 && isOtherLiteral(value, item)) return false;
  return isConstant(value);
}

/** Whether it is a literal that is not the default value of the type, such as 'a' or 5. */
function isOtherLiteral(value: TreeNode, item: ClickHouseType): boolean {
  if (value.kind !== 'CONSTANT' || hasPart(value, 'EXPRESSION')) return false;
  const type = innerType(item).name;
  const isText = /^(?:Fixed)?String$/.test(type);
  return isText
    ? /(?:^|, )constant_value: '(?!(?:\\0)*', constant_value_type)/.test(value.attributes)
    : /^U?Int/.test(type) && /(?:^|, )constant_value: U?Int\d+_-?[1-9]/.test(value.attributes);
}

export interface MarkedPlace {
  readonly text: SqlText;
  /** The operand. */
  readonly written: string;
}

/** How to write a constant beside a mark that is searched itself. */
export function searchedValueAround(
  mark: TreeNode,
  isConstant: IsConstant,
  { text, written }: MarkedPlace,
): Written | null {
  const value = valueOfMark(mark);
  const around = functionAround(value);
  const search = around === null ? null : searchOf(around);
  if (search === null || search.value !== value || !mayMiss(search, isConstant, text)) return null;
  if (!isNullable(parseClickHouseType(typeOf(value)))) return materialized(written);
  if (search.name !== 'has' || isNullable(search.item)) return null;
  return {
    call: 'hasAny',
    before: `if(isNull(${written}), [], [assumeNotNull(`,
    after: ')])',
  };
}

/** A column keeps the name that it has with the literal. */
function materialized(written: string): Written {
  const isLiteral = /^(?:'[\w .@/#+-]*'|\d+)$/.test(written);
  return isLiteral
    ? { before: '(materialize(', after: `) AS ${quoteName(written)})` }
    : { before: 'materialize(', after: ')' };
}

/**
 * A value of a row that may be NULL: the engine finds the empty text in its place, in any list of texts, or 0.
 *
 * @param node node of the resolved tree.
 * @returns a sentence for the author, or null when the node is accepted.
 */
export function refusalOfSearchedNull(node: TreeNode, lexed: LexedText): string | null {
  const search = searchOf(node);
  if (search === null) return null;
  const { name, list, item, value } = search;
  const isOfRows = list.kind !== 'CONSTANT' && nodesIn(value).some(({ kind }) => kind === 'COLUMN');
  if (name.startsWith('arrayElement') || !isOfRows) return null;
  if (!isNullable(parseClickHouseType(typeOf(value)))) return null;
  if (item.name !== 'LowCardinality' && !isTextType(typeToText(withoutWrappers(item)))) return null;
  const column = attributeOf(value, 'column_name') || 'x';
  const written = writtenAs(name, lexed);
  return `${written}${positionOfName(lexed, written)} looks for ${column}, which may be NULL, and the engine finds the empty text or 0 in its place; write ${column} IS NOT NULL AND ${written}(…, assumeNotNull(${column})).`;
}

/** The tree may have `mapContains(map, x)` as `has(map.keys, x)`. */
function writtenAs(name: string, lexed: LexedText): string {
  const names = [name, 'mapContains', 'mapContainsKey', 'mapContainsValue'];
  return names.find((one) => positionOfName(lexed, one) !== '') ?? name;
}

/** A sentence for the author of a constant that could not be converted; null when there is none. */
export function refusalOfSearchedConstant(
  nodes: readonly TreeNode[],
  text: SqlText,
): string | null {
  const [found] = missesOf(nodes, text);
  if (found === undefined) return null;
  const { value } = found;
  const name = writtenAs(found.name, text);
  const searched = positionOfName(text, name) === '' ? positionOfName(text, 'in') : '';
  if (searched !== '')
    return `IN${searched} looks for a constant among values of type LowCardinality, where the engine does not find the empty text and 0; write has(list, x) in place of x IN list.`;
  const where = `${name}${positionOfName(text, name)}`;
  if (isNullable(parseClickHouseType(typeOf(value))))
    return `${where} looks for a constant that may be NULL among values of type LowCardinality, where the engine takes NULL for the empty text or 0; write x IS NOT NULL AND ${name}(…, assumeNotNull(x)).`;
  return `${where} looks for a constant among values of type LowCardinality, where the engine does not find the empty text and 0; write ${name === 'arrayElement' ? '…[materialize(x)]' : `${name}(…, materialize(x))`}.`;
}
