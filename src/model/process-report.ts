/** A service process's report about itself and its backends. */
import { z } from 'zod';

const backendShape = z.object({
  /** postgresql, clickhouse or redis */
  name: z.string(),
  isUp: z.boolean(),
  /** Response time; null if it did not respond. */
  latencyMs: z.number().nullable(),
  /** Start of the outage, ISO 8601; null if it responds. */
  awaySince: z.string().nullable(),
});

const nodeShape = z.object({
  /** Scheme, host and port; no credentials. */
  address: z.string(),
  isUp: z.boolean(),
  /** This and the following are null if the node does not respond. */
  version: z.string().nullable(),
  uptimeSeconds: z.number().nullable(),
  memoryBytes: z.number().nullable(),
  /** Queries of all users. */
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
  /** A sentence saying why it does not receive the CPU time of executions; null if it does. */
  processorTimeProblem: z.string().nullable().default(null),
});

export type BackendState = Readonly<z.infer<typeof backendShape>>;
export type EngineNode = Readonly<z.infer<typeof nodeShape>>;
export type RunQueue = Readonly<z.infer<typeof queueShape>>;
export type CacheState = Readonly<z.infer<typeof cacheShape>>;
export type ProcessReport = Readonly<z.infer<typeof reportShape>>;

/** Null for an incompatible report of another version of the service. */
export function parseReport(value: unknown): ProcessReport | null {
  return reportShape.safeParse(value).data ?? null;
}
