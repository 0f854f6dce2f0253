/** A refusal ends with the place that it is about, in the text as its author wrote it. */
import { afterAll, beforeAll, expect, inject, it } from 'vitest';
import { takeProjectIds } from '../../support/take-project-ids.ts';
import { type Laboratory, openLaboratory } from '../support/laboratory.ts';

let laboratory: Laboratory;

beforeAll(async () => {
  laboratory = await openLaboratory(inject('engine'), await takeProjectIds(inject('postgres')));
  await laboratory.admin(
    'CREATE TABLE events (id UInt64, user String, country String, amount Int32, price Float64) ENGINE = MergeTree ORDER BY id',
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
  'SELECT id AS place, id AS »place\nFROM events',
  'SELECT max(user) FROM (\n  SELECT user FROM events »LIMIT 5\n)',
  'SELECT count() FROM events\nWHERE amount < (SELECT »median(price) FROM events WHERE id < {n:UInt64})',
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

it('keeps the sentence of a refusal that is about no place', async () => {
  const result = await laboratory.plan({ sql: 'SELECT nothing FROM events' });
  expect(result).toMatchObject({ reason: expect.not.stringContaining('line') });
});
