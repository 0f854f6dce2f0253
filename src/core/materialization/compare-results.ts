/** Two results of one query, inline and from its stored table: whether they are the same, and else how they differ. */
import { ServiceError } from '../../domain/errors.ts';
import { OverrunError } from '../../domain/execution-origin.ts';
import type { EngineStatement, RowDifference, RowDigest } from '../../engine/query-engine.ts';
import { uuidv7 } from '../../lib/ids.ts';
import type { CoreDeps } from '../deps.ts';
import { syncShare } from '../limits/admission.ts';

export interface Compared {
  readonly inline: EngineStatement;
  readonly stored: EngineStatement;
  readonly signal: AbortSignal;
}

export interface Comparison {
  /** How they differ, in a sentence without its end; null when they do not, or nobody could say within the limits. */
  readonly difference: string | null;
  /** Rows that were read from the source for it. */
  readonly rowsRead: number;
}

/** A query that fails both ways is no difference, and neither is one that the limits of a run stop. */
export async function compareResults(deps: CoreDeps, compared: Compared): Promise<Comparison> {
  const inline = await attempt(deps, compared.inline, compared.signal);
  const stored = await attempt(deps, compared.stored, compared.signal);
  compared.signal.throwIfAborted();
  const rowsRead = inline.kind === 'done' ? inline.value.rowsRead : 0;
  if (inline.kind === 'failed' || stored.kind === 'failed') {
    return { difference: oneFailed(inline, stored), rowsRead };
  }
  const difference = await explain(deps, compared, [inline.value, stored.value]);
  return { difference, rowsRead };
}

async function explain(
  deps: CoreDeps,
  { inline, stored, signal }: Compared,
  [expected, actual]: readonly [RowDigest, RowDigest],
): Promise<string | null> {
  const names = ({ columns }: RowDigest) => columns.map(({ name, type }) => `${name} ${type}`);
  const [columns, storedColumns] = [names(expected).join(', '), names(actual).join(', ')];
  if (columns !== storedColumns) {
    return `the columns are ${columns} inline and ${storedColumns} from the stored table`;
  }
  if (expected.hash === actual.hash && expected.rows === actual.rows) return null;
  const first = { ...inline, queryId: uuidv7(deps.clock.now()), share: syncShare };
  const rows = Math.max(expected.rows, actual.rows);
  const counts = `inline has ${expected.rows} rows and the stored table gives ${actual.rows}`;
  try {
    const found = await deps.engine.difference([first, stored], rows, signal);
    return found === null ? null : inWords(found);
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ServiceError && isOfEngine(error)) throw error;
    return expected.rows === actual.rows ? `${counts}, with other values` : counts;
  }
}

function inWords({ surplus, rows }: RowDifference): string {
  const [expected, actual] = rows.map(shown);
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
  deps: CoreDeps,
  statement: EngineStatement,
  signal: AbortSignal,
): Promise<Attempt> {
  const queryId = uuidv7(deps.clock.now());
  try {
    const named = { ...statement, queryId, share: syncShare };
    return { kind: 'done', value: await deps.engine.digest(named, signal) };
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
const isOfEngine = ({ code }: ServiceError) =>
  /^(engine_unavailable|query_capacity|too_many_concurrent_queries|query_cancelled)$/.test(code);

function oneFailed(inline: Attempt, stored: Attempt): string | null {
  for (const side of [inline, stored]) {
    if (side.kind === 'done' || !(side.error instanceof ServiceError)) continue;
    if (isOfEngine(side.error)) throw side.error;
    if (limits.has(side.error.code)) return null;
  }
  if (inline.kind === 'failed' && stored.kind === 'failed') return null;
  const failed = inline.kind === 'failed' ? inline : stored;
  if (failed.kind === 'done') return null;
  const words = failed.error instanceof Error ? failed.error.message : String(failed.error);
  return `only ${failed === inline ? 'the query itself' : 'the read of the stored table'} fails: ${words}`;
}
