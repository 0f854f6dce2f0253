/** The text that is sent for a saved query, and what its columns are then called. Pure. */
import {
  type ClickHouseType,
  parseClickHouseType,
  type TypeArgument,
  typeToText,
} from '../../../sql/clickhouse-type.ts';
import type { Column } from '../../query-engine.ts';
import type { VariableRules } from '../guard/rules/variable-rules.ts';
import { hasCertainNames, numberColumns } from './numbered-columns.ts';
import { mayHoldState } from './result-types.ts';

export interface StatementPlan {
  /** The query itself. */
  readonly statement: string;
  readonly text: string;
  /** As described. */
  readonly columns: readonly Column[];
  /** The text sent converts columns and names them by position; the answer's own columns mean nothing. */
  readonly isConverted: boolean;
}

/** A plan of a text that passed the guard, with what each of its runs has to keep to. */
export interface KnownPlan extends StatementPlan {
  readonly rules: VariableRules;
  /** Settings of each run, if the project's user takes any. */
  readonly blockSettings: Readonly<Record<string, string>>;
}

/**
 * A query becomes a subquery, so that the engine's `limit` and `offset` settings apply to the whole of it:
 * on their own they leave a top-level UNION ALL alone, may be exceeded by WITH TIES, and misread a negative
 * or fractional LIMIT. It costs the engine 0.05 to 0.2 ms, so a text that names none of these is sent as it is.
 * Where two of its columns may have one name they are numbered: `SELECT *` takes the first of these twice.
 *
 * Integers wider than 64 bits, which the engine would write as bare numbers, are converted to strings.
 *
 * @param statement one SELECT without a closing semicolon; it may end with a comment.
 */
export function planStatement(statement: string, columns: readonly Column[]): StatementPlan {
  const forms = columns.map((column) => stringForm(parseClickHouseType(column.type)));
  const holdsWide = forms.some((form) => form !== null);
  if (!holdsWide && !needsSubquery.test(statement)) {
    return { text: statement, columns, isConverted: false, statement };
  }
  if (!holdsWide && hasCertainNames(columns)) {
    return { text: `SELECT * FROM (\n${statement}\n)`, columns, isConverted: false, statement };
  }
  const { names, from } = numberColumns(statement, columns);
  const selected = names.map((name, index) => castTo(name, forms[index] ?? null)).join(', ');
  return { text: `SELECT ${selected} FROM ${from}`, columns, isConverted: true, statement };
}

/** The value as one of that type; as it is when there is none. */
export function castTo(value: string, type: ClickHouseType | null): string {
  return type === null ? value : `CAST(${value} AS ${typeToText(type)})`;
}

/**
 * Words with which a query cuts, joins, fills or totals its rows itself, and comments, which may hide where it
 * ends. Anywhere in the text, also in a string or in a name: taking one too many costs little.
 */
const needsSubquery =
  /\b(?:limit|offset|fetch|top|ties|union|intersect|except|totals|rollup|cube|sets|fill|interpolate|parallel)\b|--|#|\/\*/i;

/**
 * The columns of a result. The engine names an unnamed expression after its text with the values filled in;
 * such a column keeps the name it was described with, `concat({country}, code)`.
 */
export function resultColumns(plan: StatementPlan, answered: readonly Column[]): readonly Column[] {
  if (plan.isConverted) return plan.columns;
  return answered.map((column, index) => {
    const described = plan.columns[index]?.name ?? '';
    return described.includes('{') ? { name: described, type: column.type } : column;
  });
}

/**
 * Whether the plan may give a column the name of another by now, which no answer shows: the query has the columns
 * of its tables, whatever they are, and one of these was replaced.
 */
export function mayMisname({ statement }: StatementPlan): boolean {
  return ALL_COLUMNS.test(statement);
}

const ALL_COLUMNS = /(?:\b(?:select|distinct)\b|[,.])\s*\*|\bcolumns\s*\(/i;

/** Whether an answer shows that a table has changed since the plan was made. */
export function isOutdated(plan: StatementPlan, answered: readonly Column[]): boolean {
  if (plan.columns.length !== answered.length) return true;
  if (answered.some(({ type }) => mayHoldState(type))) return true;
  return !plan.isConverted && answered.some((column) => holdsWideInteger(column.type));
}

/** Whether the type holds an integer that the engine writes as a number too long for 64 bits. */
function holdsWideInteger(type: string): boolean {
  return stringForm(parseClickHouseType(type)) !== null;
}

const WIDE = /^U?Int(128|256)$/;
const containers = new Set(['Array', 'Nullable', 'LowCardinality', 'Tuple', 'Nested', 'Map']);

/** The type with String for each wide integer; null when there is none. Map keys are strings in JSON anyway. */
export function stringForm(type: ClickHouseType): ClickHouseType | null {
  if (WIDE.test(type.name)) return { name: 'String', args: null };
  if (type.name === 'Variant') return variantForm(type);
  if (type.name === 'SimpleAggregateFunction') {
    return type.args?.[1]?.type ? stringForm(type.args[1].type) : null;
  }
  if (!containers.has(type.name) || type.args === null) return null;
  const args = type.args.map((arg, index) => argumentForm(type, arg, index));
  if (args.every((arg) => arg === null)) return null;
  const replaced = type.args.map((arg, index) => args[index] ?? arg);
  if (type.name !== 'Nested') return { name: type.name, args: replaced };
  const tuple: ClickHouseType = { name: 'Tuple', args: replaced };
  return { name: 'Array', args: [{ label: null, type: tuple, text: '' }] };
}

function argumentForm(type: ClickHouseType, arg: TypeArgument, index: number): TypeArgument | null {
  const isMapKey = type.name === 'Map' && index === 0;
  const inner = arg.type === null || isMapKey ? null : stringForm(arg.type);
  return inner === null ? null : { ...arg, type: inner };
}

/** A Variant cannot lose one of its types, so one that may hold a wide integer is written as strings throughout. */
function variantForm(type: ClickHouseType): ClickHouseType | null {
  const holdsOne = (type.args ?? []).some((arg) => arg.type !== null && stringForm(arg.type));
  if (!holdsOne) return null;
  const inner: ClickHouseType = { name: 'String', args: null };
  return { name: 'Nullable', args: [{ label: null, type: inner, text: 'String' }] };
}
