/**
 * Comparisons of a DateTime64 with a constant of whole seconds: a DateTime or an integer. In the sorting key and the
 * indexes of a table the engine takes `at > now() - INTERVAL 1 DAY` for `at >= now() - INTERVAL 1 DAY + 1`, in seconds, and
 * leaves out the rows of that second. The constant is converted, to `toDateTime64(now() - INTERVAL 1 DAY, 0)`. No setting prevents
 * it. A constant may also be a column of a subquery, or an ALIAS column. Found in ClickHouse 26.7. Pure.
 */
import { typeToText } from '../../../../sql/clickhouse-type.ts';
import { applyEdits } from '../../../../sql/edits.ts';
import {
  argumentsOf,
  attributeOf,
  bareTypeOf,
  columnOf,
  functionAround,
  nodesById,
  operandsOf,
  partOf,
  type TreeNode,
  typeOf,
  valueOfMark,
} from '../../../../sql/query-tree.ts';
import { columnOrElse } from '../parse/lexed-text.ts';
import type { Operand } from '../parse/ordered-operands.ts';
import type { SqlText } from '../parse/sql-text.ts';

/** An operand of whole seconds. */
export interface Conversion extends Operand {
  /** A function that converts it, given a scale of 0. */
  readonly to: string;
}

interface WholeSeconds extends Pick<Conversion, 'to'> {
  readonly constant: TreeNode;
  readonly compared: TreeNode;
}

/** Whether a tree, resolved with or without marks, has such a comparison where it may decide which rows are read. */
export function comparesWholeSeconds(nodes: readonly TreeNode[]): boolean {
  return findWholeSeconds(nodes) !== null;
}

function findWholeSeconds(nodes: readonly TreeNode[]): WholeSeconds | null {
  const isConstant = constantsOf(nodes);
  for (const node of nodes) {
    const found = wholeSecondsOf(node, isConstant);
    if (found !== null) return found;
  }
  return null;
}

/** A sentence for the author of a comparison that could not be converted; null when there is none. */
export function refusalOfWholeSeconds(nodes: readonly TreeNode[], text: SqlText): string | null {
  const found = findWholeSeconds(nodes);
  if (found === null) return null;
  const { constant, compared, to } = found;
  const what = columnOrElse(text, attributeOf(compared, 'column_name'), 'A DateTime64');
  return `${what} has fractions of seconds and is compared with a constant of type ${typeOf(constant)}; the sorting key of a table would leave out rows of that second. Write it as ${to}(…, 0).`;
}

const MARK = 'querydock whole seconds ';

/** The same statement, in whose tree each of the operands stands beside its position in the text. */
export function withMarks({ statement }: SqlText, operands: readonly Operand[]): string {
  return around(statement, operands, ({ start }) => [
    'tupleElement(tuple(',
    `, '${MARK}${start}'), 1)`,
  ]);
}

const MARKED = new RegExp(`'${MARK}(\\d+)'`);

/** Which of the operands are constants of whole seconds, by the tree with their marks, resolved by the first pass. */
export function conversionsOf(
  nodes: readonly TreeNode[],
  operands: readonly Operand[],
): readonly Conversion[] {
  const isConstant = constantsOf(nodes);
  const found = new Map<string, string>();
  for (const node of nodes) {
    const mark = node.kind === 'CONSTANT' ? MARKED.exec(node.attributes)?.[1] : undefined;
    const to = mark === undefined ? null : conversionAround(node, isConstant);
    if (mark !== undefined && to !== null) found.set(mark, to);
  }
  return operands.flatMap((operand) => {
    const to = found.get(String(operand.start));
    return to === undefined ? [] : [{ ...operand, to }];
  });
}

export function converted({ statement }: SqlText, conversions: readonly Conversion[]): string {
  return around(statement, conversions, ({ to }) => [`${to}(`, ', 0)']);
}

/** Writes something before and after each operand; an operand may contain others. */
function around<T extends Operand>(
  sql: string,
  operands: readonly T[],
  write: (operand: T) => readonly [string, string],
): string {
  // Edits at one place are applied in their order: an outer operand begins before an inner one, and ends after it.
  const outerFirst = operands.toSorted((one, other) => other.end - one.end);
  const insertion = (at: number, text: string) => ({ start: at, end: at, text });
  return applyEdits(sql, [
    ...outerFirst.map((one) => insertion(one.start, write(one)[0])),
    ...outerFirst.toReversed().map((one) => insertion(one.end, write(one)[1])),
  ]);
}

