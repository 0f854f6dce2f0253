/**
 * Writes what the engine lets nobody read who may not make tables in a way that means the same: `zeros(n)` and
 * `system.numbers`; and `view(SELECT …)` as the subquery that it is, so that nothing in it is hidden from the guard. Pure.
 */
import { lexSql } from '../../../sql/sql-lexer.ts';
import { closeOf, isSymbol, type LexedText, nameAt } from './3-tokens.ts';

interface Edit {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The same text where nothing of it is used. Only tables are called like these, so it need not be known where they stand. */
export function plainSpelling(sql: string): string {
  if (!/zeros|view|numbers/i.test(sql)) return sql;
  const lexed: LexedText = { sql, tokens: lexSql(sql) };
  const edits = lexed.tokens.flatMap((_token, index) => editsAt(lexed, index));
  let text = '';
  let at = 0;
  for (const edit of edits.toSorted((one, other) => one.start - other.start)) {
    text += sql.slice(at, edit.start) + edit.text;
    at = edit.end;
  }
  return text + sql.slice(at);
}

function editsAt(lexed: LexedText, index: number): readonly Edit[] {
  const token = lexed.tokens[index];
  if (token?.kind !== 'word' || isSymbol(lexed, index - 1, '.')) return [];
  const name = nameAt(lexed, index).toLowerCase();
  if (name === 'system' && isSymbol(lexed, index + 1, '.')) return numbersAt(lexed, index);
  if (!isSymbol(lexed, index + 1, '(')) return [];
  if (name === 'view' && /^(?:select|with)$/i.test(nameAt(lexed, index + 2))) {
    return [{ start: token.start, end: token.end, text: '' }];
  }
  return name === 'zeros' || name === 'zeros_mt' ? zerosAt(lexed, index) : [];
}

const beforeTables = /^(?:from|join)$/i;

function numbersAt(lexed: LexedText, index: number): readonly Edit[] {
  const [start, end] = [lexed.tokens[index]?.start, lexed.tokens[index + 2]?.end];
  const name = nameAt(lexed, index + 2).toLowerCase();
  const isTable = beforeTables.test(nameAt(lexed, index - 1)) || isSymbol(lexed, index - 1, ',');
  if (!/^numbers(?:_mt)?$/.test(name) || !isTable) return [];
  return start === undefined || end === undefined ? [] : [{ start, end, text: `${name}()` }];
}

function zerosAt(lexed: LexedText, index: number): readonly Edit[] {
  const token = lexed.tokens[index];
  const close = closeOf(lexed, index + 1);
  const end = lexed.tokens[close];
  if (token === undefined || end === undefined) return [];
  return [
    { start: token.start, end: token.end, text: '(SELECT toUInt8(0) AS zero FROM numbers' },
    { start: end.end, end: end.end, text: ')' },
  ];
}
