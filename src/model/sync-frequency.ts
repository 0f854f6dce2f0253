import { invalidInput } from '../errors/service-error.ts';

const minutes = 60;
const hours = 60 * minutes;
const days = 24 * hours;

/** Refresh interval of a materialization: documented spelling → seconds. */
export const syncFrequencySeconds = {
  '5min': 5 * minutes,
  '15min': 15 * minutes,
  '30min': 30 * minutes,
  '1hour': hours,
  '2hour': 2 * hours,
  '4hour': 4 * hours,
  '6hour': 6 * hours,
  '12hour': 12 * hours,
  '24hour': days,
  '7day': 7 * days,
  '30day': 30 * days,
} as const;

export type SyncFrequency = keyof typeof syncFrequencySeconds;

export const defaultSyncFrequency: SyncFrequency = '24hour';

export function parseSyncFrequency(value: string, attr: string): SyncFrequency {
  if (Object.hasOwn(syncFrequencySeconds, value)) return value as SyncFrequency;
  const accepted = Object.keys(syncFrequencySeconds).join(', ');
  throw invalidInput(attr, `sync_frequency must be one of ${accepted}.`);
}

/** `data_freshness_seconds`, another spelling of the cadence. Source: the contract. */
export const freshnessRange = { min: 900, max: 604_800 } as const;

/** The longest cadence not above `seconds`, which must be at least the shortest cadence. */
export function cadenceWithin(seconds: number): SyncFrequency {
  let longest: SyncFrequency = '5min';
  for (const [name, length] of Object.entries(syncFrequencySeconds)) {
    if (length <= seconds) longest = name as SyncFrequency;
  }
  return longest;
}
