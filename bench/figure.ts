/** What a case measured, as values, so that the table, the results file and the chart agree. */
export interface Figure {
  /** What was done; unique within its case together with `measure`. */
  readonly name: string;
  /** What the samples are: `ms`, `of raw throughput`. */
  readonly measure: string;
  /** One per round; none if this machine cannot measure it, and then `note` gives the reason. */
  readonly samples: readonly number[];
  /** Null for additional figures. */
  readonly target: Target | null;
  readonly note: string | null;
}

export type Target = { readonly atLeast: number } | { readonly atMost: number };

export interface FigureDetails {
  readonly target?: Target;
  readonly note?: string;
}

export function figure(
  name: string,
  measure: string,
  given: FigureDetails & { readonly samples: readonly number[] },
): Figure {
  const { samples, target = null, note = null } = given;
  return { name, measure, samples, target, note };
}

/** A figure that this machine cannot measure. */
export function notMeasured(name: string, target: Target | null, why: string): Figure {
  return { name, measure: 'not measured', samples: [], target, note: why };
}

/** Null without a target or without samples. */
export function isMet({ samples, target }: Figure): boolean | null {
  if (target === null || samples.length === 0) return null;
  const middle = median(samples);
  return 'atLeast' in target ? middle >= target.atLeast : middle <= target.atMost;
}

export function median(values: readonly number[]): number {
  return sorted(values)[Math.floor(values.length / 2)] ?? Number.NaN;
}

export function least(values: readonly number[]): number {
  return sorted(values)[0] ?? Number.NaN;
}

export function greatest(values: readonly number[]): number {
  return sorted(values).at(-1) ?? Number.NaN;
}

/** The value that `percent` of all values do not exceed. */
export function percentile(values: readonly number[], percent: number): number {
  const at = Math.min(values.length - 1, Math.floor((percent / 100) * values.length));
  return sorted(values)[at] ?? Number.NaN;
}

function sorted(values: readonly number[]): readonly number[] {
  return [...values].sort((a, b) => a - b);
}

/** Median (least to greatest). */
export function spread(values: readonly number[]): string {
  const [only] = values;
  if (only === undefined) return 'not measured';
  if (values.length === 1) return rounded(only);
  return `${rounded(median(values))} (${rounded(least(values))} to ${rounded(greatest(values))})`;
}

export function targetText(target: Target | null): string {
  if (target === null) return '';
  return 'atLeast' in target ? `≥ ${target.atLeast}` : `≤ ${target.atMost}`;
}

export function verdict(given: Figure): string {
  if (given.target === null) return '';
  const met = isMet(given);
  return met === null ? 'not measured' : met ? 'met' : 'NOT MET';
}

function rounded(value: number): string {
  if (Number.isInteger(value)) return String(value);
  const size = Math.abs(value);
  return value.toFixed(size >= 100 ? 0 : size >= 10 ? 1 : size >= 0.1 ? 2 : 4);
}
