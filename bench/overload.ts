import { setTimeout as delay } from 'node:timers/promises';
import { type Figure, figure, percentile, type Target } from './figure.ts';
import { type RunOutcome, type TwoProjects, withTwoProjects } from './two-projects.ts';

const callers = 8;
const capacitySeconds = 5;
const quietSeconds = 8;
const overloadSeconds = 15;
const factor = 4;
const rounds = 3;

interface Sent extends RunOutcome {
  /** Seconds from the beginning of the load. */
  readonly at: number;
}

/** Four times the capacity: latency of accepted runs, what the others get, and the recovery. */
export function measureOverload(): Promise<readonly Figure[]> {
  return withTwoProjects(async (projects) => {
    const query =
      'SELECT kind, count() AS n, sum(cityHash64(amount, {n:UInt32})) AS total FROM events GROUP BY kind';
    await projects.heavy.save('panel', query);
    await projects.light.save('panel', query);
    const capacity = await measureCapacity(projects);
    const played: Round[] = [];
    for (let n = 0; n < rounds; n += 1) played.push(await playRound(projects, capacity));
    return report(capacity, played);
  });
}

interface Round {
  readonly quiet: readonly Sent[];
  readonly busy: readonly Sent[];
  readonly after: readonly Sent[];
}

async function playRound(projects: TwoProjects, capacity: number): Promise<Round> {
  const calm = { perSecond: capacity / 5, seconds: quietSeconds };
  const quiet = await offer(projects, calm);
  const busy = await offer(projects, { perSecond: capacity * factor, seconds: overloadSeconds });
  return { quiet, busy, after: await offer(projects, calm) };
}

function report(capacity: number, played: readonly Round[]): readonly Figure[] {
  const each = (
    name: string,
    measure: string,
    of: { readonly value: (round: Round) => number; readonly target?: Target },
  ) => {
    const { target } = of;
    const samples = played.map(of.value);
    return figure(name, measure, { samples, ...(target === undefined ? {} : { target }) });
  };
  const refused = ({ busy }: Round) => busy.filter(isRefused);
  const times = 'times the p99 at a fifth of the capacity';
  const share = (sent: readonly Sent[], { quiet }: Round) => p99(sent) / p99(quiet);
  return [
    figure('capacity', 'runs per second', { samples: [capacity] }),
    each('p99 at a fifth of the capacity', 'ms', { value: ({ quiet }) => p99(quiet) }),
    each(`accepted at ${factor} times the capacity`, 'of the capacity', {
      value: ({ busy }) => busy.filter(isAccepted).length / overloadSeconds / capacity,
    }),
    each('refused with 429 or 503', 'runs', { value: (round) => refused(round).length }),
    each('neither accepted nor refused with Retry-After', 'runs', {
      value: ({ busy }) => busy.filter((sent) => !isAccepted(sent) && !hasRetryAfter(sent)).length,
      target: { atMost: 0 },
    }),
    each('p99 of accepted runs', times, {
      value: (round) => share(round.busy.filter(isAccepted), round),
      target: { atMost: 5 },
    }),
    each('p99 of accepted runs after the first second', times, {
      value: (round) =>
        share(
          round.busy.filter((sent) => isAccepted(sent) && sent.at >= 1),
          round,
        ),
    }),
    each('p99 of refusals', 'ms', { value: (round) => p99(refused(round)) }),
    each('recovery', 's', {
      value: ({ quiet, after }) => secondsToCalm(after, 2 * p99(quiet)),
      target: { atMost: 5 },
    }),
  ];
}

const isAccepted = ({ status }: RunOutcome): boolean => status === 200;
const isRefused = ({ status }: Pick<RunOutcome, 'status'>): boolean =>
  status === 429 || status === 503;

const hasRetryAfter = ({ status, retryAfter }: RunOutcome): boolean =>
  isRefused({ status }) && /^[1-9]\d*$/.test(retryAfter ?? '');

const timesOf = (sent: readonly RunOutcome[]) => sent.map(({ ms }) => ms);
const p99 = (sent: readonly RunOutcome[]) => percentile(timesOf(sent), 99);

/** Whole seconds until one second in which nothing was refused or slow. */
function secondsToCalm(sent: readonly Sent[], slowMs: number): number {
  for (let second = 0; second < quietSeconds; second += 1) {
    const within = sent.filter(({ at }) => at >= second && at < second + 1);
    if (within.length > 0 && within.every(({ status, ms }) => status === 200 && ms <= slowMs))
      return second;
  }
  return Number.POSITIVE_INFINITY;
}

let number = 0;

function next(projects: TwoProjects): Promise<RunOutcome> {
  number += 1;
  const caller = number % 2 === 0 ? projects.heavy : projects.light;
  return caller.run('panel', { n: number });
}

async function measureCapacity(projects: TwoProjects): Promise<number> {
  let done = 0;
  const until = performance.now() + capacitySeconds * 1000;
  await Promise.all(
    Array.from({ length: callers }, async () => {
      while (performance.now() < until) if ((await next(projects)).status === 200) done += 1;
    }),
  );
  return done / capacitySeconds;
}

/** Sends at a steady rate, whatever comes back; the time of a run is counted from when it was due. */
async function offer(
  projects: TwoProjects,
  load: { readonly perSecond: number; readonly seconds: number },
): Promise<readonly Sent[]> {
  const began = performance.now();
  const all: Promise<Sent>[] = [];
  const total = Math.round(load.perSecond * load.seconds);
  while (all.length < total) {
    const dueMs = (all.length * 1000) / load.perSecond;
    const early = began + dueMs - performance.now();
    if (early > 0) {
      await delay(Math.ceil(early));
      continue;
    }
    const late = performance.now() - began - dueMs;
    const sent = next(projects).then((a) => ({ ...a, ms: a.ms + late, at: dueMs / 1000 }));
    all.push(sent);
  }
  return Promise.all(all);
}
