/**
 * Locates the cause of a refusal in the author's text. The planner works on the engine's formatting, which does not
 * keep source positions, so this searches the text for the variable, function, expression or keyword named in the
 * sentence.
 */
import { findPlaceholders } from '../../sql/placeholders.ts';
import { lexSql } from '../../sql/sql-lexer.ts';
import { positionOf } from '../../sql/text-position.ts';
import { writtenClauses } from '../../sql/written-clauses.ts';
import { writtenSelects } from '../../sql/written-selects.ts';
import type { AggregateNames } from './text/aggregates.ts';
import { ignoringOrder } from './tree/order-insensitive.ts';

/** Appends the position, as `(line 3, column 7)`; unchanged if none is found. */
export function withPlace(reason: string, sql: string): string {
  const at = placeOf(reason, sql);
  if (at === null || / at line \d+, column \d+/.test(reason)) return reason;
  const place = positionOf(sql, at).replace(' at ', '');
  return `${reason.replace(/\.$/, '')} (${place}).`;
}

/** Of a time function that the author has not written, but that a column or a function is computed by. */
export function ofWritten(reason: string, sql: string): string {
  const name = /^The function (\w+) is used outside of WHERE/.exec(reason)?.[1]?.toLowerCase();
  if (name === undefined || wordsOf(sql).some(({ text }) => text === name)) return reason;
  return `A column or a function of the query is computed by ${name}, whose value would stand still between syncs; write its expression into the query, so that runs compute it.`;
}

const CALLED =
  /\b(?:[Tt]he (?:window )?(?:function|aggregate)|result of(?: the aggregate)?|[Ww]indow of|values in) (?=(\w+))/;

/** Names an aggregate function by the alias that the author used, such as `median`, which the engine resolves. */
export function withAuthorsAlias(reason: string, sql: string, names: AggregateNames): string {
  const [before = '', named = ''] = CALLED.exec(reason) ?? [];
  const called = wordsOf(sql).filter(({ isCalled }) => isCalled);
  if (called.some(({ text }) => text === named.toLowerCase())) return reason;
  const written = called
    .map(({ text, start }) => sql.slice(start, start + text.length))
    .find((name) => isAliasOf(name, named, names));
  return written === undefined ? reason : reason.replace(before + named, before + written);
}

function isAliasOf(name: string, named: string, names: AggregateNames): boolean {
  const resolved = names(name);
  return resolved !== null && `${resolved.base}${resolved.combinators.join('')}` === named;
}

function placeOf(reason: string, sql: string): number | null {
  const words = wordsOf(sql);
  const [, view] = /^In the view (\S+): /.exec(reason) ?? [];
  if (view !== undefined) return words.find(({ spelled }) => spelled === view)?.start ?? null;
  return (
    placeOfVariable(reason, sql) ??
    placeOfUnorderedLimit(reason, sql, words) ??
    placeOfSubject(reason, words) ??
    placeOfKeyword(reason, words)
  );
}

/** The LIMIT of the first SELECT that has no ORDER BY. The whole query is none of them; one of a UNION is. */
function placeOfUnorderedLimit(reason: string, sql: string, words: readonly Word[]): number | null {
  if (!/LIMIT but without ORDER BY/.test(reason)) return null;
  const selects = writtenSelects(sql);
  for (const select of selects) {
    const isWhole = selects.every(({ start, end }) => start >= select.start && end <= select.end);
    const clauses = writtenClauses(select.text);
    const limit = clauses.get('LIMIT') ?? clauses.get('OFFSET') ?? clauses.get('FETCH');
    if (isWhole || limit === undefined || clauses.has('ORDER')) continue;
    // The keyword is the last word before its clause.
    return words.findLast(({ start }) => start < select.start + limit.start)?.start ?? null;
  }
  return null;
}

const VARIABLE = /\bvariable (\w+)\b/;
const CLAUSE =
  /is used in (?:a )?(SELECT|FROM|PREWHERE|GROUP|HAVING|window|QUALIFY|ORDER|LIMIT|OFFSET|WITH)\b/;

function placeOfVariable(reason: string, sql: string): number | null {
  const name = VARIABLE.exec(reason)?.[1];
  const places = findPlaceholders(sql).flatMap((placeholder) =>
    placeholder.kind !== 'filters' && placeholder.name === name ? [placeholder.start] : [],
  );
  if (/is compared with two columns/.test(reason)) return places[1] ?? places[0] ?? null;
  const clause = writtenClauses(sql).get(CLAUSE.exec(reason)?.[1]?.toUpperCase() ?? '');
  const within = places.find((at) => clause !== undefined && at >= clause.start && at < clause.end);
  return within ?? places[0] ?? null;
}

interface Word {
  /** Lower case, without quotes. */
  readonly text: string;
  readonly spelled: string;
  readonly start: number;
  readonly isQuoted: boolean;
  /** Whether `(` follows, as after a function name. */
  readonly isCalled: boolean;
}

/** Excludes parentheses, since the engine's formatting adds some. */
function wordsOf(sql: string): readonly Word[] {
  const tokens = lexSql(sql);
  return tokens.flatMap(({ kind, start, end }, at) => {
    const written = sql.slice(start, end);
    if (kind === 'symbol' && /[()]/.test(written)) return [];
    const isQuoted = kind === 'name';
    const spelled = isQuoted ? written.slice(1, -1) : written;
    const isCalled = sql[tokens[at + 1]?.start ?? sql.length] === '(';
    return [{ text: spelled.toLowerCase(), spelled, start, isQuoted, isCalled }];
  });
}

