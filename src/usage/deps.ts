import type { EndpointDeps } from '../endpoints/deps.ts';
import type { UsageStore } from '../store/usage-store.ts';
import type { WorkCollector } from './logged-work.ts';
import type { UsageRecorder } from './usage-recorder.ts';

export interface UsageDeps extends EndpointDeps {
  readonly usage: UsageRecorder;
  readonly loggedWork: WorkCollector;
  readonly usageStore: UsageStore;
}
