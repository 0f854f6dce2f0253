/** What a statement does, in few words and without its values. */
import { lexSql } from '../../../sql/sql-lexer.ts';

/** Limit of the semantic conventions. */
const maxLength = 255;
/** A longer statement is read up to here. */
const maxRead = 20_000;
/** Of statements that are sent again and again, if they are not long. */
const maxKnown = 1000;
const maxKnownLength = 5000;

const known = new Map<string, string>();

/** By the semantic conventions of databases: its first word, and the tables and functions that it reads or writes. */
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

  /** A name with its database. */
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
/** Words that may stand there. */
const NOT_A_NAME = /^(?:SELECT|WITH|IF|FUNCTION|NOT)$/i;

/** A query that begins with its WITH is a SELECT. */
function operationOf(word: string): string {
  if (/^WITH$|^\($/i.test(word)) return 'SELECT';
  return /^[A-Za-z]+$/.test(word) ? word.toUpperCase() : 'QUERY';
}
