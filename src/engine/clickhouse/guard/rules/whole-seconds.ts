/**
 * Comparisons of a DateTime64 with a constant of whole seconds: a DateTime or an integer. In the sorting key and the
 * indexes of a table the engine takes `at > now() - INTERVAL 1 DAY` for `at >= now() - INTERVAL 1 DAY + 1`, in seconds, and
 * leaves out the rows of that second. The constant is converted, to `toDateTime64(now() - INTERVAL 1 DAY, 0)`. No setting prevents
 * it. A constant may also be a column of a subquery, or an ALIAS column. Found in ClickHouse 26.7. Pure.
 */
import { typeToText } from '../../../../sql/clickhouse-type.ts';
import {
  argumentsOf,
  attributeOf,
  bareTypeOf,
  functionAround,
  type TreeNode,
  typeOf,
  valueOfMark,
} from '../../../../sql/query-tree.ts';
import { columnOrElse } from '../parse/lexed-text.ts';
import type { SqlText } from '../parse/sql-text.ts';
import { constantsOf, type IsConstant } from './constants.ts';
import type { Written } from './operand-marks.ts';

interface WholeSeconds {
  /** A function that converts it, given a scale of 0. */
  readonly to: string;
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

/** How to write the constant of whole seconds with a mark that is compared itself, and not as a part of something else. */
export function wholeSecondsAround(mark: TreeNode, isConstant: IsConstant): Written | null {
  const value = valueOfMark(mark);
  const comparison = functionAround(value);
  const found = comparison === null ? null : wholeSecondsOf(comparison, isConstant);
  if (found === null || found.constant !== value) return null;
  return { before: `${found.to}(`, after: ', 0)' };
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
