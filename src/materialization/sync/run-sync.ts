import { syncShare } from '../../access/admission/admission.ts';
import { endpointKey } from '../../cache/lookups.ts';
import { type ExecutionOrigin, OverrunError, withOrigin } from '../../engine/execution-origin.ts';
import type { StoredTableSize } from '../../engine/query-engine.ts';
import { ServiceError, toServiceError } from '../../errors/service-error.ts';
import { stableJson } from '../../lib/stable-json.ts';
import type { MaterializationPlan } from '../../model/materialization-plan.ts';
import { nextSyncAt, retryAt, storedTablePrefix } from '../../model/materialization-state.ts';
import { rowLimitOf, tooManyRows } from '../../model/row-limit.ts';
import {
  type ParsedQuery,
  parseQuery,
  type QueryDefinition,
} from '../../query/query-definition.ts';
import type { ProvedTable, SyncClaim } from '../../store/sync-records.ts';
import type { MaterializationDeps } from '../deps.ts';
import { countRows } from '../estimate-size.ts';
import { prove } from '../proof/prove.ts';
import { type ClaimLease, openClaimLease } from './claim-lease.ts';

/** `lost`: somebody took the claim, or the materialization was turned off. `released`: given back, due as before. */
export type SyncOutcome = 'completed' | 'failed' | 'cancelled' | 'lost' | 'released';

export interface SyncOptions {
  readonly leaseMs: number;
  /** By how much the clocks of two processes may differ. */
  readonly skewMs: number;
  /** How long a table that was replaced is kept for runs that looked its name up before. */
  readonly dropDelayMs: number;
  /** How long after its first failure a sync is tried again. */
  readonly firstRetryMs: number;
  /** From 0 to 1. */
  readonly random: () => number;
  /** Aborted when the service stops. */
  readonly stopping: AbortSignal;
  readonly onLease?: (holder: ClaimLease) => void;
}

/** The query cannot be materialized after all; the message is the reason. */
class MaterializationRefused extends Error {
  /** Whether the table that is served was made in the same way, and so is wrong as well. */
  readonly isOfServed: boolean;

  constructor(reason: string, isOfServed = false) {
    super(reason);
    this.isOfServed = isOfServed;
  }
}

interface Sync {
  readonly deps: MaterializationDeps;
  readonly claim: SyncClaim;
  readonly options: SyncOptions;
  /** A name that no table ever had. */
  readonly table: string;
  readonly signal: AbortSignal;
}

/**
 * Builds the table of a claimed sync and publishes it. Runs read the old table until the records name the
 * new one, in one commit. Whatever else happens, the new table is dropped: here, or by the sweep.
 */
export async function runSync(
  deps: MaterializationDeps,
  claim: SyncClaim,
  options: SyncOptions,
): Promise<SyncOutcome> {
  const { materializations, clock } = deps;
  const table = `${storedTablePrefix}${claim.syncId.replaceAll('-', '')}`;
  const { leaseMs, skewMs } = options;
  const holder = openClaimLease({
    renew: () => materializations.renewClaim(claim, { now: clock.now(), leaseMs, skewMs, table }),
    everyMs: leaseMs / 3,
    log: deps.log,
  });
  options.onLease?.(holder);
  const signal = AbortSignal.any([holder.lost, options.stopping]);
  const sync: Sync = { deps, claim, options, table, signal };
  const began = performance.now();
  const outcome = await attempt(sync, holder).finally(() => holder.stop());
  if (outcome !== 'completed') await discard(sync);
  invalidateLookups(deps, claim);
  const labels = { project: String(claim.projectId), outcome };
  deps.metrics.syncs.add(labels);
  deps.metrics.syncSeconds.observe({ outcome }, (performance.now() - began) / 1000);
  return outcome;
}

async function attempt(sync: Sync, holder: ClaimLease): Promise<SyncOutcome> {
  try {
    const isPublished = await withOrigin(originOfClaim(sync.claim), () => buildAndPublish(sync));
    return isPublished ? 'completed' : 'lost';
  } catch (error) {
    if (holder.lost.aborted) return 'lost';
    if (sync.options.stopping.aborted) {
      return (await sync.deps.materializations.releaseClaim(sync.claim)) ? 'released' : 'lost';
    }
    return fail(sync, error);
  }
}

function originOfClaim(claim: SyncClaim): ExecutionOrigin {
  const { projectId, versionId: id, endpointName, version: number } = claim;
  const { query: text } = claim.query as unknown as QueryDefinition;
  return { projectId, text, version: { id, endpointName, number } };
}

interface Built {
  readonly plan: MaterializationPlan;
  readonly size: StoredTableSize;
  readonly proved: ProvedTable | null;
  readonly durationMs: number;
}

/** False when the claim was lost before the end. */
async function buildAndPublish(sync: Sync): Promise<boolean> {
  const { deps, claim, table, options } = sync;
  const query = parseQuery(claim.query as unknown as QueryDefinition);
  const built = await build(sync, query);
  if (built === null) return false;
  const now = deps.clock.now();
  const { startedAt } = claim;
  const { plan, size, proved, durationMs } = built;
  return deps.materializations.completeSync(claim, {
    now,
    table,
    plan,
    ...size,
    durationMs,
    proved,
    dropOldAfter: new Date(now.getTime() + options.dropDelayMs),
    nextSyncAt: (syncFrequency) =>
      nextSyncAt({ startedAt, durationMs, syncFrequency }, options.random()),
  });
}

