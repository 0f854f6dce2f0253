/** Two results of one query, inline and from its stored table: whether they are the same, and else how they differ. */
import { syncShare } from '../../access/admission/admission.ts';
import { OverrunError } from '../../engine/execution-origin.ts';
import type {
  EngineStatement,
  NamedStatement,
  ResultShape,
  RowDifference,
  RowDigest,
} from '../../engine/query-engine.ts';
import { ServiceError } from '../../errors/service-error.ts';
import { uuidv7 } from '../../lib/ids.ts';
import type { MaterializationDeps } from '../deps.ts';
import type { GroupSample } from './sample-groups.ts';
import { exposeTies } from './tied-rows.ts';

export interface ComparisonInput {
  readonly inline: EngineStatement;
  readonly stored: EngineStatement;
  /** Of the query itself. */
  readonly shape: ResultShape;
  /** Of the read of its stored table. */
  readonly storedShape: ResultShape;
  /** Leaves the part of both results that is compared. */
  readonly partOf: GroupSample;
  /** Whether the values of the variables stand in the data. */
  readonly isOfData: boolean;
  readonly signal: AbortSignal;
}

export type ComparisonResult = {
  /** Rows that were read from the source for it. */
  readonly rowsRead: number;
} & (
  | { readonly kind: 'same'; readonly rows: number }
  /** How they differ, in a sentence without its end. */
  | { readonly kind: 'different'; readonly how: string }
  /** Both failed, or one was stopped by a limit: nobody knows. */
  | { readonly kind: 'unknown'; readonly error: unknown; readonly isLimit: boolean }
);

/** Rows of which the order is told in full; of more the values that are both sorted by and selected. */
const maxInOrder = 1_000_000;

export async function compareResults(
  deps: MaterializationDeps,
  compared: ComparisonInput,
): Promise<ComparisonResult> {
  const inOrder = compared.shape.keys.length > 0 ? 'all' : null;
  const inline = await attempt(deps, compared, { side: 'inline', inOrder });
  const stored = await attempt(deps, compared, { side: 'stored', inOrder });
  compared.signal.throwIfAborted();
  const rowsRead = inline.kind === 'done' ? inline.value.rowsRead : 0;
  if (inline.kind === 'failed' || stored.kind === 'failed') {
    return { rowsRead, ...judgeFailure(inline, stored, compared) };
  }
  const how =
    (await describeMismatch(deps, compared, [inline.value, stored.value])) ??
    leavesOrderOpen(compared);
  if (how !== null) return { rowsRead, kind: 'different', how };
  return { rowsRead, kind: 'same', rows: inline.value.rows };
}

/** Rows may come in their order by chance. */
function leavesOrderOpen({ shape, storedShape }: ComparisonInput): string | null {
  const isOpen = storedShape.isOneSelect && storedShape.keys.length === 0;
  return shape.keys.length > 0 && isOpen ? 'the read of the stored table has no ORDER BY' : null;
}

async function describeMismatch(
  deps: MaterializationDeps,
  compared: ComparisonInput,
  [expected, actual]: readonly [RowDigest, RowDigest],
): Promise<string | null> {
  const names = ({ columns }: RowDigest) => columns.map(({ name, type }) => `${name} ${type}`);
  const [columns, storedColumns] = [names(expected).join(', '), names(actual).join(', ')];
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
 * A row that one side has more often; null when they have the same rows. Rows that are equal but for floating point
 * numbers are shown beside each other, also where nothing explains these.
 */
async function findExample(
  deps: MaterializationDeps,
  { inline, stored, shape, partOf, signal }: ComparisonInput,
  size: Size,
): Promise<string | null> {
  const rows = {
    ...size,
    actual: { ...stored, ...partOf(stored) },
    keys: null,
    part: null,
  };
  for (const isTolerant of shape.isAggregated ? [true] : [true, false]) {
    const expected = named(deps, { ...inline, ...partOf(inline) });
    const found = await deps.engine.difference({ ...rows, expected, isTolerant }, signal);
    if (found !== null) return describeDifference(found);
  }
  return null;
}

/** Null when the query leaves open in what they differ, or the order of adding up explains it. */
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
    if (!isSame && !shape.isAggregated) return 'some of the rows have other values';
    return isOrdered ? findOrderDifference(deps, compared, size) : null;
  }
  const found = await findImpossibleRow(deps, compared, size);
  return found === null ? null : describeDifference(found, isSame);
}

