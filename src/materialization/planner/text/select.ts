/** Parses a SELECT in the engine's formatting into clauses, and renders it. */
import {
  bracketDepths,
  isColumnPattern,
  isKeyword,
  isName,
  nameOf,
  splitBy,
  splitList,
  type Tokens,
  textOf,
} from './tokens.ts';

const clauseNames = [
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

export interface Item {
  readonly tokens: Tokens;
  /** Without the alias. */
  readonly expression: Tokens;
  readonly alias: string | null;
}

export interface Select {
  /** The tokens after each clause's keywords; absent clauses are not in the map. */
  readonly clauses: ReadonlyMap<ClauseName, Tokens>;
  readonly isDistinct: boolean;
  readonly items: readonly Item[];
}

/** @param tokens a SELECT without UNION and without enclosing parentheses. */
export function parseSelect(tokens: Tokens): Select {
  const clauses = splitClauses(tokens);
  const selected = clauses.get('SELECT') ?? [];
  const isDistinct = isKeyword(selected[0], 'DISTINCT');
  const items = splitList(isDistinct ? selected.slice(1) : selected).map(toItem);
  return { clauses, isDistinct, items };
}

function splitClauses(tokens: Tokens): Select['clauses'] {
  const depth = bracketDepths(tokens);
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
    const next: ClauseName | null = depth[at] === 0 ? clauseAt(tokens, at, name) : null;
    if (next === null) continue;
    close(at);
    name = next;
    start = at + keywordsOf(next).length;
    at = start - 1;
  }
  close(tokens.length);
  return clauses;
}

const keywordsOf = (name: ClauseName): readonly string[] => name.split(' ');

/** WITH starts the text, and LIMIT BY is distinguished from LIMIT by its body. */
const startingClauses = clauseNames.filter((name) => name !== 'WITH' && name !== 'LIMIT BY');

/** OFFSET within FROM belongs to SAMPLE. FROM does not start a clause in IS DISTINCT FROM or WITH FILL. */
function clauseAt(tokens: Tokens, at: number, within: ClauseName): ClauseName | null {
  const found = startingClauses.find((name) =>
    keywordsOf(name).every((word, i) => isKeyword(tokens[at + i], word)),
  );
  const isComparison = found === 'FROM' && isKeyword(tokens[at - 1], 'DISTINCT') && at > 1;
  if (isComparison && isKeyword(tokens[at - 2], 'IS')) return null;
  const isPart =
    (found === 'OFFSET' && within === 'FROM') || (found === 'FROM' && within === 'ORDER BY');
  return found === undefined || isPart ? null : found;
}

function toItem(tokens: Tokens): Item {
  const last = tokens.at(-1);
  const isNamed = tokens.length > 2 && isKeyword(tokens.at(-2), 'AS') && isName(last);
  if (!isNamed || last === undefined) return { tokens, expression: tokens, alias: null };
  return { tokens, expression: tokens.slice(0, -2), alias: nameOf(last) };
}

export function clauseTexts({ clauses }: Select): Map<ClauseName, string> {
  return new Map([...clauses].map(([name, tokens]) => [name, textOf(tokens)]));
}

/** Omits absent and empty clauses. */
export function renderSelect(texts: ReadonlyMap<ClauseName, string>): string {
  const parts = clauseNames.flatMap((name) => {
    const text = texts.get(name) ?? '';
    if (text === '') return [];
    return [name === 'LIMIT BY' ? `LIMIT ${text}` : `${name} ${text}`];
  });
  return parts.join(' ');
}

/** A clause's text with further conditions, grouping expressions or items. */
export function appended(text: string | undefined, more: readonly string[], glue: string): string {
  return [...(text === undefined || text === '' ? [] : [text]), ...more].join(glue);
}

/** Whether an item may expand to several columns. */
export function isStar({ expression }: Item): boolean {
  const depth = bracketDepths(expression);
  return expression.some((token, at) => {
    if (depth[at] !== 0) return false;
    if (isColumnPattern(expression, at)) return true;
    return token.text === '*' && (at === 0 || expression[at - 1]?.text === '.');
  });
}

/** Whether the tokens are several SELECTs with UNION, INTERSECT or EXCEPT between them. */
export function isUnion(tokens: Tokens): boolean {
  const depth = bracketDepths(tokens);
  return tokens.some((token, at) => {
    if (depth[at] !== 0) return false;
    const next = tokens[at + 1];
    // Excludes `* EXCEPT column`.
    const isSet = isKeyword(next, 'SELECT', 'ALL', 'DISTINCT') || next?.text === '(';
    return isKeyword(token, 'UNION', 'INTERSECT') || (isKeyword(token, 'EXCEPT') && isSet);
  });
}
