import type { EndpointDeps } from '../endpoints/deps.ts';
import type { UsageStore } from '../store/usage-store.ts';
import type { ProcessorTime } from './processor-time.ts';
import type { UsageRecorder } from './usage-recorder.ts';

export interface UsageDeps extends EndpointDeps {
  readonly usage: UsageRecorder;
  readonly processorTime: ProcessorTime;
  readonly usageStore: UsageStore;
}
