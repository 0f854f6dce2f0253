/**
 * Accepts a caller's text as one SELECT over the project's own tables, or refuses it with the reason. The query is not
 * run; the engine evaluates its scalar subqueries in steps 7 and 8, within the reader's limits. The steps, in order:
 *
 * 1. inline rows: `format(JSONEachRow, '…')` is read as data and becomes literals.
 * 2. plain spelling: `zeros(n)`, `system.numbers` and `view(SELECT …)` become what a reader may read.
 * 3. tokens: refused functions, SETTINGS, parameters as identifiers, names that would forge a line of a dump.
 * 4. written types: those of variables and those within quoted names, before the engine parses them.
 * 5. syntax tree: one SELECT of known clauses, own tables, accepted functions by their written names.
 * 6. unresolved tree: types, time zones, columns and function names passed as arguments have to be literals, and
 * functions that
 *    cannot be stopped get short arguments. Yields the rules for the values of variables, which are checked then.
 * 7. filled states: INTERPOLATE beside states of aggregate functions.
 * 8. resolved tree: tables and functions by their resolved names, costs, states and time zones once more, also in scalar
 * subqueries that the engine shows as a reference to their result.
 * 9. result shape: WITH TOTALS and INTERPOLATE that would silently get lost.
 * 10. conversions: constants that are compared with a DateTime64 are converted, which the engine's indexes need, and those that
 *    are searched in values of type LowCardinality.
 */
import { invalidQuery, ServiceError } from '../../../errors/service-error.ts';
import { didYouMean } from '../../../lib/nearest-name.ts';
import { isTextType } from '../../../sql/clickhouse-type.ts';
import { readQueryTree } from '../../../sql/query-tree.ts';
import { positionOf } from '../../../sql/text-position.ts';
import type { ProjectPlace } from '../../project-place.ts';
import type { Column, EngineStatement } from '../../query-engine.ts';
import { needsDatabases, notExact, qualifyTables } from '../bound/qualify-tables.ts';
import { type Fault, isFaultOfText } from '../errors/translate-error.ts';
import type { Settings } from '../http/request-message.ts';
import { readerRows, type Session, toColumns, toTexts } from '../http/session.ts';
import { tableNames } from '../tables/project-tables.ts';
import { wholeTree } from '../whole-tree.ts';
import { withInlineRows } from './1-inline-rows.ts';
import { plainSpelling } from './2-plain-spelling.ts';
import { refusalOfTokens } from './3-tokens.ts';
import { refusalOfWrittenTypes } from './4-written-types.ts';
import { onlyTablesOf, refusalOfSyntaxTree } from './5-syntax-tree.ts';
import { checkUnresolvedTree } from './6-unresolved-tree.ts';
import { refusalOfFilledStates, withoutInterpolate } from './7-filled-states.ts';
import { refusalOfResolvedTree } from './8-resolved-tree.ts';
import { refusalOfResultShape } from './9-result-shape.ts';
import { convertConstants, type ResolvedQuery } from './10-conversions.ts';
import {
  readSqlText,
  replaceSubstitutions,
  type SqlText,
  type Substitution,
} from './parse/sql-text.ts';
import { readTables } from './read-tables.ts';
import { searchesNull } from './rules/searched-texts.ts';
import { foreignTableBehindIn } from './rules/tables-behind-in.ts';
import { distinctTexts } from './rules/tiny-literals.ts';
import type { TimeZones } from './rules/types.ts';
import { markedVariable } from './rules/variable-marks.ts';
import { requireValues, type VariableRules } from './rules/variable-rules.ts';

export interface CheckedStatement {
  /** The text without the semicolons that end it. */
  readonly statement: string;
  readonly columns: readonly Column[];
  /** `requireValues` must pass before each run. */
  readonly rules: VariableRules;
  /** Whether it searches a text that may be NULL. */
  readonly searchesNull: boolean;
}

/**
 * @throws ServiceError `invalid_query` for a refused text, `fault` for one that the engine cannot read,
 * `missing_variable`, `invalid_input` for a value, `query_timeout`, and the codes of an unavailable engine.
 */
