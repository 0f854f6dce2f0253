import type { Config } from '../config/config.ts';
import {
  type LimitOverrides,
  limitNames,
  lowerTo,
  noLimits,
  type QueryLimits,
} from '../model/query-limits.ts';
import type { Principal } from './principal.ts';

/** Limits of projects without their own. */
export function serverLimits(config: Config): QueryLimits {
  return {
    executionSeconds: config.queryTimeoutSeconds,
    memoryBytes: config.queryMemoryBytes,
    resultRows: config.maxRows,
    resultBytes: config.maxResultBytes,
    concurrentQueries: config.maxConcurrentQueries,
    queuedQueries: config.maxQueuedQueries,
  };
}

/** The limits of a project's runs, and of the runs of one key. */
export interface RunLimits {
  readonly project: QueryLimits;
  readonly key: QueryLimits;
  /** The key's limits that were set for the project or the key, excluding the server's. */
  readonly own: LimitOverrides;
}

/**
 * Half of a project's slots: for streams, which last as long as their callers read, and for background runs. The other
 * half stays free for runs with waiting callers.
 */
export function sideSlots({ project }: RunLimits): number {
  return Math.ceil(project.concurrentQueries / 2);
}

function namedOnly(project: LimitOverrides, key: LimitOverrides): LimitOverrides {
  if (key === noLimits) return project;
  if (project === noLimits) return key;
  const both = limitNames.flatMap((name) => {
    const named = [project[name], key[name]].filter((limit) => limit !== undefined);
    return named.length === 0 ? [] : [[name, Math.min(...named)] as const];
  });
  return Object.fromEntries(both);
}

export function runLimits(
  server: QueryLimits,
  projectLimits: LimitOverrides,
  { limits }: Principal,
): RunLimits {
  const project = lowerTo(server, projectLimits);
  const key = lowerTo(project, limits);
  return { project, key, own: namedOnly(projectLimits, limits) };
}
