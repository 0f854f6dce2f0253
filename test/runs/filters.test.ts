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
  await test.sql(`CREATE TABLE typed (id UInt8, big Int64, huge UInt256, price Decimal(18, 2), ratio Float64,
    short Float32, flag Bool, day Date, at DateTime, fine DateTime64(3), kind Enum8('a b' = 1, 'c' = 2),
    label LowCardinality(String), note Nullable(String), count Nullable(Int32), key UUID, address IPv4, code FixedString(4),
    text String, tags Array(String), any Dynamic, duration Time, summed SimpleAggregateFunction(sum, Decimal(38, 2)),
    latest SimpleAggregateFunction(max, DateTime), below Int256, wide Decimal(76, 0)) ENGINE = MergeTree ORDER BY big`);
  await test.sql(`INSERT INTO typed VALUES (1, 9007199254740992, 1, '1.10', 1e21, 1.1, true, '2026-01-01', '2026-01-01 00:00:00', '2026-01-01 00:00:00.500',
    'a b', 'x', NULL, NULL, '00000000-0000-0000-0000-0000000000aa', '10.0.0.9', 'ab', '10', ['a'], 5, '01:00:00', '1.10', '2026-01-01 00:00:00', -1, 0),
    (2, 9007199254740993, 115792089237316195423570985008687907853269984665640564039457584007913129639935, '2.25', 0.1, 2.5, false,
    '2026-01-02', '2026-01-02 03:04:05', '2026-01-02 03:04:05.000', 'c', 'y', 'Abc', 5, '00000000-0000-0000-0000-0000000000bb', '10.0.0.10', 'abcd', '9', ['b', 'c'], 'x', '02:00:00', '2.25', '2026-01-02 00:00:00', -2, '9999999999999999999999999999999999999999999999999999999999999999999999999999')`);
  await save(test, 'typed', { query: 'SELECT id FROM typed WHERE {filters.at} ORDER BY id' });
});
afterAll(() => test.close());

const post = (name: string, filters: unknown) =>
  test.rest('POST', `/endpoints/${name}/run`, { body: { filters_override: filters } });

/** Requests that the key has left in this minute. */
async function remaining(): Promise<number> {
  const { headers } = await test.rest('GET', '/endpoints/events/run');
  const left = Number(headers.get('ratelimit-remaining'));
  expect(left).toBeGreaterThan(10);
  return left;
}

async function rowsOf(name: string, filters: unknown) {
  const { body } = await post(name, filters);
  expect(body).not.toHaveProperty('code');
  return (body.results as readonly (readonly unknown[])[]).map(([value]) => value);
}

