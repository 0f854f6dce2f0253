/**
 * The service against a bare node:http server that sends the same bytes, in the same round and right after it. The
 * servers have one core, the load generator another. The share of the throughput is too kind when the generator is
 * the limit, the share by processor time when others disturb the machine: a target is for both.
 */
import { generatorCore, pin, serverCore, unpin } from './cores.ts';
import type { DemoServer } from './demo-server.ts';
import type { Rounds } from './effort.ts';
import { type Figure, figure, type Target } from './figure.ts';
import { startRaw } from './raw.ts';
import { type Answer, askOnce, type LoadCase, type LoadResult, load } from './socket-load.ts';

export interface AgainstRaw {
  readonly name: string;
  readonly load: LoadCase;
  readonly target: Target;
  /** What the bare server answers, where it is not what this request is answered with. */
  readonly rawAnswer?: LoadCase;
  /** Only this share has the target; both when absent. */
  readonly only?: 'processor time';
}

export interface LoadRounds extends Rounds {
  readonly connections: number;
}

interface Pair {
  readonly own: LoadCase;
  readonly raw: LoadCase;
  readonly results: { readonly own: LoadResult; readonly raw: LoadResult }[];
}

export async function againstRaw(
  demo: DemoServer,
  cases: readonly AgainstRaw[],
  rounds: LoadRounds,
): Promise<readonly Figure[]> {
  const answers: Answer[] = [];
  for (const given of cases) answers.push(await askOnce(given.rawAnswer ?? given.load));
  const raw = await startRaw(answers);
  pin(process.pid, generatorCore);
  pin(demo.server.pid, serverCore);
  try {
    const pairs = cases.map(
      ({ load: own }, at): Pair => ({
        own,
        raw: { ...own, url: raw.urlOf(at), check: isSame(answers[at]) },
        results: [],
      }),
    );
    await runRounds(pairs, rounds, { own: demo.server.pid, raw: raw.pid });
    return cases.flatMap((given, at) => toFigures(given, pairs[at]?.results ?? []));
  } finally {
    unpin(process.pid);
    await raw.stop();
  }
}

async function runRounds(
  pairs: readonly Pair[],
  { rounds, seconds, connections }: LoadRounds,
  pids: { readonly own: number; readonly raw: number },
): Promise<void> {
  // The first round warms up.
  for (let round = 0; round <= rounds; round += 1) {
    for (const pair of pairs) {
      const raw = await load(pair.raw, { seconds, connections, pids: [pids.raw] });
      const own = await load(pair.own, { seconds, connections, pids: [pids.own] });
      if (round > 0) pair.results.push({ own, raw });
    }
  }
}

function toFigures(
  { name, target, only }: AgainstRaw,
  results: Pair['results'],
): readonly Figure[] {
  const byRate = results.map(({ own, raw }) => own.perSecond / raw.perSecond);
  const byCpu = results.map(({ own, raw }) => raw.cpuMicros / own.cpuMicros);
  const micros = results.map(({ own }) => own.cpuMicros);
  return [
    figure(name, 'of raw throughput', {
      samples: byRate,
      ...(only === undefined ? { target } : {}),
    }),
    figure(name, 'of raw by processor time', { samples: byCpu, target }),
    figure(name, 'µs of processor a request', { samples: micros }),
  ];
}

const isSame =
  (wanted: Answer | undefined): LoadCase['check'] =>
  ({ status, body }) => {
    if (status !== 200 || wanted === undefined || !body.equals(wanted.body))
      throw new Error(`the bare server answered ${status}`);
  };
