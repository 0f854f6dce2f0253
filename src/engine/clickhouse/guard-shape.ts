/**
 * What a query may ask for beside or inside its rows that would get lost on the way, and why it is refused then.
 * Read from `EXPLAIN QUERY TREE`, so that no spelling hides it. Pure.
 */
import type { Column } from '../query-engine.ts';
import { isSymbol, type LexedText, nameAt, placeOf, placeWhere } from './guard-text.ts';
import { hasCertainNames } from './numbered-columns.ts';
import { isQuery, kindOf, partOf, readQueryTree, type TreeNode } from './query-tree.ts';

/**
 * @param lines of `EXPLAIN QUERY TREE`.
 * @returns a sentence for the author, or null when the rows are all there is.
 */
export function refusalOfShape(
  lines: readonly string[],
  columns: readonly Column[],
  text: LexedText,
): string | null {
  const nodes = readQueryTree(lines);
  return (
    refusalOfTotals(nodes, text) ??
    refusalOfInterpolate(nodes, columns, text) ??
    refusalOfHiddenStates(nodes)
  );
}

/** Totals are a row beside the rows, which one format writes after them and the others drop. */
function refusalOfTotals(nodes: readonly TreeNode[], text: LexedText): string | null {
  const isWithTotals = (node: TreeNode) =>
    isQuery(node) && /, is_group_by_with_totals: 1\b/.test(node.text);
  if (!nodes.some((node) => isWithTotals(node) && reachesResult(node))) return null;
  const place = placeWhere(text, (given, at) => nameAt(given, at).toUpperCase() === 'TOTALS');
  return `WITH TOTALS${place} is not accepted: a result has rows alone. For the totals as a row write GROUP BY … WITH ROLLUP, or add them with UNION ALL.`;
}

/** Whether the totals of a query become those of the whole: on the way up only an aggregation drops them. */
function reachesResult(query: TreeNode): boolean {
  let from = query;
  for (let node = query.parent; node !== null; node = node.parent) {
    if (isQuery(node)) {
      if (from.text !== 'JOIN TREE' || aggregates(node)) return false;
    }
    from = node;
  }
  return true;
}

function aggregates(query: TreeNode): boolean {
  if (partOf(query, 'GROUP BY') !== undefined) return true;
  return query.children.some((part) => part.text !== 'JOIN TREE' && holdsAggregate(part));
}

function holdsAggregate(node: TreeNode): boolean {
  if (isQuery(node) || kindOf(node) === 'UNION') return false;
  return /, function_type: aggregate\b/.test(node.text) || node.children.some(holdsAggregate);
}

const FILL = 'WITH FILL … INTERPOLATE';

/** INTERPOLATE finds its columns by name, and the engine loses them where names are given from outside or twice. */
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
    return `INTERPOLATE${placeOfToken(text, bare)} has no list of columns: name those that it fills, as in INTERPOLATE (x, y).`;
  }
  const place = placeOfToken(text, first);
  if (nodes.some(isInterpolatedBranch)) {
    return `${FILL}${place} stands in a part of a UNION, INTERSECT or EXCEPT, where the engine fills other columns than named: put that part into a subquery, SELECT * FROM (…).`;
  }
  if (nodes.filter(({ text: line }) => line === 'INTERPOLATE').length < clauses.length) {
    return `${FILL}${place} would not take effect: the engine loses it where columns get their names from outside, as in (SELECT …) AS t(x, y). Name them inside.`;
  }
  const [root] = nodes;
  const isOutermost = root !== undefined && partOf(root, 'INTERPOLATE') !== undefined;
  if (!isOutermost || hasCertainNames(columns)) return null;
  return `${FILL}${place} needs columns that each have a name of their own: name them with AS.`;
}

function isInterpolate(text: LexedText, at: number): boolean {
  return nameAt(text, at).toUpperCase() === 'INTERPOLATE';
}

function placeOfToken({ sql, tokens }: LexedText, at: number): string {
  return placeOf(sql, tokens[at]?.start ?? 0);
}

/** Behind WITH FILL; elsewhere the word is a name. */
function clausesOf(text: LexedText): readonly number[] {
  const indexes = [...text.tokens.keys()];
  const fill = indexes.find((at) => nameAt(text, at).toUpperCase() === 'FILL');
  if (fill === undefined) return [];
  return indexes.filter(
    (at) => at > fill && text.tokens[at]?.kind === 'word' && isInterpolate(text, at),
  );
}

function isInterpolatedBranch(node: TreeNode): boolean {
  const isBranch = node.parent?.parent?.text === 'QUERIES';
  return isBranch && isQuery(node) && partOf(node, 'INTERPOLATE') !== undefined;
}

/** In a Dynamic a state is not seen from outside. */
function refusalOfHiddenStates(nodes: readonly TreeNode[]): string | null {
  const isHidden = nodes.some((node) => {
    if (!/ function_name: \w*cast\w*,.* result_type: .*\b(Dynamic|JSON)\b/i.test(node.text))
      return false;
    const given = partOf(node, 'ARGUMENTS')?.children[0]?.children ?? [];
    return given.some(({ text }) => /_type: .*\bAggregateFunction\(/.test(text));
  });
  return isHidden
    ? 'The state of an aggregate function cannot become a Dynamic or JSON: finish it first with finalizeAggregation.'
    : null;
}
