import { type ChildServer, startChild } from './child-server.ts';
import { type DemoServer, withDemo } from './demo-server.ts';
import type { Effort } from './effort.ts';
import { type Figure, figure } from './figure.ts';
import { waitForSync } from './materialization-demo.ts';
import { onTwoCores, runPairs } from './side-by-side.ts';
import type { LoadCase, LoadResponse } from './socket-load.ts';

const endpoints = 100;

/** A list of a hundred materialized endpoints, compared with one Prisma query in a bare server that writes its rows as JSON. */
export function measureList(effort: Effort): Promise<readonly Figure[]> {
  return withDemo(async (demo) => {
    const names = await saveEndpoints(demo);
    const other = await startChild({
      script: 'prisma-list-server.ts',
      env: { DATABASE_URL: demo.server.database_url, PROJECT_ID: String(demo.projectId) },
    });
    try {
      return await compare({ demo, other, names, effort });
    } finally {
      await other.stop();
    }
  });
}

async function compare(given: {
  readonly demo: DemoServer;
  readonly other: ChildServer;
  readonly names: readonly string[];
  readonly effort: Effort;
}): Promise<readonly Figure[]> {
  const { demo, other, names, effort } = given;
  const ask = (url: string, check: LoadCase['check']): LoadCase => {
    return { url, method: 'GET', headers: demo.headers, check };
  };
  const isSynced = ({ materialization }: Listed) => materialization?.status === 'Completed';
  const isStored = ({ currentVersion }: Listed) => currentVersion?.materialization.rowCount === 1;
  const url = `${demo.endpointsUrl}?limit=${endpoints}`;
  const pair = {
    own: { load: ask(url, holds(names, isSynced)), pids: [demo.server.pid] },
    other: { load: ask(`${other.url}/`, holds(names, isStored)), pids: [other.pid] },
  };
  const rounds = effort.of({ rounds: 7, seconds: 1.5, connections: 8 });
  const pids = [demo.server.pid, other.pid];
  const [turns = []] = await onTwoCores(pids, () => runPairs([pair], rounds));
  const name = `list of ${endpoints} endpoints`;
  const target = { atLeast: 0.6 };
  return [
    figure(name, 'of the throughput of a bare Prisma query', {
      samples: turns.map((turn) => turn.own.perSecond / turn.other.perSecond),
      target,
    }),
    figure(name, 'of a bare Prisma query by processor time', {
      samples: turns.map((turn) => turn.other.cpuMicros / turn.own.cpuMicros),
      target,
    }),
    figure(name, 'ms at p50', { samples: turns.map(({ own }) => own.p50Ms) }),
  ];
}

async function saveEndpoints(demo: DemoServer): Promise<readonly string[]> {
  const names = Array.from({ length: endpoints }, (_, n) => `listed_${n}`);
  for (const [n, name] of names.entries()) {
    await demo.rest('POST', '', {
      name,
      description: `The ${n}th of the list`,
      query: { kind: 'SQLQuery', query: `SELECT ${n} AS n, 'a text' AS text` },
      is_materialized: true,
    });
  }
  for (const name of names) await waitForSync(demo, name);
  return names.toReversed();
}

/** Newest first, each with its version and its materialization. */
const holds =
  (names: readonly string[], isWhole: (listed: Listed) => boolean) =>
  ({ status, body }: LoadResponse): void => {
    const { results } = JSON.parse(body.toString()) as { readonly results: readonly Listed[] };
    const all = results.filter((listed, at) => listed.name === names[at] && isWhole(listed));
    if (status !== 200 || all.length !== names.length)
      throw new Error(`returned ${status} with ${all.length} of ${names.length} endpoints`);
  };

interface Listed {
  readonly name: string;
  /** As REST returns it. */
  readonly materialization?: { readonly status: string };
  /** As it is stored. */
  readonly currentVersion?: { readonly materialization: { readonly rowCount: number } };
}
