/** Callers of every kind who never pause for long, with the response to each call and its time. */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';

export interface Target {
  /** Of the service; changes when it is started anew. */
  url: string;
  readonly projectId: number;
  readonly key: string;
}

export const kinds = ['cached', 'inline', 'read', 'write', 'ready'] as const;
export type Kind = (typeof kinds)[number];

export interface Sample {
  readonly kind: Kind;
  /** Milliseconds of performance.now(). */
  readonly at: number;
  readonly ms: number;
  /** 0: the connection was refused or broke; -1: no response in time. */
  readonly status: number;
  readonly code: string | null;
  readonly retryAfter: number | null;
}

/** What must be found of one endpoint afterwards. */
interface Promised {
  /** In the order of the writes: the last acknowledged, then those whose outcome is unknown. */
  possible: (string | null)[];
  /** Writes that were acknowledged, and those whose outcome is unknown. */
  done: number;
  unknown: number;
}

export interface Load {
  readonly samples: readonly Sample[];
  /** Writes that were acknowledged. */
  acknowledged(): number;
  stop(): Promise<void>;
  /** What was acknowledged and is missing or incomplete. */
  findLost(): Promise<readonly string[]>;
}

/** What takes longer counts as a hang. */
export const hangMs = 60_000;
const clientsOf: Readonly<Record<Kind, number>> = {
  cached: 2,
  inline: 2,
  read: 2,
  write: 3,
  ready: 1,
};

interface Call {
  readonly method?: string;
  readonly path: string;
  readonly body?: object;
}

export async function ask(target: Target, { method = 'GET', path, body }: Call) {
  const url = path.startsWith('/readyz')
    ? path
    : `/api/projects/${target.projectId}/endpoints${path}`;
  const response = await fetch(target.url + url, {
    method,
    headers: { authorization: `Bearer ${target.key}`, 'content-type': 'application/json' },
    signal: AbortSignal.timeout(hangMs),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  const retryAfter = response.headers.get('retry-after');
  return {
    status: response.status,
    retryAfter: retryAfter === null ? null : Number(retryAfter),
    body: (text === '' ? {} : JSON.parse(text)) as Readonly<Record<string, unknown>>,
  };
}

/** Of the audit log, by the name of the endpoint. */
async function countEntries(target: Target): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const query = `query ($after: String) { auditLog(projectId: "@current", first: 1000, after: $after) {
    pageInfo { hasNextPage endCursor } edges { node { endpointName } } } }`;
  for (let after: string | null = null; ; ) {
    const response: Response = await fetch(`${target.url}/graphql`, {
      method: 'POST',
      headers: { authorization: `Bearer ${target.key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query, variables: { after } }),
    });
    const { data } = (await response.json()) as { readonly data: { readonly auditLog: AuditPage } };
    const { edges, pageInfo } = data.auditLog;
    for (const { endpointName } of edges.map(({ node }) => node)) {
      const name = endpointName ?? '';
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
    if (!pageInfo.hasNextPage) return counts;
    after = pageInfo.endCursor;
  }
}

interface AuditPage {
  readonly pageInfo: { readonly hasNextPage: boolean; readonly endCursor: string };
  readonly edges: readonly { readonly node: { readonly endpointName: string | null } }[];
}

/** The endpoints that the load runs: one whose results are cached, one whose are not. */
export async function prepareLoad(target: Target): Promise<void> {
  const query = 'SELECT number AS n FROM numbers(10)';
  for (const body of [
    { name: 'kept', query, cache_age_seconds: 86_400 },
    { name: 'fresh', query, cache_age_seconds: 0 },
  ]) {
    const { status } = await ask(target, { method: 'POST', path: '', body });
    if (status !== 201) throw new Error(`${body.name} was not saved: ${status}`);
  }
  await ask(target, { path: '/kept/run' });
}

/** @param pauseMs of each caller, after each response. */
export function startLoad(target: Target, pauseMs: number): Load {
  const own = randomBytes(3).toString('hex');
  const samples: Sample[] = [];
  const promised = new Map<string, Promised>();
  let acknowledged = 0;
  let going = true;

  async function sample(kind: Kind, call: Call): Promise<Sample> {
    const at = performance.now();
    const response = await ask(target, call).catch((error: unknown) => ({
      status: error instanceof Error && error.name === 'TimeoutError' ? -1 : 0,
      retryAfter: null,
      body: {},
    }));
    const { status, retryAfter, body } = response;
    const code = 'code' in body && typeof body.code === 'string' ? body.code : null;
    const taken = { kind, at, ms: performance.now() - at, status, code, retryAfter };
    samples.push(taken);
    return taken;
  }

  async function keepAsking(kind: Kind, path: string): Promise<void> {
    while (going) {
      await sample(kind, { path });
      await delay(pauseMs);
    }
  }

  async function write(name: string, description: string | null, call: Call): Promise<boolean> {
    const known = promised.get(name) ?? { possible: [null], done: 0, unknown: 0 };
    promised.set(name, known);
    const { status } = await sample('write', call);
    const isDone = status >= 200 && status < 300;
    if (isDone) {
      acknowledged += 1;
      known.possible = [description];
      known.done += 1;
      // A 4xx means that nothing happened; after anything else nobody knows.
    } else if (status < 400 || status >= 500) {
      known.possible.push(description);
      known.unknown += 1;
    }
    return isDone;
  }

  /** Creates, changes twice and deletes every third, one name after the other. */
  async function keepWriting(client: number): Promise<void> {
    for (let n = 0; going; n += 1) {
      const name = `w${own}_${client}_${n}`;
      const query = `SELECT ${n} AS n`;
      const body = { name, query, description: 'made' };
      const made = await write(name, 'made', { method: 'POST', path: '', body });
      for (const description of made ? ['first', 'second'] : []) {
        await write(name, description, {
          method: 'PATCH',
          path: `/${name}`,
          body: { description },
        });
      }
      if (made && n % 3 === 2) await write(name, null, { method: 'DELETE', path: `/${name}` });
      await delay(pauseMs);
    }
  }

  const paths = { cached: '/kept/run', inline: '/fresh/run', read: '/kept', ready: '/readyz' };
  const clients = kinds.flatMap((kind) =>
    Array.from({ length: clientsOf[kind] }, (_, client) =>
      kind === 'write' ? keepWriting(client) : keepAsking(kind, paths[kind]),
    ),
  );

  async function findLost(): Promise<readonly string[]> {
    const lost: string[] = [];
    const entries = await countEntries(target);
    for (const [name, { possible, done, unknown }] of promised) {
      const entered = entries.get(name) ?? 0;
      if (entered < done || entered > done + unknown) {
        lost.push(
          `${name}: ${entered} entries of the audit log for ${done} writes and ${unknown} in doubt`,
        );
      }
      const { status, body } = await ask(target, { path: `/${name}` });
      const found = status === 404 ? null : String(body.description);
      const isRead = status === 200 || status === 404;
      if (!isRead || !possible.includes(found)) {
        lost.push(`${name}: found ${status} ${found}, expected ${possible.join(' or ')}`);
      }
    }
    return lost;
  }

  return {
    samples,
    acknowledged: () => acknowledged,
    async stop() {
      going = false;
      await Promise.all(clients);
    },
    findLost,
  };
}
