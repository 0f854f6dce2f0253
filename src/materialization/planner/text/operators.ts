/** Operators written as functions, `and(equals(a, 1), less(b, 2))`, as query generators do. */
import {
  bracketDepths,
  closingBracketOf,
  isName,
  splitList,
  type Tokens,
  textOf,
} from './tokens.ts';

const binary: ReadonlyMap<string, string> = new Map([
  ['equals', '='],
  ['notEquals', '!='],
  ['less', '<'],
  ['greater', '>'],
  ['lessOrEquals', '<='],
  ['greaterOrEquals', '>='],
  ['isNotDistinctFrom', '<=>'],
  ['like', 'LIKE'],
  ['notLike', 'NOT LIKE'],
  ['ilike', 'ILIKE'],
  ['in', 'IN'],
  ['notIn', 'NOT IN'],
  ['plus', '+'],
  ['minus', '-'],
]);

/** The text with infix operators; null if none is written as a function. */
export function withOperators(tokens: Tokens): string | null {
  const text = render(tokens);
  return text === textOf(tokens) ? null : text;
}

function render(tokens: Tokens): string {
  let text = '';
  for (let at = 0; at < tokens.length; at += 1) {
    const token = tokens[at];
    if (token === undefined) continue;
    const end = callAt(tokens, at);
    const written = end === null ? null : operatorOf(token.text, tokens.slice(at + 2, end));
    const space = at > 0 && token.spaced ? ' ' : '';
    text += space + (written ?? token.text);
    if (written !== null && end !== null) at = end;
  }
  return text;
}

/** Index of the closing parenthesis of the call whose name is at `at`; null if there is none. */
function callAt(tokens: Tokens, at: number): number | null {
  const [before, token, next] = [tokens[at - 1], tokens[at], tokens[at + 1]];
  const isCall = token?.kind === 'BareWord' && next?.text === '(' && !next.spaced;
  return isCall && before?.text !== '.' ? closingBracketOf(tokens, at + 1) : null;
}

/** Null for other functions. */
function operatorOf(name: string, list: Tokens): string | null {
  const args = splitList(list);
  const symbol = binary.get(name);
  const [left = [], right = []] = args;
  if (/^(and|or)$/i.test(name) && args.length > 1) {
    return `(${args.map((arg) => `(${render(arg)})`).join(` ${name.toUpperCase()} `)})`;
  }
  if (/^not$/i.test(name) && args.length === 1) return `(NOT (${render(left)}))`;
  if (symbol === undefined || args.length !== 2) return null;
  return `(${operand(left)} ${symbol} ${operand(right)})`;
}

const operand = (tokens: Tokens) => (isPlain(tokens) ? render(tokens) : `(${render(tokens)})`);

/** A name, literal or call, which needs no parentheses as an operand. */
function isPlain(tokens: Tokens): boolean {
  const [first] = tokens;
  if (tokens.length === 1) return true;
  const end = callAt(tokens, 0);
  if (end !== null) return end === tokens.length - 1 && !binary.has(first?.text ?? '');
  const depth = bracketDepths(tokens);
  const isClosed =
    /^[([{]$/.test(first?.text ?? '') && depth.slice(1, -1).every((each) => each > 0);
  return isClosed || tokens.every((token) => token.text === '.' || isName(token));
}