const SUBJECT =
  /\b(?:[Tt]he (?:window )?(?:function|aggregate|expression|column|name)|floating point expression|result of(?: the aggregate)?|[Vv]alue of|window of|values in|inside of|are called) (.+?)(?=;| (?:gives|is|are|cannot|over|depends|looks|has|holds|uses|would|stands)\b|\.$)/;

const CALL = /^the (?:window )?(?:function|aggregate)|^(?:result|window|values?)/i;

/** `sum(DISTINCT x)` is formatted as `sumDistinct(x)`. */
const COMBINATOR = /(?:distinct|if|array)$/;

/** The call that a mend repeats, as in `write min(price + 0)`: of several calls, the one that is meant. */
const MENDED = /; write (\w+\(.+?) \+ 0\)/;

/** Searches for the whole subject, then, in case it is spelled differently, for its first word: a function name. */
function placeOfSubject(reason: string, words: readonly Word[]): number | null {
  const [sentence = '', named = ''] = SUBJECT.exec(reason) ?? [];
  const subject = wordsOf(named).map(({ text }) => text);
  if (subject.length === 0) return null;
  // Of two columns with the same name, the second is the one to rename.
  if (sentence.startsWith('are called'))
    return words.findLast(({ text }) => text === named.toLowerCase())?.start ?? null;
  if (/is also a word of SQL/.test(reason)) return placeOfName(named.toLowerCase(), words);
  const isOfCall = CALL.test(sentence);
  const [first = ''] = subject;
  const mended = wordsOf(MENDED.exec(reason)?.[1] ?? '').map(({ text }) => text);
  const names = [mended, subject, ...withoutCombinators(first).map((name) => [name])];
  const places = names.map((name) => placeOfWords(name, words, isOfCall));
  return places.find((at) => at !== null) ?? null;
}

/** A keyword without quotes where a name stands. */
function placeOfName(name: string, words: readonly Word[]): number | null {
  const isName = (at: number) => /^(?:\.|,|as|by|select)$/.test(words[at - 1]?.text ?? '');
  const found = words.find(({ text, isQuoted }, at) => text === name && !isQuoted && isName(at));
  return found?.start ?? null;
}

/** The name, then each that is left without its last combinators. */
function withoutCombinators(name: string): readonly string[] {
  const shorter = name.replace(COMBINATOR, '');
  return shorter === name ? [name] : [name, ...withoutCombinators(shorter)];
}

function placeOfWords(
  sought: readonly string[],
  words: readonly Word[],
  isCall = false,
): number | null {
  if (sought.length === 0) return null;
  const found = words.flatMap(({ isCalled }, at) =>
    (isCalled || !isCall) && sought.every((text, i) => words[at + i]?.text === text) ? [at] : [],
  );
  const at = found.find((each) => !isCall || !hasIrrelevantOrder(each, words)) ?? found[0];
  return words[at ?? words.length]?.start ?? null;
}

/** Whether the call is written directly within one as in `length(arrayDistinct(groupArray(…)))`. */
function hasIrrelevantOrder(call: number, words: readonly Word[]): boolean {
  const around = words.slice(0, call).toReversed();
  const other = around.findIndex(({ isCalled }) => !isCalled);
  const called = around.slice(0, other < 0 ? around.length : other);
  return ignoringOrder(called.map(({ spelled }) => spelled)) !== null;
}

/** Patterns of a reason, each with candidate keywords; the first one that occurs in the text is the place. */
const keywords: readonly (readonly [RegExp, readonly string[]])[] = [
  [/\bTIES\b/, ['with ties', 'fetch', 'ties']],
  [/\bFILL\b/, ['with fill', 'interpolate']],
  [/\bORDER BY ALL\b/, ['order by all']],
  [/\bGROUP BY ALL\b/, ['group by all']],
  [/\bLIMIT BY ALL\b/, ['by all']],
  [/\bQUALIFY\b/, ['qualify']],
  [/\bINTERPOLATE\b/, ['interpolate']],
  [/\bWINDOW\b/, ['window']],
  [/\bSAMPLE\b/, ['sample']],
  [/\bRECURSIVE\b/, ['recursive']],
  [/\bROLLUP\b/, ['rollup', 'with rollup', 'cube', 'with totals', 'grouping sets', 'totals']],
  [/\barrayJoin\b/, ['arrayjoin', 'unnest']],
  [/\bJOIN\b/, ['any', 'semi', 'anti', 'asof', 'paste', 'join']],
  [/\bUNION\b/, ['union', 'intersect', 'except']],
  [/\b[Ww]indow functions?\b/, ['over']],
  [/\bLIMIT\b/, ['limit', 'offset', 'fetch']],
  [/\bover a window\b/, ['over']],
  [/\bSELECT \*|gives \* to a function/, ['*']],
  [/\bin a CTE\b/, ['with']],
  [/\bgrouped by\b/, ['group by']],
  [/\b[Vv]ariables?\b.* compared\b/, ['where']],
  [/\bDISTINCT\b/, ['distinct']],
  [/\bGROUP BY\b/, ['group by']],
];

function placeOfKeyword(reason: string, words: readonly Word[]): number | null {
  const [, sought = []] = keywords.find(([pattern]) => pattern.test(reason)) ?? [];
  for (const keyword of sought) {
    const at = placeOfWords(keyword.split(' '), words);
    if (at !== null) return at;
  }
  return null;
}
