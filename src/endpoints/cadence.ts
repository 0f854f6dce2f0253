import { invalidInput } from '../errors/service-error.ts';
import { isGiven } from '../lib/is-given.ts';
import { cadenceSeconds } from '../model/materialization-state.ts';
import {
  cadenceWithin,
  freshnessRange,
  parseSyncFrequency,
  type SyncFrequency,
} from '../model/sync-frequency.ts';

/** The two spellings of a cadence. */
export interface CadenceInput {
  readonly syncFrequency?: string | null | undefined;
  readonly dataFreshnessSeconds?: number | null | undefined;
}

/**
 * The requested cadence in either spelling; undefined when there is none. Throws `invalid_input` when the two disagree.
 *
 * @param stored the current cadence, whose seconds may be repeated even if they are out of range; null for none.
 */
export function parseCadence(
  input: CadenceInput,
  stored: string | null,
): SyncFrequency | undefined {
  const named = isGiven(input.syncFrequency)
    ? parseSyncFrequency(input.syncFrequency, 'sync_frequency')
    : undefined;
  if (!isGiven(input.dataFreshnessSeconds)) return named;
  const seconds = input.dataFreshnessSeconds;
  const meant = [named, stored].find((one) => isGiven(one) && cadenceSeconds(one) === seconds);
  const fresh = isGiven(meant) ? (meant as SyncFrequency) : cadenceOfFreshness(seconds);
  if (named === undefined || named === fresh) return fresh;
  throw invalidInput(
    'data_freshness_seconds',
    `data_freshness_seconds ${seconds} corresponds to the sync frequency ${fresh}, but sync_frequency is ${named}. Give only one of them.`,
  );
}

/** Drops what equals the stored value: an object that was read and is sent back contains both spellings. */
export function changedCadence(input: CadenceInput, stored: string): CadenceInput {
  const { syncFrequency, dataFreshnessSeconds } = input;
  return {
    syncFrequency: syncFrequency === stored ? undefined : syncFrequency,
    dataFreshnessSeconds:
      dataFreshnessSeconds === cadenceSeconds(stored) ? undefined : dataFreshnessSeconds,
  };
}

function cadenceOfFreshness(seconds: number): SyncFrequency {
  const { min, max } = freshnessRange;
  if (Number.isSafeInteger(seconds) && seconds >= min && seconds <= max) {
    return cadenceWithin(seconds);
  }
  throw invalidInput(
    'data_freshness_seconds',
    `data_freshness_seconds must be an integer from ${min} to ${max}.`,
  );
}
