/** Converts dates and times between browsers' pickers and the texts of a run. Pure. */
import { bareType, kindOf } from './clickhouse-types.ts';

export interface Picker {
  readonly type: 'date' | 'datetime-local';
  /** Seconds between two values; absent for days. */
  readonly step?: number;
}

/** Null when the type has none. */
export function pickerFor(type: string): Picker | null {
  const kind = kindOf(type);
  if (kind === 'date') return { type: 'date' };
  if (kind !== 'time') return null;
  const digits = Number(/^DateTime64\((\d)/.exec(bareType(type))?.[1] ?? 0);
  // Pickers support milliseconds at most.
  return { type: 'datetime-local', step: digits === 0 ? 1 : 10 ** -Math.min(digits, 3) };
}

const pickable = {
  date: /^\d{4}-\d\d-\d\d$/,
  'datetime-local': /^\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?$/,
} as const;

/** Whether the picker can show it: other texts, with a time zone or more digits, are edited as text. */
export function isPickable({ type }: Picker, text: string): boolean {
  if (!pickable[type].test(text)) return text === '';
  const ms = Date.parse(`${text.replace(' ', 'T')}${type === 'date' ? '' : 'Z'}`);
  // A date parser may turn the 31st of February into a day in March.
  return !Number.isNaN(ms) && new Date(ms).toISOString().slice(0, 10) === text.slice(0, 10);
}

export function toPicked(text: string): string {
  return text.replace(' ', 'T');
}

/** Adds the seconds, which pickers omit when they are zero. */
export function fromPicked(value: string): string {
  const text = value.replace('T', ' ');
  return /^\d{4}-\d\d-\d\d \d\d:\d\d$/.test(text) ? `${text}:00` : text;
}

/** The default zone for times without one; null when the type has no times. */
export function zoneOf(type: string): string | null {
  if (kindOf(type) !== 'time') return null;
  return /'([^']+)'/.exec(type)?.[1] ?? 'UTC';
}
