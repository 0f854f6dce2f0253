/** A refusal ends with the place that it is about, in the text as its author wrote it. */
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { takeProjectIds } from '../../support/take-project-ids.ts';
import { type Laboratory, openLaboratory } from '../support/laboratory.ts';

let laboratory: Laboratory;

beforeAll(async () => {
  laboratory = await openLaboratory(inject('engine'), await takeProjectIds(inject('postgres')));
  await laboratory.admin(
    'CREATE TABLE events (id UInt64, `limit` String, user String, country String, amount Int32, price Float64) ENGINE = MergeTree ORDER BY id',
  );
});
afterAll(() => laboratory?.close());

/** `»` stands before the place. */
const texts: readonly string[] = [
  'SELECT id\nFROM events ARRAY JOIN [1] AS n PREWHERE amount > 1 AND\n  user = »{x:String}',
  "-- {x:UInt8}\nSELECT user, min(country), '{x:UInt8}' FROM events ARRAY JOIN [1] AS n\n  PREWHERE id = »{ x : UInt8 } GROUP BY user",
  'SELECT min(id) AS "any",\n\t»any(user) AS one FROM events',
  'SELECT country,\n  concat(\n    »groupArray(user)[1], country)\nFROM events GROUP BY country',
  'SELECT\n  id, »generateUUIDv4() AS uuid\nFROM events',
  "SELECT id, »JSONDynamicPaths(CAST(concat('{}', user), 'JSON')) AS p FROM events",
  'SELECT id AS place, id AS »place\nFROM events',
  'SELECT max(user) FROM (\n  SELECT user FROM events »LIMIT 5\n)',
  'SELECT id AS n FROM (SELECT id, `limit` FROM events) AS e\nWHERE e.»limit = {x:String}',
  'SELECT max(user) FROM (\n  SELECT user FROM (SELECT id, user FROM events ORDER BY id LIMIT 3)\n  WHERE id > {n:UInt64} »LIMIT 1)',
  'SELECT id FROM events ORDER BY id LIMIT 1 UNION ALL SELECT id FROM events »LIMIT 2',
  "SELECT country, concat(»groupArray(DISTINCT user)[1], '') AS one FROM events GROUP BY country",
  'SELECT country, »groupArray(user) FILTER (WHERE id > 3) AS users FROM events GROUP BY country',
  'SELECT country,\n  »first_value_respect_nulls(user) AS one FROM events GROUP BY country',
  'WITH q AS (SELECT country, min(id) AS least, -min(price) AS cheapest FROM events WHERE id > {n:UInt64} GROUP BY country) SELECT max(least), »max(cheapest) FROM q',
  'SELECT count() FROM events\nWHERE amount < (SELECT »medianTDigest(price) FROM events WHERE id < {n:UInt64})',
  'SELECT arraySort(groupArray(user)) AS a, length(arrayDistinct(groupArray(user))) AS n,\n  »groupArray(user) AS b FROM events',
];

it.each(texts)('%s', async (marked) => {
  const sql = marked.replace('»', '');
  const before = marked.slice(0, marked.indexOf('»')).split('\n');
  const column = (before.at(-1) ?? '').length + 1;
  const result = await laboratory.plan({ sql });
  expect(result).toMatchObject({ kind: 'refusal' });
  const reason = result.kind === 'refusal' ? result.reason : '';
  expect(reason.replace(/^.*(?= \()/s, '')).toBe(` (line ${before.length}, column ${column}).`);
});

it.each([
  ['SELECT groupArray(DISTINCT user) FROM events', 'use arraySort(groupArrayDistinct(…)) ('],
  ['SELECT groupArrayIf(user, id > 3) FROM events', 'use arraySort(groupArrayIf(…)) ('],
  ['SELECT groupUniqArray(user) FROM events', 'use arraySort(groupUniqArray(…)) ('],
  ['SELECT last_value(user) FROM events', 'of the aggregate last_value depends'],
])('%s: names the function as the query does, in the mend as well', async (sql, text) => {
  const result = await laboratory.plan({ sql });
  expect(result).toMatchObject({ reason: expect.stringContaining(text) });
});

it('keeps the sentence of a refusal that is about no place', async () => {
  const result = await laboratory.plan({ sql: 'SELECT nothing FROM events' });
  expect(result).toMatchObject({ reason: expect.not.stringContaining('line') });
});
