/** Dashboard queries over a source that is not sorted by their filters. */

type Variables = Readonly<Record<string, unknown>>;

interface Dashboard {
  readonly name: string;
  readonly query: string;
  /** By name: the values of the nth run. */
  readonly runs: Readonly<Record<string, (n: number) => Variables>>;
}

/** Half a year of events, sorted by (event, ts) as such tables usually are. */
export function eventStatements(rows: number): readonly string[] {
  return [
    `CREATE TABLE events (id UInt64, event LowCardinality(String), ts DateTime('UTC'), user_id UInt32,
      country LowCardinality(String), platform LowCardinality(String), amount Decimal(12, 2), duration_ms UInt32)
      ENGINE = MergeTree ORDER BY (event, ts)`,
    `INSERT INTO events SELECT number,
      ['pageview', 'click', 'signup', 'purchase', 'search'][1 + cityHash64(number, 0) % 5],
      toDateTime('2025-01-01 00:00:00', 'UTC') + intDiv(number * 3, 2),
      cityHash64(number, 1) % 1000000,
      ['de', 'at', 'ch', 'fr', 'it', 'es', 'nl', 'be', 'us', 'gb', 'pl', 'se', 'dk', 'no', 'fi', 'cz', 'pt', 'ie', 'jp', 'br'][1 + cityHash64(number, 2) % 20],
      ['ios', 'android', 'web'][1 + cityHash64(number, 5) % 3],
      toDecimal64((cityHash64(number, 3) % 100000) / 100, 2), cityHash64(number, 4) % 60000
      FROM numbers(${rows})`,
  ];
}

const country = (n: number) => ['de', 'us', 'fr', 'jp'][n % 4];
const platform = (n: number) => ['ios', 'android', 'web'][n % 3];
const quarter = { from: '2025-02-01', to: '2025-04-30' };
const halfYear = { from: '2025-01-01', to: '2025-06-30' };
const flightsQuarter = { from: '2001-02-01', to: '2001-04-30' };
const flightsHalfYear = { from: '2001-01-01', to: '2001-06-30' };

const daily =
  'SELECT toDate(ts) AS day, count() AS events, uniqExact(user_id) AS users, quantileExact(0.9)(duration_ms) AS p90, sum(amount) AS revenue FROM events WHERE country = {country:String} AND toDate(ts) >= {from:Date} AND toDate(ts) <= {to:Date} GROUP BY day ORDER BY day';

export const dashboards: readonly Dashboard[] = [
  {
    name: 'events_by_day',
    query: daily,
    runs: {
      'half a year': (n) => ({ country: country(n), ...halfYear }),
      'three months': (n) => ({ country: country(n), ...quarter }),
    },
  },
  {
    name: 'platform_by_day',
    query:
      'SELECT toDate(ts) AS day, count() AS events, uniqExact(user_id) AS users, quantilesExact(0.5, 0.9, 0.99)(duration_ms) AS took FROM events WHERE platform = {platform:String} AND toDate(ts) >= {from:Date} AND toDate(ts) <= {to:Date} GROUP BY day ORDER BY day',
    runs: {
      'half a year': (n) => ({ platform: platform(n), ...halfYear }),
      'three months': (n) => ({ platform: platform(n), ...quarter }),
    },
  },
  {
    name: 'flights_by_haul',
    query:
      "SELECT toDate(date) AS day, count() AS flights, uniqExact(origin, destination) AS routes, quantilesExact(0.5, 0.9, 0.99)(delay) AS delays, countIf(delay > 15) AS late FROM flights WHERE if(distance < 700, 'short', 'long') = {haul:String} AND toDate(date) >= {from:Date} AND toDate(date) <= {to:Date} GROUP BY day ORDER BY day",
    runs: {
      'half a year': (n) => ({ haul: ['short', 'long'][n % 2], ...flightsHalfYear }),
      'three months': (n) => ({ haul: ['short', 'long'][n % 2], ...flightsQuarter }),
    },
  },
  {
    name: 'flights_of_weekday',
    query:
      'SELECT toDate(date) AS day, count() AS flights, uniqExact(origin, destination) AS routes, quantilesExact(0.5, 0.9, 0.99)(delay) AS delays, avg(distance) AS miles FROM flights WHERE toDayOfWeek(date) = {weekday:UInt8} AND toDate(date) >= {from:Date} AND toDate(date) <= {to:Date} GROUP BY day ORDER BY day',
    runs: { 'half a year': (n) => ({ weekday: 1 + (n % 7), ...flightsHalfYear }) },
  },
  {
    name: 'events_by_kind',
    query:
      'SELECT event, count() AS events, uniq(user_id) AS users, max(duration_ms) AS slowest, sum(amount) AS revenue FROM events WHERE country = {country:String} AND toDate(ts) >= {from:Date} AND toDate(ts) <= {to:Date} GROUP BY event ORDER BY event',
    runs: { 'three months, merged from days': (n) => ({ country: country(n), ...quarter }) },
  },
  {
    name: 'users_by_kind',
    query:
      'SELECT event, count() AS events, count(DISTINCT user_id) AS users, sum(amount) AS revenue FROM events WHERE country = {country:String} AND toDate(ts) >= {from:Date} AND toDate(ts) <= {to:Date} GROUP BY event ORDER BY event',
    runs: { 'three months, counted by days': (n) => ({ country: country(n), ...quarter }) },
  },
  {
    name: 'flights_to',
    query:
      'SELECT origin, count() AS flights, quantileExact(0.9)(delay) AS p90, max(delay) AS worst FROM flights WHERE destination = {destination:String} AND toDate(date) >= {from:Date} AND toDate(date) <= {to:Date} GROUP BY origin ORDER BY flights DESC, origin LIMIT 20',
    runs: {
      'three months, merged from days': (n) => ({
        destination: ['ORD', 'SFO', 'LAX', 'ATL'][n % 4],
        ...flightsQuarter,
      }),
    },
  },
];

/** What is synced, and the plain statement of the same rows. */
export const synced = [
  {
    name: 'daily',
    query: daily,
    plain:
      'SELECT country, toDate(ts) AS day, count() AS events, uniqExact(user_id) AS users, quantileExact(0.9)(duration_ms) AS p90, sum(amount) AS revenue FROM events GROUP BY country, day',
  },
  {
    name: 'rollup',
    query:
      'SELECT country, toDate(ts) AS day, count() AS n, sum(amount) AS total FROM events GROUP BY country, day',
    plain:
      'SELECT country, toDate(ts) AS day, count() AS n, sum(amount) AS total FROM events GROUP BY country, day',
  },
] as const;
