/** Compares the results of a query inline and from its stored table, and describes differences. */
import type { EngineStatement, RowDifference, RowDigest } from '../../engine/query-engine.ts';
import type { ResultShape } from '../../engine/result-shape.ts';
import { ServiceError } from '../../errors/service-error.ts';
import type { MaterializationDeps } from '../deps.ts';
import {
  areConclusive,
  type ComparedSides,
  digest,
  digests,
  named,
  namesOf,
} from './result-digests.ts';
import { exposeTies } from './tied-rows.ts';

export interface ComparisonInput extends ComparedSides {
  /** Shape of the stored read's result. */
  readonly storedShape: ResultShape;
  /** Whether the variables' values occur in the data. */
  readonly isOfData: boolean;
  /** Whether few rows are expected. */
  readonly isSmall?: boolean;
  /** Variants of the query whose numbers have the magnitude of the summed values. */
  readonly magnitudes?: readonly EngineStatement[] | undefined;
}

type Failed =
  /** A sentence without its full stop. */
  | { readonly kind: 'different'; readonly how: string }
  /** Both failed, or one exceeded a limit. */
  | { readonly kind: 'unknown'; readonly error: unknown; readonly isLimit: boolean };

type ComparisonResult = (Failed | { readonly kind: 'same'; readonly rows: number }) & {
  /** Rows read from the source. */
  readonly rowsRead: number;
};

/** In larger results, only the order by selected sort keys is compared. */
const maxInOrder = 1_000_000;

export async function compareResults(
  deps: MaterializationDeps,
  compared: ComparisonInput,
): Promise<ComparisonResult> {
  const quick = compared.isSmall === true ? await digests(deps, compared, true) : null;
  const [inline, stored] =
    quick !== null && areConclusive(quick) ? quick : await digests(deps, compared, false);
  const rowsRead = inline.status === 'fulfilled' ? inline.value.rowsRead : 0;
  if (inline.status === 'rejected' || stored.status === 'rejected') {
    return { rowsRead, ...judgeFailure(inline, stored, compared) };
  }
  const how =
    (await describeMismatch(deps, compared, [inline.value, stored.value])) ??
    leavesOrderOpen(compared);
  if (how !== null) {
    const hint = compared.shape.hasInnerCut ? innerTies : '';
    return { rowsRead, kind: 'different', how: `${how}${hint}` };
  }
  return { rowsRead, kind: 'same', rows: inline.value.rows };
}

/**
 * Whether the stored rows are rows of the query or of one of its variants, whose numbers differ in their last digits,
 * and their number is within the variants' row counts.
 */
export async function isAmongVariants(
  deps: MaterializationDeps,
  compared: ComparisonInput,
  variants: readonly EngineStatement[],
): Promise<boolean> {
  const { inline, stored, shape } = compared;
  const { rows, columns } = await digest(deps, compared, { ...stored, inOrder: null });
  if (rows > maxInOrder) return false;
  const counts: number[] = [];
  for (const statement of [inline, ...variants]) {
    counts.push((await digest(deps, compared, { ...statement, inOrder: null })).rows);
  }
  if (rows < Math.min(...counts) || rows > Math.max(...counts)) return false;
  const rowsOf = { ...compared, magnitudes: undefined };
  const size = { width: columns.length, rows };
  // The same rows in another order can only be explained by ties of ORDER BY.
  const isOrdered = shape.keys.length > 0;
  if (isOrdered && (await areAllAmong(deps, rowsOf, { ...size, sides: [inline] }))) return false;
  return areAllAmong(deps, compared, { ...size, sides: [inline, ...variants] });
}

