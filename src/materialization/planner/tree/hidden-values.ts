/**
 * `hasAny` and its relatives read the value that lies under a NULL in an array, such as 7 in `[nullIf(7, 7)]`: they find
 * 7 there, and no NULL. A stored table keeps that value where it stores rows, but not where it groups by the array. (Found by
 * comparing arrays of columns with and without such values, ClickHouse 26.7.)
 */
import type { SourceCheck } from '../../../model/materialization-plan.ts';
import {
  argumentsOf,
  attributeOf,
  columnOf,
  nodesById,
  operandsOf,
  partOf,
  type TreeNode,
  tableNameOf,
  typeOf,
} from '../../../sql/query-tree.ts';
import { quoteName, quoteTable } from '../../../sql/quote-name.ts';
import { refuse } from '../refusal.ts';
import { columnNamesOf } from './utf8-columns.ts';

interface ArrayColumn {
  /** `database.table`, as the engine states it. */
  readonly table: string;
  readonly column: string;
}

const searches = new Set(['hasAny', 'hasAll', 'hasSubstr', 'startsWith', 'endsWith']);

/** Elements of low cardinality have nothing under their NULL. */
const HOLDS_NULLS = /^Array\(Nullable\(/;

/**
 * Checks that such functions search only arrays with nothing under their NULLs, anywhere in the query. Throws Refusal for
 * an array that is no column of a table.
 *
 * @param nodes of the query's resolved tree.
 */
export function hiddenValueChecks(nodes: readonly TreeNode[]): readonly SourceCheck[] {
  const byId = nodesById(nodes);
  return nodes.flatMap((node) => {
    const search = node.kind === 'FUNCTION' ? attributeOf(node, 'function_name') : '';
    if (!searches.has(search)) return [];
    return argumentsOf(node)
      .filter((each) => HOLDS_NULLS.test(typeOf(each)))
      .flatMap((each) => columnsOf(each, search, byId))
      .map((column) => checkOf(column, search));
  });
}

function checkOf({ table, column }: ArrayColumn, search: string): SourceCheck {
  const name = quoteName(column);
  return {
    countFaults: `SELECT countIf(arrayExists(x -> isNull(x) AND NOT hasAny([x], [NULL]), ${name})) FROM ${quoteTable(table)}`,
    reason: `${column} has arrays in which a NULL was made of another value, as nullIf does, and ${search} finds that value in place of NULL; write arrayExists(x -> has(values, x), ${column}).`,
  };
}

function columnsOf(
  node: TreeNode,
  search: string,
  byId: ReadonlyMap<number, TreeNode>,
): readonly ArrayColumn[] {
  const column = node.kind === 'COLUMN' ? columnOf(node) : null;
  if (node.kind === 'CONSTANT') return [];
  if (column === null || column.source === null) return refuseOrigin(search);
  const source = byId.get(column.source);
  switch (source?.kind) {
    case 'TABLE':
      return isOfJson(column.name) ? [] : [{ table: tableNameOf(source), column: column.name }];
    case 'QUERY':
    case 'UNION': {
      const [first, ...others] = operandsOf(source);
      const at = first === undefined ? -1 : columnNamesOf(first).indexOf(column.name);
      return [first, ...others].flatMap((query) => {
        const item = query === undefined ? undefined : partOf(query, 'PROJECTION')[at];
        return item === undefined ? refuseOrigin(search) : columnsOf(item, search, byId);
      });
    }
    default:
      return refuseOrigin(search);
  }
}

/** Arrays of a JSON column are parsed, and have nothing under their NULLs. */
const isOfJson = (column: string) => column.includes('.:');

function refuseOrigin(search: string): never {
  refuse(
    `In an array of Nullable elements, ${search} finds the value that a NULL was made of, and this array is computed, so that it cannot be checked; write arrayExists(x -> has(values, x), array).`,
  );
}
