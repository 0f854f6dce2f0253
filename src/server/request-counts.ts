import type { CounterSeries, HistogramSeries } from '../metrics/registry.ts';
import type { ServiceMetrics } from '../metrics/service-metrics.ts';

export type InterfaceName = 'rest' | 'graphql' | 'page';

/** Counts an answered request. */
export type RequestCounts = (
  request: { readonly door: InterfaceName; readonly operation: string; readonly status: number },
  seconds: number,
) => void;

interface OperationSeries {
  readonly seconds: HistogramSeries;
  readonly byStatus: CounterSeries[];
}

/** Looks each series up once. There are as many as there are doors, operations and statuses: callers cannot add any. */
export function openRequestCounts(metrics: ServiceMetrics): RequestCounts {
  const doors = {
    rest: new Map<string, OperationSeries>(),
    graphql: new Map<string, OperationSeries>(),
    page: new Map<string, OperationSeries>(),
  };

  function seriesOf(door: InterfaceName, operation: string): OperationSeries {
    const known = doors[door].get(operation);
    if (known !== undefined) return known;
    const seconds = metrics.requestSeconds.of({ door, operation });
    const opened: OperationSeries = { seconds, byStatus: [] };
    doors[door].set(operation, opened);
    return opened;
  }

  return ({ door, operation, status }, seconds) => {
    const series = seriesOf(door, operation);
    series.byStatus[status] ??= metrics.requests.of({ door, operation, status: String(status) });
    series.byStatus[status].add(1);
    series.seconds.observe(seconds);
  };
}
