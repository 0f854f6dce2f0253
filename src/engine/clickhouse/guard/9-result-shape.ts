/**
 * Clauses whose effect on a result would silently be lost: WITH TOTALS and INTERPOLATE. Read from the resolved tree, so
 * that no spelling hides them. Pure.
 */
import { hasPart, type TreeNode } from '../../../sql/query-tree.ts';
import type { Column } from '../../query-engine.ts';
import { hasCertainNames } from '../query/numbered-columns.ts';
import {
  isSymbol,
  type LexedText,
  nameAt,
  positionOfToken,
  positionWhere,
} from './parse/lexed-text.ts';

/**
 * @param nodes nodes of `EXPLAIN QUERY TREE`.
 * @returns a sentence for the author, or null when nothing would be lost.
 */
export function refusalOfResultShape(
  nodes: readonly TreeNode[],
  columns: readonly Column[],
  text: LexedText,
): string | null {
  return refusalOfTotals(nodes, text) ?? refusalOfInterpolate(nodes, columns, text);
}

/** Totals are an extra row, which one format writes after the rows and the others drop. */
function refusalOfTotals(nodes: readonly TreeNode[], text: LexedText): string | null {
  const isWithTotals = (node: TreeNode) =>
    node.kind === 'QUERY' && /\bis_group_by_with_totals: 1\b/.test(node.attributes);
  if (!nodes.some((node) => isWithTotals(node) && reachesResult(node))) return null;
  const position = positionWhere(text, (given, at) => isWord(given, at, 'TOTALS'));
  return `WITH TOTALS${position} is not accepted: a result has rows alone. For the totals as a row write GROUP BY … WITH ROLLUP, or add them with UNION ALL.`;
}

function isWord(text: LexedText, at: number, word: string): boolean {
  return nameAt(text, at).toUpperCase() === word;
}

/** Whether a query's totals become those of the whole result: only an enclosing aggregation drops them. */
function reachesResult(query: TreeNode): boolean {
  let from = query;
  for (let node = query.parent; node !== null; node = node.parent) {
    if (node.kind === 'QUERY') {
      if (from.kind !== 'JOIN TREE' || aggregates(node)) return false;
    }
    from = node;
  }
  return true;
}

function aggregates(query: TreeNode): boolean {
  if (hasPart(query, 'GROUP BY')) return true;
  return query.children.some((part) => part.kind !== 'JOIN TREE' && holdsAggregate(part));
}

function holdsAggregate(node: TreeNode): boolean {
  if (node.kind === 'QUERY' || node.kind === 'UNION') return false;
  return /\bfunction_type: aggregate\b/.test(node.attributes) || node.children.some(holdsAggregate);
}

const FILL = 'WITH FILL … INTERPOLATE';

/**
 * INTERPOLATE finds its columns by name, and the engine loses it when columns are renamed from outside or share a name.
 */
function refusalOfInterpolate(
  nodes: readonly TreeNode[],
  columns: readonly Column[],
  text: LexedText,
): string | null {
  const clauses = clausesOf(text);
  const [first] = clauses;
  if (first === undefined) return null;
  const bare = clauses.find((at) => !isSymbol(text, at + 1, '('));
  if (bare !== undefined) {
    return `INTERPOLATE${positionOfToken(text, bare)} has no list of columns: name the columns to fill, as in INTERPOLATE (x, y).`;
  }
  const position = positionOfToken(text, first);
  if (nodes.some(isInterpolatedBranch)) {
    return `${FILL}${position} is used in an operand of UNION, INTERSECT or EXCEPT, where the engine fills the wrong columns: move that operand into a subquery, SELECT * FROM (…).`;
  }
  const resolved = nodes.filter(({ kind, id }) => kind === 'INTERPOLATE' && id === null);
  if (resolved.length < clauses.length) {
    return `${FILL}${position} would have no effect: the engine ignores it where columns are renamed from outside, as in (SELECT …) AS t(x, y). Name the columns inside the subquery.`;
  }
  const [root] = nodes;
  const isOutermost = root !== undefined && hasPart(root, 'INTERPOLATE');
  if (!isOutermost || hasCertainNames(columns)) return null;
  return `${FILL}${position} needs distinct column names: name the columns with AS.`;
}

/** Indexes of INTERPOLATE after a WITH FILL; before one, the word is a name. */
function clausesOf(text: LexedText): readonly number[] {
  const indexes = [...text.tokens.keys()];
  const fill = indexes.find((at) => isWord(text, at, 'FILL'));
  if (fill === undefined) return [];
  return indexes.filter(
    (at) => at > fill && text.tokens[at]?.kind === 'word' && isWord(text, at, 'INTERPOLATE'),
  );
}

function isInterpolatedBranch(node: TreeNode): boolean {
  const isBranch = node.parent?.parent?.kind === 'QUERIES';
  return isBranch && node.kind === 'QUERY' && hasPart(node, 'INTERPOLATE');
}
