import { useQueries } from '@tanstack/react-query';
import { request } from '../api/client.ts';
import { UsageOfRowsDocument, type UsageOfRowsQuery } from '../generated/graphql.ts';
import { fillSteps, stepsOf } from './usage-steps.ts';

/** Usage of one endpoint in the last 24 hours. */
export interface RowUsage {
  readonly runs: number;
  readonly errors: number;
  /** Null without runs. */
  readonly p95Ms: number | null;
  /** Oldest first, including the current hour. */
  readonly hours: readonly { readonly runs: number; readonly errors: number }[];
}

const freshMs = 60_000;
const none = { runs: 0, errors: 0 };

/**
 * The usage of endpoints by id, read by one request per page of at most 100.
 *
 * @returns undefined while loading, null when it cannot be read
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
