/**
 * Correlated subqueries, which the engine turns into a JOIN by the columns of the outer query: a row for which the subquery reads
 * no rows has NULL in place of the number 0, and one with a NULL in such a column is joined with nothing. Found in ClickHouse 26.7.
 * Pure.
 */
import { isNullable, parseClickHouseType } from '../../../../sql/clickhouse-type.ts';
import {
  argumentsOf,
  attributeOf,
  functionAround,
  hasPart,
  nodesIn,
  partOf,
  type TreeNode,
  typeOf,
} from '../../../../sql/query-tree.ts';
import { type LexedText, positionOfName } from '../parse/lexed-text.ts';

/**
 * @param node node of the resolved tree.
 * @returns a sentence for the author, or null when the node is accepted.
 */
export function refusalOfCorrelated(node: TreeNode, lexed: LexedText): string | null {
  if (node.kind !== 'QUERY' || attributeOf(node, 'is_correlated') !== '1') return null;
  return refusalOfCount(node, lexed) ?? refusalOfNull(node, lexed);
}

/** Of no rows these are 0. */
const COUNT = /^(?:count|uniq)/i;

function refusalOfCount(query: TreeNode, lexed: LexedText): string | null {
  const around = attributeOf(functionAround(query) ?? query, 'function_name');
  if (/^(?:exists|ifNull|coalesce)$/i.test(around) || hasPart(query, 'GROUP BY')) return null;
  const [name] = partOf(query, 'PROJECTION').flatMap(nodesIn).flatMap(countOf);
  if (name === undefined) return null;
  return `The subquery of ${name}${positionOfName(lexed, name)} reads the rows of each row of the query around it, and the engine makes it NULL where there are none; write ifNull((SELECT ${name}(…) …), 0).`;
}

/** The name of an aggregate that counts. The tree has `count(x)` of a Nullable x as `sum(not(x.null))`. */
function countOf(node: TreeNode): readonly string[] {
  if (attributeOf(node, 'function_type') !== 'aggregate') return [];
  const name = attributeOf(node, 'function_name');
  if (COUNT.test(name)) return [name];
  const [not] = name === 'sum' ? argumentsOf(node) : [];
  const isOfNulls = attributeOf(not ?? node, 'function_name') === 'not';
  return isOfNulls ? ['count'] : [];
}

/** They may be true, or have a value, where an operand is NULL. */
const TAKES_NULL =
  /^(?:isNull|isNotNull|isZeroOrNull|ifNull|coalesce|assumeNotNull|if|multiIf|or|xor|tuple|array|map|isNotDistinctFrom|isDistinctFrom|.*IgnoreSet|nullIf|has.*|least|greatest)$/i;

function refusalOfNull(query: TreeNode, lexed: LexedText): string | null {
  const outer = partOf(query, 'CORRELATED COLUMNS').filter((column) =>
    isNullable(parseClickHouseType(typeOf(column))),
  );
  const use = nodesIn(query).find(
    (node) => outer.some((column) => isSame(node, column)) && mayKeepNull(node, query),
  );
  if (use === undefined) return null;
  const name = attributeOf(use, 'column_name');
  return `The column ${name}${positionOfName(lexed, name)} of the query around a subquery may be NULL, and the engine finds no rows for a NULL there whatever the condition is; compare it by = or < and the like, beside AND only, and put the rows that are NULL outside the subquery, as in WHERE ${name} IS NULL OR EXISTS (SELECT …).`;
}

function isSame(node: TreeNode, column: TreeNode): boolean {
  return (
    node.kind === 'COLUMN' &&
    attributeOf(node, 'column_name') === attributeOf(column, 'column_name') &&
    attributeOf(node, 'source_id') === attributeOf(column, 'source_id')
  );
}

/** Whether a column that is NULL leaves rows in the subquery. */
function mayKeepNull(column: TreeNode, query: TreeNode): boolean {
  for (let at = column.parent; at !== null && at !== query; at = at.parent) {
    if (at.kind === 'CORRELATED COLUMNS') return false;
    if (TAKES_NULL.test(attributeOf(at, 'function_name'))) return true;
    if (at.kind === 'PROJECTION')
      return attributeOf(functionAround(query) ?? query, 'function_name') === 'exists';
  }
  return false;
}
