/** How a run has values written also applies to functions that write them as text; stored rows have the same texts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../support/test-app.ts';
import {
  materialized,
  openMaterializedApp,
  run,
  save,
  statusOf,
  sync,
} from './support/materialized.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openMaterializedApp();
  await test.sql(
    "CREATE TABLE events (id UInt64, at DateTime, price Decimal(9, 2), site String) ENGINE = MergeTree ORDER BY id AS SELECT number, toDateTime('2024-03-30 22:00:00', 'UTC') + number * 1800, number / 8, concat('a/', toString(number)) FROM numbers(20)",
  );
});
afterAll(() => test.close());

const texts = [
  'toString([at])',
  "toString((toDateTime64(at, 3, 'Europe/Berlin'), price))",
  "CAST(map('at', at), 'String')",
  'toJSONString(at)',
  "toJSONString(map('url', concat('https://querydock.test/', site)))",
  'toJSONString((price, nan))',
  "formatRow('JSONEachRow', site, price)",
  'toString([id])',
  "formatRow('CSV', id)",
  "toString(CAST(1 + id % 2, 'Enum8(\\'JSON\\' = 1, \\'Int64\\' = 2)'))",
];

describe.each(texts)('%s', (text) => {
  const name = `t${texts.indexOf(text)}`;

  it('is the same from a stored table, in the result and in conditions', async () => {
    const query = `SELECT id, ${text} AS written FROM events WHERE ${text} >= {least:String} ORDER BY id`;
    await materialized(test, name, { query });
    const variables = { least: '' };
    for (const integers of ['number', 'string']) {
      const inline = await run(test, name, { variables, refresh: 'direct', integers });
      expect(inline.results).toHaveLength(20);
      const least = (inline.results as string[][])[12]?.[1];
      const some = { variables: { least }, integers };
      for (const body of [{ variables, integers }, some]) {
        const stored = await run(test, name, { ...body, refresh: 'force' });
        const source = await run(test, name, { ...body, refresh: 'direct' });
        expect(stored.served_from).toBe('materialized');
        expect(stored.results).toEqual(source.results);
      }
    }
  });
});

it.each([
  'toJSONString(id)',
  "toJSONString(map('n', [id]))",
  "formatRow('JSONEachRow', id, site)",
  'toJSONString([toIntervalDay(id)])',
  "toString(CAST(concat('{\"n\":', toString(id), '}'), 'JSON'))",
  "CAST(CAST(concat('{\"n\":[{\"m\":', toString(id), '}]}'), 'JSON').n, 'String')",
])('%s is refused, because each run decides whether to quote 64-bit integers', async (text) => {
  const query = `SELECT id, ${text} AS written FROM events WHERE id >= {least:UInt64} ORDER BY id`;
  const name = `refused${text.length}`;
  expect(await save(test, name, { query })).toMatchObject({
    materialization: { reason: expect.stringContaining('64-bit integers') },
  });
  const at = (integers: string) => run(test, name, { variables: { least: 19 }, integers });
  expect((await at('number')).results).not.toEqual((await at('string')).results);
});

it('a table that is no longer allowed serves no more runs', async () => {
  await test.sql(
    'CREATE TABLE widened (n Int32) ENGINE = MergeTree ORDER BY tuple() AS SELECT number FROM numbers(9)',
  );
  const query = 'SELECT toJSONString(n) AS j FROM widened WHERE n >= {least:Int32} ORDER BY n';
  await materialized(test, 'widened', { query, sync_frequency: '1hour' });
  const last = () =>
    run(test, 'widened', { variables: { least: 8 }, refresh: 'force', integers: 'string' });
  expect(await last()).toMatchObject({ served_from: 'materialized', results: [['8']] });
  await test.sql('ALTER TABLE widened MODIFY COLUMN n Int64');
  test.clock.advance(3_600_000);
  await sync(test);
  expect(await statusOf(test, 'widened')).toMatchObject({
    error: expect.stringContaining('64-bit integers'),
  });
  expect(await last()).toMatchObject({ served_from: 'inline', results: [['"8"']] });
});
