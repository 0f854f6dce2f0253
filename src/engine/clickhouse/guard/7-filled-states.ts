/**
 * INTERPOLATE combined with states of aggregate functions. The engine converts any fill value to the column's type
 * while it resolves the text, so it would read a crafted state before the resolved tree can be checked. A text with
 * INTERPOLATE is therefore resolved without it first. Pure.
 */
import { mayHoldState } from '../../../sql/clickhouse-type.ts';
import { applyEdits, type Edit } from '../../../sql/edits.ts';
import { partOf, readQueryTree, type TreeNode } from '../../../sql/query-tree.ts';
import {
  closingBracket,
  isSymbol,
  type LexedText,
  nameAt,
  positionOfName,
} from './parse/lexed-text.ts';

/** The statement without its INTERPOLATE (…) clauses; null when it has none. */
export function withoutInterpolate(text: LexedText): string | null {
  const edits: Edit[] = [];
  for (const [index, { kind, start }] of text.tokens.entries()) {
    const isClause =
      nameAt(text, index).toLowerCase() === 'interpolate' && isSymbol(text, index + 1, '(');
    if (!isClause || kind !== 'word' || start < (edits.at(-1)?.end ?? 0)) continue;
    const end = text.tokens[closingBracket(text, index + 1)]?.end;
    if (end === undefined) return null;
    edits.push({ start, end, text: ' ' });
  }
  return edits.length === 0 ? null : applyEdits(text.sql, edits);
}

/**
 * @param lines output of `EXPLAIN QUERY TREE passes = 1` of the text without its INTERPOLATE clauses, with all columns
 * still in it.
 */
export function refusalOfFilledStates(lines: readonly string[], text: LexedText): string | null {
  const nodes = readQueryTree(lines);
  // The tree does not show a scalar subquery whose value is a state.
  const isHidden = lines.some((line) => mayHoldState(line) && line.includes('__getScalar'));
  if (nodes !== null && !isHidden && !nodes.some(isFilledWithStates)) return null;
  return `INTERPOLATE${positionOfName(text, 'interpolate')} is not accepted in a query that selects states of aggregate functions: finalize them first, as finalizeAggregation(state).`;
}

/** The tree no longer shows which WITH FILL had the clause, so all of them count. */
function isFilledWithStates(query: TreeNode): boolean {
  const isFilled = partOf(query, 'ORDER BY').some(({ attributes }) =>
    /\bwith_fill: 1\b/.test(attributes),
  );
  return isFilled && partOf(query, 'PROJECTION COLUMNS').some(({ kind }) => mayHoldState(kind));
}