/** For the mark of a constant of whole seconds that is compared itself, and not as a part of something else. */
function conversionAround(mark: TreeNode, isConstant: IsConstant): string | null {
  const value = valueOfMark(mark);
  const comparison = functionAround(value);
  const found = comparison === null ? null : wholeSecondsOf(comparison, isConstant);
  return found !== null && found.constant === value ? found.to : null;
}

const ORDERING = /^(?:less|greater|lessOrEquals|greaterOrEquals)$/;

function wholeSecondsOf(node: TreeNode, isConstant: IsConstant): WholeSeconds | null {
  if (!ORDERING.test(attributeOf(node, 'function_name')) || !mayDecideRows(node)) return null;
  const sides = argumentsOf(node);
  const compared = sides.find((side) => isFine(side) && side.kind !== 'CONSTANT');
  const constant = sides.find((side) => side !== compared);
  if (constant === undefined || compared === undefined) return null;
  const to = conversionOf(bareType(constant));
  return to === null || !isConstant(constant) ? null : { constant, compared, to };
}

type IsConstant = (node: TreeNode) => boolean;

/** Whether a node has no value of a table, so that the engine may evaluate it before it reads one. */
function constantsOf(nodes: readonly TreeNode[]): IsConstant {
  // Few trees have a comparison for which it is needed.
  let byId: ReadonlyMap<number, TreeNode> | undefined;
  const nodeOf = (id: number | null) => {
    byId ??= nodesById(nodes);
    return byId.get(id ?? -1);
  };
  const known = new Map<number, boolean>();
  const find = (node: TreeNode): boolean => {
    if (node.kind === 'FUNCTION') return argumentsOf(node).every(isConstant);
    const column = columnOf(node);
    if (column === null) return node.kind === 'CONSTANT';
    const made = partOf(node, 'EXPRESSION');
    if (made.length > 0) return made.every(isConstant);
    const source = nodeOf(column.source);
    if (source === undefined || !/^(?:QUERY|UNION)$/.test(source.kind)) return false;
    const queries = operandsOf(source);
    const names = queries.slice(0, 1).flatMap((query) => partOf(query, 'PROJECTION COLUMNS'));
    const line = `${column.name} ${column.type}`;
    return queries.some((query) =>
      partOf(query, 'PROJECTION').some((item, at) => names[at]?.kind === line && isConstant(item)),
    );
  };
  const isConstant = (printed: TreeNode): boolean => {
    // A node that is printed again has no children there.
    const node = nodeOf(printed.id) ?? printed;
    const id = node.id ?? -1;
    const before = known.get(id);
    if (before !== undefined) return before;
    // A recursive query may lead back here.
    known.set(id, false);
    known.set(id, find(node));
    return known.get(id) === true;
  };
  return isConstant;
}

function bareType(node: TreeNode): string {
  return typeToText(bareTypeOf(node));
}

function isFine(node: TreeNode): boolean {
  return /^DateTime64\([1-9]/.test(bareType(node));
}

function conversionOf(type: string): string | null {
  if (/^DateTime(?:\(|$)/.test(type)) return 'toDateTime64';
  // Of wider integers a decimal would keep only the last digits, and the engine compares them rightly.
  return /^U?Int(?:8|16|32|64)$/.test(type) ? 'toDecimal128' : null;
}

/** Not by what is only selected, grouped or sorted by the outermost SELECT: a result column may be named after it. */
function mayDecideRows(node: TreeNode): boolean {
  let part = node;
  for (let above = node.parent; above !== null; part = above, above = above.parent) {
    if (above.kind !== 'QUERY') continue;
    return !isOutermost(above) || !/^(?:PROJECTION|GROUP BY|ORDER BY)$/.test(part.kind);
  }
  return true;
}

function isOutermost(query: TreeNode): boolean {
  for (let above = query.parent; above !== null; above = above.parent)
    if (above.kind === 'QUERY') return false;
  return true;
}