let noColumn = 0;

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
    [{ date_from: '2026-02-28T12:00:00.000001Z' }, [3, 4]],
    [{ date_to: '2026-02-28T11:59:59.9999999+00:00' }, [1]],
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

  it.each([
    ['big', 'exact', '9007199254740993', [2]],
    ['big', 'exact', ['9007199254740993', 5], [2]],
    ['big', 'is_not', '9007199254740993', [1]],
    ['big', 'gt', '9007199254740992', [2]],
    ['big', 'gte', '9007199254740993', [2]],
    ['big', 'lt', '9007199254740992.5', [1]],
    ['big', 'gte', '9007199254740992.5', [2]],
    ['big', 'lte', '9007199254740992.5', [1]],
    ['big', 'gt', '-1.5', [1, 2]],
    ['big', 'lt', '1e30', [1, 2]],
    ['huge', 'gt', '1e75', [2]],
    ['huge', 'gt', 0.5, [1, 2]],
    ['huge', 'gte', 1.5, [2]],
    ['huge', 'lt', '1.5', [1]],
    ['huge', 'lte', '-0.5', []],
    ['huge', 'exact', '1.5', []],
    ['huge', 'exact', ['1.5', '1.0'], [1]],
    ['huge', 'is_not', '1.5', [1, 2]],
    ['below', 'gt', '-1.5', [1]],
    ['below', 'gte', '-2.5', [1, 2]],
    ['below', 'lt', '-1.5', [2]],
    ['below', 'lte', '-2.5', []],
    ['wide', 'gt', '0.000000001', [2]],
    ['wide', 'lte', '-0.5', []],
    ['wide', 'lt', '1e40', [1]],
    ['wide', 'gte', '1e-90', [2]],
    ['price', 'lt', '1e30', [1, 2]],
    ['price', 'gte', '-1e30', [1, 2]],
    ['price', 'lt', '1.109', [1]],
    ['price', 'lte', '1.101', [1]],
    ['price', 'gte', '-1.101', [1, 2]],
    ['text', 'gt', 9.5, [1]],
    ['text', 'lte', '9.5', [2]],
    ['big', 'gt', '1e-60', [1, 2]],
    ['summed', 'exact', '1.10', [1]],
    ['summed', 'gte', '2.25', [2]],
    ['latest', 'gt', '2026-01-01', [2]],
    ['text', 'gt', 1e80, []],
    ['text', 'lt', '1e300', [1, 2]],
    ['text', 'gt', '1e-300', [1, 2]],
    ['id', 'exact', 1.5, []],
    ['id', 'is_not', 1.5, [1, 2]],
    ['id', 'exact', 300, []],
    ['id', 'lt', 300, [1, 2]],
    ['id', 'gt', -1, [1, 2]],
    ['id', 'exact', '01', [1]],
    ['price', 'exact', '1.10', [1]],
    ['price', 'exact', 1.1, [1]],
    ['price', 'exact', ['1.1', '2.250'], [1, 2]],
    ['price', 'exact', '1.101', []],
    ['price', 'gt', '1.101', [2]],
    ['price', 'gte', '1.1', [1, 2]],
    ['ratio', 'exact', 1e21, [1]],
    ['ratio', 'exact', '1e21', [1]],
    ['ratio', 'lt', 1, [2]],
    ['short', 'exact', 1.1, [1]],
    ['short', 'gte', 1.1, [1, 2]],
    ['flag', 'exact', true, [1]],
    ['flag', 'exact', 'false', [2]],
    ['flag', 'exact', 1, [1]],
    ['day', 'exact', '2026-01-01', [1]],
    ['day', 'gt', '2026-01-01', [2]],
    ['day', 'gt', '2026-01-01T12:00:00Z', [2]],
    ['day', 'exact', '2026-01-01T12:00:00Z', []],
    ['at', 'exact', '2026-01-01T00:00:00Z', [1]],
    ['at', 'exact', ['2026-01-01', '2026-01-02T04:04:05+01:00'], [1, 2]],
    ['day', 'gte', '2026-01-02T00:00:00.000Z', [2]],
    ['day', 'exact', ['2026-01-01 00:00:00', '2026-01-02T02:00:00+02:00'], [1, 2]],
    ['day', 'lte', '9999-12-31', [1, 2]],
    ['at', 'lt', '9999-12-31T23:59:59Z', [1, 2]],
    ['at', 'gt', '9999-12-31', []],
    ['at', 'gte', '0001-01-01', [1, 2]],
    ['at', 'exact', ['9999-12-31', '2026-01-01'], [1]],
    ['at', 'is_not', '9999-12-31', [1, 2]],
    ['at', 'gt', '2026-01-01T00:00:00Z', [2]],
    ['at', 'lte', '2026-01-02T03:04:04.999Z', [1]],
    ['fine', 'exact', '2026-01-01T00:00:00.500Z', [1]],
    // The engine makes a set of several equalities, whose values it cuts to the type of the column.
    [
      'fine',
      'exact',
      ['2026-01-01T00:00:00.5001Z', '2026-01-01T00:00:00.5002Z', '2026-01-01T00:00:00.5003Z'],
      [],
    ],
    [
      'fine',
      'exact',
      ['2026-01-02T03:04:05.0001Z', '2026-01-01T00:00:00.5Z', '2026-01-02T03:04:05.0002Z'],
      [1],
    ],
    [
      'fine',
      'is_not',
      ['2026-01-01T00:00:00.5001Z', '2026-01-01T00:00:00.5002Z', '2026-01-01T00:00:00.5003Z'],
      [1, 2],
    ],
    ['day', 'exact', ['2026-01-01T12:00:00Z', '2026-01-01T13:00:00Z', '2026-01-01T14:00:00Z'], []],
    ['at', 'is_not', ['2299-01-01', '2299-01-02', '2026-01-01T00:00:00.5Z'], [1, 2]],
    ['flag', 'exact', [true, false], [1, 2]],
    ['kind', 'exact', 'a b', [1]],
    ['kind', 'is_not', ['a b', 'c'], []],
    ['label', 'exact', ['x', 'z'], [1]],
    ['label', 'regex', ['^y', '^z'], [2]],
    ['label', 'not_icontains', ['X', 'z'], [2]],
    ['note', 'exact', 'Abc', [2]],
    ['note', 'is_not', 'Abc', [1]],
    ['note', 'not_icontains', 'b', [1]],
    ['note', 'not_regex', 'b', [1]],
    ['count', 'is_not', 5, [1]],
    ['count', 'gt', 1, [2]],
    ['key', 'exact', '00000000-0000-0000-0000-0000000000AA', [1]],
    ['address', 'exact', '10.0.0.10', [2]],
    ['address', 'gt', '10.0.0.9', [2]],
    ['code', 'exact', 'ab', [1]],
    ['text', 'gt', 9, [1]],
    ['text', 'exact', 9, [2]],
    ['tags', 'icontains', 'C', [2]],
    ['any', 'exact', 'x', [2]],
    ['any', 'gt', 4, [1]],
    ['duration', 'gte', '02:00:00', [2]],
  ])('compares %s by its type: %s %j', async (key, operator, value, ids) => {
    expect(await rowsOf('typed', property(key, operator, value))).toEqual(ids);
  });

  it.each([
    ['exact', '2299-01-01', []],
    ['is_not', ['2299-01-01', '2300-01-01'], [1, 2]],
    ['lt', '2299-12-31T00:00:00Z', [1, 2]],
    ['gte', '2262-04-14', []],
    ['gt', '2001-01-01T00:00:00.000000001Z', [2]],
    ['lte', '2262-04-11T00:00:00Z', [1, 2]],
  ])(
    'compares nanoseconds with later times than they can be: %s %j',
    async (operator, value, ids) => {
      await test.sql(
        "CREATE TABLE IF NOT EXISTS nano ENGINE = MergeTree ORDER BY id AS SELECT number + 1 AS id, toDateTime64('2001-01-01 00:00:00.000000001', 9) + number AS at FROM numbers(2)",
      );
      await save(test, `nano_${operator}`, {
        query: 'SELECT id FROM nano WHERE {filters.at} ORDER BY id',
      });
      expect(await rowsOf(`nano_${operator}`, property('at', operator, value))).toEqual(ids);
    },
  );

  it('finds a Decimal with more digits than its type has by name', async () => {
    await test.sql(
      'CREATE TABLE product ENGINE = MergeTree ORDER BY tuple() AS SELECT 1 AS id, toDecimal32(9999999.99, 2) AS price',
    );
    await save(test, 'product', {
      query: 'SELECT id FROM (SELECT id, price * 2 AS total FROM product) WHERE {filters.id}',
    });
    for (const [operator, ids] of [
      ['exact', [1]],
      ['is_not', []],
    ] as const) {
      expect(await rowsOf('product', property('total', operator, ['19999999.98', '1']))).toEqual(
        ids,
      );
    }
  });

  it('keeps every digit of a number in JSON', async () => {
    const body =
      '{"filters_override": {"properties": [{"key": "big", "operator": "gt", "value": 9007199254740992}]}}';
    const headers = { 'content-type': 'application/json' };
    const { body: found } = await test.rest('POST', '/endpoints/typed/run', { body, headers });
    expect(found.results).toEqual([[2]]);
  });

  it('compares a column by its type at each {filters}', async () => {
    const whole = 'SELECT id, at, v FROM (SELECT id, at, big AS v FROM typed) WHERE {filters.at}';
    const text = `SELECT id, at, toString(a.v) AS v FROM (${whole}) AS a`;
    await save(test, 'twice', { query: `SELECT id, v FROM (${text}) WHERE {filters.at}` });
    expect(await rowsOf('twice', property('v', 'gt', '9007199254740992'))).toEqual([2]);
    expect(await rowsOf('twice', property('v', 'exact', '9007199254740993'))).toEqual([2]);
    const grouped = 'SELECT text, sum(price) AS total FROM typed GROUP BY text HAVING {filters}';
    await save(test, 'grouped', { query: grouped });
    const totals = property('total', 'exact', '2.25');
    const texts = property('text', 'exact', 9);
    const both = { properties: [...totals.properties, ...texts.properties] };
    expect(await rowsOf('grouped', both)).toEqual(['9']);
  });

  it('reads few rows for a filter on the sorting key', async () => {
    await test.sql(
      'CREATE TABLE sorted ENGINE = MergeTree ORDER BY n AS SELECT toUInt32(number) AS n FROM numbers(100000)',
    );
    await save(test, 'sorted', { query: 'SELECT n FROM sorted WHERE {filters}' });
    expect(await rowsOf('sorted', property('n', 'exact', [5, 7]))).toEqual([5, 7]);
    const { body } = await test.rest('GET', '/endpoints/sorted/logs');
    const [execution] = body.results as readonly { readonly rows_read: number }[];
    expect(execution?.rows_read).toBeLessThan(20_000);
  });

  it('follows a column whose type changes', async () => {
    await test.sql('CREATE TABLE changing (v String) ENGINE = MergeTree ORDER BY () ');
    await test.sql("INSERT INTO changing VALUES ('5')");
    await save(test, 'changing', { query: 'SELECT v FROM changing WHERE {filters}' });
    expect(await rowsOf('changing', property('v', 'exact', 5))).toEqual(['5']);
    await test.sql('ALTER TABLE changing MODIFY COLUMN v UInt8');
    expect(await rowsOf('changing', property('v', 'exact', ['5', '6']))).toEqual([5]);
    await post('changing', property('v', 'gte', 5));
    expect(await rowsOf('changing', property('v', 'gte', 5))).toEqual([5]);
  });

  it('gives one cursor to requests that mean the same, and takes whole numbers beyond 2^53', async () => {
    const ask = (filters: string, more = '') =>
      test.rest('POST', '/endpoints/typed/run', {
        body: `{"filters_override": ${filters}, "order_by": ["id"], "limit": 1${more}}`,
        headers: { 'content-type': 'application/json' },
      });
    const plain = '{"properties": [{"key": "big", "operator": "gte", "value": 9007199254740992}]}';
    const first = await ask(plain);
    expect(first.body).toMatchObject({ results: [[1]], next_cursor: expect.any(String) });
    const other =
      '{"properties": [{"value": "9007199254740992", "key": "big", "operator": "gte"}]}';
    const again = await ask(other);
    expect(again.body.next_cursor).toBe(first.body.next_cursor);
    const next = await ask(other, `, "cursor": "${String(again.body.next_cursor)}"`);
    expect(next.body.results).toEqual([[2]]);
  });

  it('keeps a cursor of a relative date over an hour', async () => {
    const ask = (more: object) =>
      test.rest('POST', '/endpoints/events/run', {
        body: {
          filters_override: {
            date_from: '-400h',
            properties: [{ key: 'id', operator: 'gte', value: 2 }],
          },
          order_by: ['id'],
          limit: 1,
          ...more,
        },
      });
    const { body } = await ask({});
    expect(body.results).toEqual([[2]]);
    const now = test.clock.now();
    test.clock.advance(3_600_000);
    expect((await ask({ cursor: body.next_cursor })).body.results).toEqual([[3]]);
    test.clock.set(now.toISOString());
  });

  it('counts a run once, also when the types of its columns are read for it', async () => {
    const before = await remaining();
    await post('events', property('id', 'gt', 1));
    await post('events', property('id', 'gt', 2));
    await post('events', property('no_such', 'gt', 2));
    await post('events', property('id', 'gt', 1));
    expect(await remaining()).toBe(before - 5);
  });

  it('takes filters whose place the values of variables leave out', async () => {
    const query = 'SELECT id FROM events WHERE if({all:Bool}, 1, {filters}) ORDER BY id';
    await save(test, 'either', { query });
    const ask = (all: boolean) =>
      run(test, 'either', {
        variables: { all },
        filters_override: property('id', 'exact', 2),
      });
    expect(await ask(true)).toMatchObject({ results: [[1], [2], [3], [4]] });
    expect(await ask(false)).toMatchObject({ results: [[2]] });
    expect(await ask(true)).toMatchObject({ results: [[1], [2], [3], [4]] });
  });

  it('answers many runs at once whose types are not known yet', async () => {
    await save(test, 'many', {
      query: 'SELECT id AS n, id FROM events WHERE {filters} ORDER BY id',
    });
    const all = await Promise.all(
      Array.from({ length: 40 }, (_none, at) => post('many', property('id', 'exact', at % 4))),
    );
    expect(all.map(({ status }) => status)).toEqual(all.map(() => 200));
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
    [property('country', 'icontains', Array(51).fill('x')), 'filters_override.properties[0].value'],
    [property('amount', 'gt', 'x'), 'filters_override.properties[0].value'],
    [property('amount', 'gt', true), 'filters_override.properties[0].value'],
    [property('amount', 'exact', 'x'), 'filters_override.properties[0].value'],
    [property('amount', 'exact', [1, true]), 'filters_override.properties[0].value'],
    [property('country', 'gt', 'x'), 'filters_override.properties[0].value'],
    [property('day', 'gt', 'yesterday'), 'filters_override.properties[0].value'],
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

  it.each([
    ['key', 'exact', 'x', 'value'],
    ['kind', 'exact', 'd', 'value'],
    ['kind', 'gt', 'a', 'operator'],
    ['flag', 'gt', 0, 'operator'],
    ['key', 'lt', 5, 'operator'],
    ['price', 'exact', 0.1 + 0.2, 'value'],
    ['flag', 'exact', 'yes', 'value'],
    ['big', 'gt', '1e80', 'value'],
    ['at', 'exact', 5, 'value'],
    ['at', 'gte', 1767225600, 'value'],
    ['address', 'gt', 'x', 'value'],
  ])('refuses what the type of %s does not accept: %s %j', async (key, operator, value, member) => {
    const { status, body } = await post('typed', property(key, operator, value));
    expect(body).toMatchObject({
      code: 'invalid_input',
      attr: `filters_override.properties[0].${member}`,
      detail: expect.stringMatching(/^\S.*\.$/),
    });
    expect(status).toBe(400);
  });

  it('refuses a regular expression that does not compile', async () => {
    const { status, body } = await post('by_day', property('country', 'regex', '('));
    expect(status).toBe(400);
    expect(body).toMatchObject({ type: 'validation_error' });
  });

  it.each([
    [
      'SELECT id FROM typed WHERE {filters} AND id IN (SELECT id FROM events WHERE {filters})',
      property('label', 'exact', 'x'),
      { attr: 'filters_override.properties[0].key', detail: /subquery .* no column "label"\.$/ },
    ],
    [
      'SELECT id FROM typed WHERE {filters} AND id IN (SELECT id FROM events WHERE {filters})',
      {
        properties: [
          { key: 'id', value: 1 },
          { key: 'label', value: 'x' },
        ],
      },
      { attr: 'filters_override.properties', detail: /subquery .* no column id or label\.$/ },
    ],
    [
      'SELECT id, (SELECT count() FROM events WHERE {filters}) AS n FROM typed WHERE {filters}',
      property('label', 'exact', 'x'),
      { attr: 'filters_override.properties[0].key', detail: /subquery .* no column "label"\.$/ },
    ],
    [
      'SELECT label, count() AS n FROM typed WHERE {filters} GROUP BY label',
      property('n', 'gt', 1),
      { attr: 'filters_override.properties[0].key', detail: /^"n" is computed after WHERE/ },
    ],
    [
      'SELECT label, row_number() OVER (ORDER BY id) AS n FROM typed WHERE {filters}',
      property('n', 'gt', 1),
      { attr: 'filters_override.properties[0].key', detail: /^"n" is computed after WHERE/ },
    ],
    [
      'SELECT id FROM typed WHERE {filters}',
      property('price', 'lt', '1e75'),
      {
        attr: 'filters_override.properties[0].value',
        detail: /at most 74 digits before the point/,
      },
    ],
  ])('says which key or value cannot be compared: %s', async (query, filters, { attr, detail }) => {
    const { body: saved } = await test.rest('POST', '/endpoints', {
      body: { name: `no_column_${noColumn++}`, query },
    });
    const { body } = await post(String(saved.name), filters);
    expect(body).toMatchObject({
      code: 'invalid_input',
      attr,
      detail: expect.stringMatching(detail),
    });
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
