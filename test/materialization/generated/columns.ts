/** Columns of generated tables: their types, how they are filled, and values to compare them with. */

/** What an expression can be used for; `odd` floats hold NaN, infinities and -0. */
export type Kind =
  | 'int'
  | 'big'
  | 'decimal'
  | 'float'
  | 'odd'
  | 'date'
  | 'time'
  | 'text'
  | 'bool'
  | 'enum'
  | 'uuid'
  | 'texts'
  | 'ints'
  | 'map';

/** Values to compare an expression with, as JSON. */
export interface Pool {
  /** Rows have them, the most frequent first. */
  readonly present: readonly unknown[];
  /** The lowest and the highest, and what lies next to them. */
  readonly edges: readonly unknown[];
  /** No row has them. */
  readonly absent: readonly unknown[];
}

export interface Column {
  readonly name: string;
  /** As in CREATE TABLE. */
  readonly type: string;
  readonly kind: Kind;
  readonly pool: Pool;
  /** Whether only few values occur, so that grouping by it puts rows together. */
  readonly isKey: boolean;
  /** SQL over `number`, the number of the row. */
  readonly filledWith: string;
}

export interface Table {
  readonly name: string;
  readonly rows: number;
  readonly sortedBy: string;
  readonly columns: readonly Column[];
}

let hashes = 0;
/** From 0 up to, but without, the count: each about as often, or the first far more often. */
export const flat = (count: number) =>
  `toUInt32(cityHash64(number, ${hashes++}, $salt) % ${count})`;
export const skew = (count: number) =>
  `toUInt32(floor(pow(cityHash64(number, ${hashes++}, $salt) % 1000003 / 1000003, 3) * ${count}))`;
const literal = (value: unknown) =>
  typeof value === 'string' ? `'${value.replace(/[\\']/g, '\\$&')}'` : String(value);
export const oneOf = (values: readonly unknown[]) =>
  `[${values.map(literal).join(', ')}][${skew(values.length)} + 1]`;
export const orNull = (sql: string, every: number) => `if(${flat(every)} = 0, NULL, ${sql})`;

type Given = Partial<Pool> & { readonly isKey?: boolean };

export function column(
  kind: Kind,
  declared: string,
  filledWith: string,
  given: Given = {},
): Column {
  const at = declared.indexOf(' ');
  const { present = [], edges = [], absent = [], isKey = false } = given;
  const pool = { present, edges, absent };
  return {
    name: declared.slice(0, at),
    type: declared.slice(at + 1),
    kind,
    filledWith,
    isKey,
    pool,
  };
}

export const texts = (
  values: readonly string[],
  absent: readonly string[] = ['absent', 'é', '%'],
) => ({
  present: values,
  edges: ['', values.toSorted()[0], values.toSorted().at(-1)],
  absent,
});
export const ints = (...present: readonly number[]) => ({
  present,
  edges: [Math.min(...present), Math.max(...present), Math.max(...present) + 1, 0],
  absent: [-1, 99, 12_345],
});
export const dates = (from: string, to: string, ...present: readonly string[]): Pool => ({
  present,
  edges: [from, to],
  absent: ['1970-01-01', '2035-05-05'],
});
export const times = (...present: readonly string[]): Pool => ({
  present,
  edges: ['2024-02-26 00:00:00', '2024-04-07 23:30:00'],
  absent: ['1970-01-01 00:00:00', '2024-03-01 00:00:01'],
});
