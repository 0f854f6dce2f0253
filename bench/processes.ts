import os from 'node:os';
import { openCachedRows } from './cached-rows.ts';
import type { ChildServer } from './child-server.ts';
import { pin, unpin } from './cores.ts';
import { type DemoServer, startBeside, withDemo } from './demo-server.ts';
import type { Effort } from './effort.ts';
import { type Figure, figure, notMeasured } from './figure.ts';
import { askOnce, type LoadCase, type LoadResult, load } from './socket-load.ts';

const target = { atLeast: 1.6 };
const connections = 32;
const neededCores = 3;

/** Two services with the same metadata database and engine, compared with one of them. */
export function measureProcesses(effort: Effort): Promise<readonly Figure[]> {
  return withDemo(async (demo) => {
    const second = await startBeside(demo);
    try {
      return await compare(demo, second, effort);
    } finally {
      await second.stop();
    }
  });
}

interface Turn {
  readonly one: LoadResult;
  readonly both: readonly [LoadResult, LoadResult];
}

async function compare(
  demo: DemoServer,
  second: ChildServer,
  effort: Effort,
): Promise<readonly Figure[]> {
  const { rest: first } = await openCachedRows(demo, 'delays_by_hour');
  const other: LoadCase = { ...first, url: first.url.replace(demo.url, second.url) };
  // Each process has a cache of its own.
  await askOnce({ ...other, check: () => undefined });
  const cores = os.cpus().length;
  const servers = [demo.server.pid, second.pid];
  for (const [core, pid] of servers.entries()) pin(pid, core);
  if (cores >= neededCores) pin(process.pid, 2);
  const { rounds, seconds } = effort.of({ rounds: 7, seconds: 0.8 });
  const ask = (target: LoadCase, pid: number) =>
    load(target, { seconds, connections, pids: [pid] });
  const turns: Turn[] = [];
  try {
    for (let round = 0; round <= rounds; round += 1) {
      const one = await ask(first, demo.server.pid);
      const both = await Promise.all([ask(first, demo.server.pid), ask(other, second.pid)]);
      if (round > 0) turns.push({ one, both });
    }
  } finally {
    for (const pid of [process.pid, ...servers]) unpin(pid);
  }
  return toFigures(turns, cores);
}

function toFigures(turns: readonly Turn[], cores: number): readonly Figure[] {
  const name = 'two processes, REST GET, cached';
  const throughput = turns.map(
    ({ one, both }) => (both[0].perSecond + both[1].perSecond) / one.perSecond,
  );
  const byCpu = turns.map(
    ({ one, both }) => one.cpuMicros / both[0].cpuMicros + one.cpuMicros / both[1].cpuMicros,
  );
  const why = `needs ${neededCores} cores, two for the services and one for the load generator; there are ${cores}`;
  return [
    cores >= neededCores
      ? figure(name, 'times the throughput of one', { samples: throughput, target })
      : notMeasured(`${name}: throughput`, target, why),
    figure(name, 'times one by processor time', {
      samples: byCpu,
      target,
      note: 'requests that two cores could serve, from the processor time of each, over those of one alone',
    }),
  ];
}
