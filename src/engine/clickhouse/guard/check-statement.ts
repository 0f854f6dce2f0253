/** Accepts a caller's text as one SELECT over the project's own tables, or says why not. */
import { ServiceError } from '../../../errors/service-error.ts';
import type { Column, EngineStatement } from '../../query-engine.ts';
import { translateError } from '../errors/translate-error.ts';
import { asReader, readRows, type Session } from '../http/session.ts';
import { projectDatabase } from '../provision/project-users.ts';
import { withInlineRows } from './1-inline-rows.ts';
import { plainSpelling } from './2-plain-spelling.ts';
import { type LexedText, placeOf, refusalOfText } from './3-tokens.ts';
import { refusalOfWrittenTypes } from './4-written-types.ts';
import { refusalOfAst, refusalOfQueryTree } from './5-syntax-tree.ts';
import { judgeTree } from './6-unresolved-tree.ts';
import { refusalOfResolvedTree } from './8-resolved-tree.ts';
import { refusalOfShape } from './9-result-shape.ts';
import {
  readSqlText,
  replaceSubstitutions,
  type SqlText,
  type Substitution,
} from './parse/sql-text.ts';
import { refusalOfFilling, withoutInterpolate } from './rules/states.ts';
import type { TimeZones } from './rules/types.ts';
import { markedVariable } from './rules/variable-marks.ts';
import { requireValues, type VariableRules } from './rules/variable-rules.ts';

export interface CheckedStatement {
  /** The text without what ends it. */
  readonly statement: string;
  readonly columns: readonly Column[];
  /** `requireValues` before each run. */
  readonly rules: VariableRules;
}

/** What a fault of the text is called: while it is saved, or when it has become one since. */
export type Fault = 'invalid_query' | 'query_failed';

/**
 * Parses with the engine's parser, applies the guard, and resolves with the rights of the project's reader.
 * The query is not run; the engine evaluates its scalar subqueries, within the reader's limits.
 *
 * @throws ServiceError `fault`, with attr `query` for a text that cannot be saved; `missing_variable`,
 * `query_timeout` and the codes of an engine that cannot answer.
 */
export async function checkStatement(
  session: Session,
  query: EngineStatement,
  fault: Fault,
): Promise<CheckedStatement> {
  const text = requireOneStatement(plainSpelling(await withInlineRows(session, query.sql)));
  const zones = await session.timeZones();
  const lexed: LexedText = { sql: text.sql, tokens: text.tokens };
  const asked: Check = { session, query, fault, lexed, zones };
  // The text and its trees first: the analyzer evaluates constants, which a refused function must not get to.
  refuse(refusalOfText(lexed) ?? refusalOfWrittenTypes(lexed, zones));
  const lines = await explain(asked, 'EXPLAIN AST', text.statement);
  refuse(refusalOfAst(lines, projectDatabase(query.projectId), lexed));
  const rules = await judge(asked, text);
  const check = { ...asked, query: withZones(query, rules.zones, fault) };
  requireValues(rules, check.query.params, zones);
  await refuseFilledStates(check, text);
  return { statement: text.statement, columns: await resolveColumns(check, text), rules };
}

/** Nothing is resolved or evaluated for it. */
async function judge(check: Check, text: SqlText): Promise<VariableRules> {
  const { query } = check;
  const marks = Object.fromEntries(
    text.substitutions.flatMap(({ name, type }) => {
      const mark = markedVariable(name, type);
      return mark === null ? [] : [[name, mark]];
    }),
  );
  const marked = { ...check, query: { ...query, params: { ...query.params, ...marks } } };
  const lines = await explain(marked, 'EXPLAIN QUERY TREE run_passes = 0', text.statement);
  const variables = new Set(text.substitutions.map(({ name }) => name));
  const { refusal, rules } = judgeTree(lines, { ...check, variables });
  refuse(refusal);
  return rules;
}

async function refuseFilledStates(
  check: Check,
  { sql, statement, tokens }: SqlText,
): Promise<void> {
  const own = tokens.filter(({ end }) => end <= statement.length);
  const bare = withoutInterpolate({ sql: statement, tokens: own });
  if (bare === null) return;
  const lines = await explain(check, 'EXPLAIN QUERY TREE passes = 1', bare);
  refuse(refusalOfFilling(lines, { sql, tokens }));
}

