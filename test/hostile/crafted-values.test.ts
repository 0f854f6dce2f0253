/** Values that only the engine itself may make, and names that it would open: refused before it evaluates anything. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';
import { craftedStates, unstoppable, zonesThatAreNone } from './sql/crafted-values.ts';

const ours =
  / not accepted| which is reserved for the engine| has the name of a function| are not accepted|cannot be passed to|cannot be applied/;

describe('a text that', () => {
  let tested: TestApp;

  beforeAll(async () => {
    tested = await openTestApp();
    await tested.sql(
      'CREATE TABLE t (id UInt32, s String, ts DateTime, x Float64, st AggregateFunction(uniq, UInt32)) ENGINE = MergeTree ORDER BY id',
    );
    await tested.sql('CREATE TABLE jd (j JSON, d Dynamic) ENGINE = MergeTree ORDER BY tuple()');
    await tested.sql(
      "INSERT INTO t SELECT number, 'file:/x', toDateTime(number), number, uniqState(toUInt32(number)) FROM numbers(3) GROUP BY number",
    );
    await tested.sql(`INSERT INTO jd VALUES ('{"a":1}', 5)`);
  });
  afterAll(async () => {
    await tested?.close();
  });

  async function expectRefused(query: string): Promise<void> {
    const { status, body } = await tested.rest('POST', '/endpoints', {
      body: { name: 'crafted', query },
    });
    expect({ status, ...body }).toMatchObject({ status: 400, code: 'invalid_query' });
    expect(body.detail).toMatch(ours);
    expect((await tested.rest('GET', '/endpoints/crafted')).status).toBe(404);
  }

  describe('makes a state of bytes', () => {
    it.each(craftedStates)('is refused: %s', expectRefused);
  });

  describe('names a time zone that is none, or hides which one', () => {
    it.each(zonesThatAreNone)('is refused: %s', expectRefused);
  });

  describe('calls what cannot be stopped', () => {
    it.each(unstoppable)('is refused: %s', expectRefused);
  });

  describe('calls what cannot be stopped in a scalar subquery that the engine shows as a reference', () => {
    it.each(
      unstoppable.flatMap((sql) => [
        `SELECT (SELECT 1 AS a, sum(ignore(*)) AS b FROM (${sql})) AS z`,
        `SELECT (SELECT [count(ignore(*))] FROM (${sql})) AS z`,
      ]),
    )('is refused: %s', async (query) => {
      const { status, body } = await tested.rest('POST', '/endpoints', {
        body: { name: 'crafted', query },
      });
      expect({ status, ...body }).toMatchObject({ status: 400, code: 'invalid_query' });
    });
  });

  it.each([
    'SELECT (SELECT id, s FROM t ORDER BY id LIMIT 1) AS z',
    'WITH (SELECT groupArray(id) FROM t) AS ids SELECT count() FROM t WHERE has(ids, id)',
    'SELECT (SELECT toLowCardinality(max(s)) FROM t) AS z, arrayMap(x -> x + 1, (SELECT range(5000))) AS r',
  ])(
    'an array, a tuple or a LowCardinality of a scalar subquery is accepted: %s',
    async (query) => {
      const made = await tested.rest('POST', '/endpoints', { body: { name: 'referred', query } });
      expect(made.body).not.toHaveProperty('code');
      expect((await tested.rest('GET', '/endpoints/referred/run')).status).toBe(200);
      await tested.rest('DELETE', '/endpoints/referred');
    },
  );

  it.each([
    'WITH q AS (SELECT id, s FROM t), r AS (SELECT position(s, lower(s)) AS p FROM q) SELECT (SELECT max(p) FROM r)',
    'WITH q AS (SELECT id, groupArray(s) AS list, any(s) AS c FROM t GROUP BY id), r AS (SELECT position(c, lower(c)) AS p FROM q) SELECT max(p) FROM r',
    "WITH RECURSIVE r AS (SELECT 1 AS n, 'a' AS s UNION ALL SELECT n + 1, concat(s, 'b') FROM r WHERE n < 5) SELECT max(position(s, lower(s))) FROM r",
    'SELECT (SELECT max(editDistance(s, upper(s))) FROM t) AS d',
    "WITH q AS (SELECT id, groupArray(s) AS list, any(s) AS link FROM t GROUP BY id) SELECT count() FROM t WHERE id IN (SELECT id FROM q WHERE match(link, '^/a'))",
    "WITH q AS (SELECT id, groupArray(s) AS list, any(s) AS link FROM t GROUP BY id) SELECT (SELECT countIf(match(link, '^/a')) FROM q) AS c",
    "WITH q AS (SELECT id, groupArray(x) AS list, s FROM t GROUP BY id, s) SELECT (SELECT uniq(extract(s, '^/[a-z]+')) FROM q) AS c",
    "SELECT (SELECT uniq(extract(link, '^/[a-z]+')) FROM (SELECT id, groupArray(x) AS list, any(s) AS link FROM t GROUP BY id)) AS c",
    "WITH d AS (SELECT arrayJoin(range(10)) AS day) SELECT (SELECT countIf(match(s, '^/a')) FROM t LEFT JOIN d ON t.id = d.day) AS c",
    "WITH q AS (SELECT *, groupArray(x) OVER () AS list FROM t), r AS (SELECT * FROM q) SELECT (SELECT countIf(match(s, '^/a')) FROM r WHERE id IN (SELECT id FROM q)) AS c",
  ])('compares short texts in a subquery is accepted: %s', async (query) => {
    const made = await tested.rest('POST', '/endpoints', { body: { name: 'short', query } });
    expect(made.body).not.toHaveProperty('code');
    await tested.rest('DELETE', '/endpoints/short');
  });

  it.each([
    'SELECT (SELECT position(a, lower(a)) FROM `t, cte_name: t`) AS z',
    'SELECT (SELECT position(a, lower(a)) FROM t AS `x, cte_name: t`) AS z',
    `WITH 'a' AS a0, ${Array.from({ length: 900 }, (_none, at) => `lower(a${at}) AS a${at + 1}`).join(', ')} SELECT position(a900, lower(a0))`,
    `WITH q0 AS (SELECT s AS u0 FROM t), ${Array.from({ length: 800 }, (_none, at) => `q${at + 1} AS (SELECT lower(u${at}) AS u${at + 1} FROM q${at})`).join(', ')} SELECT (SELECT max(position(u800, lower(u800))) FROM q800)`,
  ])('leads in circles or too deep is no internal error: %#', async (query) => {
    const { status } = await tested.rest('POST', '/endpoints', { body: { name: 'deep', query } });
    expect(status).toBe(400);
  });

  it('searches a long text for a literal is accepted with a value that equals the literal', async () => {
    const sql =
      "SELECT countIf(a LIKE '%file%' AND b LIKE {pattern:String}) FROM (SELECT arrayStringConcat(groupArray(s), ',') AS a, any(s) AS b FROM t)";
    for (const pattern of ['%file%', '']) {
      const statement = { projectId: tested.project.id, sql, params: { pattern } };
      expect(await tested.backends.engine.describe(statement)).toHaveLength(1);
      expect((await tested.backends.engine.explain(statement)).reads).toHaveLength(1);
    }
  });

  it('uses states that the engine made runs', async () => {
    const query =
      'SELECT s, uniqMerge(st) AS n, finalizeAggregation(any(st)) AS one FROM t GROUP BY s';
    await tested.rest('POST', '/endpoints', { body: { name: 'states', query } });
    const { body } = await tested.rest('GET', '/endpoints/states/run');
    expect(body.results).toEqual([['file:/x', 3, 1]]);
  });
});
