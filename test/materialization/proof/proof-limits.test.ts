/** Proofs of queries that need more time than they may use for values that a sync tries. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { TestApp } from '../../support/test-app.ts';
import {
  materialized,
  measured,
  openMaterializedApp,
  run,
  save,
  servedRows,
  statusOf,
  sync,
} from '../support/materialized.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openMaterializedApp({}, { queryTimeoutSeconds: 1, streamTimeoutSeconds: 1 });
});
afterAll(() => test?.close());

/** No column gives values for the size, and every size but one takes too long. */
const query =
  'SELECT amount, h FROM sales CROSS JOIN (SELECT sum(cityHash64(number)) AS h FROM numbers(if({size:UInt32} = 100, 100, 200000000000))) AS hashed WHERE country = {country:String} ORDER BY amount';

it('use the defaults of variables when all other values are stopped', async () => {
  const variables = { size: { code_name: 'size', type: 'String', value: 100 } };
  await materialized(test, 'usual', { query: { kind: 'SQLQuery', query, variables } });
  await measured(test, 'usual');
  expect(await servedRows(test, 'usual', { country: 'de' })).toHaveLength(2);
  expect(await servedRows(test, 'usual', { country: 'xx' })).toEqual([]);
});

it('ask for defaults where there are none', async () => {
  await save(test, 'bare', { query, is_materialized: true });
  expect(await sync(test)).toEqual(['failed']);
  expect(await statusOf(test, 'bare')).toMatchObject({
    can_materialize: true,
    ready: false,
    error: expect.stringMatching(
      /could not be compared .* exceeded its time limit.* Give its variables defaults with which it runs\.$/,
    ),
  });
  const variables = { country: 'de', size: 100 };
  expect(await run(test, 'bare', { variables })).toMatchObject({ served_from: 'inline' });
});

it('ask for defaults where no values can be found', async () => {
  const rated =
    'SELECT day, sum(amount * toDecimal64({rates:Map(String, String)}[country], 4)) AS total FROM sales GROUP BY day ORDER BY day';
  await save(test, 'rated', { query: rated, is_materialized: true });
  await sync(test);
  expect(await statusOf(test, 'rated')).toMatchObject({
    can_materialize: true,
    error: expect.stringMatching(
      /cannot be parsed as Decimal.* Give its variables defaults with which it runs\.$/,
    ),
  });
});
