import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { type DemoServer, removeFolder, startDemo } from './demo-server.ts';
import { spread } from './figures.ts';
import { type LoadCase, load } from './load.ts';

const rounds = 5;
const secondsEach = 1.5;

/** What the doors cost around a result, against a bare node:http server that sends the same bytes. */
export async function measurePaths(): Promise<readonly string[]> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'querydock-bench-'));
  const demo = await startDemo(dir);
  const run = `${demo.url}/api/projects/${demo.projectId}/endpoints/delays_by_hour/run`;
  const authorization = `Bearer ${demo.apiKey}`;
  await fetch(run, { headers: { authorization } });
  const cached = await fetch(run, { headers: { authorization } });
  const etag = cached.headers.get('etag') ?? '';
  const raw = await startRaw(await cached.text());
  try {
    return await compare(casesOf({ demo, run, authorization, etag, raw: raw.url }));
  } finally {
    raw.stop();
    await demo.stop();
    await removeFolder(dir);
  }
}

async function compare(cases: Readonly<Record<string, LoadCase>>): Promise<readonly string[]> {
  const perSecond = new Map<string, number[]>();
  const p50 = new Map<string, number[]>();
  for (let round = 0; round <= rounds; round += 1) {
    for (const [name, target] of Object.entries(cases)) {
      const result = await load(target, secondsEach);
      if (round === 0) continue;
      perSecond.set(name, [...(perSecond.get(name) ?? []), result.perSecond]);
      p50.set(name, [...(p50.get(name) ?? []), result.p50Ms]);
    }
  }
  const bare = perSecond.get('raw') ?? [];
  return [...perSecond].map(([name, rates]) => {
    const ratios = rates.map((rate, round) => rate / (bare[round] ?? Number.NaN));
    return `${name.padEnd(14)} ${spread(ratios, 2)} of raw, p50 ${spread(p50.get(name) ?? [], 2)} ms`;
  });
}

function casesOf(given: {
  readonly demo: DemoServer;
  readonly run: string;
  readonly authorization: string;
  readonly etag: string;
  readonly raw: string;
}): Readonly<Record<string, LoadCase>> {
  const { run, authorization, etag } = given;
  const expectStatus = (wanted: number, part: string) => (status: number, text: string) => {
    if (status !== wanted || !text.includes(part))
      throw new Error(`answered ${status}: ${text.slice(-700)}`);
  };
  const query =
    '{ runEndpoint(projectId: "@current", name: "delays_by_hour") { results columns isCached } }';
  const json = { authorization, 'content-type': 'application/json' };
  return {
    raw: {
      url: given.raw,
      method: 'GET',
      headers: { authorization },
      check: expectStatus(200, 'results'),
    },
    'REST cached': {
      url: run,
      method: 'GET',
      headers: { authorization },
      check: expectStatus(200, '"is_cached":true'),
    },
    'REST 304': {
      url: run,
      method: 'GET',
      headers: { authorization, 'if-none-match': etag },
      check: expectStatus(304, ''),
    },
    'GraphQL cached': {
      url: `${given.demo.url}/graphql`,
      method: 'POST',
      headers: json,
      body: JSON.stringify({ query }),
      check: expectStatus(200, '"isCached":true'),
    },
    'REST uncached': {
      url: run,
      method: 'POST',
      headers: json,
      body: JSON.stringify({ refresh: 'force', limit: 23 }),
      check: expectStatus(200, '"is_cached":false'),
    },
  };
}

interface RawServer {
  readonly url: string;
  stop(): void;
}

/** A bare server of the same bytes, in a process of its own as the service is. */
async function startRaw(text: string): Promise<RawServer> {
  const script = path.join(import.meta.dirname, 'raw-server.ts');
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(text);
  const [port] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  return { url: `http://127.0.0.1:${port.trim()}/`, stop: () => void child.kill() };
}
