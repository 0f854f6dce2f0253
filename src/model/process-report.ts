/** What a process of the service says of itself and of what it depends on. */
import { z } from 'zod';

const backendShape = z.object({
  /** postgresql, clickhouse or redis */
  name: z.string(),
  isUp: z.boolean(),
  /** How long it took to answer; null: it did not. */
  latencyMs: z.number().nullable(),
  /** Since when it has not answered, ISO 8601; null: it does. */
  awaySince: z.string().nullable(),
});

const nodeShape = z.object({
  /** Scheme, host and port; no credentials. */
  address: z.string(),
  isUp: z.boolean(),
  /** This and what follows: null when it does not answer. */
  version: z.string().nullable(),
  uptimeSeconds: z.number().nullable(),
  memoryBytes: z.number().nullable(),
  /** Of all users. */
  runningQueries: z.number().nullable(),
});

const queueShape = z.object({
  /** inline: queries on source data; materialized: reads of stored tables. */
  name: z.string(),
  running: z.number(),
  waiting: z.number(),
  maxRunning: z.number(),
  maxWaiting: z.number(),
});

const cacheShape = z.object({
  entries: z.number(),
  bytes: z.number(),
  maxBytes: z.number(),
  hits: z.number(),
  misses: z.number(),
  evictions: z.number(),
});

const reportShape = z.object({
  host: z.string(),
  pid: z.number(),
  version: z.string(),
  /** ISO 8601. */
  startedAt: z.string(),
  isDraining: z.boolean(),
  memoryBytes: z.number(),
  connections: z.number(),
  liveStreams: z.number(),
  queues: z.array(queueShape),
  cache: cacheShape,
  backends: z.array(backendShape),
  engines: z.array(nodeShape),
  /** Why it does not learn the processor time of executions, as a sentence; null: it does. */
  processorTimeProblem: z.string().nullable().default(null),
});

export type BackendState = Readonly<z.infer<typeof backendShape>>;
export type EngineNode = Readonly<z.infer<typeof nodeShape>>;
export type RunQueue = Readonly<z.infer<typeof queueShape>>;
export type CacheState = Readonly<z.infer<typeof cacheShape>>;
export type ProcessReport = Readonly<z.infer<typeof reportShape>>;

/** Null for one of another version of the service that says less. */
export function parseReport(value: unknown): ProcessReport | null {
  return reportShape.safeParse(value).data ?? null;
}
