/**
 * `x IN (SELECT …)` and `x IN table` where the type of the set does not hold all values of x. The engine converts each x to that type, so that
 * 1.5 is in the set of 1 and a time in the set of its day, but looks for the set's own values in a sorting key. For NOT IN it converts
 * these to the type of the key, so that the set of 1.5 has 1. Found in ClickHouse 26.7. Pure.
 */
import {
  type ClickHouseType,
  elementTypes,
  isNullable,
  numberArgument,
  parseClickHouseType,
  typeToText,
  withoutWrappers,
} from '../../../../sql/clickhouse-type.ts';
import {
  argumentsOf,
  attributeOf,
  isSearch,
  isWithinNot,
  operandsOf,
  partOf,
  type TreeNode,
  tableNameOf,
  typeOf,
} from '../../../../sql/query-tree.ts';
import { decimalsOf, isTimeType } from '../../../../sql/time-text.ts';
import { columnOrElse, type LexedText } from '../parse/lexed-text.ts';

/** `database.table` of a table that is searched by IN → the types of its columns, which the tree does not state. */
export type SearchedTables = ReadonlyMap<string, readonly string[]>;

/** `database.table` of each. */
export function searchedTables(nodes: readonly TreeNode[]): readonly string[] {
  const sets = nodes.filter(isSearch).flatMap((node) => argumentsOf(node)[1] ?? []);
  return [...new Set(sets.map(tableNameOf).filter((name) => name !== ''))];
}

/**
 * @param node node of the resolved tree.
 * @returns a sentence for the author, or null when the node is accepted.
 */
export function refusalOfSet(
  node: TreeNode,
  { lexed, searched }: { readonly lexed: LexedText; readonly searched: SearchedTables },
): string | null {
  const [value, set] = isSearch(node) ? argumentsOf(node) : [];
  // A constant is in no sorting key.
  if (value === undefined || set === undefined || value.kind === 'CONSTANT') return null;
  const type = parseClickHouseType(typeOf(value));
  const queries = typesOfSet(set, searched).map((types) => inColumns(types, type));
  const values = queries[0]?.length === 1 ? [type] : elementTypes(type);
  for (const [at, given] of values.entries()) {
    const sets = queries.map((types) => withoutWrappers(parseClickHouseType(types[at] ?? '')));
    const [smallest] = sets;
    const bare = withoutWrappers(given);
    if (smallest === undefined) continue;
    // Of several types the engine takes one that holds the values of all.
    const isValueCut = sets.every((one) => isCut(bare, one));
    if (!isValueCut && !(isNegated(node) && sets.some((one) => isSetCut(bare, one)))) continue;
    const what = columnOrElse(lexed, attributeOf(value, 'column_name'), 'A value');
    const [own, text] = [typeToText(bare), typeToText(smallest)];
    const operator = isNegated(node) ? 'NOT IN' : 'IN';
    const [holder, returning] =
      set.kind === 'TABLE' ? ['a table', 'a subquery'] : ['a subquery', 'the subquery'];
    const cut = isValueCut
      ? 'to which the engine cuts it, but not where it is in the sorting key of a table'
      : `which the engine cuts to ${own} where it is in the sorting key of a table`;
    const cast = isNullable(given) ? `Nullable(${text})` : text;
    // A CAST of a text that is no number fails.
    const casting =
      isValueCut && isText(bare) ? '' : `write CAST(… AS ${cast}) ${operator} (…), or `;
    return `${what} of type ${own} is searched by ${operator} in ${holder}'s values of type ${text}, ${cut}; ${casting}let ${returning} return values of type ${own}.`;
  }
  return null;
}

/** `x NOT IN …`, `NOT (x IN … AND …)`. */
function isNegated(node: TreeNode): boolean {
  return /^(?:global)?not/i.test(attributeOf(node, 'function_name')) || isWithinNot(node);
}

/** A subquery may return the values of a tuple in one column. */
function inColumns(types: readonly string[], searched: ClickHouseType): readonly string[] {
  const only = parseClickHouseType(types[0] ?? '');
  const isTuple = types.length === 1 && only.name === 'Tuple' && searched.name === 'Tuple';
  return isTuple && elementTypes(only).length > 1 ? elementTypes(only).map(typeToText) : types;
}

/** Of each SELECT of a subquery; empty for a set of constants. */
function typesOfSet(set: TreeNode, searched: SearchedTables): readonly (readonly string[])[] {
  if (/^(?:QUERY|UNION)$/.test(set.kind))
    return operandsOf(set).map((query) => partOf(query, 'PROJECTION').map(typeOf));
  const table = searched.get(tableNameOf(set));
  return table === undefined ? [] : [table];
}

const NUMBER = /^(?:U?Int|Float|BFloat|Decimal)/;
const INTEGER = /^U?Int/;
const FLOAT = /^B?Float/;

/** Whether some values of a type become others in the type of the set. */
function isCut(value: ClickHouseType, set: ClickHouseType): boolean {
  if (set.name === 'Bool') return value.name !== 'Bool';
  if (isEnum(set)) return typeToText(value) !== typeToText(set);
  if (set.name === 'IPv4') return NUMBER.test(value.name);
  if (isText(value)) return NUMBER.test(set.name) || isTimeType(set) || set.name === 'IPv6';
  if (NUMBER.test(set.name) && (isTimeType(value) || isEnum(value) || value.name === 'IPv4'))
    return true;
  if (isTimeType(set)) {
    if (!isTimeType(value)) return NUMBER.test(value.name) || isEnum(value);
    if (set.name.startsWith('DateTime'))
      return decimalsOf(value) > decimalsOf(set) && set.name === 'DateTime64';
    return value.name.startsWith('DateTime');
  }
  if (FLOAT.test(value.name)) return set.name.startsWith('Decimal');
  if (!value.name.startsWith('Decimal')) return false;
  return (
    INTEGER.test(set.name) ||
    /^(?:Float32|BFloat16)$/.test(set.name) ||
    (set.name.startsWith('Decimal') && scaleOf(value) > scaleOf(set))
  );
}

/** Whether some values of the set become others in the type of what is searched. */
function isSetCut(value: ClickHouseType, set: ClickHouseType): boolean {
  if (value.name === 'Bool' || isEnum(value)) return typeToText(set) !== typeToText(value);
  if (INTEGER.test(value.name)) return set.name.startsWith('Decimal') && scaleOf(set) > 0;
  if (value.name.startsWith('Decimal')) return FLOAT.test(set.name);
  if (isText(set)) return isTimeType(value) || FLOAT.test(value.name) || value.name === 'IPv6';
  if (value.name === 'DateTime') return set.name === 'DateTime64';
  return /^Date(?:32)?$/.test(value.name) && set.name.startsWith('DateTime');
}

function isText(type: ClickHouseType): boolean {
  return type.name.endsWith('String');
}

function isEnum(type: ClickHouseType): boolean {
  return type.name.startsWith('Enum');
}

function scaleOf(type: ClickHouseType): number {
  return numberArgument(type, 1) ?? 0;
}
