/** The variables of a plan, with the data from which their sample values are chosen. Pure. */
import type { ComparedVariable, MaterializationPlan } from '../../model/materialization-plan.ts';
import { legacyEngineTypes } from '../../query/legacy-variable.ts';
import type { ParsedQuery } from '../../query/query-definition.ts';
import type { LegacyType } from '../../query/variable-definition.ts';
import { isDayOfText, listVariables } from '../../query/variables.ts';
import {
  innerType,
  parseClickHouseType,
  typeToText,
  withoutWrappers,
} from '../../sql/clickhouse-type.ts';
import { quoteName } from '../../sql/quote-name.ts';
import { boundaryValues } from './boundary-values.ts';

/** A stored column that variables are compared with. */
interface SampledColumn {
  readonly type: string;
  readonly lowest: unknown;
  readonly highest: unknown;
}

export interface SampledData {
  /** Candidate strings for variables that are compared with no column. */
  readonly members: readonly string[];
  /** In the order of `sampledColumns`. */
  readonly columns: readonly SampledColumn[];
  /** Sampled rows of these columns. */
  readonly rows: readonly (readonly unknown[])[];
}

interface ColumnOfTable {
  /** SQL of a column or expression. */
  readonly column: string;
  readonly table: number;
}

/** How variables are compared in predicates and in conditions of aggregates. */
export function comparedVariables({
  predicates,
  conditions = [],
}: MaterializationPlan): readonly ComparedVariable[] {
  return [...predicates, ...conditions];
}

/** The distinct columns that variables are compared with. */
export function sampledColumns(plan: MaterializationPlan): readonly ColumnOfTable[] {
  const found = new Map<string, ColumnOfTable>();
  for (const predicate of comparedVariables(plan)) {
    const { column, table, element } = predicate;
    if (column === null) continue;
    const whole = table === undefined ? quoteName(column) : column;
    const text = element === undefined ? whole : `tupleElement(${whole}, ${element})`;
    found.set(keyOf(predicate), { column: text, table: table ?? 0 });
  }
  return [...found.values()];
}

/** Identifies a column of a table. */
function keyOf({ column, table, element }: ComparedVariable): string {
  return JSON.stringify([column, table ?? 0, element]);
}

/** `text`: part of a string; `token`: a word of it; `element`: an element of an array column. */
type Role = 'equal' | 'lower' | 'upper' | 'in' | 'other' | 'pattern' | 'text' | 'token' | 'element';

/** A variable and one column that its predicates use. */
export interface SampledVariable extends SampledColumn {
  readonly name: string;
  readonly role: Role;
  readonly isList: boolean;
  /** Its value if a caller omits its optional predicate; undefined if it has none. */
  readonly leftOut: readonly unknown[] | null | undefined;
  /** Whether it excludes the bound, as `<` does. */
  readonly isExclusive: boolean;
  /** Its index among the variables with the same role on this column, as in `IN ({a}, {b})`. */
  readonly nth: number;
  /** Whether the column is also compared with the other end of a range. */
  readonly hasOtherEnd: boolean;
  /** The column's value in a sampled row; skips rows in which it is NULL. */
  readonly valueAt: (row: number) => unknown;
  /** Boundary values of the variable's own type. */
  readonly ownValues: readonly unknown[];
  /** Whether no column provides its values. */
  readonly isFree: boolean;
  /** Literals in its predicates, such as 'all' in `{x} = 'all'`. */
  readonly literals: readonly string[];
}

