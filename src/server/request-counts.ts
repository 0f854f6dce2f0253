import { defineMemo } from '../lib/memo.ts';
import type { CounterSeries, HistogramSeries } from '../metrics/registry.ts';
import type { ServiceMetrics } from '../metrics/service-metrics.ts';

export type InterfaceName = 'rest' | 'graphql' | 'page';

/** Counts a completed request. */
export type RequestCounts = (
  request: { readonly via: InterfaceName; readonly operation: string; readonly status: number },
  seconds: number,
) => void;

interface OperationSeries {
  readonly seconds: HistogramSeries;
  readonly byStatus: CounterSeries[];
}

const seriesMemo = defineMemo('metric series');

/** Looks each series up once. Their number is bounded by interfaces, operations and statuses. */
export function openRequestCounts(metrics: ServiceMetrics): RequestCounts {
  const byInterface = {
    rest: new Map<string, OperationSeries>(),
    graphql: new Map<string, OperationSeries>(),
    page: new Map<string, OperationSeries>(),
  };

  function seriesOf(via: InterfaceName, operation: string): OperationSeries {
    const found = byInterface[via].get(operation);
    if (found !== undefined && seriesMemo.isOn) return found;
    const seconds = metrics.requestSeconds.of({ door: via, operation });
    const opened: OperationSeries = { seconds, byStatus: [] };
    byInterface[via].set(operation, opened);
    return opened;
  }

  return ({ via, operation, status }, seconds) => {
    const series = seriesOf(via, operation);
    series.byStatus[status] ??= metrics.requests.of({
      door: via,
      operation,
      status: String(status),
    });
    series.byStatus[status].add(1);
    series.seconds.observe(seconds);
  };
}
