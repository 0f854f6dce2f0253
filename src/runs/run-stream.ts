import type { CachedResult } from '../cache/result-cache.ts';
import type { StreamTotals } from '../engine/query-engine.ts';
import { ServiceError, toServiceError } from '../errors/service-error.ts';

/** A computed result; one that was too large to be held is still on its way. */
export interface ComputedResult extends CachedResult {
  readonly large?: LargeResult;
}

/** Rows that no one has taken yet. One caller can have them; others who waited for the same compute their own. */
export interface LargeResult {
  /** Null when somebody else has them. The signal ends them. */
  take(signal: AbortSignal | undefined): RunStream | null;
  /** Ends the query when nobody has taken them. */
  discard(): void;
}

/** The rows of a run on their way to its caller. */
export interface RunStream {
  /**
   * To be iterated once, or left with `return`, which cancels the query. Throws when the query fails: what has
   * passed is then not the whole result.
   */
  readonly chunks: AsyncIterable<Buffer> & AsyncIterator<Buffer, void>;
  /** Whether rows exist past the limit, where that is known before the last one has passed. */
  readonly knownHasMore: boolean | null;
  /** What is known when all has passed; null before. */
  end(): StreamEnd | null;
  /** How it ended: `ok` or the code of the failure. Never rejects. */
  readonly outcome: Promise<string>;
}

export interface StreamEnd {
  readonly rowCount: number | null;
  readonly hasMore: boolean;
}

/** What a large result is made from. */
export interface StreamSource {
  /** What was read to find that it is large. */
  readonly head: readonly Buffer[];
  readonly rest: AsyncGenerator<Buffer, void>;
  readonly totals: () => StreamTotals;
  readonly knownHasMore: boolean | null;
  /** Called when all rows have passed. */
  readonly findHasMore: (totals: StreamTotals) => Promise<boolean>;
  /** Cancels the query. */
  readonly cancel: (reason: ServiceError) => void;
  /** Called once when it ended. */
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
      const hasMore = source.knownHasMore ?? (await source.findHasMore(totals));
      state.end = { rowCount: totals.rowCount, hasMore };
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
    // A generator that was not begun would end without cancelling the query at the engine.
    return: () => {
      const gone = new ServiceError('query_cancelled', 'The caller went away before the last row.');
      if (!state.isEnded) source.cancel(gone);
      finish(gone);
      return passing.return();
    },
    [Symbol.asyncIterator]: () => chunks,
  };
  return { chunks, knownHasMore: source.knownHasMore, end: () => state.end, outcome };
}
