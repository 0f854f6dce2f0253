/**
 * A balancer before two nodes, which also does what a Keeper does for them: a statement ON CLUSTER runs on every node, in
 * order also on one that was away; and a replicated table has its rows everywhere once SYSTEM SYNC REPLICA has ended.
 */
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { TwoNodes } from '../../../support/two-nodes.ts';
import type { Way } from './clustered-app.ts';

type Which = 0 | 1;

interface OnClusterProxy {
  readonly url: string;
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

  /** Null when it is away. What it has missed comes first. */
  async function ask(node: Which, call: Call): Promise<Response | null> {
    try {
      for (let one = missed[node][0]; one !== undefined; one = missed[node][0]) {
        await passOn(node, one);
        missed[node].shift();
      }
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
      const own = missed[node].length > 0 ? null : await passOn(node, call).catch(() => null);
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

  async function answer(call: Call): Promise<Response | null> {
    const on = ` ON CLUSTER \`${nodes.cluster}\``;
    if (!call.body.includes(on)) return toAny(call);
    await nodes.sql(0, `EXPLAIN AST ${call.body}`).catch(onlyIfParsed);
    const body = call.body.replace(on, '').replace(/Replicated(MergeTree)\([^)]*\)/, '$1');
    // One after the other, as the queue of a Keeper.
    const done = queue.then(() => toEvery({ ...call, body }));
    queue = done.catch(() => null);
    return done;
  }

  const server = http.createServer((request, response) => {
    const { url: path = '/', headers } = request;
    text(request)
      .then((body) => answer({ path, headers, body }))
      .then(async (answered) => {
        if (answered === null) {
          response.writeHead(503).end('no node answers');
          return;
        }
        const own = [...answered.headers].filter(([name]) => name.startsWith('x-clickhouse'));
        response.writeHead(answered.status, Object.fromEntries(own));
        response.end(Buffer.from(await answered.arrayBuffer()));
      })
      .catch(() => response.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const url = new URL(nodes.shared.clickhouseUrl);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    async close() {
      server.closeAllConnections();
      await once(server.close(), 'close');
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
