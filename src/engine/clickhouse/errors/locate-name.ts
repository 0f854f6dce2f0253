/** Where a query writes the unknown or ambiguous name of an engine's message. Pure. */
import { lexSql } from '../../../sql/sql-lexer.ts';
import { positionOf } from '../../../sql/text-position.ts';
import { isSymbol, type LexedText, nameAt, positionOfName } from '../guard/parse/lexed-text.ts';

const UNKNOWN_NAME =
  /^(?:Unknown [a-z ]*identifier|Identifier|(Aggregate function|Function) with name) [`']([^`']+)[`']/;

/** The SELECT that the engine resolved, in its own spelling, or the name that WITH gives it. */
const SCOPE = /\bin scope ([\s\S]*?)(?=\.? Maybe you meant|: Note:|$)/i;

/**
 * Adds the position to the message.
 *
 * @param text the message without the SQL that it quotes.
 * @param raw the message with it.
 * @param written the query's text.
 */
export function locateName(text: string, raw: string, written: string): string {
  const unknown = UNKNOWN_NAME.exec(text);
  if (unknown === null) return text;
  const [matched, isFunction, name = ''] = unknown;
  const lexed = { sql: written, tokens: [...lexSql(written)] };
  const last = name.split('.').at(-1) ?? name;
  const position =
    isFunction === undefined
      ? positionOfIdentifier(lexed, last, { scope: scopeOf(raw), isBare: false })
      : positionOfName(lexed, last);
  return matched + position + text.slice(matched.length);
}

const AMBIGUOUS = /^JOIN [\s\S]*?ambiguous identifier [`']([^`']+)[`']/;

/**
 * The engine names the JOIN in its own words. Null for other messages.
 *
 * @param written the query's text; empty when the position is not told.
 */
export function ambiguousColumn(raw: string, written: string): string | null {
  const name = AMBIGUOUS.exec(raw)?.[1];
  if (name === undefined) return null;
  const lexed = { sql: written, tokens: [...lexSql(written)] };
  const position = positionOfIdentifier(lexed, name, { scope: scopeOf(raw), isBare: true });
  return `Several of the joined tables have a column \`${name}\`${position}: write the name or alias of its table before it.`;
}

function scopeOf(raw: string): string {
  return SCOPE.exec(raw)?.[1] ?? '';
}

interface Sought {
  readonly scope: string;
  /** Whether the name stands without a table's. */
  readonly isBare: boolean;
}

/**
 * In the SELECT of the scope if it is there, since another one may know the name. Skips variable names and, where the
 * name also occurs elsewhere, function names.
 */
function positionOfIdentifier(text: LexedText, name: string, { scope, isBare }: Sought): string {
  const isSought = (at: number) =>
    nameAt(text, at) === name &&
    !isSymbol(text, at - 1, '{') &&
    !(isBare && isSymbol(text, at - 1, '.'));
  const named = text.tokens.flatMap((_token, at) => (isSought(at) ? [at] : []));
  const selects = selectsOf(text);
  const inner = named.length > 1 ? selectOfScope(text, selects, scope) : null;
  const within = named.filter((at) => innermost(selects, at) === inner);
  const candidates = inner === null || within.length === 0 ? named : within;
  const at = candidates.find((one) => !isSymbol(text, one + 1, '(')) ?? candidates[0];
  const token = at === undefined ? undefined : text.tokens[at];
  return token === undefined ? '' : positionOf(text.sql, token.start);
}

/** Positions of tokens; the end is exclusive. */
interface Select {
  readonly from: number;
  readonly to: number;
}

/** Each SELECT with its WITH, also those of a UNION. */
function selectsOf(text: LexedText): readonly Select[] {
  const found: Select[] = [];
  const starts = [0];
  const end = (to: number) => {
    const from = starts.pop() ?? 0;
    if (/^(?:SELECT|WITH)$/i.test(nameAt(text, from))) found.push({ from, to });
  };
  for (let at = 0; at < text.tokens.length; at += 1) {
    if (isSymbol(text, at, '(')) starts.push(at + 1);
    else if (isSymbol(text, at, ')')) end(at);
    else if (isSetOperator(text, at)) {
      end(at);
      starts.push(/^(?:ALL|DISTINCT)$/i.test(nameAt(text, at + 1)) ? at + 2 : at + 1);
    }
  }
  end(text.tokens.length);
  return found;
}

/** Not `* EXCEPT (a)`. */
function isSetOperator(text: LexedText, at: number): boolean {
  if (!/^(?:UNION|EXCEPT|INTERSECT)$/i.test(nameAt(text, at))) return false;
  const next = isSymbol(text, at + 1, '(') ? at + 2 : at + 1;
  return /^(?:SELECT|WITH|ALL|DISTINCT)$/i.test(nameAt(text, next));
}

function innermost(selects: readonly Select[], at: number): Select | null {
  const around = selects.filter(({ from, to }) => from <= at && at < to);
  return around.toSorted((one, other) => one.to - one.from - (other.to - other.from))[0] ?? null;
}

/** The one that shares the most words with the scope from its start on; null if none begins as the scope does. */
function selectOfScope(text: LexedText, selects: readonly Select[], scope: string): Select | null {
  const lexedScope = { sql: scope, tokens: [...lexSql(scope)] };
  const expected = wordsOf(lexedScope, { from: 0, to: lexedScope.tokens.length });
  if (expected.length === 1) {
    const isNamed = ({ from }: Select) =>
      /^AS$/i.test(nameAt(text, from - 2)) && nameAt(text, from - 3).toLowerCase() === expected[0];
    return selects.find(isNamed) ?? null;
  }
  let [best, most] = [null as Select | null, 1];
  for (const select of selects.toSorted((one, other) => one.from - other.from)) {
    const words = wordsOf(text, select);
    const differing = words.findIndex((word, at) => word !== expected[at]);
    const shared = differing < 0 ? words.length : differing;
    if (shared > most) [best, most] = [select, shared];
  }
  return best;
}

/** The engine writes AS before every alias. */
function wordsOf(text: LexedText, { from, to }: Select): readonly string[] {
  const words: string[] = [];
  for (let at = from; at < to; at += 1) {
    const word = nameAt(text, at).toLowerCase();
    if (word !== '' && word !== 'as') words.push(word);
  }
  return words;
}
