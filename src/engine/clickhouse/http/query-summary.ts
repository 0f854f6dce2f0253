/** A short summary of a statement, without its values. */
import { lexSql } from '../../../sql/sql-lexer.ts';

/** Limit set by OpenTelemetry's semantic conventions. */
const maxLength = 255;
/** Only this much of a longer statement is parsed. */
const maxRead = 20_000;
/** Cache size: statements repeat, and only those that are not long are cached. */
const maxKnown = 1000;
const maxKnownLength = 5000;

const known = new Map<string, string>();

/**
 * The summary that OpenTelemetry's database conventions define: the first word, and the tables and functions that are
 * read or written.
 */
export function querySummary(sql: string): string {
  if (sql.length > maxKnownLength) return summarize(sql.slice(0, maxRead));
  const found = known.get(sql);
  if (found !== undefined) return found;
  if (known.size >= maxKnown) known.clear();
  const summary = summarize(sql);
  known.set(sql, summary);
  return summary;
}

function summarize(sql: string): string {
  const tokens = lexSql(sql).filter(({ kind }) => kind !== 'error');
  const textAt = (at: number) => sql.slice(tokens[at]?.start, tokens[at]?.end);
  const targets = new Set<string>();
  for (const [at, { kind }] of tokens.entries()) {
    if (kind !== 'word' || !BEFORE_TABLE.test(textAt(at))) continue;
    const target = nameAt(at + 1);
    if (target !== '') targets.add(target);
  }
  return [operationOf(tokens.length === 0 ? '' : textAt(0)), ...targets]
    .join(' ')
    .slice(0, maxLength);

  /** A name including its database. */
  function nameAt(first: number): string {
    let name = '';
    for (let at = first; isName(at); at += 2) {
      name += textAt(at);
      if (textAt(at + 1) !== '.') return NOT_A_NAME.test(name) ? '' : name;
      name += '.';
    }
    return '';
  }

  function isName(at: number): boolean {
    const kind = tokens[at]?.kind;
    return kind === 'word' || kind === 'name';
  }
}

const BEFORE_TABLE = /^(?:FROM|JOIN|INTO|TABLE|DATABASE|USER)$/i;
/** Keywords that may stand in its place. */
const NOT_A_NAME = /^(?:SELECT|WITH|IF|FUNCTION|NOT)$/i;

/** A query that begins with its WITH is a SELECT. */
function operationOf(word: string): string {
  if (/^WITH$|^\($/i.test(word)) return 'SELECT';
  return /^[A-Za-z]+$/.test(word) ? word.toUpperCase() : 'QUERY';
}
