import { setTimeout as delay } from 'node:timers/promises';
import { type Figure, figure, percentile, type Target } from './figure.ts';
import { type Answered, type TwoProjects, withTwoProjects } from './two-projects.ts';

const callers = 8;
const capacitySeconds = 5;
const quietSeconds = 8;
const overloadSeconds = 15;
const factor = 4;

interface Sent extends Answered {
  /** Seconds from the beginning of the load. */
  readonly at: number;
}

/** Four times what the service can do: what those who are accepted feel, what the others get, and how it ends. */
export function measureOverload(): Promise<readonly Figure[]> {
  return withTwoProjects(async (projects) => {
    const query =
      'SELECT kind, count() AS n, sum(cityHash64(amount, {n:UInt32})) AS total FROM events GROUP BY kind';
    await projects.heavy.save('panel', query);
    await projects.light.save('panel', query);
    const capacity = await measureCapacity(projects);
    const quiet = await offer(projects, { perSecond: capacity / 5, seconds: quietSeconds });
    const busy = await offer(projects, { perSecond: capacity * factor, seconds: overloadSeconds });
    const after = await offer(projects, { perSecond: capacity / 5, seconds: quietSeconds });
    return report({ capacity, quiet, busy, after });
  });
}

function report(found: {
  readonly capacity: number;
  readonly quiet: readonly Sent[];
  readonly busy: readonly Sent[];
  readonly after: readonly Sent[];
}): readonly Figure[] {
  const { capacity, quiet, busy, after } = found;
  const accepted = busy.filter(({ status }) => status === 200);
  const steady = accepted.filter(({ at }) => at >= 1);
  const refused = busy.filter(({ status }) => status === 429 || status === 503);
  const wrong = busy.filter((sent) => !accepted.includes(sent) && !isTold(sent));
  const one = (name: string, measure: string, value: number, target?: Target) =>
    figure(name, measure, { samples: [value], ...(target === undefined ? {} : { target }) });
  const goodput = accepted.length / overloadSeconds / capacity;
  const times = 'times that at a fifth of the capacity';
  return [
    one('capacity', 'runs a second', capacity),
    one('p99 at a fifth of the capacity', 'ms', p99(quiet)),
    one(`accepted of ${factor} times the capacity`, 'of the capacity', goodput),
    one('refused with 429 or 503', 'runs', refused.length),
    one('not accepted, and not refused with a time to wait', 'runs', wrong.length, { atMost: 0 }),
    one('p99 of the accepted', times, p99(accepted) / p99(quiet), { atMost: 5 }),
    one('p99 of the accepted after the first second', times, p99(steady) / p99(quiet)),
    one('p99 of the refusals', 'ms', p99(refused)),
    one('recovery', 's', secondsToCalm(after, 2 * p99(quiet)), { atMost: 5 }),
  ];
}

const isTold = ({ status, retryAfter }: Answered): boolean =>
  (status === 429 || status === 503) && /^[1-9]\d*$/.test(retryAfter ?? '');

const timesOf = (sent: readonly Answered[]) => sent.map(({ ms }) => ms);
const p99 = (sent: readonly Answered[]) => percentile(timesOf(sent), 99);

/** Whole seconds until one second in which nothing was refused and nothing slow. */
function secondsToCalm(sent: readonly Sent[], slowMs: number): number {
  for (let second = 0; second < quietSeconds; second += 1) {
    const within = sent.filter(({ at }) => at >= second && at < second + 1);
    if (within.length > 0 && within.every(({ status, ms }) => status === 200 && ms <= slowMs))
      return second;
  }
  return Number.POSITIVE_INFINITY;
}

let number = 0;

function next(projects: TwoProjects): Promise<Answered> {
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

/** Sends at a steady rate, whatever comes back; the time of a run counts from when it was due. */
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
