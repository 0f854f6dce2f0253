import { problemsOfCluster } from './cluster-settings.ts';
import { signInProblems } from './sign-in-settings.ts';

type Checked = Parameters<typeof problemsOfCluster>[0] &
  Parameters<typeof signInProblems>[0] & {
    readonly minCacheAgeSeconds: number;
    readonly defaultCacheAgeSeconds: number;
    readonly defaultStoredRows: number;
    readonly maxStoredRows: number;
    readonly localNodes: number;
    readonly clickhouseUrl: string;
    readonly persistedOnly: boolean;
    readonly persistedFile: string;
  };

/**
 * Contradictions between the settings: one line each.
 *
 * @param wrong names of settings that are not accepted: they are at their defaults, which contradict others for no reason.
 */
export function contradictions(config: Checked, wrong: readonly string[]): readonly string[] {
  const problems: string[] = [];
  if (config.minCacheAgeSeconds > config.defaultCacheAgeSeconds) {
    problems.push('MIN_CACHE_AGE_SECONDS is above DEFAULT_CACHE_AGE_SECONDS.');
  }
  if (config.defaultStoredRows > config.maxStoredRows) {
    problems.push('DEFAULT_STORED_ROWS is above MAX_STORED_ROWS.');
  }
  if (config.localNodes > 0 && config.clickhouseUrl !== '') {
    problems.push('LOCAL_NODES is for the local ClickHouse, and CLICKHOUSE_URL names another.');
  }
  if (config.persistedOnly && config.persistedFile === '') {
    problems.push(
      'GRAPHQL_PERSISTED_ONLY needs GRAPHQL_PERSISTED_FILE: without it, no document is accepted.',
    );
  }
  problems.push(...problemsOfCluster(config));
  problems.push(...signInProblems(config));
  return problems.filter((text) => !text.split(/\W+/).some((word) => wrong.includes(word)));
}
