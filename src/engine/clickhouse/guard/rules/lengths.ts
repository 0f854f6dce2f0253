/**
 * Functions that the engine evaluates to 0 in subqueries, although they give another value elsewhere; what is sorted,
 * paged or written as CSV is in one. Found in ClickHouse 26.7 by every function of a FixedString with and without a
 * subquery around it. Pure.
 */
import { argumentsOf, attributeOf, bareTypeOf, type TreeNode } from '../../../../sql/query-tree.ts';
import { type LexedText, positionOfName } from '../parse/lexed-text.ts';

const LENGTH = /^(?:length|octet_length|cardinality)$/i;

/**
 * @param node node of the resolved tree.
 * @returns a sentence for the author, or null when the node is accepted.
 */
export function refusalOfLength(node: TreeNode, lexed: LexedText): string | null {
  const written = attributeOf(node, 'function_name');
  const [text] = argumentsOf(node);
  if (!LENGTH.test(written) || text === undefined || text.kind === 'CONSTANT') return null;
  const type = bareTypeOf(text);
  if (type.name !== 'FixedString') return null;
  const column = attributeOf(text, 'column_name');
  const value = column === '' ? 'value' : column;
  const size = type.args?.[0]?.text ?? '';
  return `The length${positionOfName(lexed, written)} of a FixedString(${size}) is not accepted, since the engine takes it for 0 in subqueries; write ${size}, or length(CAST(${value} AS String)) for the length without trailing zero bytes.`;
}