/** Whether each stored row occurs in one of the sides. */
async function areAllAmong(
  deps: MaterializationDeps,
  { inline, stored, shape, signal, partOf, magnitudes }: ComparisonInput,
  { sides, ...size }: Size & { readonly sides: readonly EngineStatement[] },
): Promise<boolean> {
  const all = sides.map(({ sql }) => `SELECT * FROM (\n${sql}\n)`).join(' UNION ALL ');
  const expected = named(deps, partOf({ ...inline, sql: all }));
  const { precisions } = shape;
  const rows = { ...size, expected, actual: partOf(stored), precisions, magnitudes };
  const part = { offset: 0 };
  return (await deps.engine.difference({ ...rows, keys: null, part }, signal)) === null;
}

/** Only the outermost limit is known to return any of the tied rows. */
const innerTies =
  '; a LIMIT of a subquery or of a part of the UNION may take other tied rows at every run, so add columns to its ORDER BY until no two rows are equal';

/** Counts the rows of the compared part. */
export async function countRows(
  deps: MaterializationDeps,
  compared: ComparisonInput,
  statement: EngineStatement,
): Promise<number> {
  return (await digest(deps, compared, { ...statement, inOrder: null })).rows;
}

/** A read without ORDER BY may have returned the right order by chance. */
function leavesOrderOpen({ shape, storedShape }: ComparisonInput): string | null {
  const isOpen = storedShape.isOneSelect && storedShape.keys.length === 0;
  return shape.keys.length > 0 && isOpen ? 'the read of the stored table has no ORDER BY' : null;
}

async function describeMismatch(
  deps: MaterializationDeps,
  compared: ComparisonInput,
  [expected, actual]: readonly [RowDigest, RowDigest],
): Promise<string | null> {
  const [columns, storedColumns] = [namesOf(expected), namesOf(actual)];
  if (columns !== storedColumns) {
    return `the columns are ${columns} inline and ${storedColumns} from the stored table`;
  }
  const isSame = expected.hash === actual.hash && expected.rows === actual.rows;
  if (isSame && expected.sequence === actual.sequence) return null;
  const counts = `inline has ${expected.rows} rows and the stored table gives ${actual.rows}`;
  const isOrder = isSame ? ', in another order' : ', with other values';
  const width = expected.columns.length;
  const rows = Math.max(expected.rows, actual.rows);
  try {
    if (expected.rows !== actual.rows) {
      return (await findExample(deps, compared, { width, rows })) ?? counts;
    }
    return await findUnexplained(deps, compared, { width, rows, isSame });
  } catch (error) {
    compared.signal.throwIfAborted();
    if (error instanceof ServiceError && isEngineFailure(error)) throw error;
    return `${counts}${expected.rows === actual.rows ? isOrder : ''}`;
  }
}

interface Size {
  readonly width: number;
  readonly rows: number;
}

/**
 * A row that one side has more often; null if both have the same rows. Rows that differ only in floats are shown side
 * by side, even if nothing explains the difference.
 */
async function findExample(
  deps: MaterializationDeps,
  { inline, stored, shape, partOf, signal }: ComparisonInput,
  size: Size,
): Promise<string | null> {
  const actual = partOf(stored);
  const sums = Array.from({ length: size.width }, () => 'sum' as const);
  for (const precisions of [sums, shape.precisions]) {
    const expected = named(deps, partOf(inline));
    const rows = { ...size, expected, actual, precisions, keys: null, part: null };
    const found = await deps.engine.difference(rows, signal);
    if (found !== null) return describeDifference(found);
  }
  return null;
}

/** Null if the query leaves the difference undefined or the order of float additions explains it. */
async function findUnexplained(
  deps: MaterializationDeps,
  compared: ComparisonInput,
  { isSame, ...size }: Size & { readonly isSame: boolean },
): Promise<string | null> {
  const { shape } = compared;
  const isOrdered = shape.keys.length > 0;
  const isLarge = size.rows > maxInOrder;
  if (shape.cut === null && (!isOrdered || isLarge)) {
    const example = isSame ? null : await findExample(deps, compared, size);
    if (example !== null) return example;
    const isExact = shape.precisions.every((precision) => precision === 'bits');
    if (!isSame && isExact) return 'some of the rows have other values';
    return isOrdered ? findOrderDifference(deps, compared, size) : null;
  }
  const found = await findImpossibleRow(deps, compared, size);
  return found === null ? null : describeDifference(found, isSame);
}

