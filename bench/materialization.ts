import { median, spread, verdict } from './figures.ts';
import { type Bench, engineMs, inDemo, timeRun } from './materialization-demo.ts';
import { dashboards, eventStatements, synced } from './materialization-queries.ts';

const events = 10_000_000;
/** Sets of values, and how often each is run. */
const runs = 12;
const inARow = 4;

/** What a stored table gains and costs, each figure beside its inline or plain twin in the same run. */
export async function measureMaterialization(): Promise<readonly string[]> {
  return inDemo(async (bench) => {
    for (const statement of eventStatements(events)) await bench.sql(statement);
    return [
      ...(await compareReads(bench)),
      await comparePointLookup(bench),
      ...(await compareSyncs(bench)),
    ];
  });
}

async function compareReads(bench: Bench): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const dashboard of dashboards) {
    const { name, query, runs: asked } = dashboard;
    await bench.materialize(name, query);
    lines.push(`${name}: ${query}`);
    for (const [what, variables] of Object.entries(asked)) {
      lines.push(`  ${what}: ${await compareOne(bench, name, variables)}`);
    }
  }
  return lines;
}

async function compareOne(
  bench: Bench,
  name: string,
  variables: (n: number) => Readonly<Record<string, unknown>>,
): Promise<string> {
  const ms = { force: [] as number[], direct: [] as number[] };
  const own = { force: [] as number[], direct: [] as number[] };
  for (let n = 0; n < runs; n += 1) {
    const answers: string[] = [];
    for (const refresh of ['force', 'direct'] as const) {
      const body = { variables: variables(n), refresh };
      own[refresh].push(await engineMs(bench, name, body));
      const times: number[] = [];
      for (let again = 0; again < inARow; again += 1) {
        const timed = await timeRun(bench, name, body);
        times.push(timed.ms);
        if (timed.run.endpoint_materialized !== (refresh === 'force')) throw new Error(name);
        if (again === 0) answers.push(JSON.stringify(timed.run.results));
      }
      ms[refresh].push(...times);
    }
    if (answers[0] !== answers[1]) throw new Error(`${name} differs`);
  }
  const ratio = median(ms.force) / median(ms.direct);
  const side = (what: 'force' | 'direct') =>
    `${spread(ms[what], 1)} ms, ${median(own[what]).toFixed(1)} in the engine`;
  return `stored ${side('force')}; inline ${side('direct')}; 1/${(1 / ratio).toFixed(0)}, target 1/20: ${verdict(ratio <= 1 / 20)}`;
}

async function comparePointLookup(bench: Bench): Promise<string> {
  await bench.materialize('by_id', 'SELECT id, event, amount FROM events WHERE id = {id:UInt64}');
  const times: number[] = [];
  for (let n = 0; n < 100; n += 1) {
    const { ms } = await timeRun(bench, 'by_id', {
      variables: { id: n * 99_733 },
      refresh: 'force',
    });
    if (n >= 10) times.push(ms);
  }
  const own = await engineMs(bench, 'by_id', { variables: { id: 7 }, refresh: 'force' });
  return `point look-up in ${events} stored rows: ${spread(times, 1)} ms, ${own.toFixed(1)} in the engine, target 5 ms: ${verdict(median(times) <= 5)}`;
}

/** From the claim to the commit, the proof of the first one included. */
async function compareSyncs(bench: Bench): Promise<readonly string[]> {
  const lines: string[] = [];
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
    const cost = (ratios: readonly number[]) =>
      `${spread(ratios, 2)} of CREATE TABLE AS SELECT, target 1.3: ${verdict(median(ratios) <= 1.3)}`;
    lines.push(`sync of ${events} rows, ${name}: ${query}`);
    lines.push(`  each: ${cost(again)}`, `  the first, proved: ${cost(first)}`);
  }
  return lines;
}

async function lastSyncMs(bench: Bench, name: string): Promise<number> {
  const { history } = await bench.rest('GET', `/${name}/materialization_status`);
  const [last] = history as readonly { readonly started_at: string; readonly ended_at: string }[];
  if (last === undefined) throw new Error(`${name} was never synced`);
  return Date.parse(last.ended_at) - Date.parse(last.started_at);
}
