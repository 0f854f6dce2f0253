/** What is counted of runs, by what, and in which steps of time. */
import type { LatencyCounts } from './latency-buckets.ts';

/** How runs came in. A live run is one that was computed, or handed out, for a caller who follows a result. */
export const usageInterfaces = ['rest', 'graphql', 'live'] as const;
export type UsageInterface = (typeof usageInterfaces)[number];

/** `none`: the run was refused before it was known what would serve it. */
export const usagePaths = ['cache', 'inline', 'materialized', 'none'] as const;
export type UsagePath = (typeof usagePaths)[number];

/** The outcome of a run that got its rows; every other one is the code of its error. */
export const okOutcome = 'ok';

export const usageSteps = ['minute', 'hour', 'day'] as const;
/** How much time one stored count is of, in UTC. */
export type UsageStep = (typeof usageSteps)[number];

export const stepMs: Readonly<Record<UsageStep, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

/** Stands for the endpoint of queries that are not saved. */
export const unsavedEndpointId = '00000000-0000-0000-0000-000000000000';

/** Whose runs one count is of. */
export interface UsageOf {
  readonly projectId: number;
  readonly endpointId: string;
  /** Empty for queries that are not saved. */
  readonly endpointName: string;
  /** 0 for queries that are not saved. */
  readonly version: number;
  readonly keyId: string;
  readonly interface: UsageInterface;
  readonly path: UsagePath;
  readonly outcome: string;
}

/** Sums; every one of them can be added to another. */
export interface UsageSums {
  readonly runs: number;
  /** Of the results of these runs. */
  readonly rows: number;
  readonly bytes: number;
  /** Queries at the engine, those of background refreshes included. */
  readonly executions: number;
  readonly rowsRead: number;
  readonly bytesRead: number;
  /** Microseconds that the engine measured from the start of a query to its end. */
  readonly engineMicros: number;
  /** Executions whose processor time the engine's log has told. */
  readonly measuredExecutions: number;
  /** Microseconds of the engine's processors that those took. */
  readonly processorMicros: number;
  /** Microseconds from the start of a run to its end. */
  readonly latencyMicros: number;
  /** Executions that replaced an expired result of the same query with the same values. */
  readonly recomputed: number;
  /** Those of them with the same rows as before. */
  readonly unchanged: number;
}

export const usageSumNames = [
  'runs',
  'rows',
  'bytes',
  'executions',
  'rowsRead',
  'bytesRead',
  'engineMicros',
  'measuredExecutions',
  'processorMicros',
  'latencyMicros',
  'recomputed',
  'unchanged',
] as const satisfies readonly (keyof UsageSums)[];

export interface UsageCounts extends UsageSums {
  readonly latency: LatencyCounts;
}

/** What was counted in one step of time. */
export interface UsageRow extends UsageOf {
  readonly step: UsageStep;
  /** When the step began. */
  readonly at: Date;
  readonly counts: UsageCounts;
}

/** When the step began that this moment is in. */
export function startOfStep(ms: number, step: UsageStep): number {
  return ms - (ms % stepMs[step]);
}

export function addCounts(a: UsageCounts, b: UsageCounts): UsageCounts {
  const latency = new Map(a.latency);
  for (const [bucket, runs] of b.latency) latency.set(bucket, (latency.get(bucket) ?? 0) + runs);
  const sums = Object.fromEntries(usageSumNames.map((name) => [name, a[name] + b[name]]));
  return { ...(sums as unknown as UsageSums), latency };
}
