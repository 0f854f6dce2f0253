/**
 * The same rows from the same ClickHouse by hypequery, its query cache on: GET /rows. It checks no key and counts no
 * rate, which Querydock does beside it.
 */
import { createServer } from 'node:http';
import { createQueryBuilder, MemoryCacheProvider } from '@hypequery/clickhouse';
import { initServe, toNodeHandler } from '@hypequery/serve';
import { listen } from './listen.ts';

const {
  ENGINE_URL = '',
  ENGINE_USER = '',
  ENGINE_PASSWORD = '',
  ENGINE_DATABASE = '',
} = process.env;

const db = createQueryBuilder<{
  hour_delays: {
    hour: 'UInt8';
    flights: 'UInt64';
    avg_delay: 'Float64';
    late_percent: 'Float64';
  };
}>({
  url: ENGINE_URL,
  username: ENGINE_USER,
  password: ENGINE_PASSWORD,
  database: ENGINE_DATABASE,
  cache: { mode: 'cache-first', ttlMs: 3_600_000, provider: new MemoryCacheProvider() },
});

const analytics = initServe({ context: () => ({ db }), basePath: '' });
const rows = analytics.query({
  description: 'Delays by hour',
  query: ({ ctx }) =>
    ctx.db
      .table('hour_delays')
      .select(['hour', 'flights', 'avg_delay', 'late_percent'])
      .orderBy('hour')
      .execute(),
});
const api = analytics.serve({ queries: { rows } });
api.route('/rows', api.queries.rows, { method: 'GET' });
listen(createServer(toNodeHandler(api)));
