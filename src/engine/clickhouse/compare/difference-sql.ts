/** Statements that make the engine compare two results of any size. Pure. */
import type { Column, ComparedResults } from '../../query-engine.ts';
import type { FloatPrecision } from '../../result-shape.ts';
import { type Parts, splitFloats } from './float-parts.ts';

/**
 * The engine resolves `t.*` in a subquery to a tuple, or an array of tuples, called `t` of any enclosing query instead
 * of the table. So what may be one has a name that no table has.
 */
const row = 'querydock_row';
/** The numbers of a row, and those of the rows of each side. */
const numbersName = 'querydock_numbers';
const [ofFirst, ofSecond] = ['querydock_numbers1', 'querydock_numbers2'];
/** The keys of a row that are floating point numbers, and those of the row before. */
const [keyNumbers, keyNumbersBefore] = ['querydock_keys', 'querydock_keys0'];
/** The generated name of a column by its position. */
const nameAt = (at: number) => `querydock_column${at}`;
const valueAt = (at: number) => `tupleElement(${row}, ${at + 1})`;

/**
 * The columns of a statement under generated names, so that none clashes with its own names. A list of names after the
 * subquery would rename them too, but the engine then drops an INTERPOLATE.
 */
function renamed(statement: string, width: number, before = ''): string {
  const columns = Array.from({ length: width }, (_none, at) => `${valueAt(at)} AS ${nameAt(at)}`);
  const limit = before === positioned ? keepOrder : '';
  return `SELECT ${before}${columns.join(', ')} FROM (SELECT tuple(*) AS ${row} FROM (\n${statement}\n)${limit})`;
}

const positioned = 'rowNumberInAllBlocks() AS p, ';
/** Without a LIMIT the engine may ignore the order of a subquery. */
const keepOrder = ' LIMIT 9223372036854775807';

/**
 * @param statement one SELECT.
 * @param inOrder columns whose order of values is part of the digest; null for none.
 */
export function digestSql(statement: string, inOrder: 'all' | readonly number[] | null): string {
  const ordered = inOrder === 'all' ? 'h' : 'k';
  const key =
    inOrder === null || inOrder === 'all'
      ? ''
      : `, sipHash64(tuple(${['0', ...inOrder.map(valueAt)].join(', ')})) AS k`;
  // A tuple, because the hash of NULL alone is NULL, which a sum ignores.
  const hashes = `sipHash64(${row}) AS h${key}`;
  const rows = `SELECT tuple(*) AS ${row} FROM (\n${statement}\n)`;
  const sums = 'toString(count()), toString(sum(h)), toString(groupBitXor(h))';
  if (inOrder === null) return `SELECT ${sums}, '' FROM (SELECT ${hashes} FROM (${rows}))`;
  return `SELECT ${sums}, toString(sum(sipHash64(p, ${ordered}))) FROM (SELECT ${positioned}${hashes} FROM (${rows}${keepOrder}))`;
}

/** Relative difference between numbers that were summed in a different order. */
const TOLERANCE = 1e-9;
/** Share of the largest value in the column, for sums that cancel out except for the last digits. */
const NEARLY_ZERO = 1e-13;
/** Above this number of rows, numbers are compared in sums over groups of rows. */
export const ROWS_AT_ONCE = 1_000_000;

export interface DifferenceRequest extends Omit<ComparedResults, 'expected' | 'actual'> {
  /** SQL statements. The second has the columns of the first, without those that only sort its rows. */
  readonly sides: readonly [string, string];
  /** Columns of the first side. */
  readonly columns: readonly Column[];
  /** The largest number of each column; null when not yet determined. */
  readonly scales: readonly number[] | null;
}

function namesOf({ width }: Pick<DifferenceRequest, 'width'>): readonly string[] {
  return Array.from({ length: width }, (_none, at) => nameAt(at));
}

/**
 * The rows that one side has more often, and those whose floating point numbers differ by more than is tolerated; at
 * most one. Its columns: by how much the first side has more, the row of the first side, the row of the second.
 */
