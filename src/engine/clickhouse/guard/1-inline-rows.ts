/**
 * Rows written in a query, such as `format(JSONEachRow, '{"a": 1}')`. The engine parses them only for users who may
 * create tables, which a reader may not; so the administrator parses them once, as data, and they become literals of
 * the query.
 */
import { invalidQuery } from '../../../errors/service-error.ts';
import { isNullable, parseClickHouseType, unquote } from '../../../sql/clickhouse-type.ts';
import { applyEdits, type Edit } from '../../../sql/edits.ts';
import { quoteName, quoteText } from '../../../sql/quote-name.ts';
import { lexSql, type SqlToken } from '../../../sql/sql-lexer.ts';
import { positionOf } from '../../../sql/text-position.ts';
import type { Column } from '../../query-engine.ts';
import { translateError } from '../errors/translate-error.ts';
import { asAdmin, readRows, type Session, toColumns } from '../http/session.ts';
import { isSymbol, type LexedText, nameAt } from './parse/lexed-text.ts';
import { whyNotStructure } from './rules/types.ts';

/** Formats of plain values: without types, expressions or schemas of their own. */
const formats: ReadonlySet<string> = new Set([
  'JSONEachRow',
  'JSONCompactEachRow',
  'CSV',
  'CSVWithNames',
  'TSV',
  'TSVWithNames',
  'TabSeparated',
  'TabSeparatedWithNames',
]);

/** Limit for the literals of one call. */
const MAX_BYTES = 1_000_000;

interface Call {
  readonly start: number;
  readonly end: number;
  readonly format: string;
  /** The SQL of the rows, or of the columns and the rows. */
  readonly literals: readonly string[];
}

/**
 * Returns a text without such rows unchanged.
 *
 * @throws ServiceError `invalid_query` for rows that the engine cannot read.
 */
export async function withInlineRows(session: Session, sql: string): Promise<string> {
  if (!/\bformat\s*\(/i.test(sql)) return sql;
  const lexed: LexedText = { sql, tokens: lexSql(sql) };
  const calls = lexed.tokens.flatMap((_token, index) => callAt(lexed, index) ?? []);
  const edits: Edit[] = [];
  for (const call of calls) edits.push({ ...call, text: await rowsOf(session, call, sql) });
  return applyEdits(sql, edits);
}

/** The scalar function `format` takes a string first, never the bare name of a format. */
function callAt(lexed: LexedText, index: number): Call | null {
  const token = lexed.tokens[index];
  const isCalled =
    nameAt(lexed, index).toLowerCase() === 'format' && isSymbol(lexed, index + 1, '(');
  const format = nameAt(lexed, index + 2);
  if (token?.kind !== 'word' || !isCalled || !formats.has(format)) return null;
  const literals: string[] = [];
  let at = index + 3;
  for (; isSymbol(lexed, at, ','); at += 2) {
    const literal = lexed.tokens[at + 1];
    if (!isPlainText(lexed, literal)) return null;
    literals.push(lexed.sql.slice(literal.start, literal.end));
  }
  const end = lexed.tokens[at]?.end;
  const isWhole = isSymbol(lexed, at, ')') && literals.length >= 1 && literals.length <= 2;
  return isWhole && end !== undefined ? { start: token.start, end, format, literals } : null;
}

function isPlainText({ sql }: LexedText, token: SqlToken | undefined): token is SqlToken {
  return token?.kind === 'text' && sql[token.start] === "'";
}

async function rowsOf(session: Session, call: Call, sql: string): Promise<string> {
  const [structure] = call.literals.length === 2 ? call.literals : [];
  const zones = await session.timeZones();
  const reason = structure === undefined ? null : whyNotStructure(unquote(structure), zones);
  const position = positionOf(sql, call.start);
  if (reason !== null)
    throw invalidQuery(`The columns of format${position} are not accepted: ${reason}.`);
  const source = `format(${call.format}, ${call.literals.join(', ')})`;
  const limits =
    'SETTINGS max_execution_time = 5, max_memory_usage = 500000000, print_pretty_type_names = 0';
  try {
    const described = await asAdmin(session.parser, { sql: `DESCRIBE ${source} ${limits}` });
    const columns = toColumns(readRows(described));
    const map = columns.find(({ type }) => /\bMap\(/.test(type));
    if (map !== undefined) {
      throw invalidQuery(
        `The column ${map.name} of format${position} is a Map, which is not accepted there.`,
      );
    }
    // As strings, which can be cast back to any type; a literal of a tuple, for example, may change the value.
    const texts = columns.map(({ name }) => `toString(${quoteName(name)})`).join(', ');
    const rows = `SELECT ${texts} FROM ${source} ${limits} FORMAT Values`;
    const { body } = await asAdmin(session.parser, { sql: rows });
    if (body.length > MAX_BYTES) {
      throw invalidQuery(
        `format${position} has too many rows for a query; load them into a table.`,
      );
    }
    return inlineSelect(columns, body.toString('utf8'), prefixFor(sql));
  } catch (error) {
    throw translateError(error, { fault: 'invalid_query', projectId: 0 });
  }
}

/** A prefix that no name in the query begins with. */
function prefixFor(sql: string): string {
  let prefix = 'querydock_text_';
  while (sql.includes(prefix)) prefix += '_';
  return prefix;
}

function inlineSelect(columns: readonly Column[], rows: string, prefix: string): string {
  const items = columns.map(({ name, type }, at) => {
    const text = `${prefix}${at}`;
    const mayBeNull = isNullable(parseClickHouseType(type));
    return `CAST(${mayBeNull ? text : `assumeNotNull(${text})`}, ${quoteText(type)}) AS ${quoteName(name)}`;
  });
  const structure = columns.map((_column, at) => `${prefix}${at} Nullable(String)`).join(', ');
  const source =
    rows === '' ? `null(${quoteText(structure)})` : `values(${quoteText(structure)}, ${rows})`;
  return `(SELECT ${items.join(', ')} FROM ${source})`;
}
