/**
 * Compares the service with a bare node:http server that sends the same bytes, in the same round. The servers have one
 * core, the load generator another. The throughput ratio flatters the service when the generator is the bottleneck, the
 * processor time ratio when others use the machine, so a target applies to both.
 */
import type { DemoServer } from './demo-server.ts';
import { type Figure, figure, type Target } from './figure.ts';
import { startRaw } from './raw.ts';
import { type LoadRounds, onTwoCores, runPairs, type Turn } from './side-by-side.ts';
import { askOnce, type LoadCase, type LoadResponse } from './socket-load.ts';

export interface AgainstRaw {
  readonly name: string;
  readonly load: LoadCase;
  readonly target: Target;
  /** The request whose response the bare server sends, if it differs from this one. */
  readonly rawResponse?: LoadCase;
  /** The ratio that has the target; both when absent. */
  readonly only?: 'processor time';
}

export async function againstRaw(
  demo: DemoServer,
  cases: readonly AgainstRaw[],
  rounds: LoadRounds,
): Promise<readonly Figure[]> {
  const responses: LoadResponse[] = [];
  for (const given of cases) responses.push(await askOnce(given.rawResponse ?? given.load));
  const raw = await startRaw(responses);
  const { pid } = demo.server;
  const pairs = cases.map(({ load: own }, at) => ({
    own: { load: own, pids: [pid] },
    other: {
      load: { ...own, url: `${raw.url}/${at}`, check: isSame(responses[at]) },
      pids: [raw.pid],
    },
  }));
  try {
    const turns = await onTwoCores([pid, raw.pid], () => runPairs(pairs, rounds));
    return cases.flatMap((given, at) => toFigures(given, turns[at] ?? []));
  } finally {
    await raw.stop();
  }
}

function toFigures({ name, target, only }: AgainstRaw, turns: readonly Turn[]): readonly Figure[] {
  const throughput = figure(name, 'of raw throughput', {
    samples: turns.map(({ own, other }) => own.perSecond / other.perSecond),
    ...(only === undefined ? { target } : {}),
  });
  return [
    throughput,
    figure(name, 'of raw by processor time', {
      samples: turns.map(({ own, other }) => other.cpuMicros / own.cpuMicros),
      target,
    }),
    figure(name, 'µs of processor time per request', {
      samples: turns.map(({ own }) => own.cpuMicros),
    }),
  ];
}

const isSame =
  (wanted: LoadResponse | undefined): LoadCase['check'] =>
  ({ status, body }) => {
    if (status !== 200 || wanted === undefined || !body.equals(wanted.body))
      throw new Error(`the bare server returned ${status}`);
  };
