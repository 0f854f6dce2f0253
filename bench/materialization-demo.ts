/** A separate demo, and the operations that materialization cases need. */
import http from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { type DemoServer, withDemo } from './demo-server.ts';

/** The most connections that a case uses. */
export const readers = 16;

export interface Bench extends DemoServer {
  /** Creates the endpoint and waits for its first sync. */
  materialize(name: string, query: string): Promise<void>;
  sync(name: string): Promise<number>;
}

/** Measures in a demo that is removed afterwards. */
export function inDemo<T>(work: (bench: Bench) => Promise<T>): Promise<T> {
  return withDemo((demo) => work(openBench(demo)));
}

export interface Timed {
  /** From the first byte sent to the last one received, through REST. */
  readonly ms: number;
  readonly run: Readonly<Record<string, unknown>>;
}

/** One keep-alive connection and no parsing within the measured time, so that the service is what is measured. */
const agent = new http.Agent({ keepAlive: true, maxSockets: readers });

export async function timeRun(
  bench: Pick<DemoServer, 'endpointsUrl' | 'headers'>,
  name: string,
  body: object,
): Promise<Timed> {
  const url = `${bench.endpointsUrl}/${name}/run`;
  const startedAt = performance.now();
  const text = await post(url, bench.headers, JSON.stringify(body));
  const ms = performance.now() - startedAt;
  const run = JSON.parse(text) as Readonly<Record<string, unknown>>;
  if (run.results === undefined) throw new Error(`${name}: ${text}`);
  return { ms, run };
}

function post(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = http.request(url, { method: 'POST', headers, agent }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () => resolve(Buffer.concat(chunks).toString()));
    });
    request.on('error', reject);
    request.end(body);
  });
}

/** How long the engine itself took for the same. */
export async function engineMs(bench: Bench, name: string, body: object): Promise<number> {
  const { run } = await timeRun(bench, name, { ...body, debug: true });
  const timings = run.timings as readonly { readonly name: string; readonly seconds: number }[];
  return 1000 * (timings.find((timing) => timing.name === 'engine')?.seconds ?? Number.NaN);
}

/** Rarely, because polling takes engine time from the sync. */
const pollMs = 200;

export async function waitForSync(bench: DemoServer, name: string): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    const { status, error } = await bench.rest('GET', `/${name}/materialization_status`);
    if (status === 'Completed') return;
    if (status === 'Failed') throw new Error(`${name}: ${String(error)}`);
    await delay(pollMs);
  }
  throw new Error(`${name} was not synced`);
}

function openBench(demo: DemoServer): Bench {
  const statusOf = (name: string) => demo.rest('GET', `/${name}/materialization_status`);
  return {
    ...demo,
    async materialize(name, query) {
      await demo.rest('POST', '', { name, query, is_materialized: true });
      await waitForSync(demo, name);
    },
    async sync(name) {
      const last = (await statusOf(name)).last_materialized_at;
      await requestSync(demo, name);
      for (let tries = 0; tries < 600; tries += 1) {
        const found = await statusOf(name);
        if (found.status === 'Completed' && found.last_materialized_at !== last)
          return 1000 * Number(found.duration_seconds);
        await delay(pollMs);
      }
      throw new Error(`${name} was not synced again`);
    },
  };
}

async function requestSync(demo: DemoServer, name: string): Promise<void> {
  const query = `mutation { syncMaterialization(projectId: "${demo.projectId}", name: "${name}") { status } }`;
  const response = await fetch(`${demo.url}/graphql`, {
    method: 'POST',
    headers: demo.headers,
    body: JSON.stringify({ query }),
  });
  const { errors } = (await response.json()) as { readonly errors?: unknown };
  if (errors !== undefined) throw new Error(JSON.stringify(errors));
}
