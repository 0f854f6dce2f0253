/**
 * Correlated subqueries, which the engine turns into a JOIN by the columns of the outer query: a row for which the subquery reads
 * no rows has NULL in place of the number 0, and one with a NULL in such a column is joined with nothing. Found in ClickHouse 26.7.
 * Pure.
 */
import { isNullable, parseClickHouseType } from '../../../../sql/clickhouse-type.ts';
import {
  argumentsOf,
  attributeOf,
  columnOf,
  conjunctsOf,
  functionAround,
  hasPart,
  isAggregate,
  isComparison,
  partOf,
  type TreeNode,
  tableNameOf,
  typeOf,
} from '../../../../sql/query-tree.ts';
import { columnOrElse, type LexedText, positionOfName } from '../parse/lexed-text.ts';

/**
 * @param node node of the resolved tree.
 * @returns a sentence for the author, or null when the node is accepted.
 */
export function refusalOfCorrelated(node: TreeNode, lexed: LexedText): string | null {
  if (node.kind !== 'QUERY' || attributeOf(node, 'is_correlated') !== '1') return null;
  return refusalOfRows(node, lexed) ?? refusalOfCount(node, lexed) ?? refusalOfNull(node, lexed);
}

/** Of several rows the engine takes any one, though it must fail. */
function refusalOfRows(query: TreeNode, lexed: LexedText): string | null {
  if (isOfRows(query) || isWithinUnion(query) || hasOneRow(query)) return null;
  const [made] = partOf(query, 'PROJECTION');
  const name = attributeOf(made ?? query, 'column_name');
  const column = name === '' ? 'x' : name;
  return `${columnOrElse(lexed, name, 'The value')} of a subquery that reads the rows of each row of the query around it may have several values, of which the engine takes any; write (SELECT max(${column}) …), or any(${column}) if they are the same.`;
}

function isWithinUnion({ parent }: TreeNode): boolean {
  return parent?.parent?.kind === 'QUERIES' || parent?.kind === 'QUERIES';
}

/** Whether it is of one row at most: an aggregate of all rows, or a query of nothing else or of such a query. */
function hasOneRow(query: TreeNode): boolean {
  if (query.kind !== 'QUERY') return false;
  const made = partOf(query, 'PROJECTION').flatMap(nodesOf);
  if (made.some(({ attributes }) => attributes.startsWith('function_name: arrayJoin,')))
    return false;
  if (!hasPart(query, 'GROUP BY') && made.some(isAggregate)) return true;
  const [from, ...more] = partOf(query, 'JOIN TREE');
  if (from === undefined || more.length > 0) return false;
  if (from.kind === 'TABLE') return tableNameOf(from) === 'system.one';
  return hasOneRow(from);
}

/** Of no rows these are 0. */
const COUNT = /^(?:count|uniq)|OrDefault$/i;
/** Of no rows these have a value as well, though the aggregate in them has none. */
const OF_NULL = /^(?:ifNull|coalesce|isNull|isNotNull|length|empty|notEmpty)$/i;

function refusalOfCount(query: TreeNode, lexed: LexedText): string | null {
  if (hasPart(query, 'GROUP BY')) return null;
  const having = partOf(query, 'HAVING').filter((condition) => !needsRows(condition));
  const [compared] = having.flatMap(nodesOf).flatMap(countOf);
  if (compared !== undefined)
    return `The HAVING of a subquery that reads the rows of each row of the query around it has no row to compare where there are none; compare outside the subquery: ${ifNullOf(nameOf(compared, lexed))} = ….`;
  const around = attributeOf(functionAround(query) ?? query, 'function_name');
  if (/^(?:exists|ifNull|coalesce)$/i.test(around)) return null;
  const made = partOf(query, 'PROJECTION');
  const [found] = made.flatMap(nodesOf).flatMap(valueOfNone);
  if (found === undefined) return null;
  const name = nameOf(found, lexed);
  const isWhole = made.some((node) => countOf(node).includes(found));
  const mend = isWhole ? '' : ', or instead of 0 what the subquery returns for no rows';
  return `The subquery of ${name}${positionOfName(lexed, name)} reads the rows of each row of the query around it, and the engine makes it NULL where there are none; write ${ifNullOf(name)}${mend}.`;
}

function ifNullOf(name: string): string {
  return `ifNull((SELECT ${name}(…) …), 0)`;
}

/** The tree has `COUNT(DISTINCT x)` as `uniqExact(x)`. */
function nameOf(name: string, lexed: LexedText): string {
  const names = name === 'uniqExact' ? [name, 'countDistinct', 'count'] : [];
  return names.find((one) => positionOfName(lexed, one) !== '') ?? name;
}

/** The node and all below it, but for subqueries. */
function nodesOf(node: TreeNode): readonly TreeNode[] {
  if (/^(?:QUERY|UNION)$/.test(node.kind)) return [];
  return [node, ...node.children.flatMap(nodesOf)];
}

