import type { EngineResult } from '../../engine/query-engine.ts';

/** Float sums depend on the order in which threads add: 12 digits are the same whatever it was. */
const digits = 12;

/** Rows as texts in an order of their own, so that results whose order nobody asked for are equal. */
function normalize(result: EngineResult): readonly string[] {
  const rows = JSON.parse(result.rows.toString('utf8')) as readonly unknown[];
  return rows.map((row) => JSON.stringify(row, roundNumber)).sort();
}

function roundNumber(_key: string, value: unknown): unknown {
  return typeof value === 'number' ? Number(value.toPrecision(digits)) : value;
}

/** How two results differ, in a sentence; null when they do not. */
export function findDifference(inline: EngineResult, materialized: EngineResult): string | null {
  const names = ({ columns }: EngineResult) => columns.map(({ name, type }) => `${name} ${type}`);
  const [columns, storedColumns] = [names(inline).join(', '), names(materialized).join(', ')];
  if (columns !== storedColumns) {
    return `the columns are ${columns} inline and ${storedColumns} from the stored table`;
  }
  const [expected, actual] = [normalize(inline), normalize(materialized)];
  const known = new Set(actual);
  const missing = expected.find((row) => !known.has(row));
  const there = new Set(expected);
  const extra = actual.find((row) => !there.has(row));
  if (missing !== undefined || extra !== undefined) {
    return `inline has ${shown(missing)} where the stored table gives ${shown(extra)}`;
  }
  if (expected.length === actual.length && expected.every((row, at) => row === actual[at])) {
    return null;
  }
  return `inline has ${expected.length} rows and the stored table gives ${actual.length}, some of them more often`;
}

function shown(row: string | undefined): string {
  if (row === undefined) return 'no such row';
  return row.length > 200 ? `${row.slice(0, 200)}…` : row;
}
