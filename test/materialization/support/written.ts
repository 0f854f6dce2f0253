/** Queries in which a name, a position or a kind of JOIN does not mean what it seems to, each with values to run with. */
import type { Laboratory, Values } from './laboratory.ts';

export const flightTables = ['flights', 'airports', 'visits', 'notes'] as const;

export async function createFlights(laboratory: Laboratory): Promise<void> {
  await laboratory.admin(
    'CREATE TABLE flights (id UInt32, origin String, dest String, date DateTime, delay Int16, distance UInt16, dec Decimal(9, 2)) ENGINE = MergeTree ORDER BY (origin, date)',
  );
  await laboratory.admin(
    "INSERT INTO flights SELECT number, ['AAA', 'BBB', 'CCC', 'DDD'][number % 4 + 1], ['X', 'Y', 'AAA'][h % 3 + 1], toDateTime('2001-01-01 00:00:00') + h % 864000, toInt16(h % 90) - 30, h % 1500, toDecimal32(h % 777, 2) / 3 FROM (SELECT number, cityHash64(number) AS h FROM numbers(3000))",
  );
  await laboratory.admin(
    'CREATE TABLE airports (code String, name String, big UInt8) ENGINE = MergeTree ORDER BY code',
  );
  await laboratory.admin(
    "INSERT INTO airports VALUES ('AAA', 'Aa', 1), ('BBB', 'Bb', 0), ('X', 'Xx', 1), ('ZZZ', 'Zz', 0), ('AAA', 'A2', 0)",
  );
  // Of its columns, `*` selects `id` and `text`.
  await laboratory.admin(
    "CREATE TABLE notes (id UInt32, text String, `$kind` String MATERIALIZED concat(text, '!'), size UInt64 ALIAS length(text)) ENGINE = MergeTree ORDER BY id",
  );
  await laboratory.admin(
    "INSERT INTO notes SELECT number, repeat('n', number % 5) FROM numbers(60)",
  );
  // Read only as a latest version of each row.
  await laboratory.admin(
    'CREATE TABLE visits (id UInt32, seen UInt32, place String) ENGINE = ReplacingMergeTree(seen) ORDER BY id',
  );
  for (const seen of [1, 2]) {
    await laboratory.admin(
      `INSERT INTO visits SELECT number, ${seen}, toString(number * ${seen} % 7) FROM numbers(40)`,
    );
  }
}

const days: Values = { a: '2001-01-02', b: '2001-01-03' };
const inDays = 'toDate(date) IN ({a:Date}, {b:Date})';
const late = 'delay > {d:Int16}';

export interface Written {
  readonly sql: string;
  readonly values: readonly Values[];
}

const of = (values: readonly Values[], ...texts: readonly string[]): readonly Written[] =>
  texts.map((sql) => ({ sql, values }));

