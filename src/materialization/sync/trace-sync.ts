import type { SyncClaim } from '../../store/sync-records.ts';
import { own } from '../../tracing/attributes.ts';
import { withinSpan } from '../../tracing/span.ts';
import type { Tracer } from '../../tracing/tracer.ts';

/** Every sync is its own trace, whatever caused it. A failed sync is an error of the kind `failed`. */
export async function withinSyncSpan<Outcome extends string>(
  tracer: Tracer | null,
  claim: SyncClaim,
  sync: () => Promise<Outcome>,
): Promise<Outcome> {
  if (tracer === null) return sync();
  const attributes = {
    [own.project]: claim.projectId,
    [own.endpoint]: claim.endpointName,
    [own.version]: claim.version,
    [own.syncId]: claim.syncId,
  };
  const span = tracer.begin('sync', { kind: 'internal', attributes });
  const outcome = await withinSpan(span, sync);
  span.set({ [own.syncOutcome]: outcome });
  span.end(outcome === 'failed' ? outcome : undefined);
  return outcome;
}
