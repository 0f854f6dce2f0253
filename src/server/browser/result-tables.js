/** The rows of a response as tables: from `runEndpoint`, and the typed rows of a data graph. */
import { chartFor } from './chart-rule.js';
import { numberOf, textOf } from './exact-json.js';

/**
 * @returns `[{ title, hasMore, columns: [{ name, type }], rows: [[value]] }]`; a type is empty when the response does
 * not contain it.
 */
export function tablesIn(response) {
  return tablesOf(response?.data ?? null, []);
}

function tablesOf(value, path) {
  if (value === null || typeof value !== 'object') return [];
  const table = toTable(value, path);
  if (table !== null) return [table];
  return Object.entries(value).flatMap(([name, part]) => tablesOf(part, [...path, name]));
}

function toTable(value, path) {
  const title = path.join(' › ');
  const hasMore = value.hasMore === true;
  if (Array.isArray(value.results) && value.results.every(isRow)) {
    const { results } = value;
    if (results.every(Array.isArray))
      return { title, hasMore, columns: namesOf(value), rows: results };
    return { title, hasMore, ...fromObjects(results, value.types) };
  }
  if (Array.isArray(value.rows) && value.rows.every(isObject))
    return { title, hasMore, ...fromObjects(value.rows) };
  return null;
}

function isRow(row) {
  return typeof row === 'object' && row !== null;
}

function isObject(row) {
  return isRow(row) && !Array.isArray(row);
}

function namesOf({ columns, types, results }) {
  if (Array.isArray(types)) return types.map(([name, type]) => ({ name, type }));
  if (Array.isArray(columns)) return columns.map((name) => ({ name, type: '' }));
  const width = results.reduce((most, row) => Math.max(most, row.length), 0);
  return Array.from({ length: width }, (_, at) => ({ name: String(at + 1), type: '' }));
}

function fromObjects(objects, types) {
  const known = new Map(Array.isArray(types) ? types : []);
  const names = [...new Set(objects.flatMap((row) => Object.keys(row)))];
  return {
    columns: names.map((name) => ({ name, type: known.get(name) ?? '' })),
    rows: objects.map((row) => names.map((name) => row[name])),
  };
}

const DATE = /^\d{4}-\d\d-\d\d(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?$/;

/** Milliseconds since 1970; null when it is not a date. Times without a zone are UTC. */
export function timeOf(value) {
  if (typeof value !== 'string' || !DATE.test(value)) return null;
  const hasZone = value.length <= 10 || /(?:Z|[+-]\d\d:\d\d)$/.test(value);
  const time = Date.parse(hasZone ? value : `${value.replace(' ', 'T')}Z`);
  return Number.isNaN(time) ? null : time;
}

/** A column's kind, by its type or else its values: `number`, `time` or `text`. */
export function kindOf({ columns, rows }, at) {
  const type = (columns[at]?.type ?? '').replace(/^(?:LowCardinality|Nullable)\(|\)+$/g, '');
  if (/^(?:U?Int|Float|Decimal)/.test(type)) return 'number';
  const values = rows
    .map((row) => row[at])
    .filter((value) => value !== null && value !== undefined);
  if (values.length === 0) return 'text';
  if (values.every((value) => timeOf(value) !== null)) return 'time';
  const isNumber = type === '' && values.every((value) => numberOf(value) !== null);
  return isNumber ? 'number' : 'text';
}

/** The table's initial chart, with the kinds of its columns; null for none. */
export function guessChart(table) {
  const kinds = table.columns.map((_, at) => kindOf(table, at));
  const chart = chartFor(kinds);
  return chart === null ? null : { ...chart, kinds };
}

const mostBars = 60;
const mostPoints = 5000;

/** @returns `{ points: [{ x, y, label }], leftOut }`; bars in row order, otherwise sorted by x. */
export function chartPoints({ rows }, { shape, x, y }) {
  const placeOf = { bar: (_, at) => at, line: timeOf, points: numberOf }[shape];
  const placed = rows
    .map((row, at) => ({ x: placeOf(row[x], at), y: numberOf(row[y]), label: textOf(row[x]) }))
    .filter((point) => point.x !== null && point.y !== null);
  if (shape !== 'bar') placed.sort((a, b) => a.x - b.x);
  const points = placed.slice(0, shape === 'bar' ? mostBars : mostPoints);
  return { points, leftOut: rows.length - points.length };
}