/** Planned, and exact. ORDER BY determines the position of every row, or there is one. */
export const exact: readonly Written[] = [
  // windows and aggregates that look at the rows of a variable
  ...of(
    [{ s: 'AAA' }, { s: 'none' }],
    `WITH row_number() OVER (ORDER BY id) AS n SELECT id, n FROM flights WHERE origin = {s:String} ORDER BY id`,
    `SELECT id, n FROM (SELECT id, origin, n FROM (SELECT *, row_number() OVER (ORDER BY id) AS n FROM flights WHERE origin = {s:String})) ORDER BY id`,
    `SELECT n FROM (WITH count() AS m SELECT m AS n FROM flights WHERE origin = {s:String})`,
  ),
  // aggregates, lambdas and other names of WITH
  ...of(
    [days, { a: '1999-01-01', b: '1999-01-01' }],
    `WITH count() AS n SELECT origin, n FROM flights WHERE ${inDays} GROUP BY origin ORDER BY origin`,
    `WITH sum(delay) AS n, n + 1 AS m SELECT origin AS n1, m FROM flights WHERE ${inDays} GROUP BY origin ORDER BY m, n1`,
    `WITH x -> count() + x AS f SELECT origin, f(2) AS n FROM flights WHERE ${inDays} GROUP BY origin HAVING f(1) > 3 ORDER BY f(3), origin`,
    `WITH (x, y) -> x * y AS f, 3 AS three SELECT f(max(delay), three) AS n FROM flights WHERE ${inDays}`,
    `WITH toDate(date) AS day SELECT day, count() FROM flights WHERE day IN ({a:Date}, {b:Date}) GROUP BY day ORDER BY day`,
    `WITH 'x' AS origin SELECT flights.origin AS o, count() FROM flights WHERE ${inDays} GROUP BY o ORDER BY o`,
  ),
  // arithmetic in aggregates, over rows and over none
  ...of(
    [{ d: -40 }, { d: 20 }, { d: 100 }],
    `SELECT max(distance + 1), min(delay - 3), sum(dec / 100), avg(delay + 5), sum(-delay), max(2 * delay) FROM flights WHERE ${late}`,
    `SELECT uniq(toString(id)), uniqCombined(hex(id)), uniqExact(-id), count(DISTINCT toString(delay)) FROM flights WHERE ${late}`,
    `SELECT sum(if(delay > 0, 1, 0)), sumIf(1, delay > 3), avg(if(delay > 0, delay, NULL)), sum(dec), count(dec), avg(dec) FROM flights WHERE ${late}`,
    `SELECT uniq(origin) FROM (SELECT DISTINCT origin, delay FROM flights) WHERE ${late}`,
    `SELECT origin, least.2 FROM (SELECT origin, min((origin, delay)) AS least, delay FROM flights GROUP BY origin, delay) WHERE ${late} ORDER BY origin, least.2, delay`,
  ),
  // places and names in ORDER BY, LIMIT BY, GROUP BY and HAVING
  ...of(
    [{ d: -40 }, { d: 55 }],
    `SELECT untuple((origin, dest)), id FROM flights WHERE ${late} ORDER BY 3 LIMIT 9`,
    `SELECT untuple((origin, dest)), id FROM flights WHERE ${late} ORDER BY 2, 3 DESC LIMIT 2 BY 1, 2`,
    `SELECT * FROM flights WHERE ${late} ORDER BY 5, 1 LIMIT 9`,
    `SELECT COLUMNS('^d'), id FROM flights WHERE ${late} ORDER BY 3, id LIMIT 9`,
    `SELECT * EXCEPT (origin) REPLACE (delay + 1 AS delay), origin FROM flights WHERE distance > {d:Int16} ORDER BY 3, 7, 1 LIMIT 9`,
    `SELECT origin AS dest, dest AS origin, id FROM flights WHERE ${late} ORDER BY dest, origin, id LIMIT 9`,
    `SELECT delay AS distance, distance AS delay, id FROM flights WHERE ${late} ORDER BY delay DESC, id LIMIT 9`,
    `SELECT -delay AS delay, id FROM flights WHERE flights.delay > {d:Int16} ORDER BY delay, id LIMIT 9`,
    `SELECT -delay AS delay, count() FROM flights WHERE flights.delay > {d:Int16} GROUP BY delay ORDER BY delay`,
    `SELECT delay AS x, x + 1 AS y, y * 2 AS z FROM flights WHERE ${late} ORDER BY z, id LIMIT 9`,
    `SELECT origin AS o, count() AS c, c + 1 AS e FROM flights WHERE ${late} GROUP BY 1 HAVING e > 2 ORDER BY 3, 1`,
    `SELECT (origin, dest) AS k, count() FROM flights WHERE ${late} GROUP BY k ORDER BY k`,
    `SELECT tuple(origin, tuple(dest)) AS k, count() FROM flights WHERE ${late} GROUP BY tuple(origin, tuple(dest)) ORDER BY k`,
    `SELECT origin, sum(distance) AS distance FROM flights WHERE ${late} GROUP BY origin ORDER BY origin`,
    `SELECT origin, count() FROM flights WHERE ${late} GROUP BY origin ORDER BY origin LIMIT 1 BY sum(distance)`,
    `SELECT origin, dest, count() AS c FROM flights WHERE ${late} GROUP BY origin, dest ORDER BY c DESC, origin, dest LIMIT 1 BY origin`,
    `SELECT DISTINCT * FROM flights WHERE ${late} ORDER BY id LIMIT 9`,
    `SELECT id FROM flights AS q WHERE ${late} ORDER BY q.id LIMIT 2, 5`,
    `SELECT count() AS q FROM flights AS q WHERE q.delay > {d:Int16}`,
    `SELECT id AS querydock, delay AS c0, 1 AS c1 FROM flights WHERE ${late} ORDER BY c0, id LIMIT 9`,
    `WITH flights AS (SELECT id, delay - 5 AS delay FROM flights) SELECT id, delay FROM flights WHERE ${late} ORDER BY id LIMIT 9`,
    `SELECT max(delay) FROM flights WHERE ${late} HAVING max(delay) > 40`,
    `SELECT count() FROM flights WHERE ${late} AND delay NOT IN (1, NULL) AND dest LIKE 'A\\_A'`,
    `SELECT id FROM flights WHERE delay BETWEEN {d:Int16} AND {d:Int16} - 10 ORDER BY id`,
    `SELECT groupBitOr(delay), groupBitAnd(delay) FROM flights WHERE ${late}`,
    `SELECT id, place FROM visits FINAL WHERE seen > {d:Int16} ORDER BY id`,
    `SELECT place, count() FROM visits FINAL WHERE id > {d:Int16} GROUP BY place ORDER BY place`,
    `SELECT v.place, count() FROM flights AS f JOIN visits AS v FINAL ON f.id = v.id AND v.seen > {d:Int16} WHERE ${late} GROUP BY v.place ORDER BY v.place`,
    `SELECT f.id, v.place FROM flights AS f LEFT JOIN visits AS v FINAL ON f.id = v.id AND v.seen > {d:Int16} ORDER BY f.id LIMIT 9`,
    `SELECT id, t FROM flights LEFT ARRAY JOIN [dest, origin] AS t WHERE ${late} AND t != 'X' ORDER BY id, t LIMIT 9`,
    `SELECT t, count() FROM flights ARRAY JOIN [1, 2] AS t WHERE ${late} GROUP BY t ORDER BY t`,
  ),
  // joins, with a condition on either side
  ...['INNER', 'LEFT', 'RIGHT', 'FULL'].flatMap((kind) =>
    of(
      [{ s: 'AAA' }, { s: '' }, { s: 'Zz' }, { s: 'X' }],
      `SELECT f.id, f.dest, a.code, a.name FROM flights AS f ${kind} JOIN airports AS a ON f.dest = a.code WHERE f.origin = {s:String} ORDER BY f.id, a.code, a.name LIMIT 99`,
      `SELECT f.id, a.code, a.name FROM flights AS f ${kind} JOIN airports AS a ON f.dest = a.code WHERE a.name >= {s:String} ORDER BY f.id, a.code, a.name LIMIT 99`,
      `SELECT a.big, count(), uniqExact(f.id) FROM flights AS f ${kind} JOIN airports AS a ON f.dest = a.code WHERE a.code = {s:String} GROUP BY a.big ORDER BY a.big`,
      `SELECT code, count() FROM (SELECT dest AS code, id FROM flights) AS f ${kind} JOIN airports AS a USING (code) WHERE code >= {s:String} GROUP BY code ORDER BY code`,
    ),
  ),
  // joins that only filter the rows of one side
  ...['SEMI', 'ANTI'].flatMap((kind) =>
    of(
      [{ s: 'AAA' }, { s: '' }, { s: 'X' }],
      `SELECT f.id, f.dest FROM flights AS f ${kind} LEFT JOIN airports AS a ON f.dest = a.code WHERE f.origin = {s:String} ORDER BY f.id`,
      `SELECT f.origin, count() FROM flights AS f LEFT ${kind} JOIN airports AS a ON f.dest = a.code AND a.name >= {s:String} GROUP BY f.origin ORDER BY f.origin`,
      `SELECT a.name, a.code FROM flights AS f RIGHT ${kind} JOIN airports AS a ON f.dest = a.code WHERE a.name >= {s:String} ORDER BY a.name, a.code`,
      `SELECT f.id FROM flights AS f ${kind} LEFT JOIN (SELECT code FROM airports WHERE name >= {s:String}) AS a ON f.dest = a.code WHERE f.origin != {s:String} ORDER BY f.id`,
      `SELECT a.name FROM (SELECT dest FROM flights WHERE origin = {s:String}) AS f ${kind} RIGHT JOIN airports AS a ON f.dest = a.code ORDER BY a.name, a.code`,
      `SELECT code, count() FROM (SELECT dest AS code, origin FROM flights) AS f ${kind} LEFT JOIN airports AS a USING (code) WHERE origin = {s:String} GROUP BY code ORDER BY code`,
    ),
  ),
  // columns that `*` leaves out, and aliases that are given again
  ...of(
    [{ d: -40 }, { d: 20 }],
    "SELECT n.id, n.`$kind`, size FROM notes AS n JOIN flights AS f ON f.id = n.id AND f.delay > {d:Int16} WHERE n.`$kind` != 'n!' ORDER BY n.id",
    `SELECT count() AS c, countIf(size > 2) AS l FROM (SELECT id, size FROM notes WHERE id > {d:Int16}) WHERE id IN (SELECT id FROM flights WHERE ${late})`,
    'SELECT n.* FROM notes AS n LEFT JOIN flights AS f ON f.id = n.id AND f.delay > {d:Int16} ORDER BY n.id',
    `SELECT countIf(distance > {d:Int16}) AS a, toStartOfInterval(date, INTERVAL 5 minute) AS h FROM flights WHERE (delay > {d:Int16}) AND (delay < {d:Int16} + 40) GROUP BY toStartOfInterval(date, INTERVAL 5 minute) AS h ORDER BY toStartOfInterval(date, INTERVAL 5 minute) AS h`,
  ),
  // a condition that the engine would lose as redundant
  ...of(
    [{ a: '2001-01-02' }],
    `SELECT count() FROM flights WHERE date != {a:Date} AND date <= now()`,
  ),
  // without variables: gaps that are filled, and names like those of stored tables
  ...of(
    [{}],
    'SELECT id * 2 AS a, 5 AS z FROM flights WHERE id < 3 ORDER BY id * 2 WITH FILL FROM 0 TO 7 INTERPOLATE (z AS z + 1)',
    'SELECT id AS a, id + 1 AS __x FROM flights WHERE id IN (1, 4) ORDER BY a WITH FILL INTERPOLATE (__x)',
    'SELECT delay AS a FROM flights WHERE delay > 55 ORDER BY a DESC, id WITH FILL LIMIT 5',
    'SELECT count() AS q, max(id) AS c0, 1 AS querydock FROM flights AS q',
    'SELECT q, c0 FROM (SELECT 1 AS q, 2 AS c0) AS q(q, c0)',
    'WITH count() AS n SELECT origin, n FROM flights GROUP BY origin ORDER BY n, origin',
  ),
  // any form of a comparison
  ...of(
    [{ s: '5' }, { s: 'none' }],
    'SELECT id FROM flights WHERE toString(delay) = {s:String} ORDER BY id',
    'SELECT id FROM flights WHERE {s:String} = toString(delay) ORDER BY id',
    'SELECT toString(delay) AS k, count() FROM flights WHERE toString(delay) IN ({s:String}) GROUP BY k ORDER BY k',
    'SELECT count() FROM flights WHERE toString(delay) >= {s:String}',
  ),
];

