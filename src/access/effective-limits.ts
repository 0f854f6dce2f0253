import type { Config } from '../config/config.ts';
import {
  type LimitOverrides,
  limitNames,
  lowerTo,
  noLimits,
  type QueryLimits,
} from '../model/query-limits.ts';
import type { Principal } from './principal.ts';

/** What holds for projects that have no limits of their own. */
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

/** What holds for the project's runs, and for those of this key. */
export interface RunLimits {
  readonly project: QueryLimits;
  readonly key: QueryLimits;
  /** Those of the key's that somebody named, the server not among them. */
  readonly own: LimitOverrides;
}

/**
 * At most half of a project's places, for what lasts as long as its caller likes or what nobody waits for: those who wait
 * keep the other half.
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
