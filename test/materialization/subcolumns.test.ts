/** Subcolumns (`tup.name`, `data.path`, `tags.size0`) of tables that are stored in parts. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestApp } from '../support/test-app.ts';
import { materialized, openMaterializedApp, run, save, sync } from './support/materialized.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openMaterializedApp();
  await test.sql(
    'CREATE TABLE events (id UInt64, user UInt32, data JSON, tup Tuple(name String, n Int32), tags Array(UInt8), m Map(String, String), at DateTime) ENGINE = MergeTree ORDER BY id',
  );
  await test.sql(
    `INSERT INTO events SELECT number, number % 7, toJSONString(map('kind', toString(number % 3), 'path', concat('/', toString(number % 5))))::JSON, (toString(number % 4), number), range(number % 3), map('a', toString(number)), toDateTime('2024-01-01', 'UTC') + number * 3600 FROM numbers(200)`,
  );
  await test.sql(
    'CREATE TABLE users (user UInt32, country String, tup Tuple(name String, n Int32), age Nullable(UInt8)) ENGINE = MergeTree ORDER BY user',
  );
  await test.sql(
    "INSERT INTO users SELECT number, ['at', 'de', 'fr'][number % 3 + 1], (toString(number), 3), number FROM numbers(5)",
  );
});
afterAll(() => test.close());

beforeAll(async () => {
  const nested = 'CREATE TABLE orders (id UInt32, shop UInt8, lines Nested(sku String, n UInt8))';
  await test.sql(`${nested} ENGINE = MergeTree ORDER BY id SETTINGS flatten_nested = 0`);
  await test.sql(
    "INSERT INTO orders SELECT number, number % 3, [('a', 1), (toString(number), 2)] FROM numbers(9)",
  );
});

const ofUser = 'SELECT user AS c, count() AS n FROM events';
const since = { since: '2024-01-02 00:00:00' };

const queries: readonly (readonly [string, Readonly<Record<string, unknown>>])[] = [
  [
    `SELECT c, a.n, b.n FROM (${ofUser} WHERE tup.name = {p:String} GROUP BY c) a LEFT JOIN (${ofUser} WHERE tup.name = {q:String} GROUP BY c) b USING (c) ORDER BY c`,
    { p: '1', q: '2' },
  ],
  [
    'SELECT u.country AS c, count() AS n FROM events AS e JOIN users AS u ON e.user = u.user AND u.tup.n > {n:UInt8} WHERE e.data.kind.:String = {p:String} GROUP BY c ORDER BY c',
    { p: '1', n: 1 },
  ],
  [
    'SELECT u.country AS c, count() AS n FROM events AS e JOIN users AS u ON e.user = u.user WHERE e.data.kind::String = {p:String} AND (u.tup.name = {q:String} OR {r:UInt8} = 1) GROUP BY c ORDER BY c',
    { p: '1', q: '2', r: 0 },
  ],
  [
    `WITH top AS (SELECT user, count() AS n FROM events WHERE tags.size0 > {n:UInt8} GROUP BY user ORDER BY n DESC, user LIMIT 3) SELECT users.country, top.n FROM top JOIN users ON users.user = top.user WHERE users.tup.n = {q:Int32} ORDER BY users.country, top.n`,
    { n: 0, q: 3 },
  ],
  [
    'SELECT user, tup.name FROM events WHERE user IN (SELECT user FROM users WHERE tup.name > {p:String}) AND at >= {since:DateTime} ORDER BY user, tup.name, id',
    { ...since, p: '1' },
  ],
  [
    'SELECT e.id, e.tup.name AS a, u.tup.name AS b, u.tup.n FROM events AS e LEFT JOIN users AS u ON e.user = u.user WHERE e.tup.n >= {f:Int32} AND u.tup.n = {g:Int32} ORDER BY e.id LIMIT {l:UInt8}',
    { f: 10, g: 0, l: 4 },
  ],
  [
    'SELECT id, m.keys, data.kind, data.missing FROM events WHERE id IN (SELECT id FROM events WHERE data.path.:String = {p:String}) ORDER BY id',
    { p: '/3' },
  ],
  [
    'SELECT name, n FROM (SELECT tup.name AS name, count() AS n FROM events GROUP BY name HAVING n > {f:UInt32} UNION ALL SELECT tup.name, count() FROM users GROUP BY tup.name HAVING count() > {f:UInt32}) ORDER BY ALL',
    { f: 0 },
  ],
  ['SELECT id, lines FROM orders WHERE shop = {shop:UInt8} ORDER BY id', { shop: 1 }],
  [
    'SELECT lines, lines.sku AS skus, count() AS n FROM orders WHERE shop = {shop:UInt8} GROUP BY ALL ORDER BY lines',
    { shop: 1 },
  ],
  [
    'SELECT a.id, a.lines, b.n FROM orders AS a JOIN (SELECT lines.n AS l, count() AS n FROM orders WHERE shop >= {from:UInt8} GROUP BY l) AS b ON a.lines.n = b.l WHERE a.shop = {shop:UInt8} ORDER BY a.id',
    { shop: 1, from: 1 },
  ],
];

it.each(queries)('%s', async (query, variables) => {
  const name = `q${queries.findIndex(([text]) => text === query)}`;
  await materialized(test, name, { query });
  const inline = await run(test, name, { variables, refresh: 'direct' });
  const { results, types } = inline;
  expect(results).not.toEqual([]);
  const stored = { served_from: 'materialized', results, types };
  expect(await run(test, name, { variables, refresh: 'force' })).toMatchObject(stored);
});

/** A column that is called like a subcolumn of another, with other values in a single row. */
const namesakes = [
  [
    'a computed column',
    "data JSON(k String), `data.k` String MATERIALIZED if(id = 54321, 'odd', toString(id % 4))",
    'concat(\'{"k":"\', toString(number % 4), \'"}\')',
    'e.data.k',
  ],
  [
    'a computed size',
    'list Array(UInt8), `list.size0` UInt64 MATERIALIZED if(id = 54321, 99, id % 3)',
    'range(number % 3)',
    'e.list.size0',
  ],
  [
    'a path of a path',
    'a JSON(`b.c` String), `a.b` JSON(c String)',
    `concat('{"b":{"c":"', if(number = 54321, 'odd', 'x'), '"}}'), '{"c":"x"}'`,
    'e.`a.b`.c',
  ],
  [
    'a column of two joined tables',
    'data JSON(k String), `data.k` String',
    `concat('{"k":"', toString(number % 4), '"}'), if(number = 54321, 'odd', toString(number % 4))`,
    'e.data.k',
  ],
] as const;

