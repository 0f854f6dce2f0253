import { mkdtemp, readFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type DemoServer, removeFolder, startDemo } from './demo-server.ts';
import { median, spread, verdict } from './figures.ts';

const events = 10_000_000;
const runs = 15;
const swaps = 200;
const readers = 16;
const idleMaterializations = 1000;
const idleSeconds = 20;

interface Bench {
  readonly demo: DemoServer;
  readonly pid: number;
  /** A statement of the engine's administrator in the demo's database. */
  sql(statement: string): Promise<string>;
  rest(method: string, path: string, body?: unknown): Promise<Record<string, unknown>>;
  /** Makes the endpoint and waits for its first sync. */
  materialize(name: string, query: string): Promise<void>;
  sync(name: string): Promise<number>;
}

/** What a stored table gains and costs, each figure beside its inline or plain twin in the same run. */
export async function measureMaterialization(): Promise<readonly string[]> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'querydock-bench-'));
  const demo = await startDemo(dir);
  try {
    const bench = await openBench(demo, dir);
    await bench.sql(
      'CREATE TABLE events (id UInt64, kind UInt8, day Date, amount UInt32) ENGINE = MergeTree ORDER BY id',
    );
    await bench.sql(
      `INSERT INTO events SELECT number, number % 50, toDate('2001-01-01') + intDiv(number, 30000), number % 1000 FROM numbers(${events})`,
    );
    return [
      ...(await compareReads(bench)),
      await comparePointLookup(bench),
      await compareSync(bench),
      await countMixedReads(bench),
      await measureIdle(bench),
    ];
  } finally {
    await demo.stop();
    await removeFolder(dir);
  }
}

async function compareReads(bench: Bench): Promise<readonly string[]> {
  await bench.materialize(
    'by_kind',
    'SELECT count() AS n, sum(amount) AS total FROM events WHERE kind = {kind:UInt8} AND day >= {from:Date} AND day <= {to:Date}',
  );
  await bench.materialize(
    'by_origin',
    'SELECT count() AS n, max(delay) AS worst FROM flights WHERE origin = {origin:String} AND toDate(date) >= {from:Date} AND toDate(date) <= {to:Date}',
  );
  const dates = { from: '2001-02-01', to: '2001-05-01' };
  return [
    await compareOne(bench, 'by_kind', (n) => ({ kind: n % 50, ...dates })),
    await compareOne(bench, 'by_origin', (n) => ({
      origin: ['ORD', 'SFO', 'LAX', 'ATL'][n % 4],
      ...dates,
    })),
  ];
}

async function compareOne(
  bench: Bench,
  name: string,
  variables: (n: number) => Readonly<Record<string, unknown>>,
): Promise<string> {
  const stored: number[] = [];
  const inline: number[] = [];
  for (let n = 0; n <= runs; n += 1) {
    const fast = await timeRun(bench, name, { variables: variables(n), refresh: 'force' });
    const slow = await timeRun(bench, name, { variables: variables(n), refresh: 'direct' });
    if (JSON.stringify(fast.results) !== JSON.stringify(slow.results))
      throw new Error(`${name} differs`);
    if (!fast.materialized) throw new Error(`${name} was not read from its table`);
    if (n > 0) stored.push(fast.ms);
    if (n > 0) inline.push(slow.ms);
  }
  const ratio = median(stored) / median(inline);
  return `${name}: stored ${spread(stored, 1)} ms, inline ${spread(inline, 1)} ms, 1/${(1 / ratio).toFixed(0)}, target 1/20: ${verdict(ratio <= 1 / 20)}`;
}

async function comparePointLookup(bench: Bench): Promise<string> {
  await bench.materialize('by_id', 'SELECT id, kind, amount FROM events WHERE id = {id:UInt64}');
  const times: number[] = [];
  for (let n = 0; n < 100; n += 1) {
    const { ms } = await timeRun(bench, 'by_id', { variables: { id: n * 9973 }, refresh: 'force' });
    if (n >= 10) times.push(ms);
  }
  return `point look-up: ${spread(times, 1)} ms, target 5 ms: ${verdict(median(times) <= 5)}`;
}

async function compareSync(bench: Bench): Promise<string> {
  const select =
    'SELECT kind, day, count() AS n, sum(amount) AS total FROM events GROUP BY kind, day';
  await bench.materialize('rollup', select);
  const ratios: number[] = [];
  for (let n = 0; n < 3; n += 1) {
    const syncMs = await bench.sync('rollup');
    const startedAt = performance.now();
    await bench.sql(`CREATE TABLE plain ENGINE = MergeTree ORDER BY tuple() AS ${select}`);
    ratios.push(syncMs / (performance.now() - startedAt));
    await bench.sql('DROP TABLE plain SYNC');
  }
  return `sync of ${events} rows: ${spread(ratios, 2)} of CREATE TABLE AS SELECT, target 1.3: ${verdict(median(ratios) <= 1.3)}`;
}

