/** The engine compiles an expression that it has evaluated a few times: its results must stay what they were. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openTestApp();
  await test.sql(
    'CREATE TABLE numbers_of_types (id UInt8, i Int8, u UInt8, big UInt64, f Float64, t DateTime64(3)) ENGINE = MergeTree ORDER BY id',
  );
  await test.sql(
    "INSERT INTO numbers_of_types VALUES (1, -3, 200, 18446744073709551615, 0.5, '1965-01-01 00:00:00'), (2, 4, 3, 7, nan, '2024-01-01 00:00:00'), (3, -1, 9, 0, -2.5, '1970-01-01 00:00:00')",
  );
});
afterAll(() => test?.close());

it.each([
  ['least(i, f) + 1', ['-2', 'nan', '-1.5']],
  ['greatest(i, f) * 2', ['1', 'nan', '-2']],
  ['greatest(i, big) + 1', ['18446744073709551616', '8', '1']],
  ['bitShiftRight(i, u) + 1', ['1', '1', '1']],
  ['bitShiftLeft(i, 255) + 1', ['1', '1', '1']],
  ['if(i > 0, greatest(i, big), least(i, f)) + 1', ['-2', '8', '-1.5']],
])('%s is the same in every run', async (expression, expected) => {
  const name = `repeated_${expression.replaceAll(/\W+/g, '_').toLowerCase()}`;
  const query = `SELECT toString(${expression}) AS x FROM numbers_of_types ORDER BY id`;
  const created = await test.rest('POST', '/endpoints', { body: { name, query } });
  expect(created.status).toBe(201);
  for (let run = 1; run <= 8; run += 1) {
    const { body } = await test.rest('GET', `/endpoints/${name}/run?refresh=force`);
    expect([run, body.is_cached, body.results]).toEqual([run, false, expected.map((x) => [x])]);
  }
});

it('the latest of a group is the same in every run', async () => {
  const query =
    'SELECT toString(max(t)) AS last, toString(min(t)) AS first FROM numbers_of_types WHERE id != 2';
  const body = { name: 'repeated_times', query };
  expect((await test.rest('POST', '/endpoints', { body })).status).toBe(201);
  for (let run = 1; run <= 8; run += 1) {
    const response = await test.rest('GET', '/endpoints/repeated_times/run?refresh=force');
    expect(response.body.results).toEqual([['1970-01-01 00:00:00.000', '1965-01-01 00:00:00.000']]);
  }
});
