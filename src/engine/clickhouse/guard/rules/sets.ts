/**
 * `x IN (SELECT …)` and `x IN table` where the type of the set does not hold all values of x. The engine converts each x to that type, so that
 * 1.5 is in the set of 1 and a time in the set of its day, but looks for the set's own values in a sorting key. Pure.
 */
import {
  type ClickHouseType,
  elementTypes,
  numberArgument,
  parseClickHouseType,
  typeToText,
  withoutWrappers,
} from '../../../../sql/clickhouse-type.ts';
import {
  argumentsOf,
  attributeOf,
  operandsOf,
  partOf,
  type TreeNode,
  tableNameOf,
  typeOf,
} from '../../../../sql/query-tree.ts';
import { isTimeType } from '../../../../sql/time-text.ts';
import { type LexedText, positionOfName } from '../parse/lexed-text.ts';

const IN = /^(?:global)?(?:not)?(?:null)?in(?:ignoreset)?$/i;

/** `database.table` of a table that is searched by IN → the types of its columns, which the tree does not state. */
export type SearchedTables = ReadonlyMap<string, readonly string[]>;

/** `database.table` of each. */
export function searchedTables(nodes: readonly TreeNode[]): readonly string[] {
  const sets = nodes.filter(isSearch).flatMap((node) => argumentsOf(node)[1] ?? []);
  return [...new Set(sets.map(tableNameOf).filter((name) => name !== ''))];
}

/** Whether it is an IN. */
export function isSearch(node: TreeNode): boolean {
  return IN.test(attributeOf(node, 'function_name'));
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
  if (value === undefined || set === undefined) return null;
  const queries = typesOfSet(set, searched);
  const type = parseClickHouseType(typeOf(value));
  const values = queries[0]?.length === 1 ? [type] : elementTypes(type);
  for (const [at, given] of values.entries()) {
    const sets = queries.map((types) => withoutWrappers(parseClickHouseType(types[at] ?? '')));
    const [smallest] = sets;
    const bare = withoutWrappers(given);
    // Of several types the engine takes one that holds the values of all.
    if (smallest === undefined || !sets.every((one) => isCut(bare, one))) continue;
    const name = attributeOf(value, 'column_name');
    const what = name === '' ? 'A value' : `The column ${name}${positionOfName(lexed, name)}`;
    const text = typeToText(smallest);
    return `${what} of type ${typeToText(bare)} is searched by IN in ${set.kind === 'TABLE' ? 'a table' : 'a subquery'}'s values of type ${text}, to which the engine cuts it, but not where it is in the sorting key of a table; write CAST(… AS ${text}) IN (…), or let ${set.kind === 'TABLE' ? 'a' : 'the'} subquery return values of type ${typeToText(bare)}.`;
  }
  return null;
}

/** Of each SELECT of a subquery; empty for a set of constants. */
function typesOfSet(set: TreeNode, searched: SearchedTables): readonly (readonly string[])[] {
  if (/^(?:QUERY|UNION)$/.test(set.kind))
    return operandsOf(set).map((query) => partOf(query, 'PROJECTION').map(typeOf));
  const table = searched.get(tableNameOf(set));
  return table === undefined ? [] : [table];
}

const NUMBER = /^(?:U?Int|Float|BFloat|Decimal)/;

/** Whether some values of a type become others in the type of the set. */
function isCut(value: ClickHouseType, set: ClickHouseType): boolean {
  if (isTimeType(set)) {
    if (!isTimeType(value)) return value.name.endsWith('String') || NUMBER.test(value.name);
    if (set.name.startsWith('DateTime'))
      return decimalsOf(value) > decimalsOf(set) && set.name === 'DateTime64';
    return value.name.startsWith('DateTime');
  }
  if (!value.name.startsWith('Decimal')) return false;
  return (
    /^U?Int/.test(set.name) || (set.name.startsWith('Decimal') && scaleOf(value) > scaleOf(set))
  );
}

function decimalsOf(type: ClickHouseType): number {
  return type.name === 'DateTime64' ? (numberArgument(type, 0) ?? 0) : 0;
}

function scaleOf(type: ClickHouseType): number {
  return numberArgument(type, 1) ?? 0;
}