/** How often a table is built anew because its source changed while it was compared. */
const maxBuilds = 3;

async function build(sync: Sync, query: ParsedQuery): Promise<Built | null> {
  const { deps, claim, table } = sync;
  const { projectId } = claim;
  const began = performance.now();
  const planned = await deps.eligibility.plan(projectId, query);
  if (planned.kind === 'refusal') throw new MaterializationRefused(planned.reason);
  const { plan } = planned;
  sync.signal.throwIfAborted();
  const registered = { table, now: deps.clock.now(), skewMs: sync.options.skewMs };
  const isKnown = stableShape(claim.plan) === stableShape(plan);
  const look = () => deps.engine.fingerprint(projectId);
  const [isRegistered, first] = await Promise.all([
    deps.materializations.registerTable(claim, registered),
    look(),
  ]);
  if (!isRegistered) return null;
  for (let builds = 1; ; builds += 1) {
    const before = builds === 1 ? first : await look();
    const size = await createTable(sync, plan);
    const durationMs = Math.round(performance.now() - began);
    if (isKnown && isProvedFor(claim, size))
      return { plan, size, proved: claim.proved, durationMs };
    const { rows } = size;
    const proof = { projectId, query, table, plan, rows, buildMs: durationMs, signal: sync.signal };
    const { disproof, isConclusive } = await prove(deps, proof);
    const proved = isConclusive ? { at: deps.clock.now(), rows } : null;
    if (disproof === null) return { plan, size, proved, durationMs };
    if ((await look()) === before) throw new MaterializationRefused(disproof, isKnown);
    if (builds === maxBuilds) throw sourceMoves();
    await deps.engine.dropTable(projectId, table);
  }
}

/** A table that has grown so much may hold what the one that was compared did not. */
const provedGrowth = 10;

function isProvedFor({ proved }: SyncClaim, { rows }: StoredTableSize): boolean {
  return proved !== null && rows < provedGrowth * proved.rows;
}

/** Equal for plans that read and store in the same way; what they store may move with the date. */
function stableShape(plan: MaterializationPlan | null): string {
  return plan === null ? '' : stableJson({ ...plan, storedQuery: '' });
}

async function createTable(sync: Sync, plan: MaterializationPlan): Promise<StoredTableSize> {
  const { deps, claim, table, signal } = sync;
  const limit = rowLimitOf(claim.maxRows, deps.config);
  const size = await deps.engine.createTableFrom(
    {
      projectId: claim.projectId,
      table,
      sql: plan.storedQuery,
      params: {},
      orderBy: plan.sortingKey,
      maxRows: limit,
      queryId: claim.syncId,
      share: syncShare,
    },
    signal,
  );
  if (size.rows > limit) throw await tooMany(sync, { sql: plan.storedQuery, limit });
  return size;
}

/** Building stopped one row past the limit; how many there are is counted, if that is done in seconds. */
async function tooMany(
  { deps, claim, signal }: Sync,
  { sql, limit }: { readonly sql: string; readonly limit: number },
): Promise<ServiceError> {
  const rows = await countRows(deps, { projectId: claim.projectId, sql, signal });
  return new ServiceError('query_too_large', tooManyRows({ rows, limit }, deps.config));
}

function sourceMoves(): ServiceError {
  return new ServiceError(
    'query_failed',
    'The source data changed each time while the stored table was compared with the query itself. The sync is tried again.',
  );
}

async function fail(sync: Sync, error: unknown): Promise<SyncOutcome> {
  const { deps, claim, options } = sync;
  const { firstRetryMs } = options;
  const now = deps.clock.now();
  const isRefusal = error instanceof MaterializationRefused || error instanceof OverrunError;
  const failure = toServiceError(error);
  const outcome = failure.code === 'query_cancelled' ? 'cancelled' : 'failed';
  const attempts = claim.attempts + 1;
  const words = isRefusal ? error.message : failure.message;
  deps.log.warn(
    { err: error, projectId: claim.projectId, endpoint: claim.endpointName, attempts },
    'a sync failed',
  );
  const held = await deps.materializations.failSync(claim, {
    now,
    outcome,
    error: words,
    refusal: isRefusal ? words : undefined,
    dropServedAfter:
      error instanceof MaterializationRefused && error.isOfServed
        ? new Date(now.getTime() + options.dropDelayMs)
        : undefined,
    nextSyncAt: (syncFrequency) =>
      isRefusal || outcome === 'cancelled'
        ? nextSyncAt({ startedAt: now, durationMs: 0, syncFrequency }, options.random())
        : retryAt({ now, attempts, syncFrequency, firstRetryMs }, options.random()),
  });
  return held ? outcome : 'lost';
}

/**
 * The records are asked first: a publication whose answer was lost on the way has happened all the same. What
 * cannot be dropped now is dropped by the sweep.
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

/** Other processes hear it from the change feed; this one need not wait for that. */
function invalidateLookups(deps: MaterializationDeps, claim: SyncClaim): void {
  deps.lookups.endpoints.invalidate(endpointKey(claim.projectId, claim.endpointName));
  deps.lookups.versions.invalidate(`${claim.endpointId}/${claim.version}`);
}
