/** How a run has values written also applies to functions that write them as text; stored rows have the same texts. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fetchBytes } from '../support/formats.ts';
import type { TestApp } from '../support/test-app.ts';
import {
  materialized,
  openMaterializedApp,
  run,
  save,
  servedRows,
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
  "toTypeName(CAST((id, site), 'Tuple(a UInt64, b String)'))",
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

const formats = ['csv', 'ndjson'] as const;

it.each(formats)(
  'the name of the type of a named tuple is the same in %s, and its column can be sorted by',
  async (format) => {
    const name = `typed_${format}`;
    const query =
      "SELECT id, toTypeName(t) AS type, CAST((id, site), 'Tuple(a UInt64, b String)') AS t FROM events WHERE id < 3";
    await save(test, name, { query });
    const { bytes } = await fetchBytes(
      test,
      `${name}/run?format=${format}&order_by=-id&columns=id,type,t`,
    );
    const { results } = await run(test, name, { order_by: ['-id'] });
    const type = (results as string[][])[0]?.[1];
    expect(type).toBe('Tuple(a UInt64, b String)');
    const text = bytes.toString();
    expect(text.split(format === 'csv' ? `"${type}"` : `:"${type}",`)).toHaveLength(4);
  },
);

const ofIntegers = [
  'toJSONString(id)',
  "toJSONString(map('n', [id]))",
  "formatRow('JSONEachRow', id, site)",
  'toJSONString([toIntervalDay(id)])',
  "toString(CAST(concat('{\"n\":', toString(id), '}'), 'JSON'))",
  "CAST(CAST(concat('{\"n\":[{\"m\":', toString(id), '}]}'), 'JSON').n, 'String')",
  "formatRow('CSV', CAST(concat('{\"n\":', toString(id), '}'), 'JSON'))",
];

describe.each(ofIntegers)('%s, of which each run decides whether to quote integers', (text) => {
  const written = `id, ${text} AS written FROM events`;

  it.each([
    ['filtered', `SELECT ${written} WHERE id >= {least:UInt64} ORDER BY id`],
    ['searched', `SELECT ${written} WHERE ${text} > {least:String} ORDER BY id`],
    [
      'joined',
      `SELECT e.id, e.written FROM (SELECT ${written}) AS e JOIN events AS o ON o.id = e.id AND o.id >= {least:UInt64} ORDER BY e.id`,
    ],
  ])('is read from a %s table by runs with numbers only', async (layout, query) => {
    const name = `${layout}${ofIntegers.indexOf(text)}`;
    await materialized(test, name, { query });
    await expectTexts(name, { variables: { least: layout === 'searched' ? '' : '17' } });
  });

  it('is read from a table of the whole result by runs with numbers only', async () => {
    const name = `whole${ofIntegers.indexOf(text)}`;
    await materialized(test, name, { query: `SELECT ${written} ORDER BY id` });
    await expectTexts(name, {});
  });
});

it.each([
  ['a column of it', 'SELECT j FROM texts WHERE id >= {least:UInt64} ORDER BY id'],
  ['its rows', 'SELECT id, 1 AS one FROM quoted WHERE id >= {least:UInt64} ORDER BY id'],
  ['a view of it', 'SELECT j, l FROM lengths WHERE id >= {least:UInt64} ORDER BY j'],
  ['all of it', 'SELECT j, id >= 3 AS b FROM texts ORDER BY id'],
])('a view that writes integers is seen in %s', async (what, query) => {
  await test.sql('CREATE OR REPLACE VIEW texts AS SELECT id, toJSONString(id) AS j FROM events');
  await test.sql('CREATE OR REPLACE VIEW lengths AS SELECT id, j, length(j) AS l FROM texts');
  await test.sql(
    "CREATE OR REPLACE VIEW quoted AS SELECT id FROM events WHERE id = 19 OR toJSONString(id) LIKE '%\"'",
  );
  const name = `view_${what.replaceAll(' ', '_')}`;
  await materialized(test, name, { query });
  await expectTexts(name, query.includes('least') ? { variables: { least: 17 } } : {});
});

async function expectTexts(name: string, body: Readonly<Record<string, unknown>>) {
  const at = (more: Readonly<Record<string, unknown>>) => run(test, name, { ...body, ...more });
  const [numbers, strings] = await Promise.all(
    ['number', 'string'].map((integers) => at({ integers, refresh: 'direct' })),
  );
  expect(numbers?.results).not.toEqual(strings?.results);
  const found = { served_from: 'materialized', inline_reason: null, results: numbers?.results };
  expect(await at({ refresh: 'force' })).toMatchObject(found);
  const quoted = { served_from: 'inline', inline_reason: 'integers', results: strings?.results };
  expect(await at({ integers: 'string', refresh: 'force' })).toMatchObject(quoted);
}

it('a column that becomes a 64-bit integer is read from the source by runs with strings', async () => {
  await test.sql(
    'CREATE TABLE widened (n Int32) ENGINE = MergeTree ORDER BY tuple() AS SELECT number FROM numbers(9)',
  );
  const query = 'SELECT toJSONString(n) AS j FROM widened WHERE n >= {least:Int32} ORDER BY n';
  await materialized(test, 'widened', { query, sync_frequency: '1hour' });
  const last = (integers: string) =>
    run(test, 'widened', { variables: { least: 8 }, refresh: 'force', integers });
  expect(await last('string')).toMatchObject({ served_from: 'materialized', results: [['8']] });
  await test.sql('ALTER TABLE widened MODIFY COLUMN n Int64');
  test.clock.advance(3_600_000);
  await sync(test);
  expect(await last('string')).toMatchObject({ served_from: 'inline', results: [['"8"']] });
  expect(await last('number')).toMatchObject({ served_from: 'materialized', results: [['8']] });
});

it('a run that accepts stale rows does not get the texts of another', async () => {
  await materialized(test, 'stale', {
    query: 'SELECT toJSONString(id) AS j FROM events WHERE id >= {least:UInt64} ORDER BY id',
    sync_frequency: '1hour',
  });
  test.clock.advance(3_700_000);
  const body = { variables: { least: 19 }, stale_while_revalidate_seconds: 600 };
  expect(await run(test, 'stale', { ...body, integers: 'string' })).toMatchObject({
    served_from: 'inline',
    results: [['"19"']],
  });
  expect(await run(test, 'stale', body)).toMatchObject({ is_stale: true, results: [['19']] });
});

describe('CSV that a query writes', () => {
  const query =
    "SELECT id, formatRow('CSV', nullIf(id, 1), site) AS line FROM events WHERE id < {below:UInt64} ORDER BY id";
  const rows = [0, 1, 2].map((id) => ({ id, line: `${id === 1 ? '\\N' : id},"a/${id}"\n` }));
  const path = (refresh: string) => `lines/run?variables[below]=3&refresh=${refresh}`;
  const text = async (refresh: string, format: string) => {
    const { bytes } = await fetchBytes(test, `${path(refresh)}&format=${format}`);
    return bytes.toString();
  };

  beforeAll(async () => {
    await save(test, 'lines', { query, is_materialized: true });
    await sync(test);
  });

  it.each([
    ['direct', 'inline'],
    ['force', 'materialized'],
  ])('has the same values in each format, read by %s', async (refresh, source) => {
    expect((await test.rest('GET', `/endpoints/${path(refresh)}&rows=objects`)).body).toMatchObject(
      {
        results: rows,
        served_from: source,
      },
    );
    const lines = (await text(refresh, 'ndjson')).trim().split('\n');
    expect(lines.map((line) => JSON.parse(line))).toEqual(rows);
    expect(await text(refresh, 'arrow')).toContain(rows[1]?.line);
  });

  it.each(['direct', 'force'])('is not returned within CSV, read by %s', async (refresh) => {
    const { body } = await test.rest('GET', `/endpoints/${path(refresh)}&format=csv`);
    expect(body).toMatchObject({ code: 'invalid_input', attr: 'format' });
  });

  it.each([
    ["formatRow(/* CSV */ 'TSV', id, site)", '"1\ta/1\n"'],
    ["concat('formatRow(', site) -- formatRow('CSV', id)", '"formatRow(a/1"'],
  ])('does not keep other texts out of CSV: %s', async (text, cell) => {
    const name = `kept_${cell.length}`;
    await save(test, name, { query: `SELECT ${text}\n AS line FROM events WHERE id = 1` });
    const { bytes } = await fetchBytes(test, `${name}/run?format=csv`);
    expect(bytes.toString()).toBe(`"line"\r\n${cell}\r\n`);
  });
});

it('a number that a run gives as text is compared with numbers of the table, and of an interval', async () => {
  const query =
    'SELECT toStartOfInterval(at, INTERVAL {minutes:String} minute) AS t, count() AS n FROM events WHERE id % 4 = {rest:String} GROUP BY t ORDER BY t';
  await materialized(test, 'numbers_as_text', { query });
  for (const variables of [
    { minutes: '60', rest: '1' },
    { minutes: '7', rest: '3' },
    { minutes: '1440', rest: '9' },
  ]) {
    await servedRows(test, 'numbers_as_text', variables);
  }
});

it('a column without a name whose texts are read as times has the name of an inline run', async () => {
  const query = 'SELECT countIf(toDate(at) IN ({one:String}, {other:String})) FROM events';
  await materialized(test, 'times_as_text', { query });
  await servedRows(test, 'times_as_text', { one: '2024-03-30', other: '2024-04-02' });
});