/** Refused, with a reason that names what to write instead. */
export const refusedWritten: readonly (readonly [string, RegExp])[] = [
  [
    `SELECT a.name FROM flights AS f SEMI RIGHT JOIN airports AS a ON lower(f.dest) = a.code WHERE f.origin = {s:String}`,
    /JOIN cannot be materialized/,
  ],
  [
    `SELECT f.id, a.name FROM flights AS f SEMI LEFT JOIN airports AS a ON f.dest = lower(a.code) WHERE f.origin = {s:String}`,
    /^A SEMI JOIN cannot be materialized.*in its ON alone/,
  ],
  [
    `SELECT f.id FROM flights AS f ANTI LEFT JOIN airports AS a ON f.dest = a.code WHERE f.origin = {s:String} AND a.name = ''`,
    /^An ANTI JOIN cannot be materialized/,
  ],
  [
    `WITH topK(1)(dest) AS n SELECT origin, n FROM flights WHERE ${inDays} GROUP BY origin`,
    /topK\(1\)\(dest\) cannot be computed/,
  ],
  [
    `WITH x -> topK(1)(x) AS f SELECT f(dest) FROM flights WHERE origin = {s:String} GROUP BY origin`,
    /topK\(1\)\(\(dest\)\) cannot be computed/,
  ],
];