export async function checkStatement(
  session: Session,
  query: EngineStatement,
  fault: Fault,
): Promise<CheckedStatement> {
  const text = requireOneStatement(plainSpelling(await withInlineRows(session, query.sql)));
  const zones = await session.timeZones();
  const place = session.place(query.projectId);
  const given: Check = { session, query, fault, text, zones, place };
  refuse(refusalOfTokens(text, place.dictionaries) ?? refusalOfWrittenTypes(text, zones));
  const lines = await explain(given, 'EXPLAIN AST', text.statement);
  refuse(refusalOfSyntaxTree(lines, place, text));
  const { rules, named } = await checkUnresolved(given);
  const check = { ...given, text: named, query: withSampleZones(query, rules.zones, fault) };
  requireValues(rules, check.query.params, zones);
  await refuseFilledStates(check);
  const written = await resolveText(check);
  const checked = { columns: written.columns, rules, searchesNull: searchesNull(written.nodes) };
  const { text: fine, refusal } = await convertConstants(named, {
    written,
    tree: (sql) => explain(check, 'EXPLAIN QUERY TREE passes = 1', sql),
    resolve: (text) => resolveText({ ...check, text }),
  });
  refuse(refusal);
  return { ...checked, statement: fine.statement };
}

interface Check {
  readonly session: Session;
  readonly query: EngineStatement;
  readonly fault: Fault;
  readonly text: SqlText;
  readonly zones: TimeZones;
  readonly place: ProjectPlace;
}

function refuse(reason: string | null): void {
  if (reason !== null) throw invalidQuery(reason);
}

function requireOneStatement(sql: string): SqlText {
  const text = readSqlText(sql);
  if (text.isEmpty) refuse('The query is empty. Write one SELECT statement.');
  if (text.moreAt !== null) {
    refuse(
      `A query must be one statement: remove what follows the semicolon${positionOf(sql, text.moreAt)}.`,
    );
  }
  return text;
}

interface CheckedNames {
  readonly rules: VariableRules;
  /** The text with databases written out for tables that the project's first database lacks. */
  readonly named: SqlText;
}

async function checkUnresolved(check: Check): Promise<CheckedNames> {
  const { session, query, text, zones, place } = check;
  const { dictionaries } = place;
  const marks = Object.fromEntries(
    text.substitutions.flatMap(({ name, type }) => {
      const mark = markedVariable(name, type);
      return mark === null ? [] : [[name, mark]];
    }),
  );
  const marked = { ...check, query: { ...query, params: { ...query.params, ...marks } } };
  const lines = await explain(marked, 'EXPLAIN QUERY TREE run_passes = 0', text.statement);
  const variables = new Set(text.substitutions.map(({ name }) => name));
  const unresolved = { lexed: text, zones, variables, dictionaries };
  const { refusal, rules } = checkUnresolvedTree(lines, unresolved);
  refuse(refusal ?? refusalBehindIn(lines, place));
  if (!needsDatabases(place, text.statement)) return { rules, named: text };
  const tree = (sql: string) => explain(marked, 'EXPLAIN QUERY TREE run_passes = 0', sql);
  const { projectId } = query;
  const named = await qualifyTables({ session, projectId, tree }, text, lines);
  return { rules, named };
}

/** Only users of bound projects may be able to read other databases. */
function refusalBehindIn(lines: readonly string[], place: ProjectPlace): string | null {
  const nodes = place.isBound ? readQueryTree(lines) : null;
  const named = nodes === null ? null : foreignTableBehindIn(nodes, place);
  if (named === null) return null;
  return `${onlyTablesOf(place)} After IN, ${named} could name another database; to search an array column, use has(${named}, …).`;
}

async function refuseFilledStates(check: Check): Promise<void> {
  const { statement: sql, tokens } = check.text;
  const bare = withoutInterpolate({ sql, tokens: tokens.filter(({ end }) => end <= sql.length) });
  if (bare === null) return;
  const lines = await explain(check, 'EXPLAIN QUERY TREE passes = 1', bare);
  refuse(refusalOfFilledStates(lines, check.text));
}

/** A saved text is described with sample values; a time zone without a default has no sample of its own. */
function withSampleZones(
  query: EngineStatement,
  variables: readonly string[],
  fault: Fault,
): EngineStatement {
  if (fault !== 'invalid_query') return query;
  const empty = variables.filter((name) => (query.params[name] ?? '') === '');
  const zones = Object.fromEntries(empty.map((name) => [name, 'UTC']));
  return { ...query, params: { ...query.params, ...zones } };
}