async function countMixedReads(bench: Bench): Promise<string> {
  await bench.sql('CREATE TABLE generation (g UInt32) ENGINE = MergeTree ORDER BY g');
  await bench.sql('INSERT INTO generation SELECT 0 FROM numbers(1000)');
  await bench.materialize('generations', 'SELECT g FROM generation');
  let reading = true;
  let [reads, wrong] = [0, 0];
  const read = async (): Promise<void> => {
    while (reading) {
      const run = await timeRun(bench, 'generations', { refresh: 'force' });
      const rows = run.results as readonly (readonly [number])[];
      reads += 1;
      if (!run.materialized || rows.length !== 1000 || new Set(rows.map(([g]) => g)).size !== 1)
        wrong += 1;
    }
  };
  const all = Array.from({ length: readers }, read);
  for (let g = 1; g <= swaps; g += 1) {
    await bench.sql('CREATE TABLE generation_next AS generation');
    await bench.sql(`INSERT INTO generation_next SELECT ${g} FROM numbers(1000)`);
    await bench.sql('EXCHANGE TABLES generation AND generation_next');
    await bench.sql('DROP TABLE generation_next SYNC');
    await bench.sync('generations');
  }
  reading = false;
  await Promise.all(all);
  return `${swaps} swaps under ${readers} readers: ${reads} reads, ${wrong} wrong: ${verdict(wrong === 0)}`;
}

async function measureIdle(bench: Bench): Promise<string> {
  const names = Array.from({ length: idleMaterializations }, (_, n) => `idle_${n}`);
  const lanes = Array.from({ length: 4 }, async (_, lane) => {
    for (let at = lane; at < names.length; at += 4) {
      await bench.rest('POST', '', {
        name: names[at],
        query: `SELECT ${at} AS n`,
        is_materialized: true,
        sync_frequency: '1hour',
      });
    }
  });
  await Promise.all(lanes);
  for (const name of names) await waitForSync(bench, name);
  const before = await cpuSeconds(bench.pid);
  await delay(idleSeconds * 1000);
  const share = (await cpuSeconds(bench.pid)) - before;
  const percent = (100 * share) / idleSeconds;
  return `idle with ${idleMaterializations} materializations: ${percent.toFixed(2)} % of a core, target 2 %: ${verdict(percent <= 2)}`;
}

async function timeRun(
  bench: Bench,
  name: string,
  body: unknown,
): Promise<{ readonly ms: number; readonly results: unknown; readonly materialized: boolean }> {
  const startedAt = performance.now();
  const run = await bench.rest('POST', `/${name}/run`, body);
  return {
    ms: performance.now() - startedAt,
    results: run.results,
    materialized: run.endpoint_materialized === true,
  };
}

async function waitForSync(bench: Bench, name: string): Promise<void> {
  for (let tries = 0; tries < 3000; tries += 1) {
    const { status, error } = await bench.rest('GET', `/${name}/materialization_status`);
    if (status === 'Completed') return;
    if (status === 'Failed') throw new Error(`${name}: ${String(error)}`);
    await delay(20);
  }
  throw new Error(`${name} was not synced`);
}

async function openBench(demo: DemoServer, dir: string): Promise<Bench> {
  const server = JSON.parse(await readFile(path.join(dir, 'server.json'), 'utf8')) as ServerFile;
  const headers = { authorization: `Bearer ${demo.apiKey}`, 'content-type': 'application/json' };
  const endpoints = `${demo.url}/api/projects/${demo.projectId}/endpoints`;
  const bench: Bench = {
    demo,
    pid: server.pid,
    async sql(statement) {
      const url = new URL(server.engine.url);
      url.searchParams.set('database', `project_${demo.projectId}`);
      const { user, password } = server.engine;
      const answer = await fetch(url, {
        method: 'POST',
        body: statement,
        headers: { 'x-clickhouse-user': user, 'x-clickhouse-key': password },
      });
      const text = await answer.text();
      if (!answer.ok) throw new Error(text);
      return text;
    },
    async rest(method, tail, body) {
      const answer = await fetch(endpoints + tail, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const json = (await answer.json()) as Record<string, unknown>;
      if (!answer.ok) throw new Error(`${tail}: ${JSON.stringify(json)}`);
      return json;
    },
    async materialize(name, query) {
      await bench.rest('POST', '', { name, query, is_materialized: true });
      await waitForSync(bench, name);
    },
    async sync(name) {
      const last = (await bench.rest('GET', `/${name}/materialization_status`))
        .last_materialized_at;
      await requestSync(demo, name);
      for (let tries = 0; tries < 3000; tries += 1) {
        const found = await bench.rest('GET', `/${name}/materialization_status`);
        if (found.status === 'Completed' && found.last_materialized_at !== last)
          return 1000 * Number(found.duration_seconds);
        await delay(5);
      }
      throw new Error(`${name} was not synced again`);
    },
  };
  return bench;
}

interface ServerFile {
  readonly pid: number;
  readonly engine: { readonly url: string; readonly user: string; readonly password: string };
}

async function requestSync(demo: DemoServer, name: string): Promise<void> {
  const query = `mutation { syncMaterialization(projectId: "${demo.projectId}", name: "${name}") { status } }`;
  const answer = await fetch(`${demo.url}/graphql`, {
    method: 'POST',
    headers: { authorization: `Bearer ${demo.apiKey}`, 'content-type': 'application/json' },
    body: JSON.stringify({ query }),
  });
  const { errors } = (await answer.json()) as { readonly errors?: unknown };
  if (errors !== undefined) throw new Error(JSON.stringify(errors));
}

/** Processor time of the service's own process so far. Source: /proc/<pid>/stat, in hundredths of a second. */
async function cpuSeconds(pid: number): Promise<number> {
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8');
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) / 100;
}
