import { useQueries } from '@tanstack/react-query';
import { request } from '../api/client.ts';
import { UsageOfRowsDocument, type UsageOfRowsQuery } from '../generated/graphql.ts';
import { fillSteps, stepsOf } from './usage-steps.ts';

/** What the runs of one endpoint took in the last 24 hours. */
export interface RowUsage {
  readonly runs: number;
  readonly errors: number;
  /** Null without runs. */
  readonly p95Ms: number | null;
  /** Oldest first, the one under way included. */
  readonly hours: readonly { readonly runs: number; readonly errors: number }[];
}

const freshMs = 60_000;
const none = { runs: 0, errors: 0 };

/**
 * The usage of endpoints by their ids, read by one request for each page of at most 100.
 * @returns undefined while it is on the way, null when it cannot be read
 */
export function useRowUsage(
  projectId: string,
  pages: readonly (readonly string[])[],
): (id: string) => RowUsage | null | undefined {
  const reads = useQueries({
    queries: pages.map((endpointIds) => ({
      queryKey: ['UsageOfRows', projectId, endpointIds],
      queryFn: ({ signal }: { readonly signal: AbortSignal }) =>
        request(UsageOfRowsDocument, { projectId, endpointIds: [...endpointIds] }, { signal }),
      enabled: endpointIds.length > 0,
      staleTime: freshMs,
      select: toRows,
    })),
  });
  return (id) => {
    const page = reads[pages.findIndex((ids) => ids.includes(id))];
    if (page?.isError === true) return null;
    return page?.data?.(id);
  };
}

function toRows({ byHour, whole }: UsageOfRowsQuery): (id: string) => RowUsage | null {
  if (byHour === null || whole === null) return () => null;
  const steps = stepsOf(byHour, 'hour');
  const hours = Map.groupBy(byHour.results, ({ endpointId }) => endpointId);
  const wholes = new Map(whole.results.map((one) => [one.endpointId, one]));
  return (id) => {
    const { runs, errors, p95Ms } = wholes.get(id) ?? { ...none, p95Ms: null };
    const filled = fillSteps(steps, hours.get(id) ?? []).map((hour) => hour ?? none);
    return { runs, errors, p95Ms, hours: filled };
  };
}