export function differenceSql(request: DifferenceRequest): string {
  const { columns, precisions, scales, part } = request;
  const names = namesOf(request);
  const parts = names.map(
    (name, at): Parts =>
      (precisions[at] ?? 'bits') === 'bits'
        ? { exact: name, floats: null }
        : splitFloats(columns[at]?.type ?? '', name),
  );
  const exact = ['0', ...parts.flatMap((each) => each.exact ?? [])].join(', ');
  const numbers = parts.flatMap(({ floats }, at) =>
    floats === null ? [] : withBounds(floats, precisions[at], scales?.[at] ?? 0),
  );
  const vectors = numbers.length === 0 ? null : `arrayConcat(${numbers.join(', ')})`;
  const anyOf = (side: number) => names.map((name) => `anyIf(${name}, s = ${side})`).join(', ');
  const side = (sign: number) =>
    vectors === null ? '' : `, ${sortedVectors(sign)} AS ${sign > 0 ? ofFirst : ofSecond}`;
  const grouped = `SELECT countIf(s = 1) AS m, countIf(s = -1) AS n, ${anyOf(1)}, ${anyOf(-1)}${side(1)}${side(-1)} FROM (SELECT *${vectors === null ? '' : `, ${vectors} AS ${numbersName}`} FROM (${united(request)})) GROUP BY g, sipHash128(tuple(${exact}))`;
  const isDifferent = [
    part === null ? 'm != n' : 'n > m',
    ...(vectors === null
      ? []
      : [`NOT ${part === null ? arePaired : `if(m = n, ${arePaired}, ${areAmong})`}`]),
  ].join(' OR ');
  const shown = Array.from({ length: 2 * request.width }, (_none, at) => valueAt(at + 2));
  return `SELECT if(${part === null ? 'true' : 'n > m'}, toInt64(m) - toInt64(n), 0) AS d, ${shown.join(', ')} FROM (SELECT tuple(*) AS ${row}, m, n${vectors === null ? '' : `, ${ofFirst}, ${ofSecond}`} FROM (${grouped})) WHERE ${isDifferent} ORDER BY d DESC LIMIT 1`;
}

/** The numbers of each row of a side, sorted so that rows with nearly equal ones have the same position on both sides. */
function sortedVectors(sign: number): string {
  return `arraySort(v -> (arrayMap(x -> toFloat32(tupleElement(x, 1)), v), v), groupArrayIf(${numbersName}, s = ${sign}))`;
}

/**
 * Pairs each number with its absolute and relative tolerance.
 *
 * @param scale the largest number of the column.
 */
function withBounds(floats: string, precision: FloatPrecision | undefined, scale: number): string {
  const isSum = precision === 'sum';
  const bounds = isSum ? [scale * NEARLY_ZERO, TOLERANCE] : [0, 0];
  return `arrayMap(x -> (x, ${bounds.map((bound) => `toFloat64(${bound})`).join(', ')}), ${floats})`;
}

/** Each number and its counterpart are equal, both NaN, or finite and close to each other. */
function areNear(first: string, second: string): string {
  const [a, b] = ['tupleElement(x, 1)', 'tupleElement(y, 1)'];
  const bound = `tupleElement(x, 3) * greatest(abs(${a}), abs(${b})) + tupleElement(x, 2)`;
  return `arrayAll((x, y) -> (${a} = ${b} OR (isNaN(${a}) AND isNaN(${b})) OR (isFinite(${a}) AND isFinite(${b}) AND abs(${a} - ${b}) <= ${bound})), ${first}, ${second})`;
}

const flat = (vectors: string) => `arrayFlatten(${vectors})`;
const arePaired = areNear(
  flat(ofFirst),
  `arrayResize(${flat(ofSecond)}, length(${flat(ofFirst)}))`,
);
const nearTo = (vectors: string) => `arrayCount(a -> ${areNear('a', 'b')}, ${vectors})`;
/** Each row of the second side is close to at least as many rows of the first as of the second. */
const areAmong = `arrayAll(b -> ${nearTo(ofFirst)} >= ${nearTo(ofSecond)}, ${ofSecond})`;

