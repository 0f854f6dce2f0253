/** Rows as objects, columns, order and cursors on both interfaces, in every format and on every path. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StreamFormat } from '../../src/model/result-format.ts';
import { valueTypes } from '../engine/support/value-types.ts';
import { openSalesApp, save, saveQuery } from '../rest/support/sales.ts';
import { fetchBytes } from '../support/formats.ts';
import type { TestApp, TestResponse } from '../support/test-app.ts';
import { makeMixed } from './support/mixed-table.ts';
import { readFormat } from './support/read-formats.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openSalesApp();
  await makeMixed(test);
});
afterAll(() => test.close());

const get = (name: string, query = '', headers: Readonly<Record<string, string>> = {}) =>
  test.rest('GET', `/endpoints/${name}/run?${query}`, { headers });
const post = (name: string, body: object) => test.rest('POST', `/endpoints/${name}/run`, { body });
const results = (response: TestResponse) => response.body.results;

describe('rows as objects', () => {
  it('hold the bytes of every type as arrays do, under the names of the columns', async () => {
    const list = valueTypes.map(({ expression }, at) => `${expression} AS v${at}`);
    const name = await saveQuery(test, `SELECT ${list.join(', ')}`);
    for (const integers of ['number', 'string']) {
      const { text } = await get(name, `rows=objects&integers=${integers}`);
      const members = valueTypes.map(
        ({ json, asString }, at) => `"v${at}":${integers === 'string' ? (asString ?? json) : json}`,
      );
      expect(text).toContain(`{"results":[{${members.join(',')}}],`);
    }
  });

  it('have names of every kind, in the order of the columns', async () => {
    const name = await saveQuery(
      test,
      'SELECT 1 AS `b.c`, 2 AS `2`, 3 AS `1`, 4 AS `é"\\\\``\'`, 5 AS ` `, 6 AS `__proto__`, 7 AS `{x}`',
    );
    const { text } = await get(name, 'rows=objects');
    expect(text).toContain('[{"b.c":1,"2":2,"1":3,"é\\"\\\\`\'":4," ":5,"__proto__":6,"{x}":7}]');
  });

  it('are refused where two columns share a name, and taken where only one of those is left', async () => {
    const name = await saveQuery(test, 'SELECT 1 AS a, 2 AS b, 1 AS a, 2 AS b, 5 AS c');
    const { status, body } = await get(name, 'rows=objects');
    expect([status, body.code, body.attr]).toEqual([400, 'invalid_input', 'rows']);
    expect(body.detail).toContain('"a", "b"');
    expect(results(await get(name, 'rows=objects&columns=c'))).toEqual([{ c: 5 }]);
    expect((await get(name, 'columns=a')).body).toMatchObject({
      attr: 'columns',
      detail: expect.stringContaining('the name of 2 columns'),
    });
    const lines = await fetchBytes(test, `${name}/run?format=ndjson`);
    expect(lines.text).toBe('{"a":1,"b":2,"a_2":1,"b_2":2,"c":5}\n');
    const refused = await fetchBytes(test, `${name}/run?format=ndjson&rows=objects`);
    expect([refused.status, JSON.parse(refused.text).attr]).toEqual([400, 'rows']);
  });

  it('are empty for no rows, and cut at the limit', async () => {
    const name = await saveQuery(test, 'SELECT number AS n FROM numbers(5) ORDER BY n');
    expect(results(await get(name, 'rows=objects&offset=9'))).toEqual([]);
    const { body } = await get(name, 'rows=objects&limit=2&offset=1');
    expect(body).toMatchObject({ results: [{ n: 1 }, { n: 2 }], hasMore: true, next_cursor: null });
    expect(results(await get(name, 'rows=arrays&limit=1'))).toEqual([[0]]);
  });

  it('are lines of arrays in NDJSON when asked for, and refused in formats with one form', async () => {
    const name = await saveQuery(test, "SELECT 1 AS a, 'x' AS b");
    const lines = await fetchBytes(test, `${name}/run?format=ndjson&rows=arrays`);
    expect(lines.text).toBe('[1, "x"]\n');
    for (const format of ['csv', 'arrow', 'parquet']) {
      const { status, body } = await get(name, `format=${format}&rows=arrays`);
      expect([status, body.attr]).toEqual([400, 'rows']);
    }
    expect((await get(name, 'rows=maps')).body.attr).toBe('rows');
  });

  it('are cached beside arrays, with ETags of their own', async () => {
    const name = await saveQuery(test, 'SELECT 1 AS a');
    const first = await get(name, 'rows=objects');
    const [objects, arrays] = [await get(name, 'rows=objects'), await get(name)];
    expect([first.body.is_cached, objects.body.is_cached, arrays.body.is_cached]).toEqual([
      false,
      true,
      false,
    ]);
    expect([results(objects), results(await get(name))]).toEqual([[{ a: 1 }], [[1]]]);
    const etag = objects.headers.get('etag') ?? '';
    expect((await get(name, 'rows=objects', { 'if-none-match': etag })).status).toBe(304);
    expect((await get(name, '', { 'if-none-match': etag })).status).toBe(200);
  });

  it('are stale, too, for callers who accept that', async () => {
    const name = await saveQuery(test, 'SELECT country AS c FROM sales ORDER BY c LIMIT 1');
    await get(name, 'rows=objects&columns=c&order_by=c');
    test.clock.advance(301_000);
    const stale = await get(
      name,
      'rows=objects&columns=c&order_by=c&stale_while_revalidate_seconds=600',
    );
    expect(stale.body).toMatchObject({ results: [{ c: 'at' }], is_stale: true });
  });
});

describe('GraphQL', () => {
  it('gives the same rows and cursors', async () => {
    const name = await saveQuery(test, 'SELECT country, amount FROM sales');
    const document = `query ($input: RunInput) { runEndpoint(projectId: "@current", name: "${name}", input: $input) { results columns types hasMore nextCursor } }`;
    const ask = async (input: object) => {
      const { body } = await test.graphql(document, { input });
      return body.errors?.[0]?.extensions ?? (body.data?.runEndpoint as Record<string, unknown>);
    };
    const asked = { columns: ['amount', 'country'], limit: 2 };
    const first = await ask({ ...asked, rows: 'OBJECTS', orderBy: ['-amount'] });
    const rest = await post(name, { ...asked, rows: 'objects', order_by: ['-amount'] });
    expect(first).toMatchObject({
      results: [
        { amount: 3, country: 'de' },
        { amount: 2, country: 'de' },
      ],
      columns: ['amount', 'country'],
      types: [
        ['amount', 'UInt32'],
        ['country', 'String'],
      ],
      hasMore: true,
      nextCursor: rest.body.next_cursor,
    });
    const second = { ...asked, orderBy: ['-amount'], cursor: first.nextCursor };
    expect(await ask({ ...second, rows: 'ARRAYS' })).toMatchObject({
      results: [[1, 'at']],
      nextCursor: null,
    });
    expect(await ask({ ...second, offset: 1 })).toMatchObject({ attr: 'cursor' });
    expect(await ask({ columns: ['no'] })).toMatchObject({
      code: 'invalid_input',
      attr: 'columns',
    });
  });
});

describe('columns and order_by', () => {
  it('name result columns, each once', async () => {
    const name = await saveQuery(
      test,
      'SELECT id, map(1, 2) AS m, toDate(11323) AS `a,b`, id AS `-x` FROM mixed LIMIT 1',
    );
    const refusals = {
      'columns=no': ['columns', 'no column "no". It has id, m, a,b, -x.'],
      'columns=id,id': ['columns', '"id" twice'],
      'columns=': ['columns', 'empty name'],
      'columns=[]': ['columns', 'at least one'],
      'columns=[1]': ['columns', 'JSON array'],
      'order_by=no,id': ['order_by', 'no column "no"'],
      'order_by=id,-id': ['order_by', '"id" twice'],
      'order_by=-': ['order_by', 'empty name'],
      'order_by=m': ['order_by', 'its type is Map(UInt8, UInt8)'],
      'order_by=-x': ['order_by', 'no column "x"'],
    };
    for (const [query, [attr, detail]] of Object.entries(refusals)) {
      const { status, body } = await get(name, query);
      expect([query, status, body.code, body.attr]).toEqual([query, 400, 'invalid_input', attr]);
      expect(body.detail).toContain(detail);
    }
    const list = encodeURIComponent('["a,b","-x"]');
    expect(results(await get(name, `columns=${list}&order_by=%2B-x`))).toEqual([['2001-01-01', 0]]);
    expect((await get(name, 'columns=-x, id')).body.columns).toEqual(['-x', 'id']);
  });

  it('apply in every format, around the limit of the query', async () => {
    const name = await saveQuery(test, 'SELECT id, day, word FROM mixed ORDER BY id LIMIT 30');
    const asked = 'columns=day,id&order_by=-day,-id&limit=7&offset=3';
    const { body } = await get(name, `${asked}&integers=string`);
    const rows = (body.results as readonly (readonly string[])[]).map((row) => row.map(String));
    expect(rows).toHaveLength(7);
    for (const format of ['ndjson', 'csv', 'arrow', 'parquet'] satisfies StreamFormat[]) {
      const { bytes, headers } = await fetchBytes(test, `${name}/run?${asked}&format=${format}`);
      const read = await readFormat(format, bytes);
      const plain = read.rows.map((row) =>
        row.map((value) => String(value as string | number).replaceAll('"', '')),
      );
      expect({ format, ...read, rows: plain }).toMatchObject({
        format,
        names: ['day', 'id'],
        rows,
      });
      expect(headers.get('querydock-next-cursor')).toBe(body.next_cursor);
    }
  });

  it('sort NaN and null last in both directions', async () => {
    const name = await saveQuery(
      test,
      'SELECT arrayJoin([NULL, 2, nan, 1]) AS x, isNaN(x) AS is_nan',
    );
    const up = [
      [1, 0],
      [2, 0],
      [null, 1],
      [null, null],
    ];
    expect(results(await get(name, 'order_by=x'))).toEqual(up);
    const down = [
      [2, 0],
      [1, 0],
      [null, 1],
      [null, null],
    ];
    expect(results(await get(name, 'order_by=-x'))).toEqual(down);
  });

  it('follow a table whose columns change their types, in the minute that a plan is remembered', async () => {
    await test.sql('CREATE TABLE moving (k UInt8, v UInt8) ENGINE = Memory');
    await test.sql('INSERT INTO moving VALUES (1, 1), (2, 2)');
    const name = await saveQuery(test, 'SELECT v, k FROM moving');
    const asked = 'rows=objects&order_by=-k&refresh=force';
    expect(results(await get(name, asked))).toEqual([
      { v: 2, k: 2 },
      { v: 1, k: 1 },
    ]);
    await test.sql('DROP TABLE moving');
    await test.sql('CREATE TABLE moving (k UInt8, v Int128) ENGINE = Memory');
    await test.sql('INSERT INTO moving VALUES (1, 7)');
    const { body } = await get(name, asked);
    expect(body).toMatchObject({
      results: [{ v: '7', k: 1 }],
      types: [
        ['v', 'Int128'],
        ['k', 'UInt8'],
      ],
    });
  });

  it('work with filters, and with a stored table', async () => {
    const filtered = await saveQuery(test, 'SELECT country, amount FROM sales WHERE {filters}');
    const filters = { properties: [{ key: 'amount', operator: 'gt', value: 1 }] };
    const body = {
      filters_override: filters,
      order_by: ['-amount'],
      columns: ['amount'],
      limit: 1,
    };
    const first = await post(filtered, body);
    expect(first.body).toMatchObject({ results: [[3]], hasMore: true });
    const second = await post(filtered, { ...body, cursor: first.body.next_cursor });
    expect(second.body).toMatchObject({ results: [[2]], hasMore: false, next_cursor: null });

    const query = 'SELECT day, id, ratio FROM mixed WHERE kind = {kind:String} ORDER BY day';
    await save(test, 'stored', { query, is_materialized: true });
    const asked = { variables: { kind: 'a' }, rows: 'objects', columns: ['id', 'day'], limit: 5 };
    const pages: unknown[] = [];
    for (let cursor: unknown = ''; cursor !== null; ) {
      // Every other page is read from the source data.
      const refresh = pages.length % 2 === 0 ? 'cache' : 'direct';
      await test.app.materialization.runOnce();
      const { body: page } = await post('stored', { ...asked, cursor, refresh });
      expect(page.endpoint_materialized).toBe(refresh === 'cache');
      pages.push(page.results);
      cursor = page.next_cursor;
    }
    const whole = await post('stored', { ...asked, limit: 100, cursor: '', refresh: 'direct' });
    expect(pages.flat()).toEqual(results(whole));
    expect(pages.length).toBeGreaterThan(3);
  });
});