/** Each variable, once per column that its predicates use. */
export function sampledVariables(
  query: ParsedQuery,
  plan: MaterializationPlan,
  data: SampledData,
): readonly (readonly SampledVariable[])[] {
  const types = new Map(listVariables(query).map(({ name, type }) => [name, type]));
  const predicates = comparedVariables(plan);
  const names = new Set(predicates.map(({ variable }) => variable));
  const free = [...types].filter(([name]) => !names.has(name));
  // A row for each step up to the last value of a type is more than the engine ever makes.
  const isFilling = FILLS.test(query.definition.query);
  const ofType = isFilling ? (type: string) => closeTogether(type, data) : ofAnyValues;
  const compared = [...names].map((name) => {
    const own = predicates.filter(({ variable }) => variable === name);
    const first = own.filter(
      (one, at) => own.findIndex((other) => keyOf(other) === keyOf(one)) === at,
    );
    const literals = [...new Set(own.flatMap(({ condition }) => literalsIn(condition ?? '')))];
    const typed = ofType(types.get(name) ?? '');
    const isOptional = own.some(({ condition }) => OPTIONAL.test(condition ?? ''));
    return first.map((predicate) => {
      const used = beside(predicate, predicates, data);
      const role = typed.isList && !/^(other|pattern)$/.test(used.role) ? 'in' : used.role;
      const leftOut = isOptional ? typed.leftOut : undefined;
      const values = isDayOfText(query, name) ? inDays(used) : { ...used, ...typed };
      return { ...values, leftOut, isList: typed.isList, name, literals, role };
    });
  });
  return [...compared, ...free.map(([name, type]) => [freeVariable(name, type, ofType(type))])];
}

const FILLS = /\bWITH\s+FILL\b/i;

type Used = ReturnType<typeof beside>;

/** The days of a column's times, for a String that the query appends a time of day to. */
function inDays(used: Used) {
  return {
    ...used,
    type: 'Date',
    lowest: dayOf(used.lowest),
    highest: dayOf(used.highest),
    valueAt: (row: number) => dayOf(used.valueAt(row)),
    ownValues: boundaryValues('Date'),
  };
}

function dayOf(value: unknown): unknown {
  return typeof value === 'string' ? value.slice(0, 10) : value;
}

/** A variable that is compared with no column, as in LIMIT, gets values of its type. */
function freeVariable(name: string, type: string, typed: OwnValues): SampledVariable {
  const { ownValues } = typed;
  return {
    ...typed,
    name,
    type: elementType(type),
    lowest: ownValues[0],
    highest: ownValues.at(-1),
    leftOut: undefined,
    role: typed.isList ? 'in' : 'equal',
    isExclusive: false,
    nth: 0,
    hasOtherEnd: false,
    valueAt: (row) => ownValues[row % Math.max(1, ownValues.length)],
    literals: [],
    isFree: true,
  };
}

/** Matches signs of an optional predicate, as in `{x} IS NULL OR …` or `empty({xs}) OR …`. */
const OPTIONAL = /\b(OR|IS|empty|notEmpty|if|multiIf|isNull|isNotNull|coalesce|ifNull|length)\b/i;

type OwnValues = Pick<SampledVariable, 'isList' | 'leftOut' | 'ownValues'>;

