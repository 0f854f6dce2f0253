import { invalidInput } from '../errors/service-error.ts';
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
 * The cadence that the input asks for in either spelling; undefined when it names none. Throws `invalid_input` when the
 * two disagree.
 *
 * @param stored the present cadence, whose seconds may be repeated even where they are out of range; null: there is none.
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
    `data_freshness_seconds ${seconds} is the sync frequency ${fresh}, but sync_frequency says ${named}. Give one of them.`,
  );
}

/** The input without what is stored already: an object that was read and is sent back names both spellings. */
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
    `data_freshness_seconds is a whole number from ${min} to ${max}.`,
  );
}

function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}
