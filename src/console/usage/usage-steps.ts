/** Totals by time step, including steps without runs. Pure. */

export interface StepFigures {
  readonly at: string | null;
  readonly runs: number;
  readonly errors: number;
}

const stepMs = { hour: 3_600_000, day: 86_400_000 } as const;
export type ShownStep = keyof typeof stepMs;

export interface ShownTime {
  /** The start of the first step, and the end of the last. */
  readonly from: string;
  readonly to: string;
}

/** The start of each step, in milliseconds. */
export function stepsOf({ from, to }: ShownTime, step: ShownStep): readonly number[] {
  const first = Date.parse(from);
  const count = Math.max(0, Math.round((Date.parse(to) - first) / stepMs[step]));
  return Array.from({ length: count }, (_, at) => first + at * stepMs[step]);
}

/** One for each step; null without runs. */
export function fillSteps<Figures extends StepFigures>(
  steps: readonly number[],
  figures: readonly Figures[],
): readonly (Figures | null)[] {
  const byTime = new Map(figures.map((one) => [one.at === null ? null : Date.parse(one.at), one]));
  return steps.map((at) => byTime.get(at) ?? null);
}
