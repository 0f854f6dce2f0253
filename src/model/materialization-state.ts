/** Derives the state of a materialization at a given time from its facts. Facts are stored, states are not. */
import type { MaterializationPlan } from './materialization-plan.ts';
import { type SyncFrequency, syncFrequencySeconds } from './sync-frequency.ts';

/** Prefix of stored table names; a project's list of tables omits them. */
export const storedTablePrefix = '_materialized_';

export interface MaterializationFacts {
  readonly enabled: boolean;
  /** One of the contract's cadences. */
  readonly syncFrequency: string;
  /** How the stored table is made and read; null if the query cannot be materialized or is not planned yet. */
  readonly plan: MaterializationPlan | null;
  /** Why it cannot be materialized. */
  readonly reason: string | null;
  /** The stored table that runs read. */
  readonly tableName: string | null;
  /** The time its rows reflect. */
  readonly lastMaterializedAt: Date | null;
  readonly lastFailedAt: Date | null;
  readonly cancelledAt: Date | null;
  readonly settingsChangedAt: Date | null;
  /** Milliseconds the engine took to read the table; null if not measured. */
  readonly readMs: number | null;
  /** The same for the inline query with the same values. */
  readonly inlineMs: number | null;
  /** Failures since the last success. */
  readonly attempts: number;
  /** Expiry of the running sync's claim. */
  readonly claimedUntil: Date | null;
}

/** Modified: turned on or changed, and not synced since. */
export type MaterializationState = 'Running' | 'Completed' | 'Failed' | 'Modified' | 'Cancelled';

/** Null if materialization is off. */
export function stateOf(facts: MaterializationFacts, now: Date): MaterializationState | null {
  if (!facts.enabled) return null;
  if (facts.claimedUntil !== null && facts.claimedUntil > now) return 'Running';
  const changed = timeOf(facts.settingsChangedAt);
  const failed = facts.attempts > 0 ? timeOf(facts.lastFailedAt) : never;
  const cancelled = timeOf(facts.cancelledAt);
  const newest = Math.max(changed, failed, cancelled);
  if (newest === never) return facts.tableName === null ? 'Modified' : 'Completed';
  if (failed === newest) return 'Failed';
  return cancelled === newest ? 'Cancelled' : 'Modified';
}

const never = Number.NEGATIVE_INFINITY;

function timeOf(date: Date | null): number {
  return date === null ? never : date.getTime();
}

/** Whether the query can be materialized and, if not, a reason that its author can act on. */
export interface EligibilityVerdict {
  readonly canMaterialize: boolean;
  readonly reason: string | null;
}

export function eligibilityOf(
  facts: Pick<MaterializationFacts, 'plan' | 'reason'>,
): EligibilityVerdict {
  if (facts.reason !== null) return { canMaterialize: false, reason: facts.reason };
  if (facts.plan !== null) return { canMaterialize: true, reason: null };
  return {
    canMaterialize: false,
    reason:
      'It has not been determined yet whether this query can be materialized. Its materialization_preview determines it, and so does enabling materialization.',
  };
}

/** Why runs cannot read the stored table; null if they can. */
export type Unusable = 'not_ready' | 'failed' | 'stale';

/** Maximum clock difference between two processes; a time further ahead was written by a wrong clock. */
export const clockSkewMs = 30_000;

/**
 * A table is usable while it is younger than its cadence, even if a sync has failed since: its rows are correct and
 * as old as the cadence allows. A table from the future has no known age.
 */
export function whyUnusable(facts: MaterializationFacts, now: Date): Unusable | null {
  const { tableName, plan, lastMaterializedAt } = facts;
  const isFailing = facts.attempts > 0;
  if (tableName === null || plan === null || lastMaterializedAt === null) {
    return isFailing ? 'failed' : 'not_ready';
  }
  const ageMs = now.getTime() - lastMaterializedAt.getTime();
  if (ageMs >= -clockSkewMs && ageMs < cadenceMs(facts.syncFrequency)) return null;
  return isFailing ? 'failed' : 'stale';
}

/** How much slower than the inline query a read must be before runs stop using the table. */
const clearlySlower = 1.2;
const clearlySlowerMs = 2;

/** Whether runs use the source data because that takes clearly less time than reading the table. */
export function isInlineFaster({
  readMs,
  inlineMs,
}: Pick<MaterializationFacts, 'readMs' | 'inlineMs'>): boolean {
  if (readMs === null || inlineMs === null) return false;
  return readMs > clearlySlower * inlineMs && readMs - inlineMs > clearlySlowerMs;
}

export function cadenceSeconds(syncFrequency: string): number {
  return syncFrequencySeconds[syncFrequency as SyncFrequency];
}

export function cadenceMs(syncFrequency: string): number {
  return cadenceSeconds(syncFrequency) * 1000;
}

const minLead = 0.02;
const maxLead = 0.1;

/**
 * The next sync is due before the table reaches its cadence: earlier by the duration of a sync, so that runs do not
 * fall back to source data meanwhile, and by a random share, so that syncs do not all start together.
 *
 * @param random from 0 to 1.
 */
export function nextSyncAt(
  sync: { readonly startedAt: Date; readonly durationMs: number; readonly syncFrequency: string },
  random: number,
): Date {
  const cadence = cadenceMs(sync.syncFrequency);
  const jitter = cadence * (minLead + (maxLead - minLead) * random);
  const lead = Math.min(jitter + 1.5 * sync.durationMs, cadence / 2);
  return new Date(sync.startedAt.getTime() + Math.floor(cadence - lead));
}

const longestRetryMs = 3_600_000;

/**
 * @param failed.attempts consecutive failures, including this one.
 * @param failed.firstRetryMs delay after the first failure; doubles with each further one.
 */
export function retryAt(
  failed: {
    readonly now: Date;
    readonly attempts: number;
    readonly syncFrequency: string;
    readonly firstRetryMs: number;
  },
  random: number,
): Date {
  const doubled = failed.firstRetryMs * 2 ** Math.min(failed.attempts - 1, 20);
  const wait = Math.min(doubled, longestRetryMs, cadenceMs(failed.syncFrequency));
  return new Date(failed.now.getTime() + Math.floor(wait * (1 + 0.2 * random)));
}
