import { type Figure, figure } from './figure.ts';
import { type Bench, engineMs, inDemo, timeRun } from './materialization-demo.ts';
import { dashboards, eventStatements, synced } from './materialization-queries.ts';

const events = 10_000_000;
/** Sets of values, and how often each is run. */
const runs = 12;
const inARow = 4;

/** What a stored table gains, each figure beside the inline run of the same values. */
export function measureMaterialization(): Promise<readonly Figure[]> {
  return withEvents(async (bench) => [
    ...(await compareReads(bench)),
    ...(await comparePointLookup(bench)),
  ]);
}

/** What syncs cost, each beside the plain statement for the same rows. */
export function measureSyncs(): Promise<readonly Figure[]> {
  return withEvents(compareSyncs);
}

function withEvents(
  measure: (bench: Bench) => Promise<readonly Figure[]>,
): Promise<readonly Figure[]> {
  return inDemo(async (bench) => {
    for (const statement of eventStatements(events)) await bench.sql(statement);
    return measure(bench);
  });
}

async function compareReads(bench: Bench): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const { name, query, runs: samples } of dashboards) {
    await bench.materialize(name, query);
    for (const [what, variables] of Object.entries(samples)) {
      const times = await compareOne(bench, name, variables);
      figures.push(...readFigures(`${name}, ${what}`, query, times));
    }
  }
  return figures;
}

/** Milliseconds of the runs, from the stored table and inline. */
interface Times {
  readonly rest: Readonly<Record<Path, readonly number[]>>;
  readonly engine: Readonly<Record<Path, readonly number[]>>;
}

type Path = 'force' | 'direct';

function readFigures(name: string, query: string, { rest, engine }: Times): readonly Figure[] {
  // Both paths ran the same values in the same order.
  const ratios = rest.force.map((ms, at) => ms / (rest.direct[at] ?? Number.NaN));
  return [
    figure(name, 'of the inline run', { samples: ratios, target: { atMost: 1 / 20 }, note: query }),
    figure(name, 'ms stored', { samples: rest.force }),
    figure(name, 'ms stored, in the engine', { samples: engine.force }),
    figure(name, 'ms inline', { samples: rest.direct }),
    figure(name, 'ms inline, in the engine', { samples: engine.direct }),
  ];
}

async function compareOne(
  bench: Bench,
  name: string,
  variables: (n: number) => Readonly<Record<string, unknown>>,
): Promise<Times> {
  const rest = { force: [] as number[], direct: [] as number[] };
  const engine = { force: [] as number[], direct: [] as number[] };
  for (let n = 0; n < runs; n += 1) {
    const results: string[] = [];
    for (const refresh of ['force', 'direct'] as const) {
      const body = { variables: variables(n), refresh };
      engine[refresh].push(await engineMs(bench, name, body));
      for (let again = 0; again < inARow; again += 1) {
        const timed = await timeRun(bench, name, body);
        rest[refresh].push(timed.ms);
        if (timed.run.endpoint_materialized !== (refresh === 'force')) throw new Error(name);
        if (again === 0) results.push(JSON.stringify(timed.run.results));
      }
    }
    if (results[0] !== results[1]) throw new Error(`${name} differs`);
  }
  return { rest, engine };
}

async function comparePointLookup(bench: Bench): Promise<readonly Figure[]> {
  await bench.materialize('by_id', 'SELECT id, event, amount FROM events WHERE id = {id:UInt64}');
  const times: number[] = [];
  for (let n = 0; n < 100; n += 1) {
    const variables = { id: n * 99_733 };
    const { ms } = await timeRun(bench, 'by_id', { variables, refresh: 'force' });
    if (n >= 10) times.push(ms);
  }
  const own = await engineMs(bench, 'by_id', { variables: { id: 7 }, refresh: 'force' });
  const name = `point lookup in ${events} stored rows`;
  return [
    figure(name, 'ms', { samples: times, target: { atMost: 5 } }),
    figure(name, 'ms in the engine', { samples: [own] }),
  ];
}

/** From the claim to the commit, the proof of the first one included. */
async function compareSyncs(bench: Bench): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const { name, query, plain } of synced) {
    const first: number[] = [];
    const again: number[] = [];
    for (let n = 0; n < 5; n += 1) {
      await bench.materialize(`${name}_${n}`, query);
      const firstMs = await lastSyncMs(bench, `${name}_${n}`);
      await bench.sync(`${name}_${n}`);
      const againMs = await lastSyncMs(bench, `${name}_${n}`);
      const startedAt = performance.now();
      await bench.sql(`CREATE TABLE plain ENGINE = MergeTree ORDER BY tuple() AS ${plain}`);
      const plainMs = performance.now() - startedAt;
      await bench.sql('DROP TABLE plain SYNC');
      first.push(firstMs / plainMs);
      again.push(againMs / plainMs);
    }
    const cost = { target: { atMost: 1.3 }, note: query };
    const measure = 'of CREATE TABLE AS SELECT';
    const rows = `sync of ${events} rows, ${name}`;
    figures.push(figure(rows, measure, { samples: again, ...cost }));
    figures.push(figure(`first ${rows}, proved`, measure, { samples: first, ...cost }));
  }
  return figures;
}

async function lastSyncMs(bench: Bench, name: string): Promise<number> {
  const { history } = await bench.rest('GET', `/${name}/materialization_status`);
  const [last] = history as readonly { readonly started_at: string; readonly ended_at: string }[];
  if (last === undefined) throw new Error(`${name} was never synced`);
  return Date.parse(last.ended_at) - Date.parse(last.started_at);
}
