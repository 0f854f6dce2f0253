/** Sizes, times and cadences as people read them, in the words of the console. */
import { element } from './elements.js';
import { numberOf } from './exact-json.js';

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];

export function readableBytes(value) {
  const bytes = numberOf(value) ?? 0;
  const power = bytes < 1 ? 0 : Math.floor(Math.log2(bytes) / 10);
  const step = Math.min(power, units.length - 1);
  const scaled = bytes / 1024 ** step;
  return `${step === 0 || scaled >= 100 ? Math.round(scaled) : scaled.toFixed(1)} ${units[step]}`;
}

export function readableCount(value) {
  return (numberOf(value) ?? 0).toLocaleString('en');
}

const cadenceUnits = { min: 'minute', hour: 'hour', day: 'day' };

/** Like "every 24 hours", from `24hour`. */
export function readableCadence(cadence) {
  const [, digits = '', unit = ''] = /^(\d+)(min|hour|day)$/.exec(cadence) ?? [];
  const word = cadenceUnits[unit];
  if (word === undefined) return cadence;
  return digits === '1' ? `every ${word}` : `every ${digits} ${word}s`;
}

export function readableState({ status, ready }) {
  if (status === 'Running') return 'syncing';
  if (status === 'Failed') return 'the last sync failed';
  if (ready) return 'stored';
  return status === 'Modified' ? 'due' : 'not ready';
}

export function readableSource(servedFrom) {
  return servedFrom === 'materialized' ? 'the stored table' : 'the source data';
}

/** In the browser's time zone; the complete instant on hover. */
export function localTime(iso) {
  const text = new Date(iso).toLocaleString(undefined, {
    dateStyle: 'medium',
    timeStyle: 'short',
  });
  return element('time', { dateTime: iso, title: iso }, text);
}
