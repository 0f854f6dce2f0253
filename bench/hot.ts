import { spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { type DemoServer, removeFolder, startDemo } from './demo-server.ts';
import { median, spread, verdict } from './figures.ts';
import { type Answer, type LoadCase, type LoadResult, load } from './socket-load.ts';

const rounds = 5;
const seconds = 0.7;
const connections = 32;

interface HotCase {
  readonly load: LoadCase;
  readonly pid: number;
  /** The case that sends the same bytes from a bare server; null for that one itself. */
  readonly raw: string | null;
  /** The least share of the bare server's throughput. */
  readonly target: number | null;
}

/**
 * What an answer from the cache costs, against a bare node:http server that sends the same bytes in the same round.
 * The servers have one core, the load generator another. A figure counts as met when both the share of the throughput
 * and the share by processor time are: the first is too kind when the generator is the limit, the second when others
 * disturb the machine.
 */
export async function measureHot(): Promise<readonly string[]> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'querydock-bench-'));
  const demo = await startDemo(dir);
  const { pid } = JSON.parse(await readFile(path.join(dir, 'server.json'), 'utf8')) as {
    readonly pid: number;
  };
  pin(process.pid, 1);
  pin(pid, 0);
  const raws: RawServer[] = [];
  try {
    const cases = await openCases(demo, pid, async (text) => {
      const raw = await startRaw(text);
      raws.push(raw);
      return raw;
    });
    const results = await runAll(cases);
    await keepResults(results);
    return Object.entries(cases).map(([name, hot]) => toLine(name, hot, results));
  } finally {
    for (const raw of raws) raw.stop();
    await demo.stop();
    await removeFolder(dir);
  }
}

type Results = Readonly<Record<string, readonly LoadResult[]>>;

async function runAll(cases: Readonly<Record<string, HotCase>>): Promise<Results> {
  const results: Record<string, LoadResult[]> = {};
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, hot] of Object.entries(cases)) {
      const result = await load(hot.load, { seconds, connections, pids: [hot.pid] });
      // The first round warms up.
      if (round > 0) results[name] = [...(results[name] ?? []), result];
    }
  }
  return results;
}

function toLine(name: string, hot: HotCase, results: Results): string {
  const own = results[name] ?? [];
  const micros = `${spread(
    own.map((r) => r.cpuMicros),
    1,
  )} µs of processor`;
  if (hot.raw === null) return `${name.padEnd(22)} ${micros}`;
  const raw = results[hot.raw] ?? [];
  const byRate = own.map((r, at) => r.perSecond / (raw[at]?.perSecond ?? Number.NaN));
  const byCpu = own.map((r, at) => (raw[at]?.cpuMicros ?? Number.NaN) / r.cpuMicros);
  const worse = Math.min(median(byRate), median(byCpu));
  const met = hot.target === null ? '' : `, target ${hot.target}: ${verdict(worse >= hot.target)}`;
  return `${name.padEnd(22)} ${spread(byRate, 2)} of raw, ${spread(byCpu, 2)} by processor time, ${micros}${met}`;
}

async function openCases(
  demo: DemoServer,
  pid: number,
  openRaw: (text: string) => Promise<RawServer>,
): Promise<Readonly<Record<string, HotCase>>> {
  const run = `${demo.url}/api/projects/${demo.projectId}/endpoints/delays_by_hour/run`;
  const graphql = `${demo.url}/graphql`;
  const authorization = `Bearer ${demo.apiKey}`;
  const auth = { authorization };
  const json = { authorization, 'content-type': 'application/json' };
  await fetch(run, { headers: auth });
  const cached = await fetch(run, { headers: auth });
  const etag = cached.headers.get('etag') ?? '';
  const raw = await openRaw(await cached.text());
  const query =
    '{ runEndpoint(projectId: "@current", name: "delays_by_hour") { results columns types isCached lastRefresh } }';
  const sha256Hash = createHash('sha256').update(query).digest('hex');
  const extensions = { persistedQuery: { version: 1, sha256Hash } };
  await fetch(graphql, {
    method: 'POST',
    headers: json,
    body: JSON.stringify({ query, extensions }),
  });
  const named = new URLSearchParams({ extensions: JSON.stringify(extensions) });
  const get = (url: string, headers: Readonly<Record<string, string>>, check: Check): LoadCase => ({
    url,
    method: 'GET',
    headers,
    check,
  });
  const post = (url: string, body: string, check: Check): LoadCase => ({
    url,
    method: 'POST',
    headers: json,
    bodies: [body],
    check,
  });
  const conditional = { ...auth, 'if-none-match': etag };
  const own = { pid, raw: 'raw GET' };
  return {
    'raw GET': { load: get(raw.url, auth, has('results')), pid: raw.pid, raw: null, target: null },
    'raw POST': {
      load: post(raw.url, '{}', has('results')),
      pid: raw.pid,
      raw: null,
      target: null,
    },
    'REST GET cached': { ...own, load: get(run, auth, has('"is_cached":true')), target: 0.75 },
    'REST POST cached': {
      ...own,
      raw: 'raw POST',
      load: post(run, '{}', has('"is_cached":true')),
      target: 0.75,
    },
    'REST 304': { ...own, load: get(run, conditional, is304), target: 0.85 },
    'GraphQL POST cached': {
      ...own,
      load: post(graphql, JSON.stringify({ query }), has('"isCached":true')),
      target: 0.35,
    },
    'GraphQL persisted GET': {
      ...own,
      load: get(`${graphql}?${named}`, auth, has('"isCached":true')),
      target: 0.7,
    },
  };
}

type Check = LoadCase['check'];

const has =
  (part: string): Check =>
  (answer: Answer) => {
    if (answer.status === 200 && answer.body.includes(part)) return;
    throw new Error(`answered ${answer.status}: ${answer.body.toString().slice(0, 500)}`);
  };

const is304: Check = ({ status, body }) => {
  if (status !== 304 || body.length > 0) throw new Error(`answered ${status}`);
};

/** Where the system has no taskset, the figures are as good as the machine is quiet. */
function pin(pid: number, core: number): void {
  spawnSync('taskset', ['-acp', String(core), String(pid)], { stdio: 'ignore' });
}

interface RawServer {
  readonly url: string;
  readonly pid: number;
  stop(): void;
}

async function startRaw(text: string): Promise<RawServer> {
  const script = path.join(import.meta.dirname, 'raw-server.ts');
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(text);
  const [port] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  const pid = child.pid ?? 0;
  pin(pid, 0);
  return { url: `http://127.0.0.1:${port.trim()}/`, pid, stop: () => void child.kill() };
}

/** A file for each run. */
async function keepResults(results: Results): Promise<void> {
  const dir = path.join(import.meta.dirname, 'results');
  await mkdir(dir, { recursive: true });
  const at = new Date().toISOString();
  const file = path.join(dir, `hot-${at.replaceAll(':', '-')}.json`);
  const machine = { cpu: os.cpus()[0]?.model, cores: os.cpus().length, node: process.version };
  await writeFile(file, `${JSON.stringify({ at, machine, results }, null, 2)}\n`);
}