/** Whether it is a comparison with a count that no rows do not match: `count() > 2`. */
function needsRows(condition: TreeNode): boolean {
  const name = attributeOf(condition, 'function_name');
  const [count, least] = argumentsOf(condition);
  if (count === undefined || least === undefined || countOf(count).length === 0) return false;
  const isLiteral = least.kind === 'CONSTANT' && !hasPart(least, 'EXPRESSION');
  const isPositive = /^constant_value: UInt\d+_[1-9]/.test(least.attributes);
  if (name === 'greater') return least.attributes.startsWith('constant_value: UInt');
  return isLiteral && isPositive && /^(?:equals|greaterOrEquals)$/.test(name);
}

/** The name of what has a value of no rows. */
function valueOfNone(node: TreeNode): readonly string[] {
  const name = attributeOf(node, 'function_name');
  const isOfNull = OF_NULL.test(name) && argumentsOf(node).flatMap(nodesOf).some(isAggregate);
  return isOfNull ? [name] : countOf(node);
}

/** The name of an aggregate that counts. The tree has `count(x)` of a Nullable x as `sum(not(x.null))`. */
function countOf(node: TreeNode): readonly string[] {
  if (!isAggregate(node)) return [];
  const name = attributeOf(node, 'function_name');
  if (COUNT.test(name)) return [name];
  const [not] = name === 'sum' ? argumentsOf(node) : [];
  const [nulls] =
    attributeOf(not ?? node, 'function_name') === 'not' ? argumentsOf(not ?? node) : [];
  return attributeOf(nulls ?? node, 'column_name').endsWith('.null') ? ['count'] : [];
}

/** They may be true, or have a value, where an operand is NULL. */
const TAKES_NULL =
  /^(?:isNull|isNotNull|isZeroOrNull|ifNull|coalesce|assumeNotNull|if|multiIf|or|xor|tuple|array|map|isNotDistinctFrom|isDistinctFrom|.*IgnoreSet|nullIf|has.*|least|greatest|transform|caseWithExpression|(?!count|uniq)\w+If)$/i;

function refusalOfNull(query: TreeNode, lexed: LexedText): string | null {
  const outer = partOf(query, 'CORRELATED COLUMNS').filter((column) =>
    isNullable(parseClickHouseType(typeOf(column))),
  );
  const needed = partOf(query, 'WHERE').flatMap(conjunctsOf);
  const use = query.children
    .flatMap(nodesOf)
    .find(
      (node) =>
        outer.some(
          (column) => isSame(node, column) && !needed.some((one) => excludesNull(one, column)),
        ) && mayKeepNull(node, query),
    );
  if (use === undefined) return null;
  const name = attributeOf(use, 'column_name');
  return `${columnOrElse(lexed, name, 'A column')} of the query around a subquery may be NULL, and the engine finds no rows for a NULL there whatever the condition is; compare it by = or < and the like, beside AND only, and put the rows that are NULL outside the subquery, as in WHERE ${name} IS NULL OR EXISTS (SELECT …).`;
}

/** Whether a condition is true for no NULL of a column: `x = column`, `column IS NOT NULL`. */
function excludesNull(condition: TreeNode, column: TreeNode): boolean {
  const isOfColumn = argumentsOf(condition).some((node) => isSame(node, column));
  const name = attributeOf(condition, 'function_name');
  const isOfValues = isComparison(condition) && !name.endsWith('DistinctFrom');
  return isOfColumn && (isOfValues || name === 'isNotNull');
}

function isSame(node: TreeNode, column: TreeNode): boolean {
  const [one, other] = [columnOf(node), columnOf(column)];
  return one !== null && one.name === other?.name && one.source === other.source;
}

/** Whether a column that is NULL leaves rows in the subquery. */
function mayKeepNull(column: TreeNode, query: TreeNode): boolean {
  for (let at = column.parent; at !== null && at !== query; at = at.parent) {
    if (at.kind === 'CORRELATED COLUMNS') return false;
    if (at.kind === 'LAMBDA' || TAKES_NULL.test(attributeOf(at, 'function_name'))) return true;
    if (isAndWithin(at)) return true;
    if (at.kind === 'PROJECTION') return isOfRows(query);
  }
  return false;
}

/** Whether it is the rows that count: in EXISTS, which the tree may have as `EXISTS (SELECT 1 FROM (…))`, or in FROM. */
function isOfRows(query: TreeNode): boolean {
  let at = query.parent;
  while (at !== null && /^(?:LIST|QUERIES|UNION)$/.test(at.kind)) at = at.parent;
  const around = attributeOf(functionAround(query) ?? query, 'function_name');
  return around === 'exists' || at?.kind === 'JOIN TREE';
}

/** `NOT (NULL AND 0)` is true. */
function isAndWithin(node: TreeNode): boolean {
  const around = functionAround(node);
  return (
    attributeOf(node, 'function_name') === 'and' &&
    around !== null &&
    !isAggregate(around) &&
    attributeOf(around, 'function_name') !== 'and'
  );
}
