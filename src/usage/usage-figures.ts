import { latencyAt } from '../model/latency-buckets.ts';
import { addCounts, type UsageCounts, usageSumNames } from '../model/usage.ts';
import type { UsageLine } from '../store/usage-reading.ts';

/** The usage figures that callers see. Latencies are in milliseconds, and null without runs. */
export interface UsageFigures {
  readonly runs: number;
  readonly errors: number;
  /** Most frequent first. */
  readonly errorsByCode: readonly ErrorCount[];
  readonly rows: number;
  readonly bytes: number;
  readonly executions: number;
  readonly rowsRead: number;
  readonly bytesRead: number;
  readonly engineSeconds: number;
  /** Processor time of the engine. Null when there were executions but none was measured. */
  readonly processorSeconds: number | null;
  /** Executions with a known processor time. */
  readonly measuredExecutions: number;
  readonly meanMs: number | null;
  readonly p50Ms: number | null;
  readonly p95Ms: number | null;
  readonly p99Ms: number | null;
  readonly recomputed: number;
  readonly unchanged: number;
}

export interface ErrorCount {
  readonly code: string;
  readonly runs: number;
}

const nothing = {
  ...(Object.fromEntries(usageSumNames.map((name) => [name, 0])) as unknown as UsageCounts),
  latency: new Map<number, number>(),
};

/** The total of all lines. */
export function toFigures(lines: readonly UsageLine[]): UsageFigures {
  const counts = lines.reduce<UsageCounts>(addCounts, nothing);
  const { runs, rows, bytes, executions, measuredExecutions, rowsRead, bytesRead } = counts;
  const isUnknown = measuredExecutions === 0 && executions > 0;
  const errorsByCode = errorsOf(lines);
  return {
    runs,
    errors: errorsByCode.reduce((sum, error) => sum + error.runs, 0),
    errorsByCode,
    rows,
    bytes,
    executions,
    rowsRead,
    bytesRead,
    engineSeconds: counts.engineMicros / 1e6,
    processorSeconds: isUnknown ? null : counts.processorMicros / 1e6,
    measuredExecutions,
    meanMs: runs === 0 ? null : counts.latencyMicros / runs / 1000,
    p50Ms: latencyAt(0.5, counts.latency),
    p95Ms: latencyAt(0.95, counts.latency),
    p99Ms: latencyAt(0.99, counts.latency),
    recomputed: counts.recomputed,
    unchanged: counts.unchanged,
  };
}

function errorsOf(lines: readonly UsageLine[]): readonly ErrorCount[] {
  const runs = new Map<string, number>();
  for (const { errors } of lines)
    for (const [code, count] of errors) runs.set(code, (runs.get(code) ?? 0) + count);
  return [...runs]
    .map(([code, count]) => ({ code, runs: count }))
    .sort((a, b) => b.runs - a.runs || (a.code < b.code ? -1 : 1));
}
