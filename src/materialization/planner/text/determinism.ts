/** Functions whose value changes between calls, and where a stored table allows them. */
import type { CatalogFunction, Token } from '../../../sql/sql-analysis.ts';
import { refuse, TimeRefusal } from '../refusal.ts';
import {
  bracketDepths,
  closingBracketOf,
  isKeyword,
  isName,
  nameOf,
  type Tokens,
  textOf,
} from './tokens.ts';

/** Allowed in WHERE, which every sync evaluates again; elsewhere only reads may evaluate them. */
const timeFunctions = new Set(
  (
    'now now64 today yesterday curdate current_date current_timestamp localtime ' +
    'localtimestamp utctimestamp utc_timestamp'
  ).split(' '),
);

/** Non-deterministic per the engine's catalog, but the same for the same rows or for every reader. */
const deterministic = new Set(
  (
    'arrayjoin unnest timezone servertimezone version revision currentdatabase ' +
    'current_database database schema currentschemas'
  ).split(' '),
);

/** For older engines, whose catalog lacks the determinism column, and for functions that it states incorrectly. */
const nonDeterministic =
  /^(tid|indexHint|getClientHTTPHeader|map\w*Partial\w*Sort|obfuscateQuery|uptime|rand\d*|rand[A-Z]\w*|random\w+|generate(UUID|ULID|Snowflake)\w*|nowInBlock\w*|array\w*Shuffle|arrayRandomSample|fuzz\w+|(initial)?query_?id|current_?user|auth\w*user|user|session_user|rowNumberIn\w+|block(Number|Size|SerializedSize)|running(Difference\w*|Accumulate|Concurrency)|neighbor|transactionID)$/i;

/** Their value depends on how the engine has stored a value, which differs between parts and in a stored copy. */
const ofStorage =
  /^(lowCardinality(Indices|Keys)|JSON(Dynamic|SharedData)Paths(WithTypes)?|isDynamicElementInSharedData|dumpColumnStructure)$/i;

/** Formats that write how long the query took, and how many rows it read. */
const withStatistics = /^'(JSON(Compact)?(Strings)?|JSONColumnsWithMetadata|XML)'$/i;

export function isTimeFunction(name: string): boolean {
  return timeFunctions.has(name.toLowerCase());
}

/** @param isDeterministic as in the engine's catalog. */
export function isNonDeterministic(name: string, isDeterministic: boolean | null): boolean {
  const lower = name.toLowerCase();
  if (deterministic.has(lower) || timeFunctions.has(lower) || lower.startsWith('dict'))
    return false;
  return isDeterministic === false || nonDeterministic.test(name) || ofStorage.test(name);
}

/** The names of time functions without parentheses, which columns and tables may have, too; in lower case. */
export function bareTimes(tokens: Tokens): readonly string[] {
  const bare = tokens.filter((token, at) => isBareTime(token, tokens[at + 1]));
  return [...new Set(bare.map(({ text }) => text.toLowerCase()))];
}

/** The function that a name in lower case stands for, in lower case as well. */
export function functionOf(name: string, catalog: readonly CatalogFunction[]): string {
  const known = catalog.find((entry) => entry.name.toLowerCase() === name);
  return (known?.aliasTo || name).toLowerCase();
}

function isBareTime(token: Token, next: Token | undefined): boolean {
  return token.kind === 'BareWord' && next?.text !== '(' && isTimeFunction(token.text);
}

/**
 * Throws Refusal for the first non-deterministic function.
 *
 * @param called the functions that the engine found, in lower case; may be empty without `bareTimes`.
 */
