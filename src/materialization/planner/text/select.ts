/** One SELECT of the engine's formatting, taken apart into its clauses and put together again. */
import {
  bracketDepths,
  isKeyword,
  isName,
  nameOf,
  splitBy,
  splitList,
  type Tokens,
  textOf,
} from './tokens.ts';

export const clauseNames = [
  'WITH',
  'SELECT',
  'FROM',
  'PREWHERE',
  'WHERE',
  'GROUP BY',
  'HAVING',
  'WINDOW',
  'QUALIFY',
  'ORDER BY',
  'LIMIT BY',
  'LIMIT',
  'OFFSET',
  'FETCH',
  'SETTINGS',
] as const;
export type ClauseName = (typeof clauseNames)[number];

/** What stands behind each clause's words; a clause that is absent is not in the map. */
export type Clauses = ReadonlyMap<ClauseName, Tokens>;

export interface Item {
  readonly tokens: Tokens;
  /** Without the alias. */
  readonly expression: Tokens;
  readonly alias: string | null;
}

export interface Select {
  readonly clauses: Clauses;
  readonly isDistinct: boolean;
  readonly items: readonly Item[];
}

const clauseKeywords: readonly (readonly [ClauseName, readonly string[]])[] = [
  ['SELECT', ['SELECT']],
  ['FROM', ['FROM']],
  ['PREWHERE', ['PREWHERE']],
  ['WHERE', ['WHERE']],
  ['GROUP BY', ['GROUP', 'BY']],
  ['HAVING', ['HAVING']],
  ['WINDOW', ['WINDOW']],
  ['QUALIFY', ['QUALIFY']],
  ['ORDER BY', ['ORDER', 'BY']],
  ['LIMIT', ['LIMIT']],
  ['FETCH', ['FETCH']],
  ['SETTINGS', ['SETTINGS']],
];

/** @param tokens a SELECT without UNION and without brackets around it. */
export function parseSelect(tokens: Tokens): Select {
  const clauses = splitClauses(tokens);
  const selected = clauses.get('SELECT') ?? [];
  const isDistinct = isKeyword(selected[0], 'DISTINCT');
  const items = splitList(isDistinct ? selected.slice(1) : selected).map(toItem);
  return { clauses, isDistinct, items };
}

function splitClauses(tokens: Tokens): Clauses {
  const level = bracketDepths(tokens);
  const clauses = new Map<ClauseName, Tokens>();
  let name: ClauseName = 'WITH';
  let start = isKeyword(tokens[0], 'WITH') ? 1 : 0;
  const close = (end: number) => {
    const body = tokens.slice(start, end);
    const isLimitBy =
      name === 'LIMIT' && splitBy(body, (token) => isKeyword(token, 'BY')).length > 1;
    if (name !== 'WITH' || body.length > 0) clauses.set(isLimitBy ? 'LIMIT BY' : name, body);
  };
  for (let at = 0; at < tokens.length; at += 1) {
    if (level[at] !== 0) continue;
    const found: ClauseStart | null = clauseStartAt(tokens, at) ?? offsetStartAt(tokens, at, name);
    if (found === null) continue;
    close(at);
    name = found.name;
    start = at + found.wordCount;
    at = start - 1;
  }
  close(tokens.length);
  return clauses;
}

interface ClauseStart {
  readonly name: ClauseName;
  readonly wordCount: number;
}

function clauseStartAt(tokens: Tokens, at: number): ClauseStart | null {
  for (const [name, words] of clauseKeywords) {
    if (words.every((word, i) => isKeyword(tokens[at + i], word)))
      return { name, wordCount: words.length };
  }
  return null;
}

/** OFFSET is a clause, but within FROM it is a part of SAMPLE. */
function offsetStartAt(tokens: Tokens, at: number, within: ClauseName): ClauseStart | null {
  if (within === 'FROM' || !isKeyword(tokens[at], 'OFFSET')) return null;
  return { name: 'OFFSET', wordCount: 1 };
}

function toItem(tokens: Tokens): Item {
  const last = tokens.at(-1);
  const isNamed = tokens.length > 2 && isKeyword(tokens.at(-2), 'AS') && isName(last);
  if (!isNamed || last === undefined) return { tokens: tokens, expression: tokens, alias: null };
  return { tokens: tokens, expression: tokens.slice(0, -2), alias: nameOf(last) };
}

/** Clauses as texts; an absent or empty one is left out. */
export type ClauseTexts = ReadonlyMap<ClauseName, string>;

export function clauseTexts({ clauses }: Select): Map<ClauseName, string> {
  return new Map([...clauses].map(([name, tokens]) => [name, textOf(tokens)]));
}

export function renderSelect(texts: ClauseTexts): string {
  const parts = clauseNames.flatMap((name) => {
    const text = texts.get(name) ?? '';
    if (text === '') return [];
    return [name === 'LIMIT BY' ? `LIMIT ${text}` : `${name} ${text}`];
  });
  return parts.join(' ');
}

/** With one more condition, one more grouping expression, or one more item. */
export function appended(text: string | undefined, more: readonly string[], glue: string): string {
  return [...(text === undefined || text === '' ? [] : [text]), ...more].join(glue);
}

/** An item that stands for several columns. */
export function isStar({ expression }: Item): boolean {
  const level = bracketDepths(expression);
  return expression.some((token, at) => {
    if (level[at] !== 0) return false;
    if (isKeyword(token, 'COLUMNS') && expression[at + 1]?.text === '(') return true;
    return token.text === '*' && (at === 0 || expression[at - 1]?.text === '.');
  });
}
