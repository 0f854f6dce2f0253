import { type AgainstRaw, againstRaw } from './against-raw.ts';
import { openCachedRows, saveRows } from './cached-rows.ts';
import { type DemoServer, withDemo, withLaterDemo } from './demo-server.ts';
import type { Effort } from './effort.ts';
import { type Figure, figure } from './figure.ts';
import { memoryOf, resetPeak } from './peak-memory.ts';
import { load } from './socket-load.ts';

const target = { atLeast: 0.75 };
const atOnce = 8;

/** Cached results of 1 and 10 MB: their cost, and the memory of the service while it sends eight at once. */
export async function measureLarge(effort: Effort): Promise<readonly Figure[]> {
  const rounds = effort.of({ rounds: 5, seconds: 1, connections: atOnce });
  const shares = await withDemo(async (demo) => {
    const small = await casesOf(demo, { size: '1 MB', rows: 5000 });
    const large = await casesOf(demo, { size: '10 MB', rows: 49_000 });
    return againstRaw(demo, [...small, ...large], rounds);
  });
  return [...shares, ...(await withLaterDemo((demo) => measureMemory(demo, effort)))];
}

async function casesOf(
  demo: DemoServer,
  { size, rows }: { readonly size: string; readonly rows: number },
): Promise<readonly AgainstRaw[]> {
  await saveRows(demo, `rows_${rows}`, rows);
  const { rest, graphql } = await openCachedRows(demo, `rows_${rows}`);
  return [
    { name: `REST GET, cached ${size}`, load: rest, target, only: 'processor time' },
    { name: `GraphQL POST, cached ${size}`, load: graphql, target, only: 'processor time' },
  ];
}

async function measureMemory(demo: DemoServer, effort: Effort): Promise<readonly Figure[]> {
  const started = await memoryOf(demo.server.pid);
  const cases = await casesOf(demo, { size: '10 MB', rows: 49_000 });
  const { pid } = demo.server;
  const before = await memoryOf(pid);
  const isReset = await resetPeak(pid);
  const { seconds } = effort.of({ rounds: 1, seconds: 4 });
  for (const each of cases) await load(each.load, { seconds, connections: atOnce, pids: [pid] });
  const { peak } = await memoryOf(pid);
  const since = isReset ? 'while they were sent' : 'since the start, which is more';
  return [
    figure(`peak memory of the service, ${atOnce} × 10 MB at once`, 'MB resident', {
      samples: [peak],
      target: { atMost: 250 },
      note: `the whole process, code and cache included, ${since}`,
    }),
    figure('memory of the service after startup', 'MB resident', { samples: [started.now] }),
    figure('peak while the result was computed and cached', 'MB resident', {
      samples: [before.peak],
    }),
  ];
}
