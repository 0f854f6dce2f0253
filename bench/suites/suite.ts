/** A public benchmark: tables with generated rows, and queries with variables. */
export interface Suite {
  readonly name: string;
  readonly title: string;
  /** The one that the bench measures. */
  readonly scale: number;
  /** The one of tests. */
  readonly smallScale: number;
  /** `CREATE TABLE` of every table. */
  readonly tables: readonly string[];
  /** `INSERT … SELECT` of every table, in this order; the same rows every time. */
  fill(scale: number): readonly string[];
  readonly queries: readonly SuiteQuery[];
}

export interface SuiteQuery {
  readonly name: string;
  /** With its substitution parameters as typed variables. */
  readonly sql: string;
  /** As the specification has it, where that is not `sql` with the first set of values. */
  readonly constants?: string | undefined;
  /** The first set is the one that the specification validates with. One empty set where there are no variables. */
  readonly values: readonly Values[];
}

/** As in the body of a run; integers beyond 2⁵³ as strings. */
export type Values = Readonly<Record<string, Value>>;

type Value = string | number | null | readonly (string | number)[];

const placeholder = /\{(\w+):(\w+(?:\([^)]*\)+)?)\}/g;

/** The query without variables. */
export function withConstants({ sql, constants, values }: SuiteQuery): string {
  if (constants !== undefined) return constants;
  return sql.replace(placeholder, (written: string, name: string, type: string) => {
    const value = values[0]?.[name];
    if (value === undefined) throw new Error(`${written} has no value`);
    return literal(value, type);
  });
}

function literal(value: Value, type: string): string {
  if (value === null) return 'NULL';
  if (typeof value === 'object') {
    const item = type.slice('Array('.length, -1);
    return `[${value.map((each) => literal(each, item)).join(', ')}]`;
  }
  if (type.startsWith('Decimal')) return `CAST('${value}', '${type}')`;
  if (type.startsWith('Date')) return `${type === 'Date' ? 'DATE' : 'TIMESTAMP'} '${value}'`;
  return typeof value === 'string' ? `'${value.replaceAll("'", "\\'")}'` : String(value);
}
