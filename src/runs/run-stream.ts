import type { CachedResult } from '../cache/result-cache.ts';
import type { StreamTotals } from '../engine/query-engine.ts';
import { ServiceError, toServiceError } from '../errors/service-error.ts';
import type { ResultSize } from '../usage/usage-cell.ts';

/** A computed result; one too large to be held in memory is still streaming. */
export interface ComputedResult extends CachedResult {
  readonly large?: LargeResult;
}

/** What callers of the same flight receive. */
export interface FlightResult {
  readonly result: ComputedResult;
  /** Whether another process computed it. */
  readonly isCached: boolean;
}

/** A large result whose rows no caller has taken yet. Only one caller can. */
export interface LargeResult {
  /** Null when another caller has taken them. The signal cancels the stream. */
  take(signal: AbortSignal | undefined): RunStream | null;
  /** Cancels the query if no caller has taken the rows. */
  discard(): void;
}

/** The rows of a run while they are sent. */
export interface RunStream {
  /**
   * Iterate once, or call `return`, which cancels the query. Throws when the query fails; the rows so far are then
   * incomplete.
   */
  readonly chunks: AsyncIterable<Buffer> & AsyncIterator<Buffer, void>;
  /** Whether rows exist past the limit, if that is known before the end. */
  readonly knownHasMore: boolean | null;
  /** The totals after the last row; null before. */
  end(): StreamEnd | null;
  /** What was read so far; after the end, all that was sent. */
  sent(): ResultSize;
  /** Resolves when it ends: `ok` or the code of the failure. Never rejects. */
  readonly outcome: Promise<string>;
}

interface StreamEnd {
  readonly rowCount: number | null;
  readonly hasMore: boolean;
  readonly nextCursor: string | null;
}

/** What a large result is made from. */
export interface StreamSource {
  /** The chunks read so far. */
  readonly head: readonly Buffer[];
  readonly rest: AsyncGenerator<Buffer, void>;
  readonly totals: () => StreamTotals;
  readonly knownHasMore: boolean | null;
  /** Called after the last row. */
  readonly findEnd: (totals: StreamTotals) => Promise<Omit<StreamEnd, 'rowCount'>>;
  /** Cancels the query. */
  readonly cancel: (reason: ServiceError) => void;
  /** Called once, at the end. */
  readonly onEnd: (totals: StreamTotals, failure: ServiceError | null) => void;
}

export function openLargeResult(source: StreamSource): LargeResult {
  let isTaken = false;
  const stream = toRunStream(source);
  return {
    take(signal) {
      if (isTaken) return null;
      isTaken = true;
      const leave = () => void stream.chunks.return?.();
      if (signal?.aborted === true) leave();
      signal?.addEventListener('abort', leave, { once: true });
      void stream.outcome.then(() => signal?.removeEventListener('abort', leave));
      return stream;
    },
    discard() {
      if (!isTaken) void stream.chunks.return?.();
      isTaken = true;
    },
  };
}

function toRunStream(source: StreamSource): RunStream {
  const state: { end: StreamEnd | null; isEnded: boolean } = { end: null, isEnded: false };
  const { promise: outcome, resolve } = Promise.withResolvers<string>();

  function finish(failure: ServiceError | null): void {
    if (state.isEnded) return;
    state.isEnded = true;
    source.onEnd(source.totals(), failure);
    resolve(failure?.code ?? 'ok');
  }

  async function* pass(): AsyncGenerator<Buffer, void> {
    try {
      yield* source.head;
      yield* source.rest;
      const totals = source.totals();
      state.end = { rowCount: totals.rowCount, ...(await source.findEnd(totals)) };
      finish(null);
    } catch (error) {
      const failure = toServiceError(error);
      source.cancel(failure);
      finish(failure);
      throw failure;
    }
  }
  const passing = pass();
  const chunks: RunStream['chunks'] = {
    next: () => passing.next(),
    // `return` on a generator that has not started would not cancel the query at the engine.
    return: () => {
      const gone = new ServiceError('query_cancelled', 'The caller went away before the last row.');
      if (!state.isEnded) source.cancel(gone);
      finish(gone);
      return passing.return();
    },
    [Symbol.asyncIterator]: () => chunks,
  };
  return {
    chunks,
    knownHasMore: source.knownHasMore,
    end: () => state.end,
    sent: () => sizeOf(source.totals()),
    outcome,
  };
}

function sizeOf({ rowCount, bytes }: StreamTotals): ResultSize {
  return { rows: rowCount ?? 0, bytes };
}
