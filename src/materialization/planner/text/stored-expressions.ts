/** Rewrites predicates over stored columns: which expressions a table stores, and which a read evaluates. */
import type { Token } from '../../../sql/sql-analysis.ts';
import { usesTime } from './determinism.ts';
import { hasVariable } from './parameters.ts';
import {
  closingBracketOf,
  hasKeyword,
  identifiersIn,
  isExpressionKeyword,
  isKeyword,
  isName,
  nameOf,
  splitBy,
  splitList,
  type Tokens,
  textOf,
  unwrapped,
} from './tokens.ts';

/** Kind of the token for a stored column; its text is the column's number. */
const STORED = 'StoredColumn';

export function storedColumnToken(column: number, isSpaced = false): Token {
  return { kind: STORED, text: String(column), spaced: isSpaced };
}

/** The number of the token's stored column; null for other tokens. */
export function storedColumnAt(token: Token | undefined): number | null {
  return token?.kind === STORED ? Number(token.text) : null;
}

/** The distinct numbers of stored columns in a list of tokens. */
export function storedColumnsIn(tokens: Tokens): readonly number[] {
  return [...new Set(tokens.flatMap((token) => storedColumnAt(token) ?? []))];
}

/** The text of a predicate, with names for its stored columns. */
export function renderCondition(condition: Tokens, nameOfColumn: (column: number) => string) {
  return textOf(
    condition.map((token) => {
      const column = storedColumnAt(token);
      return column === null ? token : { ...token, text: nameOfColumn(column) };
    }),
  );
}

interface Scope {
  /** The number of an expression's stored column. */
  readonly columnOf: (expression: Tokens) => number;
  /** Parameters of the enclosing lambdas. */
  readonly bound: ReadonlySet<string>;
}

/** May fail for rows that another part of the predicate excludes, so they are evaluated at read time. */
const failing = new Set(
  'intdiv modulo positivemodulo throwif parsedatetime parsedatetimeinjodasyntax'.split(' '),
);

/**
 * Replaces the largest subexpressions that use only columns by stored columns. Expressions that cannot be stored,
 * such as those of the current time, are evaluated over the columns they use.
 */
export function overStoredColumns(tokens: Tokens, columnOf: Scope['columnOf']): Tokens {
  return replaceExpression(tokens, { columnOf, bound: new Set() });
}

function replaceExpression(tokens: Tokens, scope: Scope): Tokens {
  if (isStorable(tokens, scope)) {
    const column = scope.columnOf(unwrapped(tokens));
    return [storedColumnToken(column, tokens[0]?.spaced)];
  }
  const [params, body] = splitBy(tokens, ({ text }) => text === '->');
  if (params !== undefined && body !== undefined) {
    const bound = new Set([...scope.bound, ...params.filter(isName).map(nameOf)]);
    const arrow = tokens.slice(params.length, params.length + 1);
    return [...params, ...arrow, ...replaceExpression(body, { ...scope, bound })];
  }
  const replaced: Token[] = [];
  for (let at = 0; at < tokens.length; ) {
    const operand = tokens.slice(at, Math.max(endOfOperand(tokens, at), at + 1));
    // The parentheses after IN are a set, which is not a value.
    const isSet = isKeyword(tokens[at - 1], 'IN');
    const isWhole = !isSet && isStorable(operand, scope);
    replaced.push(...(isWhole ? replaceExpression(operand, scope) : replaceParts(operand, scope)));
    at += operand.length;
  }
  return replaced;
}

/** Handles an operator, or an operand that can be stored only in parts: its leading name and its bracketed elements. */
function replaceParts(operand: Tokens, scope: Scope): Tokens {
  const path = operand.slice(0, lengthOfPath(operand));
  const isPathStored = path.length < operand.length && isStorable(path, scope);
  const replaced = [...(isPathStored ? replaceExpression(path, scope) : path)];
  for (let at = path.length; at < operand.length; at += 1) {
    const open = operand[at];
    const isBracket = open?.text === '(' || open?.text === '[' || open?.text === '{';
    const end = isBracket ? closingBracketOf(operand, at) : at;
    const inside = operand.slice(at + 1, end);
    replaced.push(...operand.slice(at, at + 1));
    replaced.push(...(open?.text === '{' ? inside : replaceElements(inside, scope)));
    if (isBracket) replaced.push(...operand.slice(end, end + 1));
    at = end;
  }
  return replaced;
}

function replaceElements(tokens: Tokens, scope: Scope): Tokens {
  const comma: Token = { kind: 'Comma', text: ',', spaced: false };
  return splitList(tokens).flatMap((element, at) => [
    ...(at === 0 ? [] : [comma]),
    ...replaceExpression(element, scope),
  ]);
}

/** Whether a table can store the expression: it uses columns, but neither variables nor the current time. */
function isStorable(tokens: Tokens, { bound }: Scope): boolean {
  const names = identifiersIn(tokens).flatMap((at) => tokens[at] ?? []);
  if (names.length === 0 || names.some((name) => bound.has(nameOf(name)))) return false;
  const isFixed = !hasVariable(tokens) && !usesTime(tokens) && !mayFail(tokens);
  return isFixed && !hasKeyword(tokens, 'AS', 'SELECT');
}

function mayFail(tokens: Tokens): boolean {
  return tokens.some((_token, at) => isFailing(tokens, at));
}

/** Whether the expression may fail for a row, as a division by zero does. A division by a literal does not. */
export function mayFailForRows(tokens: Tokens): boolean {
  return tokens.some((token, at) => {
    if (!isFailing(tokens, at)) return false;
    if (token.text === '%') return !isDivisor(tokens[at + 1]);
    const end = closingBracketOf(tokens, at + 1);
    const isDivision = /^(?:intdiv|(?:positive)?modulo)$/i.test(nameOf(token));
    return !isDivision || tokens[end - 2]?.text !== ',' || !isDivisor(tokens[end - 1]);
  });
}

function isFailing(tokens: Tokens, at: number): boolean {
  const token = tokens[at];
  if (token?.text === '%') return true;
  return isName(token) && tokens[at + 1]?.text === '(' && failing.has(nameOf(token).toLowerCase());
}

const isDivisor = (token: Token | undefined) => token?.kind === 'Number' && Number(token.text) > 0;

/** Number of tokens in the operand's leading name; 0 for a call, a literal or brackets. */
function lengthOfPath(operand: Tokens): number {
  if (!isName(operand[0]) || isExpressionKeyword(operand[0]) || operand[1]?.text === '(') return 0;
  let end = 1;
  while (operand[end]?.text === '.') end += 2;
  return end;
}

/**
 * Index after the operand that starts here: a name, call, literal or brackets, with member and element access; `at`
 * itself for an operator.
 */
function endOfOperand(tokens: Tokens, at: number): number {
  const token = tokens[at];
  let end = at;
  if ('([{'.includes(token?.text ?? ' ')) {
    end = closingBracketOf(tokens, at) + 1;
  } else if (isName(token) && !isExpressionKeyword(token)) {
    end = at + 1;
    while (tokens[end]?.text === '(') end = closingBracketOf(tokens, end) + 1;
  } else if (token?.kind === 'Number' || token?.kind === 'StringLiteral') {
    end = at + 1;
  }
  while (end > at && end < tokens.length) {
    if (tokens[end]?.text === '.') end += 2;
    else if (tokens[end]?.text === '[') end = closingBracketOf(tokens, end) + 1;
    else break;
  }
  return end;
}
