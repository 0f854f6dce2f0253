/** The queries that the benchmark generates for ClickHouse, its hosts and times as variables. */
import type { SuiteQuery, Values } from '../suite.ts';
import { metrics } from './tables.ts';

interface Range {
  readonly hosts: number;
  readonly hours: number;
}

/** As many hosts and hours as the query asks for, at places of the three days that are multiples of no hour. */
function valuesOf({ hosts, hours }: Range): readonly Values[] {
  return [0, 1, 2].map((turn) => {
    const from = Date.UTC(2016, 0, 1, 3 + 17 * turn, 13 * turn, 7 * turn);
    const names = Array.from({ length: hosts }, (_, at) => `host_${(3 * turn + at) % 10}`);
    const times = { start: textOf(from), end: textOf(from + hours * 3_600_000) };
    return hosts === 0 ? times : { hosts: names, ...times };
  });
}

const textOf = (ms: number) => new Date(ms).toISOString().slice(0, 19).replace('T', ' ');

const within = '(created_at >= {start:DateTime}) AND (created_at < {end:DateTime})';
const onHosts = 'tags_id IN (SELECT id FROM tags WHERE hostname IN {hosts:Array(String)})';

const aggregated = (aggregate: string, count: number, name: (metric: string) => string) =>
  metrics
    .slice(0, count)
    .map((metric) => `${aggregate}(${metric}) AS ${name(metric)}`)
    .join(', ');

function byTime(name: string, time: string, count: number, range: Range): SuiteQuery {
  const sql = `SELECT toStartOf${time}(created_at) AS ${time.toLowerCase()}, ${aggregated('max', count, (metric) => `max_${metric}`)}
FROM cpu
WHERE ${onHosts} AND ${within}
GROUP BY ${time.toLowerCase()}
ORDER BY ${time.toLowerCase()}${time === 'Minute' ? ' ASC' : ''}`;
  return { name, sql, values: valuesOf(range) };
}

/** With INNER JOIN where the benchmark has ANY INNER JOIN, of which ClickHouse returns a single hour for each host. */
function byTimeAndHost(name: string, count: number): SuiteQuery {
  const means = metrics.slice(0, count).map((metric) => `mean_${metric}`);
  const sql = `SELECT hour, hostname, ${means.join(', ')}
FROM (
  SELECT toStartOfHour(created_at) AS hour, tags_id AS id, ${aggregated('avg', count, (metric) => `mean_${metric}`)}
  FROM cpu
  WHERE ${within}
  GROUP BY hour, id
) AS cpu_avg
INNER JOIN tags USING (id)
ORDER BY hour ASC, hostname`;
  return { name, sql, values: valuesOf({ hosts: 0, hours: 12 }) };
}

function busy(name: string, hosts: number): SuiteQuery {
  const sql = `SELECT *
FROM cpu
PREWHERE (usage_user > 90.0) AND ${within}${hosts === 0 ? '' : ` AND (${onHosts})`}`;
  return { name, sql, values: valuesOf({ hosts, hours: hosts === 0 ? 1 : 12 }) };
}

export const queries: readonly SuiteQuery[] = [
  byTime('single_groupby_1_1_1', 'Minute', 1, { hosts: 1, hours: 1 }),
  byTime('single_groupby_1_1_12', 'Minute', 1, { hosts: 1, hours: 12 }),
  byTime('single_groupby_1_8_1', 'Minute', 1, { hosts: 8, hours: 1 }),
  byTime('single_groupby_5_1_1', 'Minute', 5, { hosts: 1, hours: 1 }),
  byTime('single_groupby_5_1_12', 'Minute', 5, { hosts: 1, hours: 12 }),
  byTime('single_groupby_5_8_1', 'Minute', 5, { hosts: 8, hours: 1 }),
  byTime('cpu_max_all_1', 'Hour', 10, { hosts: 1, hours: 8 }),
  byTime('cpu_max_all_8', 'Hour', 10, { hosts: 8, hours: 8 }),
  byTimeAndHost('double_groupby_1', 1),
  byTimeAndHost('double_groupby_5', 5),
  byTimeAndHost('double_groupby_all', 10),
  busy('high_cpu_1', 1),
  busy('high_cpu_all', 0),
  {
    name: 'groupby_orderby_limit',
    sql: `SELECT toStartOfMinute(created_at) AS minute, max(usage_user)
FROM cpu
WHERE created_at < {end:DateTime}
GROUP BY minute
ORDER BY minute DESC
LIMIT 5`,
    values: valuesOf({ hosts: 0, hours: 1 }).map(({ end }) => ({ end: end ?? '' })),
  },
  {
    name: 'lastpoint',
    sql: `SELECT *
FROM (
  SELECT * FROM cpu
  WHERE (tags_id, created_at) IN (SELECT tags_id, max(created_at) FROM cpu GROUP BY tags_id)
) AS c
ANY INNER JOIN tags AS t ON c.tags_id = t.id
ORDER BY t.hostname ASC, c.time DESC`,
    values: [{}, {}, {}],
  },
];
