import type { EndpointDeps } from '../endpoints/deps.ts';
import type { MaterializationStore } from '../store/materialization-store.ts';

export interface MaterializationDeps extends EndpointDeps {
  readonly materializations: MaterializationStore;
}
