import type { EndpointDeps } from '../endpoints/deps.ts';
import type { MaterializationStore } from '../store/materialization-store.ts';

export interface MaterializationDeps extends EndpointDeps {
  readonly materializations: MaterializationStore;
  readonly measuredMs: MeasuredMs;
}

/**
 * Duration of a statement that a sync measures, a read of the stored table or the query on the source, given what the
 * engine's own clock says; both in milliseconds.
 */
export type MeasuredMs = (engineMs: number, of: 'read' | 'inline') => number;
