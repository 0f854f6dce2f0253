/** Many subscribers of some results: what each costs, and how long a change takes to the last of them. */
import { readFile } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { type DemoServer, withDemo } from './demo-server.ts';
import { type Figure, figure } from './figure.ts';
import { cpuSeconds } from './processor-time.ts';

const subscribers = 10_000;
const results = 100;
const changes = 12;
const idleSeconds = 10;
/** Connections that are opened at once. */
const batch = 200;
const giveUpMs = 120_000;

export async function measureLive(): Promise<readonly Figure[]> {
  // The limits are for callers that are not all one key.
  process.env.MAX_STREAMS_PER_KEY = String(2 * subscribers);
  process.env.MAX_STREAMS_PER_PROJECT = String(2 * subscribers);
  process.env.MAX_STREAMS = String(2 * subscribers);
  return withDemo(measure);
}

async function measure(demo: DemoServer): Promise<readonly Figure[]> {
  await demo.rest('POST', '', { name: 'live_bench', query: queryOf(0) });
  for (let n = 0; n < results; n += 1)
    await demo.rest('POST', '/live_bench/run', { variables: { n } });
  await delay(2000);
  const { pid } = demo.server;
  const before = await residentBytes(pid);
  const seen = { events: 0 };
  const sockets = await openAll(demo, seen);
  try {
    await until(() => seen.events >= subscribers);
    const joined = await residentBytes(pid);
    const cpu = await cpuSeconds([pid]);
    await delay(idleSeconds * 1000);
    const idle = ((await cpuSeconds([pid])) - cpu) / idleSeconds;
    const told: number[] = [];
    const executed: number[] = [];
    const spent: number[] = [];
    for (let change = 1; change <= changes; change += 1) {
      const runs = await executions(demo);
      const cpuBefore = await cpuSeconds([pid]);
      await demo.rest('PATCH', '/live_bench', { query: queryOf(change) });
      const at = performance.now();
      await until(() => seen.events >= subscribers * (change + 1));
      told.push((performance.now() - at) / 1000);
      spent.push((((await cpuSeconds([pid])) - cpuBefore) * 1e6) / subscribers);
      executed.push(((await executions(demo)) - runs) / results);
    }
    const after = await residentBytes(pid);
    return [
      figure('memory of a subscriber, joined', 'kB', {
        samples: [(joined - before) / subscribers / 1000],
        target: { atMost: 25 },
      }),
      figure(`memory of a subscriber, after ${changes} events`, 'kB', {
        samples: [(after - before) / subscribers / 1000],
        target: { atMost: 25 },
      }),
      figure('the last is told after a change', 's', { samples: told, target: { atMost: 2 } }),
      figure('executions for each result and change', 'executions', {
        samples: executed,
        target: { atMost: 1 },
      }),
      figure('processor time of an event', 'µs', { samples: spent }),
      figure('while nothing changes', 'of a core', { samples: [idle], target: { atMost: 0.02 } }),
    ];
  } finally {
    for (const socket of sockets) socket.destroy();
  }
}

function queryOf(change: number): string {
  return `SELECT {n:UInt32} AS part, ${change} AS change, number, toString(number) AS text FROM numbers(16) ORDER BY number`;
}

async function openAll(demo: DemoServer, seen: { events: number }): Promise<readonly Socket[]> {
  const sockets: Socket[] = [];
  for (let first = 0; first < subscribers; first += batch) {
    for (let at = first; at < first + batch; at += 1) sockets.push(open(demo, at % results, seen));
    await until(() => seen.events >= first + batch);
  }
  return sockets;
}

const marker = 'event: result';

/** Counts events; a marker may be split between two pieces. */
function open(
  { url, endpointsUrl, apiKey }: DemoServer,
  n: number,
  seen: { events: number },
): Socket {
  const { hostname, port } = new URL(url);
  const { pathname } = new URL(endpointsUrl);
  const socket = connect(Number(port), hostname);
  socket.write(
    `GET ${pathname}/live_bench/run?variables[n]=${n} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${apiKey}\r\nAccept: text/event-stream\r\n\r\n`,
  );
  let tail = '';
  socket.on('data', (bytes) => {
    const text = tail + bytes.toString('latin1');
    seen.events += text.split(marker).length - 1;
    tail = text.slice(-(marker.length - 1));
  });
  socket.on('error', () => undefined);
  return socket;
}

async function until(isSo: () => boolean): Promise<void> {
  const deadline = performance.now() + giveUpMs;
  while (!isSo()) {
    if (performance.now() > deadline) throw new Error('the events did not come');
    await delay(5);
  }
}

async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024;
}

/** Runs that were computed and not served from the cache. */
async function executions({ url }: DemoServer): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text();
  const counts = text.matchAll(/^querydock_runs_total\{[^}]*path="inline"[^}]*\} (\d+)/gm);
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}