/** A row of the stored table that the query does not give at its place. */
export async function findImpossibleRow(
  deps: MaterializationDeps,
  { inline, stored, shape, partOf, signal }: ComparisonInput,
  size: Size,
): Promise<RowDifference | null> {
  const { sql, keys, part } = await exposeTies(deps, inline, { shape, width: size.width });
  return deps.engine.difference(
    {
      ...size,
      expected: named(deps, { ...inline, ...partOf({ ...inline, sql }) }),
      actual: { ...stored, ...partOf(stored) },
      isTolerant: shape.isAggregated,
      keys,
      part,
    },
    signal,
  );
}

/** By the values that rows are sorted by, as far as they are selected and no floating point numbers. */
async function findOrderDifference(
  deps: MaterializationDeps,
  compared: ComparisonInput,
  { rows }: Size,
): Promise<string | null> {
  const { inline, shape, stored, partOf, signal } = compared;
  const columns = await deps.engine.describe(inline);
  const isFloat = (at: number) => /Float/.test(columns[at]?.type ?? '');
  const inOrder = shape.keys.flatMap((key) => (key === null || isFloat(key) ? [] : key));
  if (inOrder.length === 0) return null;
  const sequenceOf = async (statement: EngineStatement) => {
    const asked = named(deps, { ...statement, ...partOf(statement) });
    return (await deps.engine.digest({ ...asked, inOrder }, signal)).sequence;
  };
  if ((await sequenceOf(inline)) === (await sequenceOf(stored))) return null;
  return `both have ${rows} rows, in another order by ${inOrder.map((at) => columns[at]?.name ?? '').join(', ')}`;
}

function named(deps: MaterializationDeps, statement: EngineStatement): NamedStatement {
  return { ...statement, queryId: uuidv7(deps.clock.now()), share: syncShare };
}

function describeDifference({ surplus, rows }: RowDifference, isOrder = false): string {
  const [expected, actual] = rows.map(shown);
  if (rows[0].length === 0) return 'some of the rows have other floating point numbers';
  if (isOrder)
    return `the rows are the same, but not in the same order, as of ${surplus > 0 ? expected : actual}`;
  if (surplus === 0) return `inline has ${expected} where the stored table gives ${actual}`;
  const times = Math.abs(surplus) === 1 ? 'once' : `${Math.abs(surplus)} times`;
  return surplus > 0
    ? `inline has ${expected} ${times} more than the stored table`
    : `the stored table gives ${actual} ${times} more than inline has it`;
}

function shown(row: readonly unknown[]): string {
  const text = JSON.stringify(row);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}

type Attempt =
  | { readonly kind: 'done'; readonly value: RowDigest }
  | { readonly kind: 'failed'; readonly error: unknown };

async function attempt(
  deps: MaterializationDeps,
  compared: ComparisonInput,
  { side, inOrder }: { readonly side: 'inline' | 'stored'; readonly inOrder: 'all' | null },
): Promise<Attempt> {
  const statement = compared[side];
  const asked = named(deps, { ...statement, ...compared.partOf(statement) });
  try {
    return {
      kind: 'done',
      value: await deps.engine.digest({ ...asked, inOrder }, compared.signal),
    };
  } catch (error) {
    if (error instanceof OverrunError) throw error;
    return { kind: 'failed', error };
  }
}

const limits: ReadonlySet<string> = new Set([
  'query_timeout',
  'query_memory_limit',
  'query_too_large',
]);

/** An engine that is away or full says nothing about the rows. */
const isEngineFailure = ({ code }: ServiceError) =>
  /^(engine_unavailable|query_capacity|too_many_concurrent_queries|query_cancelled)$/.test(code);

type Judged =
  | { readonly kind: 'different'; readonly how: string }
  | { readonly kind: 'unknown'; readonly error: unknown; readonly isLimit: boolean };

/** What fails for values that no row has may fail or not by which of its conditions is looked at first. */
function judgeFailure(inline: Attempt, stored: Attempt, { isOfData }: ComparisonInput): Judged {
  const errors = [inline, stored].flatMap((side) => (side.kind === 'failed' ? [side.error] : []));
  for (const error of errors) {
    if (!(error instanceof ServiceError)) continue;
    if (isEngineFailure(error)) throw error;
    if (limits.has(error.code)) return { kind: 'unknown', error, isLimit: true };
  }
  const [error] = errors;
  if (errors.length > 1 || !isOfData) return { kind: 'unknown', error, isLimit: false };
  const words = error instanceof Error ? error.message : String(error);
  const failed = inline.kind === 'failed' ? 'the query itself' : 'the read of the stored table';
  return { kind: 'different', how: `only ${failed} fails: ${words.replace(/\.$/, '')}` };
}
