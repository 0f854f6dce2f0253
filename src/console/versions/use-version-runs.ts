import { useMemo } from 'react';
import { useMay } from '../api/scopes.ts';
import { useApi } from '../api/use-api.ts';
import { UsageByGroupDocument } from '../generated/graphql.ts';
import { useProject } from '../shell/use-project.ts';
import type { GroupLine } from '../usage/group-order.ts';
import { timeOf } from '../usage/usage-address.ts';

/** Who has run one version in the last 30 days. */
export interface VersionRuns {
  readonly runs: number;
  /** By key, most runs first; null when this key may not see that. */
  readonly keys: readonly GroupLine[] | null;
}

/** @returns undefined while loading, or when it cannot be read */
export function useVersionRuns(endpointId: string): ((version: number) => VersionRuns) | undefined {
  const projectId = useProject();
  const { write } = useMay();
  const { from } = useMemo(() => timeOf('30d', Date.now()), []);
  const { data } = useApi(UsageByGroupDocument, {
    projectId,
    from,
    groupBy: ['endpoint', 'version', ...(write ? ['key'] : [])],
    filter: { endpointIds: [endpointId] },
  });
  const lines = data?.usage?.results;
  if (lines === undefined) return undefined;
  return (version) => {
    const own = lines.filter((line) => line.version === version);
    const runs = own.reduce((sum, line) => sum + line.runs, 0);
    return { runs, keys: write ? own : null };
  };
}
