/** Which counts answer a question about usage. Pure. */
import { invalidInput } from '../errors/service-error.ts';
import { startOfStep, stepMs, type UsageStep, usageSteps } from '../model/usage.ts';

/** `all`: the whole time in one. */
export const askedSteps = [...usageSteps, 'all'] as const;
export type AskedStep = (typeof askedSteps)[number];

export interface UsageTimes {
  readonly from?: Date | null | undefined;
  readonly to?: Date | null | undefined;
  readonly step?: string | null | undefined;
}

export interface PlannedTimes {
  readonly asked: AskedStep;
  /** Of the counts that are summed up. */
  readonly step: UsageStep;
  /** At the start of a step. */
  readonly from: Date;
  /** Not included; at the start of a step. */
  readonly to: Date;
}

/** How many days the counts of each step are kept. */
export type KeptDays = Readonly<Record<UsageStep, number>>;

const dayMs = stepMs.day;
const maxSteps = 10_080;
/** How far back a question goes that names no beginning. */
const usualMs: Readonly<Record<AskedStep, number>> = {
  minute: stepMs.hour,
  hour: dayMs,
  day: 30 * dayMs,
  all: dayMs,
};
/** The whole of a longer time is summed up by the next step. */
const longestMs: Readonly<Record<UsageStep, number>> = {
  minute: 6 * stepMs.hour,
  hour: 60 * dayMs,
  day: Number.POSITIVE_INFINITY,
};

/**
 * The times that are asked for, widened to whole steps. Throws `invalid_input` for times that are not kept or too many
 * steps.
 */
export function planTimes(given: UsageTimes, kept: KeptDays, now: Date): PlannedTimes {
  const asked = parseStep(given.step);
  // The step under way is included.
  const toMs = given.to?.getTime() ?? now.getTime() + 1;
  const fromMs = given.from?.getTime() ?? toMs - usualMs[asked];
  if (fromMs >= toMs) throw invalidInput('from', 'from is a time before to.');
  const step = asked === 'all' ? chooseStep(fromMs, toMs, { kept, now }) : asked;
  requireKept(step, new Date(fromMs), { kept, now });
  const from = startOfStep(fromMs, step);
  const to = startOfStep(toMs - 1, step) + stepMs[step];
  if (asked !== 'all' && (to - from) / stepMs[step] > maxSteps) {
    throw invalidInput(
      'step',
      `This time has more than ${maxSteps} steps of a ${step}. Ask for a shorter time or a longer step.`,
    );
  }
  return { asked, step, from: new Date(from), to: new Date(to) };
}

interface Retention {
  readonly kept: KeptDays;
  readonly now: Date;
}

function parseStep(step: string | null | undefined): AskedStep {
  const found = askedSteps.find((known) => known === (step ?? 'hour'));
  if (found !== undefined) return found;
  throw invalidInput('step', `The step is one of ${askedSteps.join(', ')}.`);
}

/** The shortest step that is not too many, and is still kept. */
function chooseStep(fromMs: number, toMs: number, retention: Retention): UsageStep {
  const fits = (step: UsageStep) =>
    toMs - fromMs <= longestMs[step] && fromMs >= keptFromMs(step, retention);
  return usageSteps.find(fits) ?? 'day';
}

/** From when on the counts of a step are kept. */
export function keptFromMs(step: UsageStep, { kept, now }: Retention): number {
  return startOfStep(now.getTime() - kept[step] * dayMs, step);
}

function requireKept(step: UsageStep, from: Date, retention: Retention): void {
  const since = keptFromMs(step, retention);
  if (from.getTime() >= since) return;
  const longer = step === 'day' ? '' : ', or ask by a longer step';
  throw invalidInput(
    'from',
    `Usage by ${step} is kept for ${retention.kept[step]} days. Begin at ${new Date(since).toISOString()} or later${longer}.`,
  );
}
