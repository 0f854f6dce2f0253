import { uuidv7 } from '../lib/ids.ts';
import type { CompiledQuery } from '../query/compile-query.ts';
import type { MaterializationDeps } from './deps.ts';

/** With more rows, writing the result would dominate the measurement. */
const maxRows = 1000;

export interface TimedRun {
  /** By the engine's own clock. */
  readonly ms: number;
  readonly bytesRead: number;
  readonly rowsRead: number;
  /** The first rows of the result, as JSON. */
  readonly rows: string;
}

/** Runs a statement to measure it. */
export async function timedRun(
  deps: MaterializationDeps,
  projectId: number,
  { statement, signal }: { readonly statement: CompiledQuery; readonly signal: AbortSignal },
): Promise<TimedRun> {
  const queryId = uuidv7(deps.clock.now());
  const result = { limit: maxRows, offset: 0, integers: 'number', queryId } as const;
  const { stats, rows } = await deps.engine.query({ projectId, ...statement, ...result }, signal);
  const { timeElapsed, bytesRead, rowsRead } = stats;
  return { ms: 1000 * timeElapsed, bytesRead, rowsRead, rows: rows.toString('utf8') };
}

/** The fastest of several runs: the first one fills the engine's caches, and others may be delayed. */
export async function fastestRun(runs: number, run: () => Promise<TimedRun>): Promise<TimedRun> {
  let fastest = await run();
  for (let more = 1; more < runs; more += 1) {
    const next = await run();
    if (next.ms < fastest.ms) fastest = next;
  }
  return fastest;
}
