/** One fault under load: before, while it lasts, until everything works again. */
import { setTimeout as delay } from 'node:timers/promises';
import { hangMs, type Kind, kinds, type Load, type Sample, startLoad } from './load.ts';
import type { Service } from './service.ts';

export interface Fault {
  /** As a reader of docs/when-things-fail.md calls it. */
  readonly title: string;
  /** Why it cannot be brought about here; null when it can. */
  readonly missing?: () => Missing | null;
  readonly open: () => Promise<World>;
  /** How long it is left as it is; 0 for what is over in the moment that it happens. */
  readonly holdMs: { readonly long: number; readonly short: number };
  /** No answer may take longer, of any kind. Held in the long form. */
  readonly longestMs: number;
  /** By when, after it is over, every kind must be answered well. Held in the long form. */
  readonly recoveryMs: number;
  /** What callers may be told meanwhile; 0 is a broken connection. */
  readonly allowed: readonly (number | string)[];
  /** Kinds that must not notice anything for this long after it began. */
  readonly unharmed?: { readonly kinds: readonly Kind[]; readonly forMs: number };
}

export interface Missing {
  readonly what: string;
  /** It may be missing where everything is required, too: the machine does not let anybody have it. */
  readonly mayBe: boolean;
}

export interface World {
  readonly service: Service;
  strike(): Promise<void> | void;
  /** What is wrong while the fault lasts, besides what callers were told. */
  during?(): Promise<readonly string[]>;
  /** What is wrong after all works again. */
  after?(): Promise<readonly string[]>;
  /** Absent: it heals by itself. */
  heal?(): Promise<void> | void;
  close(): Promise<void>;
}

export interface KindReport {
  readonly calls: number;
  /** By status, with the code when there is one. */
  readonly told: Readonly<Record<string, number>>;
  readonly longestMs: number;
  /** From the end of the fault until the last call that failed was answered; 0 when none did. */
  readonly recoveryMs: number;
}

export interface Report {
  readonly fault: string;
  readonly heldMs: number;
  readonly kinds: Readonly<Record<Kind, KindReport>>;
  readonly acknowledged: number;
  readonly lost: readonly string[];
  /** What must not be, in words; empty when all is well. */
  readonly problems: readonly string[];
}

const warmMs = { long: 3000, short: 800 } as const;
/** All is well when nothing failed for so long. */
const quietMs = { long: 3000, short: 1000 } as const;

/** The short form is for machines of any speed: there an answer must come at all, and all must work again. */
const patient = { longestMs: hangMs, recoveryMs: hangMs } as const;

export async function tryFault(
  name: string,
  told: Fault,
  length: 'long' | 'short',
): Promise<Report> {
  const fault = length === 'long' ? told : { ...told, ...patient };
  const world = await fault.open();
  let isStruck = false;
  try {
    const load = startLoad(world.service.target);
    await delay(warmMs[length]);
    const struckAt = performance.now();
    isStruck = true;
    await world.strike();
    await delay(fault.holdMs[length]);
    const meanwhile = (await world.during?.()) ?? [];
    await world.heal?.();
    isStruck = false;
    const healedAt = world.heal === undefined ? struckAt : performance.now();
    await untilQuiet(load, healedAt, { quiet: quietMs[length], limit: fault.recoveryMs });
    await load.stop();
    const lost = await load.findLost();
    const noticed = [...meanwhile, ...((await world.after?.()) ?? [])];
    return report({ name, fault, load, lost, noticed, struckAt, healedAt });
  } finally {
    if (isStruck) await world.heal?.();
    await world.close();
  }
}

const isGood = ({ status }: Sample) => status >= 200 && status < 300;

/** Until every kind has had good answers only for a while, or the time is over. */
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
    const heard = new Set(recent.map(({ kind }) => kind));
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
  const told: Record<string, number> = {};
  for (const sample of samples) told[nameOf(sample)] = (told[nameOf(sample)] ?? 0) + 1;
  const failed = samples.filter((sample) => !isGood(sample));
  const lastFailure = Math.max(healedAt, ...failed.map(({ at, ms }) => at + ms));
  return {
    calls: samples.length,
    told,
    longestMs: Math.round(Math.max(0, ...samples.map(({ ms }) => ms))),
    recoveryMs: Math.round(lastFailure - healedAt),
  };
}

function nameOf({ status, code }: Sample): string {
  if (status === 0) return 'broken connection';
  if (status === -1) return 'no answer';
  return code === null ? String(status) : `${status} ${code}`;
}

function kindProblems(kind: Kind, told: KindReport, fault: Fault): readonly string[] {
  const late = told.recoveryMs > fault.recoveryMs;
  const slow = told.longestMs > fault.longestMs;
  return [
    ...(told.calls === 0 ? [`${kind}: nobody asked`] : []),
    ...(late ? [`${kind}: worked again after ${told.recoveryMs} ms, not ${fault.recoveryMs}`] : []),
    ...(slow ? [`${kind}: an answer took ${told.longestMs} ms, not ${fault.longestMs}`] : []),
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
  if (!isAllowed && !(sample.kind === 'ready' && sample.status === 503)) {
    problems.push(`${sample.kind}: told ${name}`);
  }
  if (sample.status === 503 && sample.kind !== 'ready' && sample.retryAfter === null) {
    problems.push(`${sample.kind}: ${name} without Retry-After`);
  }
  if (unharmed?.kinds.includes(sample.kind) && sample.at + sample.ms - struckAt < unharmed.forMs) {
    problems.push(`${sample.kind}: told ${name} within ${unharmed.forMs} ms`);
  }
  return problems;
}
