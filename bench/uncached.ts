import { projectLogin } from '../src/engine/clickhouse/http/connection.ts';
import { toMessage } from '../src/engine/clickhouse/http/request-message.ts';
import { outputSettings } from '../src/engine/clickhouse/query/output-settings.ts';
import { has } from './checks.ts';
import { type ChildServer, startChild } from './child-server.ts';
import { childrenOf, generatorCore, pin, serverCore, unpin } from './cores.ts';
import { type DemoServer, withDemo } from './demo-server.ts';
import type { Effort } from './effort.ts';
import { type Figure, figure } from './figure.ts';
import { runPairs, type Side } from './side-by-side.ts';
import type { LoadCase } from './socket-load.ts';

/** Enough to make identical runs, which would share one query, rare. */
const values = Array.from({ length: 2000 }, (_, n) => n * 499);
/** The most runs of one project on two cores that do not wait for each other. */
const atOnce = 3;
const query = 'SELECT id, kind, amount FROM events WHERE id >= {from:UInt64} ORDER BY id LIMIT 10';

/**
 * What the service adds to the engine's own response to the same statement, sent to the engine's HTTP interface as the
 * same user and with the same settings. The engine has one core, the service and the load generator the other.
 */
export function measureUncached(effort: Effort): Promise<readonly Figure[]> {
  return withDemo(async (demo) => {
    for (const statement of [
      'CREATE TABLE events (id UInt64, kind UInt8, amount UInt32) ENGINE = MergeTree ORDER BY id',
      'INSERT INTO events SELECT number, number % 50, number % 1000 FROM numbers(1000000)',
    ])
      await demo.sql(statement);
    await demo.rest('POST', '', { name: 'small', query });
    const proxy = await startChild({
      script: 'proxy-server.ts',
      env: { ENGINE_URL: demo.server.engine.url },
    });
    const release = pinParts(demo, proxy);
    try {
      return [
        ...(await compareLatency(demo, proxy, effort)),
        ...(await compareThroughput(demo, effort)),
      ];
    } finally {
      release();
      await proxy.stop();
    }
  });
}

async function compareLatency(
  demo: DemoServer,
  proxy: ChildServer,
  effort: Effort,
): Promise<readonly Figure[]> {
  // A query that is alone may use every processor of the machine.
  const other = await engineSide(demo, 'all');
  const [turns = [], proxied = []] = await runPairs(
    [
      { own: serviceSide(demo), other },
      { own: throughProxy(other, proxy), other },
    ],
    effort.of({ rounds: 9, seconds: 1, connections: 1 }),
  );
  const name = 'uncached run, p50';
  return [
    figure(name, 'ms more than the engine itself', {
      samples: turns.map(({ own, other }) => own.p50Ms - other.p50Ms),
      target: { atMost: 0.5 },
    }),
    figure(name, 'ms', { samples: turns.map(({ own }) => own.p50Ms) }),
    figure(name, 'ms of the engine itself', { samples: turns.map(({ other }) => other.p50Ms) }),
    figure(name, 'µs of processor time of the service', {
      samples: turns.map(({ own }) => own.cpuMicros),
    }),
    figure('the same through a bare proxy, p50', 'ms more than the engine itself', {
      samples: proxied.map(({ own, other: alone }) => own.p50Ms - alone.p50Ms),
    }),
    figure('the same through a bare proxy, p50', 'µs of processor time of the proxy', {
      samples: proxied.map(({ own }) => own.cpuMicros),
    }),
  ];
}

async function compareThroughput(demo: DemoServer, effort: Effort): Promise<readonly Figure[]> {
  const pair = { own: serviceSide(demo), other: await engineSide(demo, 'one') };
  const [turns = []] = await runPairs(
    [pair],
    effort.of({ rounds: 9, seconds: 1, connections: atOnce }),
  );
  const name = `uncached runs, ${atOnce} at once`;
  return [
    figure(name, "of the engine's own throughput", {
      samples: turns.map(({ own, other }) => own.perSecond / other.perSecond),
      target: { atLeast: 0.85 },
    }),
    figure(name, 'runs per second', { samples: turns.map(({ own }) => own.perSecond) }),
  ];
}

/** The engine's requests, sent to the proxy. */
function throughProxy({ load }: Side, proxy: ChildServer): Side {
  const urls = load.urls?.map((url) => proxy.url + url.slice(load.url.length)) ?? [];
  return { load: { ...load, url: proxy.url, urls }, pids: [proxy.pid] };
}

function serviceSide(demo: DemoServer): Side {
  return {
    load: {
      url: `${demo.endpointsUrl}/small/run`,
      method: 'POST',
      headers: demo.headers,
      bodies: values.map((from) => JSON.stringify({ variables: { from }, refresh: 'force' })),
      check: has('"is_cached":false', '"hasMore":false', '],['),
    },
    pids: [demo.server.pid],
  };
}

/** The request that the driver would send, built by the driver's own code. */
async function engineSide(demo: DemoServer, threads: 'all' | 'one'): Promise<Side> {
  const first = { variables: { from: 0 }, refresh: 'force', debug: true };
  const run = await demo.rest('POST', '/small/run', first);
  const { url, secret } = demo.server.engine;
  const messages = values.map((from) =>
    toMessage({
      login: projectLogin(secret, demo.projectId, 'reader'),
      sql: String(run.query),
      params: { from: String(from) },
      settings: outputSettings.number,
      ownSettings: {
        priority: '1',
        ...(threads === 'all' ? {} : { max_threads: '1' }),
        limit: '50001',
        offset: '0',
      },
      timeoutMs: 0,
    }),
  );
  const [message] = messages;
  if (message === undefined) throw new Error('there is no request to send');
  const { 'Content-Length': _, ...headers } = message.headers;
  const load: LoadCase = {
    url,
    urls: messages.map(({ path }) => url + path),
    method: 'POST',
    headers: Object.fromEntries(Object.entries(headers).map(([k, v]) => [k, String(v)])),
    bodies: messages.map(({ body }) => body.toString()),
    check: has('["UInt64", "UInt8", "UInt32"]', ']\n['),
  };
  return { load, pids: [] };
}

/** The engine and PostgreSQL are children of the service. */
function pinParts({ server }: DemoServer, proxy: ChildServer): () => void {
  const beside = [process.pid, server.pid, proxy.pid];
  const all = [...beside, ...childrenOf(server.pid)];
  for (const pid of beside) pin(pid, generatorCore);
  for (const pid of all.slice(beside.length)) pin(pid, serverCore);
  return () => {
    for (const pid of all) unpin(pid);
  };
}
