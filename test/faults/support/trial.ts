/** One fault under load: before it, while it lasts, and until everything works again. */
import { setTimeout as delay } from 'node:timers/promises';
import { hangMs, type Kind, kinds, type Load, type Sample, startLoad } from './load.ts';
import type { Service } from './service.ts';

export interface Fault<G extends Setup = Setup> {
  /** As a reader of docs/when-things-fail.md calls it. */
  readonly title: string;
  /** What this machine lacks to cause it; null when nothing. */
  readonly missing?: () => Missing | null;
  /** What it happens to. Faults of the same one may happen to it one after the other. */
  readonly open: () => Promise<G>;
  strike(setup: G): Promise<void> | void;
  /** Problems while the fault lasts, besides the responses to callers. */
  during?(setup: G): Promise<readonly string[]>;
  /** Problems after everything works again. */
  after?(setup: G): Promise<readonly string[]>;
  /** Absent: it heals by itself. */
  heal?(setup: G): Promise<void> | void;
  /** How long it lasts; 0 for a fault of a moment. */
  readonly holdMs: { readonly long: number; readonly short: number };
  /** No response may take longer, of any kind. Checked in the long run. */
  readonly longestMs: number;
  /** By when, after it is over, every kind of call must succeed again. Checked in the long run. */
  readonly recoveryMs: number;
  /** The errors that callers may get meanwhile; 0 is a broken connection. */
  readonly allowed: readonly (number | string)[];
  /** Kinds of calls that must not fail for this long after it began. */
  readonly unharmed?: { readonly kinds: readonly Kind[]; readonly forMs: number };
}

/** A service with all that belongs to it. */
export interface Setup {
  readonly service: Service;
  close(): Promise<void>;
}

export interface Missing {
  readonly what: string;
  /** It may be missing even where everything is required: the machine does not allow it to anybody. */
  readonly mayBe: boolean;
}

export interface KindReport {
  readonly calls: number;
  /** By status, with the code when there is one. */
  readonly responses: Readonly<Record<string, number>>;
  readonly longestMs: number;
  /** From the end of the fault until the response to the last failed call; 0 when none failed. */
  readonly recoveryMs: number;
}

export interface Report {
  readonly fault: string;
  readonly heldMs: number;
  readonly kinds: Readonly<Record<Kind, KindReport>>;
  readonly acknowledged: number;
  readonly lost: readonly string[];
  /** As sentences; empty when all is well. */
  readonly problems: readonly string[];
}

const warmMs = { long: 3000, short: 800 } as const;
/** Everything works again when nothing failed for so long. */
const quietMs = { long: 3000, short: 1000 } as const;

/** Of each caller between two calls; the short run leaves the machine to what else is tested. */
const pauseMs = { long: 25, short: 250 } as const;

/** The short run is for machines of any speed: a response must come at all, and everything must work again. */
const unhurried = { longestMs: hangMs, recoveryMs: hangMs } as const;

export async function tryFault(
  name: string,
  given: Fault,
  { setup, length }: { readonly setup: Setup; readonly length: 'long' | 'short' },
): Promise<Report> {
  const fault = length === 'long' ? given : { ...given, ...unhurried };
  let isStruck = false;
  try {
    const load = startLoad(setup.service.target, pauseMs[length]);
    await delay(warmMs[length]);
    const struckAt = performance.now();
    isStruck = true;
    await fault.strike(setup);
    await delay(fault.holdMs[length]);
    const meanwhile = (await fault.during?.(setup)) ?? [];
    await fault.heal?.(setup);
    isStruck = false;
    const healedAt = fault.heal === undefined ? struckAt : performance.now();
    await untilQuiet(load, healedAt, { quiet: quietMs[length], limit: fault.recoveryMs });
    await load.stop();
    const lost = await load.findLost();
    const noticed = [...meanwhile, ...((await fault.after?.(setup)) ?? [])];
    return report({ name, fault, load, lost, noticed, struckAt, healedAt });
  } finally {
    if (isStruck) await fault.heal?.(setup);
  }
}

const isGood = ({ status }: Sample) => status >= 200 && status < 300;

/** A response to a call from before the fault, or from its first moment, may still arrive and says nothing about what came after it. */
const settleMs = 200;

