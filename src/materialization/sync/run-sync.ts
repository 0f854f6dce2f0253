import { endpointKey } from '../../cache/lookups.ts';
import { type ExecutionOrigin, OverrunError, withOrigin } from '../../engine/execution-origin.ts';
import { onOneNode } from '../../engine/one-node.ts';
import { toServiceError } from '../../errors/service-error.ts';
import { nextSyncAt, retryAt, storedTablePrefix } from '../../model/materialization-state.ts';
import { compileQuery } from '../../query/compile-query.ts';
import { parseQuery, type QueryDefinition } from '../../query/query-definition.ts';
import { sampleVariables } from '../../query/variables.ts';
import type { SyncClaim } from '../../store/sync-records.ts';
import type { MaterializationDeps } from '../deps.ts';
import { buildTable } from './build-table.ts';
import { type ClaimLease, openClaimLease } from './claim-lease.ts';
import { MaterializationRefused, type Sync } from './sync.ts';
import { withinSyncSpan } from './trace-sync.ts';

/**
 * `lost`: another process took the claim, or the materialization was turned off. `released`: the claim was given up,
 * and the sync is due again.
 */
export type SyncOutcome = 'completed' | 'failed' | 'cancelled' | 'lost' | 'released';

export interface SyncTimes {
  /** Validity of a claim without renewal. */
  readonly leaseMs: number;
  /** Interval between renewals. */
  readonly heartbeatMs: number;
  /** Maximum clock difference between two processes. */
  readonly skewMs: number;
  /** How long a replaced table is kept for runs that already looked up its name. Longer than lookups are cached. */
  readonly dropDelayMs: number;
  /** Delay of the first retry of a failed sync; doubles with each further failure. */
  readonly firstRetryMs: number;
  /** From 0 to 1; spreads syncs over time. */
  readonly random: () => number;
}

export interface SyncOptions extends SyncTimes {
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal;
  /** The leases of this process's running syncs. */
  readonly leases: Set<ClaimLease>;
}

/**
 * Builds the table of a claimed sync and publishes it. Runs read the old table until one commit in the metadata
 * database names the new one. In every other case the new table is dropped, here or by the sweep.
 */
export function runSync(
  deps: MaterializationDeps,
  claim: SyncClaim,
  options: SyncOptions,
): Promise<SyncOutcome> {
  return withinSyncSpan(deps.tracer, claim, () => sync(deps, claim, options));
}

async function sync(
  deps: MaterializationDeps,
  claim: SyncClaim,
  options: SyncOptions,
): Promise<SyncOutcome> {
  const { materializations, clock } = deps;
  const table = `${storedTablePrefix}${claim.syncId.replaceAll('-', '')}`;
  const { leaseMs, heartbeatMs, skewMs } = options;
  const lease = openClaimLease({
    renew: () => materializations.renewClaim(claim, { now: clock.now(), leaseMs, skewMs, table }),
    everyMs: heartbeatMs,
    log: deps.log,
  });
  options.leases.add(lease);
  const signal = AbortSignal.any([lease.lost, options.stopping]);
  const building: Sync = { deps, claim, table, skewMs, signal };
  const began = performance.now();
  const outcome = await attempt(building, options, lease).finally(() => {
    lease.stop();
    options.leases.delete(lease);
  });
  if (outcome !== 'completed') await discard(building);
  invalidateLookups(deps, claim);
  const labels = { project: String(claim.projectId), outcome };
  deps.metrics.syncs.add(labels);
  deps.metrics.syncSeconds.observe({ outcome }, (performance.now() - began) / 1000);
  return outcome;
}

async function attempt(sync: Sync, options: SyncOptions, lease: ClaimLease): Promise<SyncOutcome> {
  const { deps, claim } = sync;
  try {
    const publish = () => onOneNode(() => buildAndPublish(sync, options));
    return (await withOrigin(originOfClaim(claim), publish)) ? 'completed' : 'lost';
  } catch (error) {
    if (lease.lost.aborted) return 'lost';
    if (options.stopping.aborted) {
      return (await deps.materializations.releaseClaim(claim)) ? 'released' : 'lost';
    }
    return fail(sync, options, error);
  }
}

function originOfClaim(claim: SyncClaim): ExecutionOrigin {
  const { projectId, versionId: id, endpointName, version: number } = claim;
  const { query: text } = claim.query as unknown as QueryDefinition;
  return { projectId, text, version: { id, endpointName, number } };
}

/** False if the claim was lost. */
async function buildAndPublish(sync: Sync, options: SyncTimes): Promise<boolean> {
  const { deps, claim, table } = sync;
  const query = parseQuery(claim.query as unknown as QueryDefinition);
  const { projectId } = claim;
  await deps.engine.chooseNode({
    projectId,
    ...compileQuery(query, sampleVariables(query), null),
  });
  const built = await buildTable(sync, query);
  if (built === null) return false;
  const now = deps.clock.now();
  const { startedAt } = claim;
  const { plan, size, proved, durationMs, measured } = built;
  return deps.materializations.completeSync(claim, {
    now,
    table,
    plan,
    ...size,
    durationMs,
    proved,
    measured,
    dropOldAfter: new Date(now.getTime() + options.dropDelayMs),
    nextSyncAt: (syncFrequency) =>
      nextSyncAt({ startedAt, durationMs, syncFrequency }, options.random()),
  });
}

async function fail(
  { deps, claim }: Sync,
  options: SyncTimes,
  error: unknown,
): Promise<SyncOutcome> {
  const { firstRetryMs } = options;
  const now = deps.clock.now();
  const isRefusal = error instanceof MaterializationRefused || error instanceof OverrunError;
  const failure = toServiceError(error);
  const outcome = failure.code === 'query_cancelled' ? 'cancelled' : 'failed';
  const attempts = claim.attempts + 1;
  const message = isRefusal ? error.message : failure.message;
  deps.log.warn(
    { err: error, projectId: claim.projectId, endpoint: claim.endpointName, attempts },
    'a sync failed',
  );
  const isRecorded = await deps.materializations.failSync(claim, {
    now,
    outcome,
    error: message,
    refusal: isRefusal ? message : undefined,
    dropServedAfter:
      error instanceof MaterializationRefused && error.dropsServed
        ? new Date(now.getTime() + options.dropDelayMs)
        : undefined,
    nextSyncAt: (syncFrequency) =>
      isRefusal || outcome === 'cancelled'
        ? nextSyncAt({ startedAt: now, durationMs: 0, syncFrequency }, options.random())
        : retryAt({ now, attempts, syncFrequency, firstRetryMs }, options.random()),
  });
  return isRecorded ? outcome : 'lost';
}

/**
 * Retires the table in the metadata database first, since it may have been published although the response was lost.
 * The sweep drops tables that cannot be dropped now.
 */
async function discard({ deps, claim, table }: Sync): Promise<void> {
  try {
    if (!(await deps.materializations.retire(table, deps.clock.now()))) return;
    await deps.engine.dropTable(claim.projectId, table);
    await deps.materializations.markDropped(table, deps.clock.now());
  } catch (error) {
    deps.log.warn({ err: error, table }, 'an unfinished table is left to the sweep');
  }
}

/** Other processes are notified by the change feed; this one invalidates its lookups directly. */
function invalidateLookups(deps: MaterializationDeps, claim: SyncClaim): void {
  deps.lookups.endpoints.invalidate(endpointKey(claim.projectId, claim.endpointName));
  deps.lookups.versions.invalidate(`${claim.endpointId}/${claim.version}`);
}
