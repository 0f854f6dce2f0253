/** What moves between two syncs: the clock, and the tables. With the planner of the service. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import type { TestApp } from '../../support/test-app.ts';
import {
  ask,
  expectNoOrphans,
  materialized,
  openMaterializedApp,
  run,
  save,
  statusOf,
  sync,
} from '../support/materialized.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openMaterializedApp();
});
afterAll(async () => {
  await expectNoOrphans(test);
  await test.close();
});

async function syncAgain(name: string): Promise<readonly string[]> {
  test.clock.advance(1000);
  await ask(test, 'sync', { name });
  return sync(test);
}

const stored = (name: string, body: object = {}) => run(test, name, { ...body, refresh: 'force' });
const direct = (name: string, body: object = {}) => run(test, name, { ...body, refresh: 'direct' });

describe('relative dates', () => {
  const recent = 'at > now64(3) - INTERVAL 1 HOUR';

  beforeAll(async () => {
    await test.sql(
      'CREATE TABLE rain (at DateTime64(3), kind UInt8) ENGINE = MergeTree ORDER BY at',
    );
    // Ten rows leave the window in each millisecond of the next five minutes, which is also more often than syncs look.
    await test.sql(
      'INSERT INTO rain SELECT now64(3) - INTERVAL 1 HOUR + toIntervalMillisecond(intDiv(number, 10)), number % 3 FROM numbers(3000000)',
    );
  });

  it.each([
    ['a query without variables', `SELECT count() AS n FROM rain WHERE ${recent}`, {}],
    [
      'one with a variable',
      `SELECT count() AS n FROM rain WHERE ${recent} AND kind = {kind:UInt8}`,
      { variables: { kind: 1 } },
    ],
  ])('of %s move with each sync, and stand still between two', async (what, query, body) => {
    const name = what.replaceAll(' ', '_');
    const rows = async (refresh: 'force' | 'direct') => {
      const response = await run(test, name, { ...body, refresh });
      expect(response.served_from).toBe(refresh === 'force' ? 'materialized' : 'inline');
      return Number((response.results as readonly (readonly [number])[])[0]?.[0]);
    };
    // The proof holds although rows leave while it is built and compared.
    await materialized(test, name, { query });
    const first = await rows('force');
    expect(await rows('direct')).toBeLessThan(first);
    expect(await rows('force')).toBe(first);
    expect(await syncAgain(name)).toEqual(['completed']);
    const second = await rows('force');
    expect(second).toBeLessThan(first);
    expect(await rows('force')).toBe(second);
    const { body: twin } = await test.graphql(
      'query ($name: String!, $input: RunInput!) { run: runEndpoint(projectId: "@current", name: $name, input: $input) { results servedFrom } }',
      { name, input: { ...body, refresh: 'force' } },
    );
    expect(twin.data?.run).toEqual({ results: [[second]], servedFrom: 'materialized' });
  });

  it('beside a variable move at each run', async () => {
    await materialized(test, 'by_run', {
      query:
        'SELECT at FROM rain WHERE at > now64(3) - toIntervalHour({hours:UInt8}) AND kind = {kind:UInt8} ORDER BY at',
    });
    const body = { variables: { hours: 1, kind: 0 }, limit: 1 };
    const oldest = async () => String((await stored('by_run', body)).results);
    const first = await oldest();
    await eventually('the oldest row leaves the window', async () => (await oldest()) > first);
  });

  describe('outside of WHERE', () => {
    const isOld = 'at <= now64(3) - INTERVAL 1 HOUR';

    beforeAll(async () => {
      await test.sql(
        'CREATE TABLE drizzle ENGINE = MergeTree ORDER BY at AS SELECT at, kind FROM rain ORDER BY at DESC LIMIT 2000',
      );
      // A hundred of them leave the window in each second.
      await test.sql(
        'INSERT INTO drizzle SELECT now64(3) - INTERVAL 1 HOUR + toIntervalMillisecond(number * 10), 1 FROM numbers(6000)',
      );
    });

    it.each([
      [
        'columns',
        'SELECT now64(3) AS now, at FROM drizzle WHERE kind = {kind:UInt8} ORDER BY at LIMIT 1',
      ],
      ['groups', 'SELECT now64(3) AS now, min(at) FROM drizzle WHERE kind = {kind:UInt8}'],
      ['all groups', 'SELECT now64(3) AS now, min(at), count() FROM drizzle'],
    ])('move at each run, over stored %s', async (what, query) => {
      const name = `out_${what.replaceAll(' ', '_')}`;
      await materialized(test, name, { query });
      const body = query.includes('{kind:') ? { variables: { kind: 1 } } : {};
      const [before, ...data] = await firstRow(name, body);
      const [after, ...same] = await firstRow(name, body);
      expect(same).toEqual(data);
      expect(String(after) > String(before)).toBe(true);
      expect(await syncAgain(name)).toEqual(['completed']);
    });

    it.each([
      ['with a variable', ' AND kind = {kind:UInt8}'],
      ['without', ''],
    ])('are the same in WHERE, %s', async (what, more) => {
      const name = `one_time_${what.replaceAll(' ', '_')}`;
      const query = `SELECT countIf(${isOld}) AS old, count() AS n FROM drizzle WHERE ${recent}${more}`;
      await materialized(test, name, { query });
      const body = more === '' ? {} : { variables: { kind: 1 } };
      const [, first] = await firstRow(name, body);
      await eventually('rows leave the window between two syncs', async () => {
        const [old, n] = await firstRow(name, body);
        expect(old).toBe(0);
        return Number(n) < Number(first);
      });
    });

    it('are refused where the reason is another', async () => {
      const query = `SELECT quantile(0.5)(now64(3) - at) AS age FROM rain WHERE ${recent}`;
      const body = { name: 'out', query, is_materialized: true };
      expect((await test.rest('POST', '/endpoints', { body })).body).toMatchObject({
        code: 'cannot_materialize',
        detail: expect.stringContaining('use quantileExact'),
      });
    });

    async function firstRow(name: string, body: object): Promise<readonly unknown[]> {
      const response = await stored(name, body);
      expect(response.served_from).toBe('materialized');
      return (response.results as readonly (readonly unknown[])[])[0] ?? [];
    }
  });
});

describe('tables that change', () => {
  it('are planned for again where a column leaves `*` because it is computed', async () => {
    await test.sql(
      "CREATE TABLE labels (id UInt8, a String, b String DEFAULT concat(a, '!')) ENGINE = MergeTree ORDER BY id",
    );
    await test.sql("INSERT INTO labels (id, a) VALUES (1, 'x'), (2, 'y')");
    await materialized(test, 'labels', { query: 'SELECT * FROM labels ORDER BY id' });
    expect(await stored('labels')).toMatchObject({ columns: ['id', 'a', 'b'] });
    await test.sql("ALTER TABLE labels MODIFY COLUMN b String MATERIALIZED concat(a, '!')");
    expect(await syncAgain('labels')).toEqual(['completed']);
    expect(await stored('labels')).toMatchObject({
      served_from: 'materialized',
      columns: ['id', 'a'],
      results: [
        [1, 'x'],
        [2, 'y'],
      ],
    });
  });

  it('are planned for again: another type, then one that does not allow it', async () => {
    await test.sql(
      'CREATE TABLE goods (kind String, price Int32) ENGINE = MergeTree ORDER BY kind',
    );
    await test.sql("INSERT INTO goods VALUES ('a', 1), ('a', 2), ('b', 3)");
    await materialized(test, 'totals', {
      query:
        'SELECT arraySort(groupUniqArray(price)) AS prices FROM goods WHERE kind >= {from:String}',
    });
    const all = { variables: { from: 'a' } };
    expect(await stored('totals', all)).toMatchObject({ results: [[[1, 2, 3]]] });
    await test.sql('ALTER TABLE goods MODIFY COLUMN price Decimal(9, 2) SETTINGS alter_sync = 2');
    expect(await syncAgain('totals')).toEqual(['completed']);
    const body = await stored('totals', all);
    expect(body).toMatchObject({
      results: [[['1.00', '2.00', '3.00']]],
      served_from: 'materialized',
    });
    expect(body.types).toEqual((await direct('totals', all)).types);
    // The direct run shows that the columns are others; a sync skips what is being written.
    await eventually('they are described', () => test.app.core.background.size() === 0);
    await test.sql('ALTER TABLE goods MODIFY COLUMN price Float64 SETTINGS alter_sync = 2');
    expect(await syncAgain('totals')).toEqual(['failed']);
    expect(await statusOf(test, 'totals')).toMatchObject({
      status: 'Failed',
      can_materialize: false,
      reason: expect.stringContaining('floating point numbers'),
    });
    await test.sql('ALTER TABLE goods MODIFY COLUMN price Int32 SETTINGS alter_sync = 2');
    expect(await syncAgain('totals')).toEqual(['completed']);
    expect(await statusOf(test, 'totals')).toMatchObject({ can_materialize: true, reason: null });
  });

  it('are reported on saving as well', async () => {
    await save(test, 'plain', { query: 'SELECT kind FROM goods WHERE price = {price:Int32}' });
    const preview = () => test.rest('POST', '/endpoints/plain/materialization_preview');
    expect((await preview()).body).toMatchObject({ can_materialize: true });
    await test.sql('ALTER TABLE goods RENAME COLUMN price TO cost');
    expect((await preview()).body).toMatchObject({
      can_materialize: false,
      reason: expect.stringContaining('price'),
    });
  });
});