/** The rows of both sides with their side `s` and `g`, which is equal for interchangeable rows. */
function united(request: DifferenceRequest): string {
  const { sides, width, keys, part } = request;
  const names = namesOf(request).join(', ');
  if (part !== null && 'positions' in part) return chosen(request, part.positions);
  if (keys === null) {
    const [first, second] = sides.map((side, at) =>
      renamed(side, width, `toInt8(${1 - 2 * at}) AS s, 0 AS g, `),
    );
    return `${first} UNION ALL ${second}`;
  }
  const first = `SELECT toInt8(1) AS s, p AS place, run, ${names} FROM (${runsOfKeys(request, keys)})`;
  const numbered = renamed(sides[1], width, positioned);
  const second = `SELECT toInt8(-1) AS s, p + ${part?.offset ?? 0} AS place, toUInt64(0) AS run, ${names} FROM (${numbered})`;
  return `SELECT s, max(run) OVER (PARTITION BY place) AS g, ${names} FROM (${first} UNION ALL ${second})`;
}

/** All rows of the first side by their keys, and the rows of the second with the keys found at their positions. */
function chosen(request: DifferenceRequest, positions: string): string {
  const { sides, columns, width } = request;
  const names = namesOf(request).join(', ');
  const key = keyHash(request);
  const given = renamed(sides[1], width, positioned);
  const placed = renamed(positions, columns.length, positioned);
  // Only rows with these keys matter. Run twice, the second side could give other tied rows, but no other keys.
  const all = `SELECT toInt8(1) AS s, ${key} AS g, ${names} FROM (${renamed(sides[0], columns.length)}) WHERE g IN (SELECT ${key} FROM (${placed}))`;
  const keyed = `SELECT toInt8(0) AS s, p, ${key} AS k, ${names} FROM (${placed})`;
  const both = `${keyed} UNION ALL SELECT toInt8(-1) AS s, p, toUInt64(0) AS k, ${names} FROM (${given})`;
  const taken = `SELECT s, max(k) OVER (PARTITION BY p) AS g, ${names} FROM (${both})`;
  return `${all} UNION ALL SELECT s, g, ${names} FROM (${taken}) WHERE s = -1`;
}

/** Equal for keys that ORDER BY treats as equal. Leaves out numbers that differ slightly each time they are added up. */
function keyHash({ columns, keys, precisions }: DifferenceRequest): string {
  const parts = (keys ?? []).map((at) => ({
    ...splitFloats(columns[at]?.type ?? '', nameAt(at)),
    precision: precisions[at],
  }));
  const values = parts.flatMap(({ exact, floats, precision }) => [
    ...(exact === null ? [] : [exact]),
    ...(floats === null || precision === 'sum' ? [] : [plainNumbers(floats)]),
  ]);
  return `sipHash64(tuple(${['0', ...values].join(', ')}))`;
}

/** Consecutive rows with the same keys share a number `run`. */
function runsOfKeys(
  { sides, columns, precisions }: DifferenceRequest,
  keys: readonly number[],
): string {
  const parts = keys.map((at) => splitFloats(columns[at]?.type ?? '', nameAt(at)));
  const exact = ['0', ...parts.flatMap((each) => each.exact ?? [])].join(', ');
  const floats = parts.flatMap((each, at) =>
    each.floats === null ? [] : withBounds(each.floats, precisions[keys[at] ?? -1], 0),
  );
  const none = 'emptyArrayFloat64()';
  const list =
    floats.length === 0 ? withBounds(none, 'bits', 0) : `arrayConcat(${floats.join(', ')})`;
  const numbered = renamed(sides[0], columns.length, positioned);
  const previous = 'OVER (ORDER BY p ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)';
  const keyed = `SELECT *, sipHash128(tuple(${exact})) AS k, ${list} AS ${keyNumbers} FROM (${numbered})`;
  const beside = `SELECT *, lagInFrame(k) ${previous} AS k0, lagInFrame(${keyNumbers}) ${previous} AS ${keyNumbersBefore} FROM (${keyed})`;
  const begins = `p = 0 OR k != k0 OR NOT ${areNear(keyNumbers, `arrayResize(${keyNumbersBefore}, length(${keyNumbers}))`)}`;
  return `SELECT *, sum(b) OVER (ORDER BY p ROWS BETWEEN UNBOUNDED PRECEDING AND CURRENT ROW) AS run FROM (SELECT *, toUInt8(${begins}) AS b FROM (${beside}))`;
}

