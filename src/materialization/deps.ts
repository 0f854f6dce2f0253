import type { EndpointDeps } from '../endpoints/deps.ts';
import type { MaterializationStore } from '../store/materialization-store.ts';

export interface MaterializationDeps extends EndpointDeps {
  readonly materializations: MaterializationStore;
  /** Duration of a measured statement, given what the engine's own clock says, both in milliseconds. */
  readonly measuredMs: (engineMs: number) => number;
}
