/** Usage counts of runs, their dimensions and time steps. */
import type { LatencyCounts } from './latency-buckets.ts';

/** How a run was requested. `live`: computed for, or delivered to, a caller who follows a result. */
export const usageInterfaces = ['rest', 'graphql', 'live'] as const;
type UsageInterface = (typeof usageInterfaces)[number];

/** `none`: the run was refused before its path was known. */
export const usagePaths = ['cache', 'inline', 'materialized', 'none'] as const;
export type UsagePath = (typeof usagePaths)[number];

/** Outcome of a run that returned rows; other outcomes are error codes. */
export const okOutcome = 'ok';

export const usageSteps = ['minute', 'hour', 'day'] as const;
/** The time span of one stored count, in UTC. */
export type UsageStep = (typeof usageSteps)[number];

export const stepMs: Readonly<Record<UsageStep, number>> = {
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
};

/** Stands for the endpoint of queries that are not saved. */
export const unsavedEndpointId = '00000000-0000-0000-0000-000000000000';

/** The dimensions of a count. */
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

/** Additive sums. */
export interface UsageSums {
  readonly runs: number;
  /** Rows in the results of these runs. */
  readonly rows: number;
  readonly bytes: number;
  /** Engine queries, including those of background refreshes. */
  readonly executions: number;
  readonly rowsRead: number;
  readonly bytesRead: number;
  /** Microseconds from start to end of queries, measured by the engine. */
  readonly engineMicros: number;
  /** Executions whose CPU time the engine's log has reported. */
  readonly measuredExecutions: number;
  /** CPU time of those executions in microseconds. */
  readonly processorMicros: number;
  /** Microseconds from start to end of runs. */
  readonly latencyMicros: number;
  /** Executions that replaced an expired result of the same query with the same values. */
  readonly recomputed: number;
  /** Recomputed executions with the same rows as before. */
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

/** Counts of one time step. */
export interface UsageRow extends UsageOf {
  readonly step: UsageStep;
  /** Start of the step. */
  readonly at: Date;
  readonly counts: UsageCounts;
}

/** Start of the step that contains this time. */
export function startOfStep(ms: number, step: UsageStep): number {
  return ms - (ms % stepMs[step]);
}

export function addCounts(a: UsageCounts, b: UsageCounts): UsageCounts {
  const latency = new Map(a.latency);
  for (const [bucket, runs] of b.latency) latency.set(bucket, (latency.get(bucket) ?? 0) + runs);
  const sums = Object.fromEntries(usageSumNames.map((name) => [name, a[name] + b[name]]));
  return { ...(sums as unknown as UsageSums), latency };
}

/** The cost of one engine query. */
export interface EngineUse {
  readonly rowsRead: number;
  readonly bytesRead: number;
  /** In seconds. */
  readonly timeElapsed: number;
}

/** The work of an execution that was not counted when it ended. */
export interface LateWork {
  readonly processorMicros: number;
  /** Null if it was counted. */
  readonly read: EngineUse | null;
}
