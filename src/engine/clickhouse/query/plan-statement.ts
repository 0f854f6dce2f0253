/** The SQL text sent for a saved query, and the names of its result columns. Pure. */
import { ServiceError } from '../../../errors/service-error.ts';
import { mayHoldState, parseClickHouseType } from '../../../sql/clickhouse-type.ts';
import { lexSql } from '../../../sql/sql-lexer.ts';
import type { Column } from '../../query-engine.ts';
import { castTo, withJsonTypes } from './convert-type.ts';
import { hasCertainNames, numberColumns } from './numbered-columns.ts';

export interface StatementPlan {
  /** The query itself. */
  readonly statement: string;
  readonly text: string;
  /** Columns as described when planned. */
  readonly columns: readonly Column[];
  /** `text` converts columns and names them by position, so the response's columns are not the query's. */
  readonly isConverted: boolean;
  /** For a converted text, the types of columns sent unconverted, by position; null for a column that is cast. */
  readonly sentTypes: readonly (string | null)[];
}

/**
 * Wraps a query in a subquery, so that the engine's `limit` and `offset` settings apply to all of it: alone they do not
 * apply to a top-level UNION ALL, may be exceeded by WITH TIES, and misread a negative or fractional LIMIT. This costs
 * the engine 0.05 to 0.2 ms, so a text without any of these is sent unchanged. If two columns may share a name, they
 * are numbered: `SELECT *` would return the first of them twice.
 *
 * Integers wider than 64 bits, which the engine would write as bare numbers, are converted to strings, and each QBit to
 * an array.
 *
 * @param statement one SELECT without a closing semicolon; it may end with a comment.
 */
export function planStatement(statement: string, columns: readonly Column[]): StatementPlan {
  const types = columns.map((column) => withJsonTypes(parseClickHouseType(column.type)));
  const isConverted = types.some((type) => type !== null);
  if (!isConverted && !needsSubquery.test(statement)) {
    return { text: statement, columns, isConverted: false, sentTypes: [], statement };
  }
  const isNamed = !columns.some(({ name }) => SUBQUERY.test(name));
  if (!isConverted && isNamed && hasCertainNames(columns)) {
    const text = `SELECT * FROM (\n${statement}\n)`;
    return { text, columns, isConverted: false, sentTypes: [], statement };
  }
  const { names, from } = numberColumns(statement, columns);
  const selected = names.map((name, index) => castTo(name, types[index] ?? null)).join(', ');
  const sentTypes = columns.map(({ type }, index) => (types[index] ? null : type));
  return {
    text: `SELECT ${selected} FROM ${from}`,
    columns,
    isConverted: true,
    sentTypes,
    statement,
  };
}

/** In the name of an unnamed expression: the engine counts the subqueries, with the one around the query. */
const SUBQUERY = /_subquery_?\d/;

/**
 * Keywords with which a query itself limits, combines, fills or totals its rows, and comments, which may hide its end.
 * They match anywhere, even in a string or a name: a needless subquery costs little.
 */
const needsSubquery =
  /\b(?:limit|offset|fetch|top|ties|union|intersect|except|totals|rollup|cube|sets|fill|interpolate|parallel)\b|--|#|\/\*/i;

/**
 * The columns of a result. The engine names an unnamed expression after its text with the values filled in; such a
 * column keeps the name from its description, `concat({country}, code)`.
 */
export function resultColumns(plan: StatementPlan, returned: readonly Column[]): readonly Column[] {
  if (plan.isConverted) return plan.columns;
  return returned.map((column, index) => {
    const described = plan.columns[index]?.name ?? '';
    return described.includes('{') ? { name: described, type: column.type } : column;
  });
}

/**
 * Whether the plan may by now give a column the wrong name, which no response reveals: the query returns all columns of
 * its tables, and one of the tables may have been replaced.
 */
export function mayMisname(plan: StatementPlan): boolean {
  const known = namesAllColumns.get(plan);
  if (known !== undefined) return known;
  const found = hasAllColumns(plan.statement);
  namesAllColumns.set(plan, found);
  return found;
}

/** Whether a run of a known plan may have failed because a table was replaced by one with other columns. */
export function mayBeOutdated(error: unknown): boolean {
  return error instanceof ServiceError && /^(query_failed|invalid_input)$/.test(error.code);
}

const namesAllColumns = new WeakMap<StatementPlan, boolean>();

/** `*` and `COLUMNS(…)`, but not a product and not `count(*)`. */
function hasAllColumns(statement: string): boolean {
  const tokens = lexSql(statement);
  const textAt = (at: number) => statement.slice(tokens[at]?.start, tokens[at]?.end).toLowerCase();
  return tokens.some(({ kind }, at) => {
    if (kind === 'word') return textAt(at) === 'columns';
    if (kind !== 'symbol' || textAt(at) !== '*') return false;
    const [before, after] = [tokens[at - 1], tokens[at + 1]];
    if (before === undefined || after === undefined) return true;
    if (textAt(at - 1) === '(' && textAt(at + 1) === ')') return textAt(at - 2) !== 'count';
    const follows = textAt(at + 1);
    const isOperand =
      after.kind === 'symbol' ? /^[({[+-]$/.test(follows) : !afterColumns.has(follows);
    return !isOperand || /^(?:select|distinct|[,.])$/.test(textAt(at - 1));
  });
}

/** What may follow a `*` that means all columns; before any other word it is a product. */
const afterColumns: ReadonlySet<string> = new Set([
  'from',
  'except',
  'replace',
  'apply',
  'as',
  'where',
  'prewhere',
  'group',
  'having',
  'order',
  'limit',
  'offset',
  'fetch',
  'union',
  'intersect',
  'settings',
  'format',
  'into',
  'window',
  'qualify',
  'final',
  'sample',
  'array',
  'left',
  'join',
]);

/** Whether a response's columns show that a table has changed since the plan was made. */
export function isOutdated(plan: StatementPlan, returned: readonly Column[]): boolean {
  if (plan.columns.length !== returned.length) return true;
  if (returned.some(({ type }) => mayHoldState(type))) return true;
  // The response must have the types that the plan describes.
  if (plan.sentTypes.some((sent, index) => sent !== null && sent !== returned[index]?.type))
    return true;
  return (
    !plan.isConverted &&
    returned.some(({ type }) => withJsonTypes(parseClickHouseType(type)) !== null)
  );
}
