/** Literals that are short enough to be searched for in a string of any length. Pure. */
import { unquote } from '../../../../sql/clickhouse-type.ts';
import { formatParam } from '../../../../sql/param-value.ts';
import { stringOf, type TreeNode } from '../../../../sql/query-tree.ts';
import type { LexedText } from '../parse/lexed-text.ts';

/** A text with the values that stand for its variables. */
export interface GivenText {
  readonly lexed: LexedText;
  /** Those of type String, as parameters of the engine. */
  readonly given: readonly string[];
}

const TINY_BYTES = 64;

/**
 * Looks for the literal in the query text, because the tree shows a variable the same way. What equals a variable counts
 * as one; a text that is refused for that is checked again with other values.
 */
export function isTinyLiteral({ lexed, given }: GivenText): (argument: TreeNode) => boolean {
  const { sql, tokens } = lexed;
  return (argument) => {
    const text = stringOf(argument);
    if (text === null || Buffer.byteLength(text) > TINY_BYTES) return false;
    if (argument.children.length > 0 || given.includes(formatParam('String', text))) return false;
    return tokens.some(
      ({ kind, start, end }) => kind === 'text' && unquote(sql.slice(start, end)) === text,
    );
  };
}
