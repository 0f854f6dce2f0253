/**
 * Rows that a query holds itself, as `format(JSONEachRow, '{"a": 1}')`. The engine reads them for users who may make tables only,
 * and a reader may not; so they are read once, as data, and stand in the query as literals from then on.
 */
import { ServiceError } from '../../../errors/service-error.ts';
import { isNullable, parseClickHouseType, unquote } from '../../../sql/clickhouse-type.ts';
import { quoteName } from '../../../sql/quote-name.ts';
import { lexSql, type SqlToken } from '../../../sql/sql-lexer.ts';
import type { Column } from '../../query-engine.ts';
import { translateError } from '../errors/translate-error.ts';
import { asAdmin, readRows, type Session } from '../http/session.ts';
import { isSymbol, type LexedText, nameAt, placeOf } from './3-tokens.ts';
import { whyNotStructure } from './rules/types.ts';

/** Formats that hold values alone: no types, expressions or schemas of their own. */
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

/** Of all rows of one call, as they then stand in the query. */
const MAX_BYTES = 1_000_000;

interface Call {
  readonly start: number;
  readonly end: number;
  readonly format: string;
  /** Literals as they are written: the rows, or the columns and the rows. */
  readonly literals: readonly string[];
}

/**
 * The same text where it holds no such rows.
 *
 * @throws ServiceError `invalid_query` for rows that the engine cannot read.
 */
export async function withInlineRows(session: Session, sql: string): Promise<string> {
  if (!/\bformat\s*\(/i.test(sql)) return sql;
  const lexed: LexedText = { sql, tokens: lexSql(sql) };
  const calls = lexed.tokens.flatMap((_token, index) => callAt(lexed, index) ?? []);
  let text = '';
  let at = 0;
  for (const call of calls) {
    text += sql.slice(at, call.start) + (await rowsOf(session, call, sql));
    at = call.end;
  }
  return text + sql.slice(at);
}

/** The scalar function of that name takes a text first, never a bare word that is a format. */
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
  const where = placeOf(sql, call.start);
  if (reason !== null) throw refused(`The columns of format${where} are not accepted: ${reason}.`);
  const source = `format(${call.format}, ${call.literals.join(', ')})`;
  const limits =
    'SETTINGS max_execution_time = 5, max_memory_usage = 500000000, print_pretty_type_names = 0';
  try {
    const described = readRows(await asAdmin(session, { sql: `DESCRIBE ${source} ${limits}` }));
    const columns = described.map(([name, type]) => ({ name: String(name), type: String(type) }));
    const map = columns.find(({ type }) => /\bMap\(/.test(type));
    if (map !== undefined) {
      throw refused(
        `The column ${map.name} of format${where} is a Map, which is not accepted there.`,
      );
    }
    // As texts, which every type is read back from; a literal of a tuple, say, may be another value.
    const texts = columns.map(({ name }) => `toString(${quoteName(name)})`).join(', ');
    const rows = `SELECT ${texts} FROM ${source} ${limits} FORMAT Values`;
    const { body } = await asAdmin(session, { sql: rows });
    if (body.length > MAX_BYTES) {
      throw refused(`The rows of format${where} are too many for a query; load them into a table.`);
    }
    return inlineSelect(columns, body.toString('utf8'), prefixFor(sql));
  } catch (error) {
    throw translateError(error, { fault: 'invalid_query', projectId: 0 });
  }
}

/** Of names that nothing in the query has. */
function prefixFor(sql: string): string {
  let prefix = 'querydock_text_';
  while (sql.includes(prefix)) prefix += '_';
  return prefix;
}

function inlineSelect(columns: readonly Column[], rows: string, prefix: string): string {
  const items = columns.map(({ name, type }, at) => {
    const text = `${prefix}${at}`;
    const mayBeNull = isNullable(parseClickHouseType(type));
    return `CAST(${mayBeNull ? text : `assumeNotNull(${text})`}, ${literal(type)}) AS ${quoteName(name)}`;
  });
  const structure = columns.map((_column, at) => `${prefix}${at} Nullable(String)`).join(', ');
  const source =
    rows === '' ? `null(${literal(structure)})` : `values(${literal(structure)}, ${rows})`;
  return `(SELECT ${items.join(', ')} FROM ${source})`;
}

function literal(text: string): string {
  return `'${text.replace(/[\\']/g, '\\$&')}'`;
}

function refused(detail: string): ServiceError {
  return new ServiceError('invalid_query', detail, { attr: 'query' });
}