function ofAnyValues(type: string): OwnValues {
  const isList = /^(Array\(|List$)/.test(type);
  const isNullable = /^(LowCardinality\()?Nullable\(/.test(type) || type in legacyEngineTypes;
  return {
    isList,
    leftOut: isNullable ? null : isList ? [] : undefined,
    ownValues: boundaryValues(elementType(type)),
  };
}

/** With times of the data, if there are any, and small numbers. */
function closeTogether(type: string, { columns }: SampledData): OwnValues {
  const own = ofAnyValues(type);
  if (!TIME.test(type)) return { ...own, ownValues: own.ownValues.slice(0, 3) };
  const times = columns.filter((column) => TIME.test(column.type));
  const found = times.flatMap(({ lowest, highest }) => [lowest, highest]);
  const isDay = /Date(32)?\b/.test(type);
  const ownValues = (found.length > 0 ? found : closeTimes).map((time) =>
    isDay ? dayOf(time) : time,
  );
  return { ...own, ownValues };
}

const TIME = /^(LowCardinality\()?(Nullable\()?Date/;
const closeTimes = ['2001-01-01T00:00:00Z', '2001-01-02T00:00:00Z'];

function beside(
  predicate: ComparedVariable,
  predicates: readonly ComparedVariable[],
  { columns, rows }: SampledData,
) {
  const { operator } = predicate;
  const keys = predicates.filter(({ column }) => column !== null).map(keyOf);
  const at = [...new Set(keys)].indexOf(keyOf(predicate));
  // Rows without NULL, so that values of one row are chosen together.
  const complete = rows.filter((row) => !row.includes(null));
  const others = predicates.filter((other) => keyOf(other) === keyOf(predicate));
  const found = complete.length > 0 ? complete : rows.filter((row) => row[at] !== null);
  const { type, lowest, highest } = columns[at] ?? { type: 'String', lowest: null, highest: null };
  const tree = withoutWrappers(parseClickHouseType(type));
  const role = roleOf(predicate, tree.name);
  const roles = others.map((other) => roleOf(other, tree.name));
  // For a table without rows, values of the column's type.
  const invented = found.length === 0 ? boundaryValues(type) : [];
  const valueAt = (row: number) =>
    found.length === 0
      ? invented[row % Math.max(1, invented.length)]
      : found[row % found.length]?.[at];
  const part = role === 'element' ? elementOf : role === 'token' ? tokenOf : null;
  return {
    type: role === 'element' ? typeToText(innerType(tree)) : type,
    lowest: part === null ? (lowest ?? invented[0] ?? null) : part(lowest, 0),
    highest: part === null ? (highest ?? invented.at(-1) ?? null) : part(highest, 0),
    role,
    isExclusive: /^[<>]$/.test(operator),
    nth: others.filter((_other, index) => roles[index] === role).indexOf(predicate),
    hasOtherEnd: roles.includes('lower') && roles.includes('upper'),
    valueAt: part === null ? valueAt : (row: number) => part(valueAt(row), row),
    isFree: found.length === 0,
  };
}

function elementOf(value: unknown, at: number): unknown {
  if (!Array.isArray(value) || value.length === 0) return null;
  return value[at % value.length];
}

/** As `hasToken` splits texts: at ASCII characters that are neither letters nor digits. It fails for any other needle. */
function tokenOf(value: unknown, at: number): unknown {
  const tokens = typeof value === 'string' ? value.match(/[A-Za-z0-9\u0080-\uffff]+/g) : null;
  return tokens?.[at % tokens.length] ?? null;
}

const textFunctions =
  /^(startsWith|endsWith|position|locate|match|like|ilike|count(Sub)?|multi|extract|substring)/i;

/** @param base name of the column's type, without wrappers. */
function roleOf({ operator }: ComparedVariable, base: string): Role {
  const name = operator.toUpperCase();
  if (name.endsWith('LIKE')) return 'pattern';
  if (textFunctions.test(operator)) return 'text';
  if (/^hasToken/i.test(operator)) return 'token';
  if (base === 'Array' && /^(has(Any|All)?|indexOf|countEqual)$/i.test(operator)) return 'element';
  if (name === 'IN') return 'in';
  if (name.startsWith('>')) return 'lower';
  if (name.startsWith('<') && name !== '<=>') return 'upper';
  return /^(!=|NOT IN)$/.test(name) ? 'other' : 'equal';
}

function elementType(type: string): string {
  const element = /^Array\((.*)\)$/.exec(type)?.[1] ?? type;
  return element === 'List' ? 'String' : (legacyEngineTypes[element as LegacyType] ?? element);
}

function literalsIn(condition: string): readonly string[] {
  const plain = condition.replace(/\{[^}]*\}/g, '');
  const texts = [...plain.matchAll(/'((?:[^'\\]|\\.)*)'/g)].map(([, text = '']) => text);
  const numbers = plain.replace(/'(?:[^'\\]|\\.)*'/g, '').match(/(?<![\w.])\d+(\.\d+)?\b/g);
  return [...texts, ...(numbers ?? [])];
}