/** A text that is saved is described by samples: a time zone without a default has none of its own. */
function withZones(
  query: EngineStatement,
  variables: readonly string[],
  fault: Fault,
): EngineStatement {
  if (fault !== 'invalid_query') return query;
  const samples = variables.filter((name) => (query.params[name] ?? '') === '');
  const zones = Object.fromEntries(samples.map((name) => [name, 'UTC']));
  return { ...query, params: { ...query.params, ...zones } };
}

interface Check {
  readonly session: Session;
  readonly query: EngineStatement;
  readonly fault: Fault;
  readonly lexed: LexedText;
  readonly zones: TimeZones;
}

function refuse(reason: string | null): void {
  if (reason !== null) throw new ServiceError('invalid_query', reason, { attr: 'query' });
}

function requireOneStatement(sql: string): SqlText {
  const text = readSqlText(sql);
  if (text.isEmpty) refuse('The query is empty. It is one SELECT statement.');
  if (text.moreAt !== null) {
    const place = placeOf(sql, text.moreAt);
    refuse(`A query is one statement: remove what follows the semicolon${place}.`);
  }
  return text;
}

async function explain(
  { session, query, fault }: Check,
  command: string,
  statement: string,
): Promise<readonly string[]> {
  const before = `${command}\n`;
  const sql = `${before}${statement}`;
  try {
    const response = await asReader(session, query.projectId, { sql, params: query.params });
    return readRows(response).map((row) => String(row[0]));
  } catch (error) {
    throw translateError(error, {
      fault,
      projectId: query.projectId,
      sql: statement,
      bytesBefore: before.length,
    });
  }
}

/** Resolves the first spelling that the engine takes; the refusal is that of the text as it was written. */
async function resolveColumns(check: Check, text: SqlText): Promise<readonly Column[]> {
  for (const spelling of spellings(text)) {
    try {
      return accept(check, await resolve(check, spelling));
    } catch (error) {
      if (!isFaultOfText(error)) throw error;
    }
  }
  return accept(check, await resolve(check, text.statement));
}

function isFaultOfText(error: unknown): boolean {
  return error instanceof ServiceError && /^(invalid_query|query_failed)$/.test(error.code);
}

interface Resolved {
  readonly tree: readonly string[];
  readonly columns: readonly Column[];
}

function accept({ query, lexed, zones }: Check, { tree, columns }: Resolved): readonly Column[] {
  refuse(refusalOfQueryTree(tree, projectDatabase(query.projectId), lexed));
  refuse(refusalOfResolvedTree(tree, { lexed, zones }));
  refuse(refusalOfShape(tree, columns, lexed));
  return columns;
}

/**
 * Ways to write a text with parameters for the analyzer. Named after its parameter, an unnamed expression is
 * called `concat({country}, code)` whatever the value is. Behind `materialize` a string is no constant, so
 * a value that does not parse, as the sample one of a text that is only described, stays unread.
 */
function spellings(text: SqlText): readonly string[] {
  if (text.substitutions.length === 0) return [];
  const named = (s: Substitution, written: string) => `(${written} AS \`{${s.name}}\`)`;
  const unread = (s: Substitution, written: string) =>
    /^(?:(?:Nullable|LowCardinality)\()*String\)*$/.test(s.type)
      ? named(s, `materialize(${written})`)
      : named(s, written);
  return [replaceSubstitutions(text, named), replaceSubstitutions(text, unread)];
}

async function resolve(check: Check, statement: string): Promise<Resolved> {
  // One after the other: a project may have one query at a time only.
  const tree = await explain(check, 'EXPLAIN QUERY TREE', statement);
  const columns = await describeColumns(check, statement);
  return { tree, columns };
}

async function describeColumns(
  { session, query, fault }: Check,
  statement: string,
): Promise<readonly Column[]> {
  try {
    const sql = `DESCRIBE (\n${statement}\n)`;
    const response = await asReader(session, query.projectId, { sql, params: query.params });
    return readRows(response).map((row) => ({ name: String(row[0]), type: String(row[1]) }));
  } catch (error) {
    throw translateError(error, { fault, projectId: query.projectId });
  }
}