async function explain(
  { session, query, fault }: Check,
  command: string,
  statement: string,
  ownSettings?: Settings,
): Promise<readonly string[]> {
  const before = `${command}\n`;
  const source = { fault, sql: statement, bytesBefore: before.length, written: query.sql };
  const explaining = { ...query, ownSettings, sql: `${before}${statement}` };
  try {
    return toTexts(await readerRows(session, explaining, source));
  } catch (error) {
    throw await withHint(session, query.projectId, error);
  }
}

const UNKNOWN_TABLE = /^Unknown table expression identifier '([^']+)'/;
/** The alias is the table name whose database the service wrote out. */
const DUPLICATE_ALIAS = /^Duplicate aliases (\S+) for table expressions/;

/** A project's queries may read all of its tables, so the hint may name any of them. */
async function withHint(session: Session, projectId: number, error: unknown): Promise<unknown> {
  if (!(error instanceof ServiceError)) return error;
  const { code, attr, message, internal } = error;
  const unknown = UNKNOWN_TABLE.exec(message)?.[1];
  const name = unknown ?? DUPLICATE_ALIAS.exec(message)?.[1];
  if (name === undefined) return error;
  const names = await tableNames(session, projectId);
  const later = names.find((full) => full.endsWith(`.${name}`));
  if (session.place(projectId).isBound && later !== undefined && !names.includes(name))
    return notExact([[name, later.slice(0, -name.length - 1)]]);
  if (unknown === undefined) return error;
  const hint = didYouMean(unknown, names);
  return new ServiceError(code, message + hint, { attr, internal: internal ?? '' });
}

/** Resolves the text with values that differ from its literals, if the engine accepts these values. */
async function resolveText(check: Check): Promise<ResolvedQuery> {
  const { text, query } = check;
  const params = distinctTexts(text, textVariables(text), query.params);
  if (params === null) return resolveSpelled(check);
  try {
    return await resolveSpelled({ ...check, query: { ...query, params } });
  } catch (error) {
    if (!isFaultOfText(error)) throw error;
    return resolveSpelled(check);
  }
}

function textVariables({ substitutions }: SqlText): readonly string[] {
  return substitutions.flatMap(({ name, type }) => (isTextType(type) ? [name] : []));
}

/** Resolves the first spelling that the engine accepts; a failure is reported for the text as written. */
async function resolveSpelled(check: Check): Promise<ResolvedQuery> {
  for (const spelling of spellings(check.text)) {
    try {
      return await resolve(check, spelling);
    } catch (error) {
      if (!isFaultOfText(error)) throw error;
    }
  }
  return resolve(check, check.text.statement);
}

/**
 * Ways to write a text with parameters for the analyzer. Named after its parameter, an unnamed expression is called
 * `concat({country}, code)` whatever the value is. Inside `materialize` a string is not a constant, so the analyzer
 * does not parse a sample value that is invalid for the type it is compared with.
 */
function spellings(text: SqlText): readonly string[] {
  if (text.substitutions.length === 0) return [];
  const named = (s: Substitution, written: string) => `(${written} AS \`{${s.name}}\`)`;
  const unparsed = (s: Substitution, written: string) =>
    named(s, isTextType(s.type) ? `materialize(${written})` : written);
  return [replaceSubstitutions(text, named), replaceSubstitutions(text, unparsed)];
}

async function resolve(check: Check, statement: string): Promise<ResolvedQuery> {
  const { session, query, fault, text, zones, place } = check;
  // Sequential, because a project may be limited to one query at a time.
  const lines = await wholeTree((settings) =>
    explain(check, 'EXPLAIN QUERY TREE', statement, settings),
  );
  const nodes = readQueryTree(lines);
  const describe = { ...query, sql: `DESCRIBE (\n${statement}\n)` };
  const columns = toColumns(await readerRows(session, describe, { fault }));
  const given = textVariables(text).flatMap((name) => query.params[name] ?? []);
  const read = await readTables({ session, query, fault }, nodes ?? []);
  refuse(refusalOfResolvedTree(nodes, { lexed: text, given, place, zones, ...read }));
  refuse(refusalOfResultShape(nodes ?? [], columns, text));
  return { columns, nodes: nodes ?? [] };
}
