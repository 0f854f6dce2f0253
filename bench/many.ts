import { has } from './checks.ts';
import { type DemoServer, startDemo, withFolder } from './demo-server.ts';
import type { Effort } from './effort.ts';
import { type Figure, figure } from './figure.ts';
import { fillRecords, manyEndpoints, manyProjects, manyVersions } from './many-records.ts';
import { onTwoCores, runPairs, type Turn } from './side-by-side.ts';
import type { LoadCase } from './socket-load.ts';

const what = `${manyEndpoints} endpoints`;
const note = `${manyVersions} versions of each, in ${manyProjects} projects`;
const starts = 3;

/** A service with much metadata beside one with little: the same runs, and how long each takes to restart. */
export function measureMany(effort: Effort): Promise<readonly Figure[]> {
  return withFolder((small) =>
    withFolder(async (large) => {
      const filled = await startDemo(large);
      await fillRecords(filled);
      await filled.stop();
      const fresh = await startDemo(small);
      await fresh.stop();
      const { rounds } = effort.of({ rounds: starts, seconds: 0 });
      const ratios: number[] = [];
      for (let round = 0; round < rounds; round += 1)
        ratios.push((await startSeconds(large)) / (await startSeconds(small)));
      return [
        figure(`start with ${what}`, 'times the start of a new demo', {
          samples: ratios,
          target: { atMost: 2 },
          note,
        }),
        ...(await compareRuns({ small, large, effort })),
      ];
    }),
  );
}

async function startSeconds(dir: string): Promise<number> {
  const demo = await startDemo(dir);
  await demo.stop();
  return demo.readySeconds;
}

async function compareRuns(given: {
  readonly small: string;
  readonly large: string;
  readonly effort: Effort;
}): Promise<readonly Figure[]> {
  const small = await startDemo(given.small);
  const large = await startDemo(given.large);
  try {
    const pairs = [cached, uncached].map((ask) => ({
      own: { load: ask(large), pids: [large.server.pid] },
      other: { load: ask(small), pids: [small.server.pid] },
    }));
    const rounds = given.effort.of({ rounds: 9, seconds: 0.6, connections: 3 });
    const pids = [small.server.pid, large.server.pid];
    const [ofCached = [], ofUncached = []] = await onTwoCores(pids, () => runPairs(pairs, rounds));
    return [...toFigures('cached run', ofCached), ...toFigures('uncached run', ofUncached)];
  } finally {
    await large.stop();
    await small.stop();
  }
}

function toFigures(name: string, turns: readonly Turn[]): readonly Figure[] {
  const target = { atMost: 1.1 };
  return [
    figure(`${name} with ${what}`, 'times the p50 of a new demo', {
      samples: turns.map(({ own, other }) => own.p50Ms / other.p50Ms),
      target,
    }),
    figure(`${name} with ${what}`, 'times a new demo by processor time', {
      samples: turns.map(({ own, other }) => own.cpuMicros / other.cpuMicros),
      target,
    }),
  ];
}

function cached(demo: DemoServer): LoadCase {
  const url = `${demo.endpointsUrl}/delays_by_hour/run`;
  return { url, method: 'GET', headers: demo.headers, check: has('"results":[[0, 10349') };
}

function uncached(demo: DemoServer): LoadCase {
  // Different limits make different queries.
  const bodies = Array.from({ length: 500 }, (_, n) =>
    JSON.stringify({ refresh: 'force', limit: 24 + n }),
  );
  const check = has('"is_cached":false', '"results":[[0, 10349');
  return { ...cached(demo), method: 'POST', bodies, check };
}