it.each(namesakes)('%s is not taken for a subcolumn', async (what, columns, values, read) => {
  const at = namesakes.findIndex(([name]) => name === what);
  await test.sql(
    `CREATE TABLE n${at} (id UInt64, user UInt32, ${columns}) ENGINE = MergeTree ORDER BY id`,
  );
  await test.sql(`INSERT INTO n${at} SELECT number, number % 7, ${values} FROM numbers(60000)`);
  const queries = [
    `SELECT e.id, ${read} AS r FROM n${at} AS e LEFT JOIN users AS u ON u.user = e.user AND u.country = {p:String} WHERE e.id = {id:UInt64}`,
    `SELECT p.user, ${read} AS r FROM n${at} AS p JOIN n${at} AS e ON p.id = e.id % 20 WHERE e.id = {id:UInt64} AND p.user IN (SELECT user FROM users WHERE country > {p:String})`,
  ];
  const variables = { id: 54321, p: '' };
  for (const [number, query] of queries.entries()) {
    const name = `n${at}_${number}`;
    await save(test, name, { query });
    await test.rest('PATCH', `/endpoints/${name}`, { body: { is_materialized: true } });
    await sync(test);
    const { results } = await run(test, name, { variables, limit: 5 });
    const inline = await test.rest('POST', '/query', { body: { query, variables, limit: 5 } });
    expect(results).toEqual(inline.body.results);
    expect(results).toHaveLength(1);
  }
});

it('the one that tells whether a value is NULL is refused: of rows that a JOIN adds it is 0', async () => {
  const query =
    'SELECT u.age.`null` AS a, count() AS n FROM events AS e LEFT JOIN users AS u ON e.user = u.user WHERE e.id >= {n:UInt64} GROUP BY a ORDER BY a';
  const { materialization } = await save(test, 'of_null', { query });
  expect(materialization).toMatchObject({ can_materialize: false });
});
