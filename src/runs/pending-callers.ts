import type { ExecutionRecord } from '../store/execution-store.ts';

/**
 * Callers that wait in this process for a run with a client query id, so that each can be found and cancelled
 * separately.
 */
export interface PendingCallers {
  /**
   * Does the work with a signal that is also aborted when this caller is cancelled. Until then the caller can be found
   * by its id; a later caller with the same id replaces it.
   */
  during<T>(caller: PendingCaller, work: (signal: AbortSignal) => Promise<T>): Promise<T>;
  find(projectId: number, clientQueryId: string): WaitingCaller | null;
  /** Does a flight's work and registers its execution as soon as it exists, for callers that join the flight. */
  runFlight<T>(
    flight: string,
    work: (onStart: (executionId: string) => void) => Promise<T>,
  ): Promise<T>;
  /**
   * Calls back with the execution of a flight in progress, which joining callers share: at once if it exists. Returns a
   * function that stops waiting for it.
   */
  onExecution(flight: string, listener: (executionId: string) => void): () => void;
  /** Records which execution serves the caller with this id. */
  noteExecution(projectId: number, clientQueryId: string, executionId: string): void;
  /** Registers a run that waits for its turn at the engine. */
  queue(run: QueuedRun): QueueEntry;
  /** Finds it by its execution id, or by the client query id of its first caller. */
  findQueued(projectId: number, id: string): QueuedRun | null;
  /** Fails a run of this process, waiting or at the engine, for all its callers; ignores unknown ids. */
  stop(executionId: string, error: Error): void;
  /** The execution that last served this id, as far as this process remembers. */
  executionOf(projectId: number, clientQueryId: string): string | null;
}

/** A waiting run. It becomes an execution when it reaches the engine; until then it is not stored. */
interface QueuedRun {
  readonly execution: ExecutionRecord;
  /** Fails the run for all its callers. */
  leave(error: Error): void;
}

interface QueueEntry {
  /** Its turn has come: it is no longer found as waiting. */
  begin(): void;
  end(): void;
}

interface PendingCaller {
  readonly projectId: number;
  readonly clientQueryId: string;
  /** The caller's API key. */
  readonly keyId: string;
  readonly signal: AbortSignal | undefined;
}

interface WaitingCaller {
  readonly keyId: string;
  /** Fails this caller at once; the run continues for the others. */
  cancel(error: Error): void;
}

/** How many of the most recent ids are remembered. */
const maxRemembered = 10_000;

export function openPendingCallers(): PendingCallers {
  const waiting = new Map<string, WaitingCaller>();
  const flights = new Map<string, string>();
  /** Callers waiting for a flight's execution to begin. */
  const starting = new Map<string, Set<(executionId: string) => void>>();
  const served = new Map<string, string>();
  const queued = new Map<string, QueuedRun>();
  /** Waiting and at the engine, by execution id. */
  const stoppable = new Map<string, QueuedRun>();
  const keyOf = (projectId: number, id: string): string => `${projectId}/${id}`;

  return {
    async during({ projectId, clientQueryId, keyId, signal }, work) {
      const key = keyOf(projectId, clientQueryId);
      const controller = new AbortController();
      const own: WaitingCaller = { keyId, cancel: (error) => controller.abort(error) };
      waiting.set(key, own);
      const signals = signal === undefined ? [controller.signal] : [signal, controller.signal];
      try {
        return await work(AbortSignal.any(signals));
      } finally {
        if (waiting.get(key) === own) waiting.delete(key);
      }
    },
    find: (projectId, clientQueryId) => waiting.get(keyOf(projectId, clientQueryId)) ?? null,
    async runFlight(flight, work) {
      let own: string | undefined;
      try {
        return await work((executionId) => {
          own = executionId;
          flights.set(flight, executionId);
          for (const listener of starting.get(flight) ?? []) listener(executionId);
          starting.delete(flight);
        });
      } finally {
        // An abandoned flight may end after another one has replaced it.
        if (flights.get(flight) === own) flights.delete(flight);
      }
    },
    onExecution(flight, listener) {
      const executionId = flights.get(flight);
      if (executionId !== undefined) {
        listener(executionId);
        return () => undefined;
      }
      const listeners = starting.get(flight) ?? new Set();
      starting.set(flight, listeners.add(listener));
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0 && starting.get(flight) === listeners) starting.delete(flight);
      };
    },
    noteExecution(projectId, clientQueryId, executionId) {
      const key = keyOf(projectId, clientQueryId);
      served.delete(key);
      served.set(key, executionId);
      const [oldest] = served.size > maxRemembered ? served.keys() : [];
      if (oldest !== undefined) served.delete(oldest);
    },
    queue(run) {
      const { id } = run.execution;
      queued.set(id, run);
      stoppable.set(id, run);
      return {
        begin: () => void queued.delete(id),
        end() {
          queued.delete(id);
          stoppable.delete(id);
        },
      };
    },
    stop: (executionId, error) => stoppable.get(executionId)?.leave(error),
    findQueued(projectId, id) {
      const isOf = ({ execution }: QueuedRun) => execution.projectId === projectId;
      const own = queued.get(id);
      if (own !== undefined && isOf(own)) return own;
      const named = (run: QueuedRun) => run.execution.clientQueryId === id && isOf(run);
      return [...queued.values()].findLast(named) ?? null;
    },
    executionOf: (projectId, clientQueryId) => served.get(keyOf(projectId, clientQueryId)) ?? null,
  };
}