/** Until calls of every kind have only succeeded for a while, or the time is over. */
async function untilQuiet(
  { samples }: Load,
  healedAt: number,
  time: { readonly quiet: number; readonly limit: number },
): Promise<void> {
  for (;;) {
    await delay(100);
    const now = performance.now();
    if (now - healedAt > time.limit + time.quiet) return;
    if (now - healedAt < time.quiet) continue;
    const recent = samples.filter((sample) => sample.at + sample.ms > now - time.quiet);
    const later = recent.filter((sample) => sample.at > healedAt + settleMs);
    const heard = new Set(later.map(({ kind }) => kind));
    if (recent.every(isGood) && kinds.every((kind) => heard.has(kind))) return;
  }
}

interface Played {
  readonly name: string;
  readonly fault: Fault;
  readonly load: Load;
  readonly lost: readonly string[];
  readonly noticed: readonly string[];
  readonly struckAt: number;
  readonly healedAt: number;
}

function report({ name, fault, load, lost, noticed, struckAt, healedAt }: Played): Report {
  const during = load.samples.filter((sample) => sample.at + sample.ms >= struckAt);
  const byKind = Object.fromEntries(
    kinds.map((kind) => [
      kind,
      describeKind(
        during.filter((s) => s.kind === kind),
        healedAt,
      ),
    ]),
  ) as Record<Kind, KindReport>;
  const problems = [
    ...noticed,
    ...lost.map((what) => `lost: ${what}`),
    ...kinds.flatMap((kind) => kindProblems(kind, byKind[kind], fault)),
    ...during.flatMap((sample) => sampleProblems(sample, { fault, struckAt })),
  ];
  return {
    fault: name,
    heldMs: Math.round(healedAt - struckAt),
    kinds: byKind,
    acknowledged: load.acknowledged(),
    lost,
    problems: [...new Set(problems)],
  };
}

function describeKind(samples: readonly Sample[], healedAt: number): KindReport {
  const responses: Record<string, number> = {};
  for (const sample of samples) {
    const response = nameOf(sample);
    responses[response] = (responses[response] ?? 0) + 1;
  }
  const failed = samples.filter((sample) => !isGood(sample));
  const lastFailure = Math.max(healedAt, ...failed.map(({ at, ms }) => at + ms));
  return {
    calls: samples.length,
    responses,
    longestMs: Math.round(Math.max(0, ...samples.map(({ ms }) => ms))),
    recoveryMs: Math.round(lastFailure - healedAt),
  };
}

function nameOf({ status, code }: Sample): string {
  if (status === 0) return 'broken connection';
  if (status === -1) return 'no response';
  return code === null ? String(status) : `${status} ${code}`;
}

function kindProblems(kind: Kind, found: KindReport, fault: Fault): readonly string[] {
  const late = found.recoveryMs > fault.recoveryMs;
  const slow = found.longestMs > fault.longestMs;
  return [
    ...(found.calls === 0 ? [`${kind}: no call was made`] : []),
    ...(late
      ? [`${kind}: worked again after ${found.recoveryMs} ms, not ${fault.recoveryMs}`]
      : []),
    ...(slow ? [`${kind}: a response took ${found.longestMs} ms, not ${fault.longestMs}`] : []),
  ];
}

function sampleProblems(
  sample: Sample,
  { fault, struckAt }: { readonly fault: Fault; readonly struckAt: number },
): readonly string[] {
  const name = nameOf(sample);
  if (isGood(sample)) return [];
  const { unharmed } = fault;
  const problems: string[] = [];
  const isAllowed =
    fault.allowed.includes(sample.status) || fault.allowed.includes(sample.code ?? '');
  if (!isAllowed) problems.push(`${sample.kind}: got ${name}`);
  if (sample.status === 503 && sample.retryAfter === null) {
    problems.push(`${sample.kind}: ${name} without Retry-After`);
  }
  if (unharmed?.kinds.includes(sample.kind) && sample.at + sample.ms - struckAt < unharmed.forMs) {
    problems.push(`${sample.kind}: got ${name} within ${unharmed.forMs} ms`);
  }
  return problems;
}