export function requireDeterministic(
  tokens: Tokens,
  catalog: readonly CatalogFunction[],
  called: ReadonlySet<string>,
): void {
  const known = new Map(catalog.map((entry) => [entry.name.toLowerCase(), entry]));
  const clauseAt = clausesOf(tokens);
  const aliases = new Set(
    tokens.flatMap((token, at) =>
      isKeyword(tokens[at - 1], 'AS') && isName(token) ? nameOf(token).toLowerCase() : [],
    ),
  );
  tokens.forEach((token, at) => {
    if (!isName(token) || tokens[at - 1]?.text === '.') return;
    const name = nameOf(token).toLowerCase();
    const isCall = tokens[at + 1]?.text === '(';
    const isBare = isBareTime(token, tokens[at + 1]) && !aliases.has(name);
    const isFound = isBare && called.has(functionOf(name, catalog));
    if (timeFunctions.has(name) && (isCall || isFound)) {
      // Where an expression of WITH is used is seen in the query tree.
      if (clauseAt[at] !== 'WHERE' && clauseAt[at] !== 'WITH') refuseTime(token.text);
      return;
    }
    if (!isCall) return;
    if (isNonDeterministic(token.text, known.get(name)?.isDeterministic ?? null)) {
      refuseNonDeterministic(token.text);
    }
    const format = tokens[at + 2]?.text ?? '';
    if (/^formatRow(NoNewline)?$/i.test(name) && withStatistics.test(format))
      refuse(
        `${token.text} in the format ${format} writes how long the query took, which is another text each time. Use 'JSONEachRow'.`,
      );
  });
}

export function refuseNonDeterministic(name: string): never {
  if (ofStorage.test(name))
    refuse(
      `The value of ${name} depends on how the engine has stored a value, which is not the same in a stored result. Leave it out.`,
    );
  const instead = /^rowNumberIn/i.test(name)
    ? 'Write row_number() OVER (ORDER BY …)'
    : 'Leave it out';
  refuse(
    `The function ${name} gives another result each time; a stored result would not be the query’s. ${instead}.`,
  );
}

export function refuseTime(name: string): never {
  throw new TimeRefusal(
    `The function ${name} is used outside of WHERE, where its value would stand still between syncs; use it in WHERE only, or return the time from your own code.`,
  );
}

/** A call of a time function. */
interface TimeCall {
  /** Token range: the index of the name, and of the token after it or its closing parenthesis. */
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** @param bare names that are functions without parentheses, in lower case. */
export function timeCalls(tokens: Tokens, bare: ReadonlySet<string>): readonly TimeCall[] {
  return tokens.flatMap((token, start) => {
    const next = tokens[start + 1];
    const isBare = isBareTime(token, next) && bare.has(token.text.toLowerCase());
    const isCall = isName(token) && next?.text === '(' && isTimeFunction(nameOf(token));
    if (!isCall && !isBare) return [];
    const end = isBare ? start + 1 : closingBracketOf(tokens, start + 1) + 1;
    return [{ start, end, text: textOf(tokens.slice(start, end)) }];
  });
}

/** Whether the tokens contain the name of a time function. */
export function usesTime(tokens: Tokens): boolean {
  return tokens.some((token) => isName(token) && timeFunctions.has(nameOf(token).toLowerCase()));
}

/** Whether a text may use time functions. Compares names only, so a column with such a name counts too. */
export function mayUseTime(sql: string): boolean {
  return (sql.match(/\w+/g) ?? []).some((word) => timeFunctions.has(word.toLowerCase()));
}

/** For each token, its clause in the innermost enclosing SELECT that reads something. */
function clausesOf(tokens: Tokens): readonly string[] {
  const stack: string[] = [''];
  const depth = bracketDepths(tokens);
  const readsNothing = (at: number) => {
    const inner = depth[at] ?? 0;
    const next = tokens.findIndex(
      (token, index) =>
        index > at &&
        ((depth[index] ?? 0) < inner || (depth[index] === inner && isKeyword(token, 'FROM'))),
    );
    return next >= 0 && !isKeyword(tokens[next], 'FROM');
  };
  return tokens.map((token, at) => {
    if ('([{'.includes(token.text)) stack.push('');
    if (')]}'.includes(token.text)) stack.pop();
    const isClause =
      isKeyword(token, 'FROM', 'HAVING', 'WINDOW', 'QUALIFY', 'LIMIT', 'ON') ||
      (isKeyword(token, 'SELECT') && !readsNothing(at)) ||
      (isKeyword(token, 'GROUP', 'ORDER') && isKeyword(tokens[at + 1], 'BY'));
    if (isClause) stack[stack.length - 1] = 'other';
    if (isKeyword(token, 'WITH')) stack[stack.length - 1] = 'WITH';
    if (isKeyword(token, 'WHERE', 'PREWHERE')) stack[stack.length - 1] = 'WHERE';
    return stack.findLast((clause) => clause !== '') ?? '';
  });
}
