/** Clauses that the engine accepts in a text and refuses in each run, whatever the rows are. Found in ClickHouse 26.7. Pure. */
import {
  argumentsOf,
  attributeOf,
  bareTypeOf,
  columnOf,
  conjunctsOf,
  nodesIn,
  partOf,
  type TreeNode,
} from '../../../../sql/query-tree.ts';
import { type LexedText, positionOfName } from '../parse/lexed-text.ts';
import { refusalOfFill } from './filled-values.ts';

/**
 * @param node node of the resolved tree.
 * @returns a sentence for the author, or null when the node is accepted.
 */
export function refusalOfFailingClause(node: TreeNode, lexed: LexedText): string | null {
  if (node.kind === 'JOIN') return refusalOfJoin(node, lexed);
  const isFilled = node.kind === 'SORT' && attributeOf(node, 'with_fill') === '1';
  return isFilled ? refusalOfFill(node, lexed) : null;
}

/** Keys of a type whose values may be of several types. */
function refusalOfJoin(join: TreeNode, lexed: LexedText): string | null {
  const keys = partOf(join, 'JOIN EXPRESSION').flatMap(conjunctsOf).filter(isKey);
  const key = keys
    .flatMap(argumentsOf)
    .find((side) => /^(?:Dynamic|Variant)$/.test(bareTypeOf(side).name));
  if (key === undefined) return null;
  const name = attributeOf(key, 'column_name') || 'key';
  return `JOIN${positionOfName(lexed, 'join')} does not compare keys of the type ${bareTypeOf(key).name}; cast them, as in ${name}::String.`;
}

/** Whether it compares a value of one side with one of the other by =. */
function isKey(condition: TreeNode): boolean {
  const [left, right] = argumentsOf(condition).map(sourcesOf);
  const isEqual = attributeOf(condition, 'function_name') === 'equals';
  if (!isEqual || left === undefined || right === undefined) return false;
  return left.size > 0 && right.size > 0 && [...left].every((source) => !right.has(source));
}

function sourcesOf(node: TreeNode): ReadonlySet<number | null> {
  return new Set(nodesIn(node).flatMap((one) => columnOf(one)?.source ?? []));
}
