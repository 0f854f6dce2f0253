/** An endpoint whose result is cached, and what each of its responses must contain. */
import { has } from './checks.ts';
import type { DemoServer } from './demo-server.ts';
import { askOnce, type LoadCase } from './socket-load.ts';

export interface CachedRows {
  readonly rest: LoadCase;
  readonly graphql: LoadCase;
  /** As they appear in every response. */
  readonly rows: string;
}

export async function openCachedRows(demo: DemoServer, name: string): Promise<CachedRows> {
  const url = `${demo.endpointsUrl}/${name}/run`;
  const auth = { authorization: demo.headers.authorization ?? '' };
  const get = (check: LoadCase['check']): LoadCase => ({
    url,
    method: 'GET',
    headers: auth,
    check,
  });
  const first = await askOnce(get(has('"results":[[')));
  const start = first.body.indexOf('[[');
  const rows = first.body.toString('utf8', start, first.body.indexOf(']]', start) + 2);
  const query = `{ runEndpoint(projectId: "@current", name: "${name}") { results columns types isCached lastRefresh } }`;
  return {
    rows,
    rest: get(has(rows, '"is_cached":true')),
    graphql: {
      url: `${demo.url}/graphql`,
      method: 'POST',
      headers: demo.headers,
      bodies: [JSON.stringify({ query })],
      check: has(rows, '"isCached":true'),
    },
  };
}

/** Saves a query that generates rows of about 205 bytes each in JSON. */
export async function saveRows(demo: DemoServer, name: string, count: number): Promise<void> {
  const query = `SELECT number AS id, hex(sipHash128(number)) AS a, hex(sipHash128(number, 1)) AS b, hex(sipHash128(number, 2)) AS c,
    ['alpine', 'coast', 'desert', 'forest'][1 + number % 4] AS region, cityHash64(number) % 1000000 / 100 AS amount,
    toDateTime('2025-01-01 00:00:00', 'UTC') + number AS at, repeat('-', 16) AS rest FROM numbers(${count})`;
  await demo.rest('POST', '', { name, query, cache_age_seconds: 86_400 });
}
