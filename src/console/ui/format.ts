/** Human-readable numbers, sizes, durations and times. */

const integers = new Intl.NumberFormat('en-US');

export function formatCount(count: number): string {
  return integers.format(count);
}

export function plural(count: number, one: string, many = `${one}s`): string {
  return `${formatCount(count)} ${count === 1 ? one : many}`;
}

export function formatBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  const step = bytes < 1 ? 0 : Math.min(Math.floor(Math.log2(bytes) / 10), units.length - 1);
  const value = bytes / 1024 ** step;
  return `${step === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[step]}`;
}

/** Like "250 ms", "1.5 s", "2 min 5 s" and "1 h 0 min". Rounds first, so that no part reaches the next unit. */
export function formatSeconds(seconds: number): string {
  if (seconds < 0.001) return '< 1 ms';
  const ms = Math.round(seconds * 1000);
  if (ms < 1000) return `${ms} ms`;
  const tenths = Math.round(seconds * 10);
  if (tenths < 100) return `${(tenths / 10).toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

const spans: readonly (readonly [number, Intl.RelativeTimeFormatUnit])[] = [
  [60, 'second'],
  [3600, 'minute'],
  [86_400, 'hour'],
  [604_800, 'day'],
  [2_629_800, 'week'],
  [31_557_600, 'month'],
  [Number.POSITIVE_INFINITY, 'year'],
];
const unitSeconds = [1, 60, 3600, 86_400, 604_800, 2_629_800, 31_557_600];
const relative = new Intl.RelativeTimeFormat('en', { numeric: 'auto', style: 'short' });

/** Tolerated difference between the browser's clock and the service's. */
const nowSeconds = 5;

/** Like "3 min. ago", "now" and "in 2 hr.". */
export function formatAgo(iso: string, now: number = Date.now()): string {
  const apart = (Date.parse(iso) - now) / 1000;
  const seconds = Math.abs(apart) < nowSeconds ? 0 : apart;
  const at = spans.findIndex(([limit]) => Math.abs(seconds) < limit);
  const [, unit] = spans[at] ?? ['', 'year' as const];
  return relative.format(Math.round(seconds / (unitSeconds[at] ?? 1)), unit);
}

/** The complete instant, in UTC as the service writes it. */
export function formatInstant(iso: string): string {
  return `${iso.slice(0, 10)} ${iso.slice(11, 19)} UTC`;
}
