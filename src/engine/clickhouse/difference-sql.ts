/** The texts by which the engine compares two results itself, whatever their size. Pure. */
import { parseClickHouseType, withoutWrappers } from '../../domain/clickhouse-type.ts';
import type { Column } from '../query-engine.ts';

/** @param statement one SELECT; its rows may come in any order. */
export function digestSql(statement: string): string {
  // A tuple, because the hash of NULL alone is NULL, and a sum leaves that out.
  return `SELECT toString(count()), toString(sum(h)), toString(groupBitXor(h)) FROM (SELECT sipHash64(tuple(*)) AS h FROM (\n${statement}\n))`;
}

const FLOAT = /\bB?Float\d+\b/;
/** Of the sum, and of the sum of squares, of what stands in rows that are equal otherwise. */
const TOLERANCE = 1e-9;
/** For what should cancel out and does so but for the last digits. */
const NEARLY_ZERO = 1e-12;
/** Rows of which one group is kept in memory. */
const ROWS_AT_ONCE = 1_000_000;

function hasFloats(columns: readonly Column[]): boolean {
  return columns.some(({ type }) => FLOAT.test(type));
}

/**
 * The rows that one side has more often, and those whose floating point numbers differ by more than the order of
 * adding them up explains; at most one. Its columns: by how much the first side has more, the row of the first
 * side, the row of the second.
 */
export function differenceSql(
  sides: readonly [string, string],
  columns: readonly Column[],
  rows: number,
): string {
  const names = columns.map((_column, at) => `c${at}`);
  const isKey = (at: number) => !FLOAT.test(columns[at]?.type ?? '');
  const keys = names.filter((_name, at) => isKey(at));
  const row = (side: number) =>
    names.map((name, at) => (isKey(at) ? name : `anyIf(${name}, side = ${side})`)).join(', ');
  const floats = names.filter((_name, at) => isPlainFloat(columns[at]?.type ?? ''));
  const having = ['n != 0', ...floats.map((name) => `NOT (${isNear(name)})`)].join(' OR ');
  const both = sides
    .map(
      (side, at) =>
        `SELECT toInt8(${1 - 2 * at}) AS side, q.* FROM (\n${side}\n) AS q(${names.join(', ')})`,
    )
    .join(' UNION ALL ');
  const slices = hasFloats(columns) ? Math.ceil(rows / ROWS_AT_ONCE) : 1;
  const where =
    slices > 1 && keys.length > 0
      ? ` WHERE sipHash64(tuple(${keys.join(', ')})) % ${slices} = 0`
      : '';
  const groupBy = keys.length === 0 ? '' : ` GROUP BY ${keys.join(', ')}`;
  return `SELECT sum(side) AS n, ${row(1)}, ${row(-1)} FROM (${both})${where}${groupBy} HAVING ${having} ORDER BY n DESC LIMIT 1`;
}

function isPlainFloat(type: string): boolean {
  return FLOAT.test(withoutWrappers(parseClickHouseType(type)).name);
}

/** As many values of each kind, and sums that are equal to nine digits. */
function isNear(name: string): string {
  const x = `toFloat64(ifNull(${name}, 0))`;
  const near = (power: string) =>
    `abs(sumIf(side * ${power}, isFinite(${x}))) <= ${TOLERANCE} * sumIf(abs(${power}), isFinite(${x})) + ${NEARLY_ZERO}`;
  const kinds = [`isNull(${name})`, `isNaN(${x})`, `${x} = inf`, `${x} = -inf`];
  return [near(x), near(`${x} * ${x}`), ...kinds.map((kind) => `sumIf(side, ${kind}) = 0`)].join(
    ' AND ',
  );
}
