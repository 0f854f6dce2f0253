import { createHash } from 'node:crypto';
import { type AgainstRaw, againstRaw } from './against-raw.ts';
import { has, isNotModified } from './checks.ts';
import { type DemoServer, withDemo } from './demo-server.ts';
import type { Effort } from './effort.ts';
import type { Figure } from './figure.ts';
import { askOnce, type LoadCase } from './socket-load.ts';

const query =
  '{ runEndpoint(projectId: "@current", name: "delays_by_hour") { results columns types isCached lastRefresh } }';

/** What an answer of about 1 kB from the cache costs. */
export function measureHot(effort: Effort): Promise<readonly Figure[]> {
  return withDemo(async (demo) =>
    againstRaw(
      demo,
      await openCases(demo),
      effort.of({ rounds: 7, seconds: 0.6, connections: 32 }),
    ),
  );
}

async function openCases(demo: DemoServer): Promise<readonly AgainstRaw[]> {
  const run = `${demo.endpointsUrl}/delays_by_hour/run`;
  const graphql = `${demo.url}/graphql`;
  const auth = { authorization: demo.headers.authorization ?? '' };
  const text = await (await fetch(run, { headers: auth })).text();
  const rows = text.slice(text.indexOf('[['), text.indexOf(']]') + 2);
  const isRun = has(rows, '"is_cached":true');
  const isField = has(rows, '"isCached":true');
  const get: LoadCase = { url: run, method: 'GET', headers: auth, check: isRun };
  const { headers } = await askOnce(get);
  const ifNoneMatch = { ...auth, 'if-none-match': headers.etag ?? '' };
  const post = { method: 'POST', headers: demo.headers } as const;
  return [
    { name: 'REST GET, cached', target: { atLeast: 0.75 }, load: get },
    {
      name: 'REST POST, cached',
      target: { atLeast: 0.75 },
      load: { ...post, url: run, bodies: ['{}'], check: isRun },
    },
    {
      name: 'REST GET, 304 beside a bare 200',
      target: { atLeast: 0.85 },
      load: { ...get, headers: ifNoneMatch, check: isNotModified },
      rawAnswer: get,
    },
    {
      name: 'GraphQL POST, cached',
      target: { atLeast: 0.35 },
      load: { ...post, url: graphql, bodies: [JSON.stringify({ query })], check: isField },
    },
    {
      name: 'GraphQL persisted GET, cached',
      target: { atLeast: 0.7 },
      load: { ...get, url: await persist(demo), check: isField },
    },
  ];
}

/** Where the persisted operation is asked for by its hash. */
async function persist(demo: DemoServer): Promise<string> {
  const sha256Hash = createHash('sha256').update(query).digest('hex');
  const extensions = { persistedQuery: { version: 1, sha256Hash } };
  const body = JSON.stringify({ query, extensions });
  await fetch(`${demo.url}/graphql`, { method: 'POST', headers: demo.headers, body });
  const named = new URLSearchParams({ extensions: JSON.stringify(extensions) });
  return `${demo.url}/graphql?${named}`;
}
