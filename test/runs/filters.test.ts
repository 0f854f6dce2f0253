/** `filters_override` on queries with a `{filters}` placeholder. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSalesApp, run, save } from '../rest/support/sales.ts';
import type { TestApp } from '../support/test-app.ts';

let test: TestApp;

const named = 'SELECT amount FROM sales WHERE {filters.day} ORDER BY amount';

beforeAll(async () => {
  test = await openSalesApp();
  await test.sql(
    'CREATE TABLE events (timestamp DateTime, id UInt8) ENGINE = MergeTree ORDER BY id',
  );
  await test.sql(
    "INSERT INTO events VALUES ('2026-02-27 11:00:00', 1), ('2026-02-28 12:00:00', 2), ('2026-02-28 23:59:59', 3), ('2026-03-01 11:30:00', 4)",
  );
  await save(test, 'by_day', { query: named });
  await save(test, 'events', { query: 'SELECT id FROM events WHERE {filters} ORDER BY id' });
  await save(test, 'both', {
    query: 'SELECT id FROM events WHERE {filters} AND id >= {least:UInt8} ORDER BY id',
  });
  await save(test, 'plain', {});
});
afterAll(() => test.close());

const post = (name: string, filters: unknown) =>
  test.rest('POST', `/endpoints/${name}/run`, { body: { filters_override: filters } });

async function rowsOf(name: string, filters: unknown) {
  const { body } = await post(name, filters);
  expect(body).not.toHaveProperty('code');
  return (body.results as readonly (readonly unknown[])[]).map(([value]) => value);
}

const property = (key: string, operator: string, value?: unknown) => ({
  properties: [{ key, operator, ...(value === undefined ? {} : { value }) }],
});

describe('200', () => {
  it.each([undefined, null, {}, { date_from: null, date_to: null, properties: [] }])(
    'lets every row through for %j',
    async (filters) => {
      expect(await rowsOf('events', filters)).toEqual([1, 2, 3, 4]);
    },
  );

  it.each([
    [{ date_from: '2026-02-28' }, [2, 3, 4]],
    [{ date_to: '2026-02-28' }, [1, 2, 3]],
    [{ date_from: '2026-02-28', date_to: '2026-02-28' }, [2, 3]],
    [{ date_from: '2026-02-28T12:00:00Z' }, [2, 3, 4]],
    [{ date_from: '2026-02-28 12:00:01' }, [3, 4]],
    [{ date_from: '2026-02-28T14:00:00+02:00', date_to: '2026-02-28T12:00:00Z' }, [2]],
    [{ date_to: '2026-02-28T11:59:59Z' }, [1]],
    [{ date_from: '-1d' }, [2, 3, 4]],
    [{ date_from: '-0d' }, [4]],
    [{ date_from: '-1h' }, [4]],
    [{ date_from: '-1w', date_to: '-1d' }, [1]],
    [{ date_from: '-1m' }, [1, 2, 3, 4]],
    [{ date_to: '-1y' }, []],
    [{ date_from: '2027-01-01' }, []],
  ])('keeps the rows of %j', async (filters, ids) => {
    expect(await rowsOf('events', filters)).toEqual(ids);
  });

  it('applies dates to the column that the placeholder names', async () => {
    expect(await rowsOf('by_day', { date_from: '2026-01-02' })).toEqual([2, 3]);
    expect(await rowsOf('by_day', { date_to: '2026-01-31' })).toEqual([1, 2]);
  });

  it.each([
    [property('country', 'exact', 'de'), [2, 3]],
    [{ properties: [{ key: 'country', value: 'at' }] }, [1]],
    [property('country', 'exact', ['at', 'fr']), [1]],
    [property('country', 'is_not', ['at']), [2, 3]],
    [property('country', 'icontains', 'D'), [2, 3]],
    [property('country', 'not_icontains', 'D'), [1]],
    [property('country', 'regex', '^[a-c]'), [1]],
    [property('country', 'not_regex', '^[a-c]'), [2, 3]],
    [property('amount', 'gt', 2), [3]],
    [property('amount', 'gte', '2'), [2, 3]],
    [property('amount', 'lt', 2), [1]],
    [property('amount', 'lte', 2), [1, 2]],
    [property('amount', 'exact', 2), [2]],
    [property('note', 'is_set'), [2, 3]],
    [property('note', 'is_not_set'), [1]],
    [property('country', 'exact', "'; DROP TABLE sales; --"), []],
    [property('country', 'exact', ["a'b\\", 'at']), [1]],
    [
      {
        date_from: '2026-01-02',
        properties: [
          { key: 'country', operator: 'exact', value: 'de', type: 'event' },
          { key: 'amount', operator: 'lt', value: 3 },
        ],
      },
      [2],
    ],
  ])('keeps the rows of %j', async (filters, amounts) => {
    expect(await rowsOf('by_day', filters)).toEqual(amounts);
  });

  it('joins filters and variables', async () => {
    const body = { filters_override: { date_to: '2026-02-28' }, variables: { least: 2 } };
    expect(await run(test, 'both', body)).toMatchObject({ results: [[2], [3]] });
  });

  it('caches results of different filters apart', async () => {
    const filters_override = { date_from: '2026-01-15' };
    expect(await run(test, 'by_day', { filters_override })).toMatchObject({ is_cached: false });
    expect(await run(test, 'by_day', { filters_override })).toMatchObject({ is_cached: true });
    expect(
      await run(test, 'by_day', { filters_override: { date_from: '2026-01-16' } }),
    ).toMatchObject({ is_cached: false });
  });
});

describe('400', () => {
  it('refuses filters on a query without the placeholder', async () => {
    const { status, body } = await post('plain', { date_from: '-7d' });
    expect(status).toBe(400);
    expect(body).toMatchObject({
      code: 'invalid_input',
      attr: 'filters_override',
      detail: expect.stringContaining('{filters}'),
    });
  });

  it.each([
    [{ date: '2026-01-01' }, 'filters_override'],
    [[], 'filters_override'],
    [{ date_from: 5 }, 'filters_override.date_from'],
    [{ date_from: '' }, 'filters_override.date_from'],
    [{ date_from: 'yesterday' }, 'filters_override.date_from'],
    [{ date_from: '2026-02-30' }, 'filters_override.date_from'],
    [{ date_from: '-7' }, 'filters_override.date_from'],
    [{ date_from: '-99999d' }, 'filters_override.date_from'],
    [{ date_to: '2026-13-01' }, 'filters_override.date_to'],
    [{ date_to: '2026-01-01T25:00' }, 'filters_override.date_to'],
    [{ properties: {} }, 'filters_override.properties'],
    [{ properties: Array(51).fill({ key: 'a', value: 'b' }) }, 'filters_override.properties'],
    [{ properties: ['country'] }, 'filters_override.properties[0]'],
    [{ properties: [{ key: 'a', value: 'b', group: 1 }] }, 'filters_override.properties[0]'],
    [{ properties: [{ value: 'b' }] }, 'filters_override.properties[0].key'],
    [{ properties: [{ key: 'a`b', value: 'b' }] }, 'filters_override.properties[0].key'],
    [{ properties: [{ key: 'a.b', value: 'b' }] }, 'filters_override.properties[0].key'],
    [property('country', 'like', 'x'), 'filters_override.properties[0].operator'],
    [property('country', 'toString', 'x'), 'filters_override.properties[0].operator'],
    [property('country', 'exact'), 'filters_override.properties[0].value'],
    [property('country', 'exact', []), 'filters_override.properties[0].value'],
    [property('country', 'exact', [{}]), 'filters_override.properties[0].value'],
    [property('country', 'exact', 'a\u0000'), 'filters_override.properties[0].value'],
    [property('amount', 'gt', 'x'), 'filters_override.properties[0].value'],
    [property('amount', 'gt', [1]), 'filters_override.properties[0].value'],
  ])('refuses %j', async (filters, attr) => {
    const { status, body } = await post('by_day', filters);
    expect(body).toEqual({
      type: 'validation_error',
      code: 'invalid_input',
      detail: expect.stringMatching(/^\S.*\.$/),
      attr,
    });
    expect(status).toBe(400);
  });

  it('refuses a regular expression that does not compile', async () => {
    const { status, body } = await post('by_day', property('country', 'regex', '('));
    expect(status).toBe(400);
    expect(body).toMatchObject({ type: 'validation_error' });
  });

  it('refuses a key that is no column', async () => {
    const { status, body } = await post('by_day', property('contry', 'exact', 'de'));
    expect(status).toBe(400);
    expect(body).toMatchObject({
      type: 'validation_error',
      detail: expect.stringContaining('contry'),
    });
  });

  it('refuses at create a placeholder whose column is missing', async () => {
    const { status, body } = await test.rest('POST', '/endpoints', {
      body: { name: 'lost', query: 'SELECT amount FROM sales WHERE {filters.dy}' },
    });
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'invalid_query', attr: 'query' });
  });
});
