/** Chooses the stored counts to read for a usage request. Pure. */
import { invalidInput } from '../errors/service-error.ts';
import { startOfStep, stepMs, type UsageStep, usageSteps } from '../model/usage.ts';

/** `all` returns the whole period as one step. */
export const stepOptions = [...usageSteps, 'all'] as const;
export type StepOption = (typeof stepOptions)[number];

export interface UsageTimes {
  readonly from?: Date | null | undefined;
  readonly to?: Date | null | undefined;
  readonly step?: string | null | undefined;
}

export interface PlannedTimes {
  readonly requested: StepOption;
  /** Step of the stored counts that are summed. */
  readonly step: UsageStep;
  /** Start of a step. */
  readonly from: Date;
  /** Start of a step, exclusive. */
  readonly to: Date;
}

/** Retention of each step's counts, in days. */
export type KeptDays = Readonly<Record<UsageStep, number>>;

const dayMs = stepMs.day;
const maxSteps = 10_080;
/** Default length of the period when the request has no start. */
const usualMs: Readonly<Record<StepOption, number>> = {
  minute: stepMs.hour,
  hour: dayMs,
  day: 30 * dayMs,
  all: dayMs,
};
/** Longer periods are summed from the next larger step. */
const longestMs: Readonly<Record<UsageStep, number>> = {
  minute: 6 * stepMs.hour,
  hour: 60 * dayMs,
  day: Number.POSITIVE_INFINITY,
};

/**
 * The requested period, extended to whole steps. Throws `invalid_input` for times past the retention or too many steps.
 */
export function planTimes(given: UsageTimes, kept: KeptDays, now: Date): PlannedTimes {
  const requested = parseStep(given.step);
  // Includes the current step.
  const toMs = given.to?.getTime() ?? now.getTime() + 1;
  const fromMs = given.from?.getTime() ?? toMs - usualMs[requested];
  if (fromMs >= toMs) throw invalidInput('from', 'from must be before to.');
  const step = requested === 'all' ? chooseStep(fromMs, toMs, { kept, now }) : requested;
  requireKept(step, new Date(fromMs), { kept, now });
  const from = startOfStep(fromMs, step);
  const to = startOfStep(toMs - 1, step) + stepMs[step];
  if (requested !== 'all' && (to - from) / stepMs[step] > maxSteps) {
    throw invalidInput(
      'step',
      `This period has more than ${maxSteps} steps of a ${step}. Request a shorter period or a longer step.`,
    );
  }
  return { requested, step, from: new Date(from), to: new Date(to) };
}

interface Retention {
  readonly kept: KeptDays;
  readonly now: Date;
}

function parseStep(step: string | null | undefined): StepOption {
  const found = stepOptions.find((known) => known === (step ?? 'hour'));
  if (found !== undefined) return found;
  throw invalidInput('step', `step must be one of ${stepOptions.join(', ')}.`);
}

/** The shortest step that is still retained and does not yield too many counts. */
function chooseStep(fromMs: number, toMs: number, retention: Retention): UsageStep {
  const fits = (step: UsageStep) =>
    toMs - fromMs <= longestMs[step] && fromMs >= keptFromMs(step, retention);
  return usageSteps.find(fits) ?? 'day';
}

/** The earliest time for which a step's counts are retained. */
export function keptFromMs(step: UsageStep, { kept, now }: Retention): number {
  return startOfStep(now.getTime() - kept[step] * dayMs, step);
}

function requireKept(step: UsageStep, from: Date, retention: Retention): void {
  const since = keptFromMs(step, retention);
  const { kept } = retention;
  if (from.getTime() >= since) return;
  const longer = step === 'day' ? '' : ', or request a longer step';
  const days = kept[step] === 1 ? '1 day' : `${kept[step]} days`;
  throw invalidInput(
    'from',
    `Usage by ${step} is retained for ${days}. Start at ${new Date(since).toISOString()} or later${longer}.`,
  );
}
