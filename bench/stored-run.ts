/** What a run of a stored table takes, beside SELECT 1 on the same way, and beside both straight from the engine. */
import http from 'node:http';
import os from 'node:os';
import { projectLogin } from '../src/engine/clickhouse/http/connection.ts';
import { toMessage } from '../src/engine/clickhouse/http/request-message.ts';
import { shortReadSettings } from '../src/engine/clickhouse/provision/project-users.ts';
import { outputSettings } from '../src/engine/clickhouse/query/output-settings.ts';
import type { Effort } from './effort.ts';
import { type Figure, figure, median } from './figure.ts';
import { type Bench, inDemo, timeRun } from './materialization-demo.ts';
import { eventStatements } from './materialization-queries.ts';

const events = 1_000_000;
const rounds = { rounds: 300, seconds: 1 };
const range = { from: '2025-01-05', to: '2025-01-14' };

interface Stored {
  readonly name: string;
  readonly query: string;
  readonly values: (n: number) => Readonly<Record<string, string | number>>;
}

const country = (n: number) => ['de', 'us', 'fr', 'jp'][n % 4] ?? '';

/** The smallest read of each way to store. */
const stored: readonly Stored[] = [
  {
    name: 'one row of a million by its id',
    query: 'SELECT id, event, amount FROM events WHERE id = {id:UInt64}',
    values: (n) => ({ id: (n * 99_733) % events }),
  },
  {
    name: 'ten groups of one country by day',
    query:
      'SELECT toDate(ts) AS day, count() AS events, sum(amount) AS revenue FROM events WHERE country = {country:String} AND toDate(ts) >= {from:Date} AND toDate(ts) <= {to:Date} GROUP BY day ORDER BY day',
    values: (n) => ({ country: country(n), ...range }),
  },
  {
    name: 'five groups merged from fifty',
    query:
      'SELECT event, count() AS events, avg(amount) AS mean, uniq(platform) AS platforms FROM events WHERE country = {country:String} AND toDate(ts) >= {from:Date} AND toDate(ts) <= {to:Date} GROUP BY event ORDER BY event',
    values: (n) => ({ country: country(n), ...range }),
  },
  {
    name: 'ten rows of a result without variables',
    query: 'SELECT country, count() AS n FROM events GROUP BY country ORDER BY n DESC LIMIT 10',
    values: () => ({}),
  },
];

export function measureStoredRuns(effort: Effort): Promise<readonly Figure[]> {
  const { rounds: runs } = effort.of(rounds);
  return inDemo(async (bench) => {
    for (const statement of eventStatements(events)) await bench.sql(statement);
    for (const [at, { query }] of stored.entries()) await bench.materialize(nameOf(at), query);
    await bench.rest('POST', '', { name: 'floor', query: 'SELECT 1 AS one' });
    console.log(`  load average ${os.loadavg()[0]?.toFixed(1)}`);
    const figures: Figure[] = [];
    for (const [at, each] of stored.entries())
      figures.push(...(await compare(bench, nameOf(at), { ...each, runs })));
    console.log(`  load average ${os.loadavg()[0]?.toFixed(1)}`);
    return figures;
  });
}

const nameOf = (at: number) => `stored_${at}`;

/** In turns, so that disturbances of the machine affect all of them. */
async function compare(
  bench: Bench,
  endpoint: string,
  { name, values, runs }: Stored & { readonly runs: number },
): Promise<readonly Figure[]> {
  const times = { service: [], engine: [], floor: [], engineFloor: [], own: [] } as Record<
    'service' | 'engine' | 'floor' | 'engineFloor' | 'own',
    number[]
  >;
  for (let n = 0; n < runs; n += 1) {
    const variables = values(n);
    const body = { variables, refresh: 'force', debug: true };
    const { ms, run } = await timeRun(bench, endpoint, body);
    if (run.served_from !== 'materialized')
      throw new Error(`${name}: ${String(run.inline_reason)}`);
    times.service.push(ms);
    times.floor.push((await timeRun(bench, 'floor', { refresh: 'force', debug: true })).ms);
    const direct = await straight(bench, String(run.query), variables);
    times.engine.push(direct.ms);
    times.own.push(direct.ownMs);
    times.engineFloor.push((await straight(bench, 'SELECT 1 AS one', {})).ms);
  }
  const one = (measure: string, samples: readonly number[], atMost?: number) =>
    figure(name, measure, { samples, ...(atMost === undefined ? {} : { target: { atMost } }) });
  return [
    one('ms', times.service, 3),
    one('ms of SELECT 1', times.floor),
    one('ms straight from the engine', times.engine),
    one('ms of SELECT 1 straight from the engine', times.engineFloor),
    one('ms by the clock of the engine', times.own),
    one('ms that the service adds', [median(times.service) - median(times.engine)]),
  ];
}

const agent = new http.Agent({ keepAlive: true });

/** As the driver would send it, by the driver's own code. */
function straight(
  { server, projectId }: Bench,
  sql: string,
  values: Readonly<Record<string, string | number>>,
): Promise<{ readonly ms: number; readonly ownMs: number }> {
  const { url, secret } = server.engine;
  const { path, headers, body } = toMessage({
    login: projectLogin(secret, projectId, 'reader'),
    sql,
    params: Object.fromEntries(Object.entries(values).map(([key, value]) => [key, String(value)])),
    settings: outputSettings.number,
    ownSettings: { priority: '1', ...shortReadSettings, limit: '50001', offset: '0' },
    timeoutMs: 0,
  });
  const startedAt = performance.now();
  return new Promise((resolve, reject) => {
    const request = http.request(url + path, { method: 'POST', headers, agent }, (response) => {
      response.resume();
      response.on('end', () => {
        const summary = String(response.headers['x-clickhouse-summary'] ?? '{}');
        const { elapsed_ns: elapsed = 0 } = JSON.parse(summary) as { elapsed_ns?: string };
        if (response.statusCode !== 200) reject(new Error(`${response.statusCode}: ${sql}`));
        resolve({ ms: performance.now() - startedAt, ownMs: Number(elapsed) / 1e6 });
      });
    });
    request.on('error', reject);
    request.end(body);
  });
}
