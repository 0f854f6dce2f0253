/** Orders by distance over a table with an index for vector search, which answers approximately. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestApp } from '../support/test-app.ts';
import { materialized, openMaterializedApp, servedRows } from './support/materialized.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openMaterializedApp();
  for (const [name, index] of [
    ['near', ", INDEX vi e TYPE vector_similarity('hnsw', 'L2Distance', 2)"],
    ['plain', ''],
  ]) {
    await test.sql(
      `CREATE TABLE ${name} (id UInt32, c String, e Array(Float32)${index}) ENGINE = MergeTree ORDER BY id`,
    );
    await test.sql(
      `INSERT INTO ${name} SELECT number, ['a', 'b'][number % 2 + 1], [number / 10 + 0.1, 1 - number / 10] FROM numbers(20)`,
    );
  }
  await test.sql('CREATE VIEW seen AS SELECT id, c, e FROM near');
});
afterAll(() => test.close());

const vector = '[0.1, 0.9]';
let number = 0;

it.each([
  `SELECT id, L2Distance(e, ${vector}) AS d FROM near ORDER BY d LIMIT {n:UInt32}`,
  'SELECT id FROM near ORDER BY L2Distance(e, {q:Array(Float32)}) LIMIT 5',
  'WITH (SELECT e FROM near WHERE id = {n:UInt32}) AS q SELECT id FROM near ORDER BY L2Distance(e, q) LIMIT 4',
  `SELECT max(id) AS m FROM (SELECT id FROM near WHERE c = {c:String} ORDER BY L2Distance(e, ${vector}) LIMIT 3)`,
])('are refused: %s', async (query) => {
  number += 1;
  const body = { name: `refused_${number}`, query, is_materialized: true };
  const { status, body: answer } = await test.rest('POST', '/endpoints', { body });
  expect({ status, ...answer }).toMatchObject({
    status: 400,
    code: 'cannot_materialize',
    detail: expect.stringMatching(
      /The function L2Distance is read from the index vi of the table near, which finds approximate distances; write ORDER BY L2Distance\(…\) \+ 0 .*\(line 1, column \d+\)/,
    ),
  });
});

it('are refused over a view', async () => {
  const query = 'SELECT id, L2Distance(e, {q:Array(Float32)}) AS d FROM seen ORDER BY d LIMIT 5';
  const body = { name: 'viewed', query, is_materialized: true };
  expect((await test.rest('POST', '/endpoints', { body })).body).toMatchObject({
    detail: expect.stringContaining('an index behind the view seen'),
  });
});

it.each([
  `SELECT id, L2Distance(e, ${vector}) AS d FROM near WHERE c = {c:String} ORDER BY d, id LIMIT 3`,
  `SELECT id, L2Distance(e, ${vector}) AS d FROM near ORDER BY d + 0 LIMIT {n:UInt32}`,
  `SELECT id, L2Distance(e, ${vector}) AS d FROM near WHERE id < {n:UInt32} ORDER BY d, id`,
  `SELECT id, L2Distance(e, ${vector}) AS d FROM near WHERE id < {n:UInt32} ORDER BY id LIMIT 3`,
  `SELECT id, L2Distance(e, ${vector}) AS d FROM plain ORDER BY d LIMIT {n:UInt32}`,
])('are served from stored tables where they are exact: %s', async (query) => {
  number += 1;
  const name = `exact_${number}`;
  await materialized(test, name, { query });
  const all = query.includes('{c:') ? [{ c: 'a' }, { c: 'z' }] : [{ n: 1 }, { n: 5 }, { n: 12 }];
  for (const variables of all) await servedRows(test, name, variables);
});
