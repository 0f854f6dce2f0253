/**
 * Rewrites what the engine refuses to users without the right to make tables into something with the same meaning:
 * `zeros(n)` and `system.numbers`. `view(SELECT …)` becomes a subquery, so that the guard sees what is in it. Pure.
 */
import { applyEdits, type Edit } from '../../../sql/edits.ts';
import { lexSql } from '../../../sql/sql-lexer.ts';
import { closingBracket, isSymbol, type LexedText, nameAt } from './parse/lexed-text.ts';

/** Returns the text unchanged when it uses none of them. Only tables have these names, so context does not matter. */
export function plainSpelling(sql: string): string {
  if (!/zeros|view|numbers/i.test(sql)) return sql;
  const text: LexedText = { sql, tokens: lexSql(sql) };
  return applyEdits(
    sql,
    text.tokens.flatMap((_token, index) => editsAt(text, index)),
  );
}

function editsAt(text: LexedText, index: number): readonly Edit[] {
  const token = text.tokens[index];
  if (token?.kind !== 'word' || isSymbol(text, index - 1, '.')) return [];
  const name = nameAt(text, index).toLowerCase();
  if (name === 'system' && isSymbol(text, index + 1, '.')) return numbersAt(text, index);
  if (!isSymbol(text, index + 1, '(')) return [];
  if (name === 'view' && /^(?:select|with)$/i.test(nameAt(text, index + 2))) {
    return [{ start: token.start, end: token.end, text: '' }];
  }
  return name === 'zeros' || name === 'zeros_mt' ? zerosAt(text, index) : [];
}

const beforeTables = /^(?:from|join)$/i;

function numbersAt(text: LexedText, index: number): readonly Edit[] {
  const [start, end] = [text.tokens[index]?.start, text.tokens[index + 2]?.end];
  const name = nameAt(text, index + 2).toLowerCase();
  const isTable = beforeTables.test(nameAt(text, index - 1)) || isSymbol(text, index - 1, ',');
  if (!/^numbers(?:_mt)?$/.test(name) || !isTable) return [];
  return start === undefined || end === undefined ? [] : [{ start, end, text: `${name}()` }];
}

function zerosAt(text: LexedText, index: number): readonly Edit[] {
  const token = text.tokens[index];
  const end = text.tokens[closingBracket(text, index + 1)]?.end;
  if (token === undefined || end === undefined) return [];
  return [
    { start: token.start, end: token.end, text: '(SELECT toUInt8(0) AS zero FROM numbers' },
    { start: end, end, text: ')' },
  ];
}
