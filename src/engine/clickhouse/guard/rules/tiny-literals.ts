/** Literals that are short enough to be searched for in a string of any length. Pure. */
import { unquote } from '../../../../sql/clickhouse-type.ts';
import { formatParam, nullText } from '../../../../sql/param-value.ts';
import { stringOf, type TreeNode } from '../../../../sql/query-tree.ts';
import type { EngineStatement } from '../../../query-engine.ts';
import type { LexedText } from '../parse/lexed-text.ts';

/** A text with the values that stand for its variables. */
export interface GivenText {
  readonly lexed: LexedText;
  /** Those of type String, as parameters of the engine. */
  readonly given: readonly string[];
}

const TINY_BYTES = 64;

function literalsIn({ sql, tokens }: LexedText): readonly string[] {
  const literals = tokens.filter(({ kind }) => kind === 'text');
  return literals.map(({ start, end }) => unquote(sql.slice(start, end)));
}

/**
 * Parameters in which no variable of type String equals a literal of the text, so that the tree tells them apart. Null
 * if none does anyway.
 *
 * @param names the variables of type String.
 */
export function distinctTexts(
  text: LexedText,
  names: readonly string[],
  params: EngineStatement['params'],
): EngineStatement['params'] | null {
  const taken = new Set(literalsIn(text).map((literal) => formatParam('String', literal)));
  const distinct = { ...params };
  for (const name of names) {
    while (taken.has(distinct[name] ?? nullText)) distinct[name] = `${distinct[name]}~`;
  }
  return names.every((name) => distinct[name] === params[name]) ? null : distinct;
}

/**
 * Looks for the literal in the query text, because the tree shows a variable the same way. A text that is also the value
 * of a variable does not count.
 */
export function isTinyLiteral({ lexed, given }: GivenText): (argument: TreeNode) => boolean {
  return (argument) => {
    const text = stringOf(argument);
    if (text === null || Buffer.byteLength(text) > TINY_BYTES) return false;
    if (argument.children.length > 0 || given.includes(formatParam('String', text))) return false;
    return literalsIn(lexed).includes(text);
  };
}
