/** The planner's questions, asked of the engine with the rights of the project's reader. */
import { formatParam } from '../../sql/param-value.ts';
import type { CatalogFunction, SampleParams, SqlAnalysis, Token } from '../../sql/sql-analysis.ts';
import { translateError } from './errors/translate-error.ts';
import { withInlineRows } from './guard/1-inline-rows.ts';
import { plainSpelling } from './guard/2-plain-spelling.ts';
import { readSqlText, replaceSubstitutions } from './guard/parse/sql-text.ts';
import { asAdmin, asReader, readRows, type Session, type Statement } from './http/session.ts';

const FUNCTIONS = `
SELECT name, is_aggregate, case_insensitive, alias_to, deterministic
FROM system.functions`;

/** An older engine's catalogue, which says nothing about it. */
const FUNCTIONS_BEFORE = FUNCTIONS.replace('deterministic', 'NULL');

/** One per engine: keeps its catalogue of functions. */
export function openSqlAnalysis(session: Session): (projectId: number) => SqlAnalysis {
  let catalog: Promise<readonly CatalogFunction[]> | null = null;
  const functions = () => {
    catalog ??= readCatalog(session).catch((error: unknown) => {
      catalog = null;
      throw translateError(error, { fault: 'query_failed', projectId: 0 });
    });
    return catalog;
  };
  return (projectId) => {
    const ask = (statement: Statement) => askReader(session, projectId, statement);
    return {
      plain: async (sql) => plainSpelling(await withInlineRows(session, sql)),
      format: (sql) => formatSql(ask, sql),
      tokens: (sql) => cutIntoTokens(ask, sql),
      ast: async (sql, params) => {
        const rows = await ask({ sql: `EXPLAIN AST\n${sql}`, params });
        return rows.map((row) => String(row[0]));
      },
      tree: async (sql, params) => {
        const explain = (text: string) =>
          ask({ sql: `EXPLAIN QUERY TREE passes = 1\n${text}`, params });
        return (await withUnread(sql, explain)).map((row) => String(row[0]));
      },
      describe: (sql, params) => withUnread(sql, (text) => describeText(ask, text, params)),
      functions,
    };
  };
}

type Ask = (statement: Statement) => Promise<readonly (readonly unknown[])[]>;

async function askReader(
  session: Session,
  projectId: number,
  statement: Statement,
): Promise<readonly (readonly unknown[])[]> {
  try {
    return readRows(await asReader(session, projectId, statement));
  } catch (error) {
    throw translateError(error, { fault: 'invalid_query', projectId, sql: statement.sql });
  }
}

async function readCatalog(session: Session): Promise<readonly CatalogFunction[]> {
  const response = await asAdmin(session, { sql: FUNCTIONS }).catch(() =>
    asAdmin(session, { sql: FUNCTIONS_BEFORE }),
  );
  return readRows(response).map(([name, aggregate, anyCase, aliasTo, deterministic]) => ({
    name: String(name),
    isAggregate: Boolean(aggregate),
    isCaseInsensitive: Boolean(anyCase),
    aliasTo: String(aliasTo),
    isDeterministic: deterministic === null ? null : Boolean(deterministic),
  }));
}

/** Texts go to the engine as values, so that it reads them and does not run them. */
function asValue(sql: string): Readonly<Record<string, string>> {
  return { text: formatParam('String', sql, 'query') };
}

async function formatSql(ask: Ask, sql: string): Promise<string> {
  const rows = await ask({
    sql: 'SELECT formatQuerySingleLine({text:String})',
    params: asValue(sql),
  });
  return String(rows[0]?.[0]);
}

/** The lexer counts in bytes. */
async function cutIntoTokens(ask: Ask, sql: string): Promise<readonly Token[]> {
  const rows = await ask({
    sql: 'SELECT t.1, t.2, t.3 FROM (SELECT arrayJoin(tokenizeQuery({text:String})) AS t)',
    params: asValue(sql),
  });
  const bytes = Buffer.from(sql);
  const tokens: Token[] = [];
  let behind = 0;
  for (const [from, to, kind] of rows) {
    if (kind === 'Whitespace' || kind === 'Comment') continue;
    const text = bytes.toString('utf8', Number(from), Number(to));
    tokens.push({ kind: String(kind), text, spaced: Number(from) > behind });
    behind = Number(to);
  }
  return tokens;
}

/**
 * A sample value need not be one that its comparison takes, as a text for an enum. Behind `materialize` it is
 * no constant, so it stays unread.
 */
async function withUnread<T>(sql: string, ask: (text: string) => Promise<T>): Promise<T> {
  try {
    return await ask(sql);
  } catch (error) {
    const unread = replaceSubstitutions(readSqlText(sql), (substitution, written) =>
      substitution.type === 'String' ? `materialize(${written})` : written,
    );
    if (unread === sql) throw error;
    return ask(unread).catch(() => {
      throw error;
    });
  }
}

async function describeText(ask: Ask, sql: string, params: SampleParams) {
  const rows = await ask({ sql: `DESCRIBE (\n${sql}\n)`, params });
  return rows.map((row) => ({ name: String(row[0]), type: String(row[1]) }));
}
