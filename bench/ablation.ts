/**
 * What each memo of a cached run saves: the same requests with and without it, in one process and in turns. Whatever
 * disturbs the machine only adds to a turn, so the quick turns of each kind are compared.
 */
import { openCachedRows } from './cached-rows.ts';
import type { DemoServer } from './demo-server.ts';
import type { Effort } from './effort.ts';
import { type Figure, figure, percentile } from './figure.ts';
import type { MemoTask, MemoTurns } from './memo-control.ts';
import { askOnce, type LoadCase, requestBytes } from './socket-load.ts';
import { type MeasuringDemo, withMeasuringDemo } from './tasks.ts';

type LoadName = 'GET' | 'POST' | 'GraphQL POST' | 'GET, another text each time';

/** Each memo by the load in which it is worth the most. */
const measured: readonly (readonly [memo: string, load: LoadName])[] = [
  ['request head', 'GET'],
  ['request head', 'GraphQL POST'],
  ['body from the parser', 'POST'],
  ['prepared run', 'GET'],
  ['prepared run', 'GraphQL POST'],
  ['plan', 'GET'],
  ['response', 'GET'],
  ['rendering', 'GET'],
  ['header text', 'GET'],
  ['response body', 'GET'],
  ['key hash', 'GET'],
  ['metric series', 'GET'],
  ['parsed query', 'GET, another text each time'],
];

const target = { atLeast: 0.5 };
const quickPercent = 10;
/** As in memo-control.ts, which is loaded into the service alone. */
const usageName = 'usage';

export async function measureAblation(effort: Effort): Promise<readonly Figure[]> {
  return withMeasuringDemo<MemoTask, MemoTurns, readonly Figure[]>('memo-control.ts', (measuring) =>
    measureAll(measuring, effort),
  );
}

/** What counting a cached run for usage adds to its processor time in the service, past the kernel. */
export async function measureUsageCost(effort: Effort): Promise<readonly Figure[]> {
  return withMeasuringDemo<MemoTask, MemoTurns, readonly Figure[]>(
    'memo-control.ts',
    async ({ demo, run }) => {
      const { GET, 'GraphQL POST': graphql } = await openLoads(demo);
      const { rounds } = effort.of({ rounds: 5, seconds: 0 });
      const added: number[][] = [[], []];
      for (let round = 0; round < rounds; round += 1) {
        for (const [at, load] of [GET, graphql].entries()) {
          const requests = requestBytes(load).map(String);
          const { on, off } = await run({ memo: usageName, requests, turns: 1000 });
          // Of turns side by side, so that a machine that gets slower or faster changes both.
          const ratios = off.map((without, turn) => (100 * ((on[turn] ?? 0) - without)) / without);
          added[at]?.push(percentile(ratios, 50));
        }
      }
      return ['GET', 'GraphQL POST'].map((name, at) =>
        figure(`usage: ${name}`, '% more time per cached run', {
          samples: added[at] ?? [],
          target: { atMost: 2 },
        }),
      );
    },
  );
}

async function measureAll(
  { demo, run }: MeasuringDemo<MemoTask, MemoTurns>,
  effort: Effort,
): Promise<readonly Figure[]> {
  const loads = await openLoads(demo);
  const { rounds } = effort.of({ rounds: 5, seconds: 0 });
  const saved = measured.map((): number[] => []);
  for (let round = 0; round < rounds; round += 1) {
    for (const [at, [memo, load]] of measured.entries()) {
      const requests = requestBytes(loads[load]).map(String);
      const { on, off } = await run({ memo, requests, turns: 100 });
      saved[at]?.push(percentile(off, quickPercent) - percentile(on, quickPercent));
    }
  }
  return measured.map(([memo, load], at) =>
    figure(`${memo}: ${load}`, 'µs saved per request', { samples: saved[at] ?? [], target }),
  );
}

async function openLoads(demo: DemoServer): Promise<Readonly<Record<LoadName, LoadCase>>> {
  const { rest, graphql } = await openCachedRows(demo, 'delays_by_hour');
  const post: LoadCase = { ...rest, method: 'POST', headers: demo.headers, bodies: ['{}'] };
  const urls = Array.from({ length: 10_000 }, (_, n) => `${rest.url}?client_query_id=${n}`);
  const first: LoadCase = { ...graphql, check: () => undefined };
  for (const each of [rest, post, first]) await askOnce(each);
  return {
    GET: rest,
    POST: post,
    'GraphQL POST': graphql,
    'GET, another text each time': { ...rest, urls },
  };
}
