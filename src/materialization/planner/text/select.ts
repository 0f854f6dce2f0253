/** One SELECT of the engine's formatting, taken apart into its clauses and put together again. */
import { depths, isName, isWord, nameOf, type Span, splitAt, splitList, textOf } from './tokens.ts';

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
export type Clauses = ReadonlyMap<ClauseName, Span>;

export interface Item {
  readonly span: Span;
  /** Without the alias. */
  readonly expression: Span;
  readonly alias: string | null;
}

export interface Select {
  readonly clauses: Clauses;
  readonly isDistinct: boolean;
  readonly items: readonly Item[];
}

const starters: readonly (readonly [ClauseName, readonly string[]])[] = [
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

/** @param span a SELECT without UNION and without brackets around it. */
export function parseSelect(span: Span): Select {
  const clauses = cutClauses(span);
  const selected = clauses.get('SELECT') ?? [];
  const isDistinct = isWord(selected[0], 'DISTINCT');
  const items = splitList(isDistinct ? selected.slice(1) : selected).map(toItem);
  return { clauses, isDistinct, items };
}

function cutClauses(span: Span): Clauses {
  const level = depths(span);
  const clauses = new Map<ClauseName, Span>();
  let name: ClauseName = 'WITH';
  let start = isWord(span[0], 'WITH') ? 1 : 0;
  const close = (end: number) => {
    const body = span.slice(start, end);
    const isLimitBy = name === 'LIMIT' && splitAt(body, (token) => isWord(token, 'BY')).length > 1;
    if (name !== 'WITH' || body.length > 0) clauses.set(isLimitBy ? 'LIMIT BY' : name, body);
  };
  for (let at = 0; at < span.length; at += 1) {
    if (level[at] !== 0) continue;
    const found: Starter | null = starterAt(span, at) ?? offsetAt(span, at, name);
    if (found === null) continue;
    close(at);
    name = found.name;
    start = at + found.words;
    at = start - 1;
  }
  close(span.length);
  return clauses;
}

interface Starter {
  readonly name: ClauseName;
  readonly words: number;
}

function starterAt(span: Span, at: number): Starter | null {
  for (const [name, words] of starters) {
    if (words.every((word, i) => isWord(span[at + i], word))) return { name, words: words.length };
  }
  return null;
}

/** OFFSET is a clause, but within FROM it is a part of SAMPLE. */
function offsetAt(span: Span, at: number, within: ClauseName): Starter | null {
  if (within === 'FROM' || !isWord(span[at], 'OFFSET')) return null;
  return { name: 'OFFSET', words: 1 };
}

function toItem(span: Span): Item {
  const last = span.at(-1);
  const isNamed = span.length > 2 && isWord(span.at(-2), 'AS') && isName(last);
  if (!isNamed || last === undefined) return { span, expression: span, alias: null };
  return { span, expression: span.slice(0, -2), alias: nameOf(last) };
}

/** Clauses as texts; an absent or empty one is left out. */
export type ClauseTexts = ReadonlyMap<ClauseName, string>;

export function clauseTexts({ clauses }: Select): Map<ClauseName, string> {
  return new Map([...clauses].map(([name, span]) => [name, textOf(span)]));
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
  const level = depths(expression);
  return expression.some((token, at) => {
    if (level[at] !== 0) return false;
    if (isWord(token, 'COLUMNS') && expression[at + 1]?.text === '(') return true;
    return token.text === '*' && (at === 0 || expression[at - 1]?.text === '.');
  });
}
