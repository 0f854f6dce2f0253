import type { ResponseBodies } from '../cache/response-bodies.ts';
import type { ResultCache } from '../cache/result-cache.ts';
import type { SharedResults } from '../cache/shared/shared-results.ts';
import type { ColumnWatch } from '../endpoints/column-watch.ts';
import type { BackgroundWork } from '../lib/background-work.ts';
import type { SingleFlight } from '../lib/single-flight.ts';
import type { ExecutionLogStore } from '../store/execution-log.ts';
import type { ExecutionStore } from '../store/execution-store.ts';
import type { RowLoads } from '../tables/deps.ts';
import type { AdviceDeps } from '../usage/advice/advise.ts';
import type { ExecutionRecorder } from './execution-recorder.ts';
import type { FilterTypesMemo } from './filter-types-memo.ts';
import type { PendingCallers } from './pending-callers.ts';
import type { PreparedRuns } from './prepared-runs.ts';
import type { FlightResult } from './run-stream.ts';
import type { StreamSlots } from './stream-slots.ts';

export interface RunDeps extends AdviceDeps {
  /** A monotonic clock in milliseconds. */
  readonly nowMs: () => number;
  readonly executions: ExecutionStore;
  readonly executionLog: ExecutionLogStore;
  readonly preparedRuns: PreparedRuns;
  readonly filterTypes: FilterTypesMemo;
  readonly results: ResultCache;
  /** Results shared by all processes; null when each has its own. */
  readonly shared: SharedResults | null;
  /** Bodies of responses, built from `results`. */
  readonly bodies: ResponseBodies;
  readonly flights: SingleFlight<FlightResult>;
  readonly streams: StreamSlots;
  readonly pendingCallers: PendingCallers;
  /** Runs that refresh stale results. */
  readonly background: BackgroundWork;
  readonly columns: ColumnWatch;
  readonly recorder: ExecutionRecorder;
  readonly loads: RowLoads;
}
