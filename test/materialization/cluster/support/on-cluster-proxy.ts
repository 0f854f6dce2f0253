/**
 * A balancer before two nodes, which also does what a Keeper does for them: a statement ON CLUSTER runs on every node, in
 * order also on one that was away; and a replicated table has its rows everywhere once SYSTEM SYNC REPLICA has ended.
 */
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { findFreePort } from '../../../../src/engine/embedded/engine-process.ts';
import { openHaproxy } from '../../../support/haproxy.ts';
import type { TwoNodes } from '../../../support/two-nodes.ts';
import type { Way } from './clustered-app.ts';

type Which = 0 | 1;

interface OnClusterProxy {
  /** Of an address that chooses a node for each request. */
  readonly url: string;
  /** Of an address for each node, to which its requests go unless they are for all. */
  readonly ports: readonly [number, number];
  close(): Promise<void>;
}

interface Call {
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
}

/** Not by turns: every second request may be of one kind. */
const turns: readonly Which[] = [0, 1, 1, 0, 1, 0, 0, 1];

async function openOnClusterProxy(nodes: TwoNodes): Promise<OnClusterProxy> {
  const missed: Record<Which, Call[]> = { 0: [], 1: [] };
  let next = 0;
  let queue: Promise<unknown> = Promise.resolve();

  const catchingUp: Record<Which, Promise<void>> = { 0: Promise.resolve(), 1: Promise.resolve() };

  /** Makes what it has missed. Rejects while it is away. */
  function catchUp(node: Which): Promise<void> {
    const work = catchingUp[node].then(async () => {
      for (let one = missed[node][0]; one !== undefined; one = missed[node][0]) {
        await passOn(node, one);
        missed[node].shift();
      }
    });
    catchingUp[node] = work.catch(() => undefined);
    return work;
  }

  /** Null when it is away. What it has missed comes first. */
  async function ask(node: Which, call: Call): Promise<Response | null> {
    try {
      await catchUp(node);
      return await send(nodes.urls[node], call);
    } catch {
      return null;
    }
  }

  async function toAny(call: Call): Promise<Response | null> {
    const first = turns[next++ % turns.length] ?? 0;
    return (await ask(first, call)) ?? ask(first === 0 ? 1 : 0, call);
  }

  async function toEvery(call: Call): Promise<Response | null> {
    let answer: Response | null = null;
    for (const node of [0, 1] as const) {
      const own = await catchUp(node)
        .then(() => passOn(node, call))
        .catch(() => null);
      if (own === null) missed[node].push(call);
      else if (answer === null || answer.ok) answer = own;
    }
    return answer;
  }

  async function passOn(node: Which, call: Call): Promise<Response> {
    const replica = /^SYSTEM SYNC REPLICA (\S+)$/.exec(call.body)?.[1];
    if (replica === undefined) return send(nodes.urls[node], call);
    const other: Which = node === 0 ? 1 : 0;
    const count = (at: Which, name: string) =>
      nodes.sql(at, `SELECT count() FROM ${name}`).catch(() => '0');
    for (const source of [replica, replica.replace('_fill', '')]) {
      if (Number(await count(node, replica)) > 0 || Number(await count(other, source)) === 0)
        continue;
      await copy({ from: other, source, to: node, target: replica });
    }
    return send(nodes.urls[node], { ...call, body: 'SELECT 1' });
  }

  interface Copy {
    readonly from: Which;
    readonly source: string;
    readonly to: Which;
    readonly target: string;
  }

  async function copy({ from, source, to, target }: Copy): Promise<void> {
    const { user, password } = nodes.connection.admin;
    const headers = { 'x-clickhouse-user': user, 'x-clickhouse-key': password };
    const read = await fetch(`${nodes.urls[from]}/`, {
      method: 'POST',
      headers,
      body: `SELECT * FROM ${source} FORMAT Native`,
    });
    const query = encodeURIComponent(`INSERT INTO ${target} FORMAT Native`);
    const body = await read.arrayBuffer();
    const written = await fetch(`${nodes.urls[to]}/?query=${query}`, {
      method: 'POST',
      headers,
      body,
    });
    if (!written.ok) throw new Error(await written.text());
  }

  async function answer(call: Call, own: Which | null): Promise<Response | null> {
    const on = ` ON CLUSTER \`${nodes.cluster}\``;
    if (!call.body.includes(on)) return own === null ? toAny(call) : ask(own, call);
    await nodes.sql(0, `EXPLAIN AST ${call.body}`).catch(onlyIfParsed);
    const body = call.body.replace(on, '').replace(/Replicated(MergeTree)\([^)]*\)/, '$1');
    // One after the other, as the queue of a Keeper.
    const done = queue.then(() => toEvery({ ...call, body }));
    queue = done.catch(() => null);
    return done;
  }

  const servers: http.Server[] = [];
  async function listen(own: Which | null): Promise<number> {
    const server = http.createServer((request, response) => {
      const { url: target = '/', headers } = request;
      if (request.method === 'GET') {
        ping(own, response);
        return;
      }
      text(request)
        .then((body) => answer({ path: target, headers, body }, own))
        .then(async (answered) => {
          if (answered === null) {
            if (own === null) response.writeHead(503).end('no node answers');
            else response.destroy();
            return;
          }
          const kept = [...answered.headers].filter(([name]) => name.startsWith('x-clickhouse'));
          response.writeHead(answered.status, Object.fromEntries(kept));
          response.end(Buffer.from(await answered.arrayBuffer()));
        })
        .catch(() => response.destroy());
    });
    servers.push(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return (server.address() as AddressInfo).port;
  }

  /** As a balancer asks whether a node is there. */
  function ping(own: Which | null, response: http.ServerResponse): void {
    fetch(`${nodes.urls[own ?? 0]}/ping`).then(
      ({ status }) => response.writeHead(status).end(),
      () => response.destroy(),
    );
  }

  const url = new URL(nodes.shared.clickhouseUrl);
  url.port = String(await listen(null));
  return {
    url: url.href,
    ports: [await listen(0), await listen(1)],
    async close() {
      for (const server of servers) {
        server.closeAllConnections();
        await once(server.close(), 'close');
      }
    },
  };
}

