/** Functions that give something else each time: which of them a stored table can stand. */
import type { CatalogFunction } from '../../../sql/sql-analysis.ts';
import { refuse } from '../refusal.ts';
import { isName, isWord, nameOf, type Span } from './tokens.ts';

/** They move with time: in WHERE they move at every sync, elsewhere they would stand still in the table. */
const moving = new Set(
  (
    'now now64 today yesterday curdate current_date current_timestamp localtime ' +
    'localtimestamp utctimestamp utc_timestamp'
  ).split(' '),
);

/** Not the same each time by the engine’s catalogue, and yet the same for the same rows or for every reader. */
const steady = new Set(
  (
    'arrayjoin unnest timezone servertimezone version revision currentdatabase ' +
    'current_database database schema currentschemas'
  ).split(' '),
);

/** Known to differ even where an older engine's catalogue does not say. */
const unsteady =
  /^(rand\d*|rand[A-Z]\w*|random\w+|generate(UUID|ULID|Snowflake)\w*|nowInBlock\w*|array\w*Shuffle|arrayRandomSample|fuzz\w+|(initial)?query_?id|current_?user|auth\w*user|user|session_user|rowNumberIn\w+|block(Number|Size|SerializedSize)|running(Difference\w*|Accumulate|Concurrency)|neighbor|transactionID|lowCardinality(Indices|Keys))$/i;

export function isMovingName(name: string): boolean {
  return moving.has(name.toLowerCase());
}

/** @param isDeterministic as the engine's catalogue says; null when it does not. */
export function isUnsteadyName(name: string, isDeterministic: boolean | null): boolean {
  const lower = name.toLowerCase();
  if (steady.has(lower) || moving.has(lower) || lower.startsWith('dict')) return false;
  return isDeterministic === false || unsteady.test(name);
}

/** Throws Refusal for the first function that makes the result of `span` something else each time. */
export function requireDeterministic(span: Span, catalog: readonly CatalogFunction[]): void {
  const known = new Map(catalog.map((entry) => [entry.name.toLowerCase(), entry]));
  const clauseAt = clausesOf(span);
  span.forEach((token, at) => {
    if (!isName(token) || span[at - 1]?.text === '.') return;
    const name = nameOf(token).toLowerCase();
    const isCall = span[at + 1]?.text === '(';
    if (moving.has(name) && (isCall || token.kind === 'BareWord')) {
      if (clauseAt[at] !== 'WHERE') refuse(movingReason(token.text));
      return;
    }
    if (!isCall) return;
    if (isUnsteadyName(token.text, known.get(name)?.isDeterministic ?? null)) {
      refuse(
        `The function ${token.text} gives another result each time; a stored result would not be the query’s. Leave it out.`,
      );
    }
  });
}

function movingReason(name: string): string {
  return `The function ${name} is used outside of WHERE, where its value would stand still between syncs; use it in WHERE only, or return the time from your own code.`;
}

/** Whether a text uses the moving functions at all. */
export function isMoving(span: Span): boolean {
  return span.some((token) => isName(token) && moving.has(nameOf(token).toLowerCase()));
}

/** Whether a text may use them: by its words alone, so a column of such a name counts as well. */
export function mayMove(sql: string): boolean {
  return (sql.match(/\w+/g) ?? []).some((word) => moving.has(word.toLowerCase()));
}

/** For each token the clause it stands in, of the innermost SELECT around it. */
function clausesOf(span: Span): readonly string[] {
  const stack: string[] = [''];
  return span.map((token, at) => {
    if ('([{'.includes(token.text)) stack.push('');
    if (')]}'.includes(token.text)) stack.pop();
    if (isWord(token, 'SELECT', 'FROM', 'HAVING', 'WINDOW', 'QUALIFY', 'LIMIT', 'WITH', 'ON')) {
      stack[stack.length - 1] = 'other';
    }
    if (isWord(token, 'GROUP', 'ORDER') && isWord(span[at + 1], 'BY')) {
      stack[stack.length - 1] = 'other';
    }
    if (isWord(token, 'WHERE', 'PREWHERE')) stack[stack.length - 1] = 'WHERE';
    return stack.findLast((clause) => clause !== '') ?? '';
  });
}
