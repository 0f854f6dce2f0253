/** Gives the materialization planner its analysis of a text, with the rights of the project's reader. */
import { loadOnce } from '../../lib/load-once.ts';
import { formatWithKeywordNames } from '../../sql/keyword-names.ts';
import { sampleParam } from '../../sql/param-sample.ts';
import { formatParam } from '../../sql/param-value.ts';
import type { SampleParams, SqlAnalysis, Token } from '../../sql/sql-analysis.ts';
import { needsDatabases, qualifyTables } from './bound/qualify-tables.ts';
import { asService } from './errors/translate-error.ts';
import { readFunctions } from './function-catalogue.ts';
import { withInlineRows } from './guard/1-inline-rows.ts';
import { plainSpelling } from './guard/2-plain-spelling.ts';
import { readSqlText, replaceSubstitutions } from './guard/parse/sql-text.ts';
import { withReadableTexts } from './guard/readable-texts.ts';
import type { Settings } from './http/request-message.ts';
import {
  asAdmin,
  type Rows,
  readerRows,
  readRows,
  type Session,
  toColumns,
  toTexts,
} from './http/session.ts';
import { wholeTree } from './whole-tree.ts';

/** One per engine: it caches the engine's catalogue of functions. */
export function openSqlAnalysis(session: Session): (projectId: number) => SqlAnalysis {
  const functions = loadOnce(() => asService(readFunctions(session)));
  return (projectId) => {
    const query = (sql: string, params: SampleParams, ownSettings?: Settings) =>
      readerRows(session, { projectId, sql, params, ownSettings }, { fault: 'invalid_query', sql });
    const explainedTree = (text: string, params: SampleParams) =>
      wholeTree(async (settings) =>
        toTexts(await query(`EXPLAIN QUERY TREE passes = 1\n${text}`, params, settings)),
      );
    // Texts are sent as values, so that the engine parses them and does not run them.
    const queryText = (sql: string, text: string) =>
      query(sql, { text: formatParam('String', text, 'query') });
    return {
      async plain(sql) {
        const plain = plainSpelling(await withInlineRows(session, sql));
        if (!needsDatabases(session.place(projectId), plain)) return plain;
        const text = readSqlText(plain);
        const samples = text.substitutions.map(({ name, type }) => [name, sampleParam(type)]);
        const tree = async (statement: string) => {
          const explained = `EXPLAIN QUERY TREE run_passes = 0\n${statement}`;
          return toTexts(await query(explained, Object.fromEntries(samples)));
        };
        const lines = await tree(text.statement);
        return (await qualifyTables({ session, projectId, tree }, text, lines)).statement;
      },
      format: (sql) =>
        formatWithKeywordNames(sql, async (text) => {
          const [row] = await queryText('SELECT formatQuerySingleLine({text:String})', text);
          return String(row?.[0]);
        }),
      tokens: async (sql) => toTokens(sql, await queryText(TOKENS, sql)),
      ast: async (sql, params) => toTexts(await query(`EXPLAIN AST\n${sql}`, params)),
      tree: (sql, params) =>
        withReadable({ sql, params }, (text, values) => explainedTree(text, values)),
      describe: async (sql, params) =>
        toColumns(
          await withReadable({ sql, params }, (text, values) =>
            query(`DESCRIBE (\n${text}\n)`, values),
          ),
        ),
      functions,
      views: () => asService(readPairs(session, projectId, VIEWS)),
      vectorIndexes: () => asService(readPairs(session, projectId, VECTOR_INDEXES)),
    };
  };
}

const VIEWS = `
SELECT database || '.' || name, as_select FROM system.tables
WHERE has({databases:Array(String)}, database) AND engine = 'View'`;

const VECTOR_INDEXES = `
SELECT database || '.' || table, min(name) FROM system.data_skipping_indices
WHERE has({databases:Array(String)}, database) AND type = 'vector_similarity' GROUP BY database, table`;

/** @param sql SELECT of two columns, of which the first is a name in one of the project's `databases`. */
async function readPairs(
  session: Session,
  projectId: number,
  sql: string,
): Promise<ReadonlyMap<string, string>> {
  const databases = formatParam('Array(String)', session.place(projectId).databases, 'query');
  const rows = readRows(await asAdmin(session, { sql, params: { databases } }));
  return new Map(rows.map(([name, value]) => [String(name), String(value)]));
}

const TOKENS = 'SELECT t.1, t.2, t.3 FROM (SELECT arrayJoin(tokenizeQuery({text:String})) AS t)';

/** @param rows rows of TOKENS, whose positions count bytes. */
function toTokens(sql: string, rows: Rows): readonly Token[] {
  const bytes = Buffer.from(sql);
  const tokens: Token[] = [];
  let end = 0;
  for (const [from, to, kind] of rows) {
    if (kind === 'Whitespace' || kind === 'Comment') continue;
    const text = bytes.toString('utf8', Number(from), Number(to));
    tokens.push({ kind: String(kind), text, spaced: Number(from) > end });
    end = Number(to);
  }
  return tokens;
}

/**
 * A sample value may be invalid for its comparison, such as arbitrary text for an enum: then the text variables get values
 * that the engine can read. Where it finds none, `materialize` makes them non-constants, so that the engine does not parse them.
 */
export async function withReadable<T>(
  { sql, params }: { readonly sql: string; readonly params: SampleParams },
  query: (text: string, params: SampleParams) => Promise<T>,
): Promise<T> {
  try {
    return await query(sql, params);
  } catch (error) {
    return withReadableTexts({ sql, params }, error, (values) => query(sql, values)).catch(() => {
      const unparsed = replaceSubstitutions(readSqlText(sql), (substitution, written) =>
        substitution.type === 'String' ? `materialize(${written})` : written,
      );
      if (unparsed === sql) throw error;
      return query(unparsed, params).catch(() => Promise.reject(error));
    });
  }
}