/** The largest finite absolute value of each of the first columns. */
export function scalesSql(statement: string, columns: readonly Column[], width: number): string {
  const largest = columns.slice(0, width).map(({ type }, at) => {
    const { floats } = splitFloats(type, nameAt(at));
    if (floats === null) return '0.';
    return `max(arrayMax(arrayConcat([0.], arrayMap(x -> if(isFinite(x), abs(x), 0.), ${floats}))))`;
  });
  return `SELECT ${largest.join(', ')} FROM (${renamed(statement, width)})`;
}

/**
 * The same for very large results, compared in groups of rows. Its single column is the number of groups that differ.
 */
export function coarseDifferenceSql(request: DifferenceRequest): string {
  const { sides, width } = request;
  const parts = coarseParts(request);
  const numbers = parts.flatMap(({ floats }) => floats ?? []);
  const kinds = numbers.map(
    (list) => `arrayMap(x -> multiIf(isNaN(x), 1, isFinite(x), 0, x > 0, 2, 3), ${list})`,
  );
  const exact = ['0', ...parts.flatMap((each) => each.exact ?? []), ...kinds].join(', ');
  const weight = '(1 + (h % 1021) / 1021 + (i % 61) / 61)';
  const sums = numbers.map(
    (list, at) =>
      `arraySum((x, i) -> if(isFinite(x), x, 0.) * ${weight}, ${list}, arrayEnumerate(${list})) AS x${at}, arraySum(x -> if(isFinite(x), abs(x), 0.), ${list}) AS y${at}`,
  );
  const hashed = sides.map(
    (side, at) =>
      `SELECT toInt8(${1 - 2 * at}) AS s, h, ${sums.join(', ')} FROM (SELECT *, sipHash64(tuple(${exact})) AS h FROM (${renamed(side, width)}))`,
  );
  const far = numbers.map((_list, at) => `abs(sum(s * x${at})) > ${TOLERANCE} * sum(y${at})`);
  const differ = [
    'sum(s) != 0',
    'sumIf(h, s = 1) != sumIf(h, s = -1)',
    'groupBitXor(sipHash64(h)) != 0',
    ...far,
  ].join(' OR ');
  return `SELECT count() FROM (SELECT h % ${ROWS_AT_ONCE} FROM (${hashed.join(' UNION ALL ')}) GROUP BY h % ${ROWS_AT_ONCE} HAVING ${differ})`;
}

/** Numbers that are not sums are exact except for the sign of zero and the kind of NaN. */
function coarseParts({ columns, width, precisions }: DifferenceRequest): readonly Parts[] {
  return columns.slice(0, width).map(({ type }, at): Parts => {
    const precision = precisions[at] ?? 'bits';
    if (precision === 'bits') return { exact: nameAt(at), floats: null };
    const { exact, floats } = splitFloats(type, nameAt(at));
    if (precision === 'sum' || floats === null) return { exact, floats };
    const numbers = plainNumbers(floats);
    return { exact: exact === null ? numbers : `tuple(${exact}, ${numbers})`, floats: null };
  });
}

/** Maps every NaN to one NaN, and -0 to 0. */
function plainNumbers(floats: string): string {
  return `arrayMap(x -> if(isNaN(x), nan, x + 0.), ${floats})`;
}