/** A row of the stored table that the query cannot return at its position. */
export async function findImpossibleRow(
  deps: MaterializationDeps,
  { inline, stored, shape, partOf, signal }: ComparisonInput,
  size: Size,
): Promise<RowDifference | null> {
  const { sql, ...ties } = await exposeTies(deps, inline, { shape, width: size.width });
  const expected = named(deps, partOf({ ...inline, sql }));
  const rows = { ...size, expected, actual: partOf(stored), ...ties };
  return deps.engine.difference(rows, signal);
}

/** Compares the order by those selected sort keys that are not floats. */
async function findOrderDifference(
  deps: MaterializationDeps,
  compared: ComparisonInput,
  { rows }: Size,
): Promise<string | null> {
  const { inline, shape, stored } = compared;
  const columns = await deps.engine.describe(inline);
  const isFloat = (at: number) => /Float/.test(columns[at]?.type ?? '');
  const inOrder = shape.keys.flatMap((key) => (key === null || isFloat(key) ? [] : key));
  if (inOrder.length === 0) return null;
  const expected = await digest(deps, compared, { ...inline, inOrder });
  const actual = await digest(deps, compared, { ...stored, inOrder });
  if (expected.sequence === actual.sequence) return null;
  return `both have ${rows} rows, in another order by ${inOrder.map((at) => columns[at]?.name ?? '').join(', ')}`;
}

function describeDifference({ surplus, rows }: RowDifference, isOrder = false): string {
  const [expected, actual] = rows.map(abbreviated);
  if (rows[0].length === 0) return 'some of the rows have other floating point numbers';
  if (isOrder) {
    return `the rows are the same, but not in the same order, as of ${surplus > 0 ? expected : actual}`;
  }
  if (surplus === 0) return `inline has ${expected} where the stored table gives ${actual}`;
  const rowsMore = Math.abs(surplus) === 1 ? 'one more row' : `${Math.abs(surplus)} more rows`;
  return surplus > 0
    ? `inline has ${rowsMore} ${expected} than the stored table`
    : `the stored table gives ${rowsMore} ${actual} than inline`;
}

function abbreviated(row: readonly unknown[]): string {
  const text = JSON.stringify(row);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

export const isLimitError = ({ code }: ServiceError) =>
  /^query_(timeout|memory_limit|too_large)$/.test(code);

/** Failures of an unavailable or overloaded engine are no evidence about the rows. */
export const isEngineFailure = ({ code }: ServiceError) =>
  /^(engine_unavailable|query_capacity|too_many_concurrent_queries|query_cancelled)$/.test(code);

/** For values that no row has, whether a query fails may depend on the order in which predicates are evaluated. */
function judgeFailure(
  inline: PromiseSettledResult<unknown>,
  stored: PromiseSettledResult<unknown>,
  { isOfData }: ComparisonInput,
): Failed {
  const errors: unknown[] = [inline, stored].flatMap((side) =>
    side.status === 'rejected' ? [side.reason] : [],
  );
  for (const error of errors) {
    if (!(error instanceof ServiceError)) continue;
    if (isEngineFailure(error)) throw error;
    if (isLimitError(error)) return { kind: 'unknown', error, isLimit: true };
  }
  const [error] = errors;
  if (errors.length > 1 || !isOfData) return { kind: 'unknown', error, isLimit: false };
  const message = error instanceof Error ? error.message : String(error);
  const side = inline.status === 'rejected' ? 'the query itself' : 'the read of the stored table';
  return { kind: 'different', how: `only ${side} fails: ${message.replace(/\.$/, '')}` };
}