function send(url: string, { path, headers, body }: Call): Promise<Response> {
  const own = Object.entries(headers).filter(([name]) => /^x-clickhouse|^content-type/.test(name));
  return fetch(`${url}${path}`, {
    method: 'POST',
    body,
    headers: Object.fromEntries(own.map(([name, value]) => [name, String(value)])),
  });
}

/** The engine says whether it understands a statement as it was sent; a KILL has no tree. */
function onlyIfParsed(error: unknown): void {
  if (/SYNTAX_ERROR/.test(String(error))) throw error;
}

/** The one address of both nodes. */
export async function balanced(nodes: TwoNodes): Promise<Way> {
  const proxy = await openOnClusterProxy(nodes);
  const settings = { clickhouseUrl: proxy.url, clickhouseCluster: nodes.cluster };
  return { settings, close: () => proxy.close() };
}

/** The same with haproxy as the balancer, which chooses a node for each connection. */
export async function behindHaproxy(nodes: TwoNodes): Promise<Way> {
  const proxy = await openOnClusterProxy(nodes);
  const dir = await mkdtemp(path.join(tmpdir(), 'querydock-haproxy-'));
  const port = await findFreePort();
  const balancer = await openHaproxy({
    dir,
    config: haproxyConfig(port, proxy.ports),
    isReady: async () =>
      (await fetch(`http://127.0.0.1:${port}/ping`).catch(() => null))?.ok === true,
  });
  const url = new URL(nodes.shared.clickhouseUrl);
  url.port = String(port);
  return {
    settings: { clickhouseUrl: url.href, clickhouseCluster: nodes.cluster },
    async close() {
      await balancer.close();
      await proxy.close();
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** As docs/topologies.md has it. */
function haproxyConfig(port: number, targets: readonly number[]): string {
  const servers = targets.map((target, at) => `  server ch${at + 1} 127.0.0.1:${target}`);
  return `defaults
  mode tcp
  timeout connect 1s
  timeout client 1h
  timeout server 1h
  timeout check 2s
  option redispatch 1
listen clickhouse
  bind 127.0.0.1:${port}
  balance roundrobin
  option httpchk GET /ping
  default-server check inter 500ms fall 2 rise 1 on-marked-down shutdown-sessions
${servers.join('\n')}
`;
}
