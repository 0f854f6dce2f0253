import { saveRows } from './cached-rows.ts';
import { has } from './checks.ts';
import { childrenOf } from './cores.ts';
import { type DemoServer, withDemo } from './demo-server.ts';
import type { Effort } from './effort.ts';
import { type Figure, figure } from './figure.ts';
import { onTwoCores, type Pair, runPairs, type Side, type Turn } from './side-by-side.ts';

const name = 'rows_of_forms';
/** About 10 MB as arrays. */
const many = 49_000;

interface Compared {
  readonly name: string;
  readonly query: string;
  /** Whether the engine's processor time counts, too. */
  readonly withEngine: boolean;
  readonly target: { readonly throughput?: number; readonly processorTime?: number };
}

const cached: readonly Compared[] = [
  {
    name: '20 rows as objects, cached',
    query: 'limit=20',
    withEngine: false,
    target: { throughput: 0.8 },
  },
  {
    name: '49,000 rows as objects, cached',
    query: `limit=${many}`,
    withEngine: false,
    target: { processorTime: 0.7 },
  },
];

const computed: readonly Compared[] = [
  {
    name: '20 rows as objects, computed',
    query: 'limit=20&refresh=force',
    withEngine: true,
    target: {},
  },
  {
    name: '49,000 rows as objects, computed',
    query: `limit=${many}&refresh=force`,
    withEngine: true,
    target: { processorTime: 0.7 },
  },
];

/** The same rows as objects and as arrays, in turns. */
export function measureRowForms(effort: Effort): Promise<readonly Figure[]> {
  return withDemo(async (demo) => {
    await saveRows(demo, name, many);
    const engine = childrenOf(demo.server.pid);
    const fromCache = await compare(demo, cached, { effort, engine });
    return [...fromCache, ...(await compare(demo, computed, { effort, engine }))];
  });
}

async function compare(
  demo: DemoServer,
  compared: readonly Compared[],
  { effort, engine }: { readonly effort: Effort; readonly engine: readonly number[] },
): Promise<readonly Figure[]> {
  const { pid } = demo.server;
  const pairs = compared.map((given): Pair => {
    const pids = given.withEngine ? [pid, ...engine] : [pid];
    const side = (form: string): Side => ({ load: loadOf(demo, given, form), pids });
    return { own: side('objects'), other: side('arrays') };
  });
  const rounds = effort.of({ rounds: 7, seconds: 1, connections: 4 });
  const turns = await onTwoCores([pid, ...engine], () => runPairs(pairs, rounds));
  return compared.flatMap((given, at) => toFigures(given, turns[at] ?? []));
}

function loadOf(demo: DemoServer, { query }: Compared, form: string): Side['load'] {
  return {
    url: `${demo.endpointsUrl}/${name}/run?${query}&rows=${form}`,
    method: 'GET',
    headers: { authorization: demo.headers.authorization ?? '' },
    check: has(form === 'objects' ? '"results":[{"id":' : '"results":[[', '"hasMore":'),
  };
}

function toFigures({ name: title, target }: Compared, turns: readonly Turn[]): readonly Figure[] {
  const { throughput, processorTime } = target;
  return [
    figure(title, 'of the throughput of arrays', {
      samples: turns.map(({ own, other }) => own.perSecond / other.perSecond),
      ...(throughput === undefined ? {} : { target: { atLeast: throughput } }),
    }),
    figure(title, 'of arrays by processor time', {
      samples: turns.map(({ own, other }) => other.cpuMicros / own.cpuMicros),
      ...(processorTime === undefined ? {} : { target: { atLeast: processorTime } }),
    }),
    figure(title, 'µs of processor time per request', {
      samples: turns.map(({ own }) => own.cpuMicros),
    }),
  ];
}
