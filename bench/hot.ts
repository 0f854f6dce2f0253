import { createHash } from 'node:crypto';
import { type AgainstRaw, againstRaw } from './against-raw.ts';
import { openCachedRows } from './cached-rows.ts';
import { isNotModified } from './checks.ts';
import { type DemoServer, withDemo } from './demo-server.ts';
import type { Effort } from './effort.ts';
import type { Figure } from './figure.ts';
import { askOnce } from './socket-load.ts';

/** The cost of a cached response of about 1 kB. */
export function measureHot(effort: Effort): Promise<readonly Figure[]> {
  return withDemo(async (demo) =>
    againstRaw(
      demo,
      await openCases(demo),
      effort.of({ rounds: 9, seconds: 0.5, connections: 32 }),
    ),
  );
}

async function openCases(demo: DemoServer): Promise<readonly AgainstRaw[]> {
  const { rest, graphql } = await openCachedRows(demo, 'delays_by_hour');
  const { headers } = await askOnce(rest);
  const ifNoneMatch = { ...rest.headers, 'if-none-match': headers.etag ?? '' };
  const persisted = await persist(demo, graphql.bodies?.[0] ?? '');
  return [
    { name: 'REST GET, cached', target: { atLeast: 0.75 }, load: rest },
    {
      name: 'REST POST, cached',
      target: { atLeast: 0.75 },
      load: { ...rest, method: 'POST', headers: demo.headers, bodies: ['{}'] },
    },
    {
      name: 'REST GET, 304 beside a bare 200',
      target: { atLeast: 0.85 },
      load: { ...rest, headers: ifNoneMatch, check: isNotModified },
      rawResponse: rest,
    },
    { name: 'GraphQL POST, cached', target: { atLeast: 0.35 }, load: graphql },
    {
      name: 'GraphQL persisted GET, cached',
      target: { atLeast: 0.7 },
      load: { ...rest, url: persisted, check: graphql.check },
    },
  ];
}

/** The URL that requests the persisted operation by its hash. */
async function persist(demo: DemoServer, posted: string): Promise<string> {
  const { query } = JSON.parse(posted) as { readonly query: string };
  const sha256Hash = createHash('sha256').update(query).digest('hex');
  const extensions = { persistedQuery: { version: 1, sha256Hash } };
  const body = JSON.stringify({ query, extensions });
  await fetch(`${demo.url}/graphql`, { method: 'POST', headers: demo.headers, body });
  const named = new URLSearchParams({ extensions: JSON.stringify(extensions) });
  return `${demo.url}/graphql?${named}`;
}
