/** Text and sort order of result values. */
import { bareType, elementType, type TypeKind } from './clickhouse-types.ts';

/**
 * The complete text of a value, with all digits.
 *
 * @param type of the column; without it, wide integers within arrays are in quotes.
 */
export function cellText(value: unknown, type = ''): string {
  if (value === null || value === undefined) return '';
  return typeof value === 'string' ? value : jsonOf(type, value);
}

/** Longer texts are truncated when shown, not when copied. */
const shownCharacters = 400;

export function shownText(value: unknown, type = ''): string {
  if (value === null || value === undefined) return 'null';
  const text = cellText(value, type);
  return text.length > shownCharacters ? `${text.slice(0, shownCharacters)}…` : text;
}

/**
 * Negative when `a` comes first. Nulls come last in either direction, as in ORDER BY; so does NaN, which is null in
 * results.
 */
export function compareCells(kind: TypeKind, a: unknown, b: unknown, descending = false): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return descending ? compareValues(kind, b, a) : compareValues(kind, a, b);
}

function compareValues(kind: TypeKind, a: unknown, b: unknown): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  const [left, right] = [cellText(a), cellText(b)];
  if (kind === 'integer' || kind === 'decimal') return compareDigits(left, right);
  return left < right ? -1 : Number(left > right);
}

/** Compares decimal numbers of any length. */
function compareDigits(a: string, b: string): number {
  const [minusA, minusB] = [a.startsWith('-'), b.startsWith('-')];
  if (minusA !== minusB) return minusA ? -1 : 1;
  const order = compareMagnitudes(a.replace('-', ''), b.replace('-', ''));
  return minusA ? -order : order;
}

function compareMagnitudes(a: string, b: string): number {
  const [wholeA = '', partA = ''] = a.split('.');
  const [wholeB = '', partB = ''] = b.split('.');
  if (wholeA.length !== wholeB.length) return wholeA.length - wholeB.length;
  const [left, right] = [`${wholeA}.${partA}`, `${wholeB}.${partB}`];
  return left < right ? -1 : Number(left > right);
}

/** For a chart, where a double is exact enough; null when it is not a number. */
export function cellNumber(value: unknown): number | null {
  if (value === null || value === undefined || value === '') return null;
  const number = typeof value === 'boolean' ? Number(value) : Number(cellText(value));
  return Number.isFinite(number) ? number : null;
}

/** Seconds since 1970 of a date or time; null when it is neither. */
export function cellSeconds(value: unknown): number | null {
  if (typeof value !== 'string') return null;
  const text = value.includes('T') || value.length <= 10 ? value : value.replace(' ', 'T');
  const ms = Date.parse(
    /[Z+]|-\d\d:\d\d$/.test(text.slice(10)) || text.length <= 10 ? text : `${text}Z`,
  );
  return Number.isNaN(ms) ? null : ms / 1000;
}

/** The whole result for a spreadsheet: tabs and line ends within values become spaces. */
export function toTabbedText(
  columns: readonly { readonly name: string; readonly type: string }[],
  rows: readonly (readonly unknown[])[],
): string {
  const clean = (text: string) => text.replace(/[\t\r\n]+/g, ' ');
  const lines = rows.map((row) => row.map((value, at) => cellText(value, columns[at]?.type)));
  return [columns.map(({ name }) => name), ...lines]
    .map((texts) => texts.map(clean).join('\t'))
    .join('\n');
}

/** A row as one line of JSON, with wide numbers as numbers with every digit again. */
export function toJsonLine(
  columns: readonly { readonly name: string; readonly type: string }[],
  row: readonly unknown[],
): string {
  const members = columns.map(
    ({ name, type }, at) => `${JSON.stringify(name)}: ${jsonOf(type, row[at])}`,
  );
  return `{${members.join(', ')}}`;
}

function jsonOf(type: string, value: unknown): string {
  if (Array.isArray(value)) {
    const element = elementType(type);
    if (element !== null) return `[${value.map((one) => jsonOf(element, one)).join(',')}]`;
  }
  // Even wider ones are strings in every response.
  const isNumber = typeof value === 'string' && /^U?Int64$/.test(bareType(type));
  return isNumber ? value : JSON.stringify(value ?? null);
}
