/** The rows of a run as NDJSON, CSV, Arrow and Parquet: who gets which, and what is told around them. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { StreamFormat } from '../../src/model/result-format.ts';
import { change, executions, openSalesApp, run, save } from '../rest/support/sales.ts';
import { type EngineRelay, openEngineRelay } from '../support/engine-relay.ts';
import { fetchBytes, loadBytes } from '../support/formats.ts';
import type { TestApp } from '../support/test-app.ts';

const types = {
  ndjson: 'application/x-ndjson; charset=utf-8',
  csv: 'text/csv; charset=utf-8; header=present',
  arrow: 'application/vnd.apache.arrow.stream',
  parquet: 'application/vnd.apache.parquet',
} as const;
const formats = Object.keys(types) as StreamFormat[];
const uuid = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

let relay: EngineRelay;
let test: TestApp;
let name: string;
let number = 0;

beforeAll(async () => {
  relay = await openEngineRelay();
  test = await openSalesApp({ clickhouseUrl: relay.clickhouseUrl, maxRows: 2 });
});
afterAll(async () => {
  await test.close();
  await relay.close();
});

beforeEach(async () => {
  test.clock.set('2026-03-01T12:00:00.000Z');
  number += 1;
  name = `rows_${number}`;
  await save(test, name, {
    query: 'SELECT country, amount FROM sales WHERE amount < {most:UInt32} ORDER BY amount',
    cache_age_seconds: 60,
  });
});

const path = (query = '') => `${name}/run?variables[most]=9${query}`;
const get = (query = '', headers: Readonly<Record<string, string>> = {}) =>
  fetchBytes(test, path(query), { headers });
const csv = '"country","amount"\r\n"at",1\r\n"de",2\r\n"de",3\r\n';
const ndjson =
  '{"country":"at","amount":1}\n{"country":"de","amount":2}\n{"country":"de","amount":3}\n';

/** The rows as the engine reads them out of the bytes. */
async function rowsIn(format: StreamFormat, bytes: Buffer): Promise<string> {
  const table = `back_${number}_${format}`;
  await test.sql(`CREATE TABLE ${table} (country String, amount UInt32) ENGINE = Memory`);
  await loadBytes(test, { table, format, bytes });
  return test.sql(`SELECT country, amount FROM ${table} ORDER BY amount FORMAT CSV`);
}

describe('200', () => {
  it.each(formats)(
    'has the rows as %s, by either name and method, requested by format or Accept',
    async (format) => {
      const { bytes } = await get(`&format=${format}`);
      const type = types[format].split(';')[0] ?? '';
      const responses = [
        await get(`&format=${format}&refresh=force`),
        await get('&refresh=force', { accept: type }),
        await fetchBytes(test, `${name}/run`, { body: { variables: { most: 9 }, format } }),
        await fetchBytes(test, `${name}/run`, {
          body: { variables: { most: 9 }, format: null },
          headers: { accept: type },
        }),
      ];
      for (const response of responses) {
        expect(response.status).toBe(200);
        expect(response.headers.get('content-type')).toBe(types[format]);
        if (format === 'csv' || format === 'ndjson') expect(response.bytes).toEqual(bytes);
        expect(await rowsIn(format, response.bytes)).toBe('"at",1\n"de",2\n"de",3\n');
        await test.sql(`DROP TABLE back_${number}_${format}`);
      }
    },
  );

  it('is RFC 4180 for CSV, and a line for each row for NDJSON', async () => {
    expect((await get('&format=csv')).text).toBe(csv);
    expect((await get('&format=ndjson')).text).toBe(ndjson);
  });

  it('has in headers what JSON has around its rows', async () => {
    const { headers } = await get('&format=csv');
    expect(headers.get('querydock-execution-id')).toMatch(uuid);
    expect(Object.fromEntries(headers)).toMatchObject({
      'querydock-endpoint-version': '1',
      'querydock-served-from': 'inline',
      'querydock-is-cached': 'false',
      'querydock-last-refresh': '2026-03-01T12:00:00.000Z',
      'querydock-materialized': 'false',
      'querydock-has-more': 'false',
      'querydock-rows': '3',
      age: '0',
      'cache-control': 'private, max-age=60',
      etag: expect.stringMatching(/^"[\w-]{20,}"$/),
      vary: expect.stringContaining('Accept'),
    });
  });

  it('has all rows when no limit is named, past the maximum that JSON has', async () => {
    const { body } = await test.rest('GET', `/endpoints/${path()}`);
    expect(body).toMatchObject({ limit: 2, hasMore: true });
    expect((await get('&format=csv')).text).toBe(csv);
    expect((await get('&format=csv&limit=3')).text).toBe(csv);
  });

  it.each([
    ['limit=2', '1\n2\n', 'true', '2'],
    ['limit=3', '1\n2\n3\n', 'false', '3'],
    ['limit=4', '1\n2\n3\n', 'false', '3'],
    ['limit=1&offset=1', '2\n', 'true', '1'],
    ['limit=1&offset=2', '3\n', 'false', '1'],
    ['offset=2', '3\n', 'false', '1'],
    ['offset=3', '', 'false', '0'],
    ['limit=1&offset=9007199254740990', '', 'false', '0'],
  ])('with %s tells truly whether there is more', async (query, amounts, hasMore, rows) => {
    for (const format of formats) {
      const { status, headers, bytes } = await get(`&format=${format}&${query}`);
      expect(status).toBe(200);
      expect(headers.get('querydock-has-more')).toBe(hasMore);
      expect(headers.get('querydock-rows')).toBe(rows);
      const table = `part_${number}_${format}_${query.replace(/\W/g, '_')}`;
      await test.sql(`CREATE TABLE ${table} (amount UInt32) ENGINE = Memory`);
      await loadBytes(test, { table, format, bytes });
      expect(await test.sql(`SELECT amount FROM ${table} FORMAT CSV`)).toBe(amounts);
    }
  });

  it('gives two columns of one name different names', async () => {
    await save(test, `twice_${name}`, {
      query: 'SELECT country, country, amount AS country_2, toInt128(amount) FROM sales LIMIT 1',
    });
    const { text } = await fetchBytes(test, `twice_${name}/run?format=csv`);
    expect(text.split('\r\n')[0]).toBe('"country","country_3","country_2","toInt128(amount)"');
    const lines = (await fetchBytes(test, `twice_${name}/run?format=ndjson`)).text;
    expect(JSON.parse(lines)).toMatchObject({ 'toInt128(amount)': expect.any(String) });
  });

  it('has the quotes and breaks of names and values in CSV as RFC 4180 wants', async () => {
    await save(test, `odd_${name}`, {
      query: "SELECT 'a,\"b\"\n c' AS `x\"y, z`, '' AS e, CAST(NULL AS Nullable(String)) AS n",
    });
    const { text, headers } = await fetchBytes(test, `odd_${name}/run?format=csv`);
    expect(text).toBe('"x""y, z","e","n"\r\n"a,""b""\n c","",\r\n');
    expect(headers.get('querydock-rows')).toBe('1');
  });
});

describe('which format', () => {
  it.each([
    [null, 'application/json'],
    ['', 'application/json'],
    ['*/*', 'application/json'],
    ['application/*', 'application/json'],
    ['text/*', 'text/csv'],
    ['text/html, */*;q=0.1', 'application/json'],
    ['application/json, text/plain, */*', 'application/json'],
    ['text/csv, */*', 'text/csv'],
    ['*/*, text/csv;q=0.9', 'application/json'],
    ['text/csv;q=0.5, application/x-ndjson;q=0.7', 'application/x-ndjson'],
    ['TEXT/CSV ; header=present ; Q=1.000', 'text/csv'],
    ['application/json;q=0, */*', 'application/x-ndjson'],
    ['text/csv;q=2, application/x-ndjson', 'application/x-ndjson'],
    ['nonsense, text/csv', 'text/csv'],
    ['application/vnd.apache.parquet, application/vnd.apache.arrow.stream;q=0.9', types.parquet],
  ])('is chosen by Accept: %s', async (accept, type) => {
    const { status, headers } = await get('', accept === null ? {} : { accept });
    expect([status, headers.get('content-type')?.split(';')[0]]).toEqual([200, type]);
  });

  it('is the one that is named, whatever Accept asks for', async () => {
    const { headers } = await get('&format=csv', { accept: 'application/json' });
    expect(headers.get('content-type')).toBe(types.csv);
    const { body } = await test.rest('POST', `/endpoints/${path('&format=csv')}`, {
      body: { format: 'json' },
      headers: { accept: 'text/csv' },
    });
    expect(body).toMatchObject({ name });
  });

  it.each(['text/html', 'application/json;q=0', '*/*;q=0', 'image/*, text/csv;q=0'])(
    '406 for Accept: %s, before anything runs',
    async (accept) => {
      const { status, headers, text } = await get('', { accept });
      expect(status).toBe(406);
      expect(headers.get('content-type')).toContain('application/json');
      expect(JSON.parse(text)).toMatchObject({
        type: 'invalid_request',
        code: 'not_acceptable',
        detail: expect.stringContaining('text/csv'),
        attr: null,
      });
      expect(await executions(test, name)).toBe(0);
    },
  );

  it('means nothing to other routes', async () => {
    const response = await test.rest('GET', '/endpoints', { headers: { accept: 'text/html' } });
    expect(response.status).toBe(200);
  });
});

describe('400', () => {
  it.each([
    ['format', '&format=xml'],
    ['format', '&format=CSV'],
    ['debug', '&format=csv&debug=true'],
    ['limit', '&format=csv&limit=0'],
  ])('%s in %s', async (attr, query) => {
    const { status, text } = await get(query);
    expect(status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({ code: 'invalid_input', attr });
  });

  it('a query that fails is reported as JSON, and its status has the format', async () => {
    await save(test, `failing_${name}`, {
      query: "SELECT throwIf(amount = 3, 'no') AS x FROM sales",
    });
    const { status, text, headers } = await fetchBytes(test, `failing_${name}/run?format=parquet`);
    expect(status).toBe(400);
    expect(headers.get('content-type')).toContain('json');
    expect(JSON.parse(text)).toMatchObject({ code: 'query_failed' });
    expect(await statuses(`failing_${name}`)).toMatchObject([
      { format: 'parquet', errorCode: 'query_failed', resultRows: 0n },
    ]);
  });
});

describe('access', () => {
  it.each(formats)('is that of every run for %s', async (format) => {
    const query = path(`&format=${format}`);
    expect((await fetchBytes(test, query, { key: null })).status).toBe(401);
    expect((await fetchBytes(test, query, { key: test.other.readKey })).status).toBe(403);
    expect((await fetchBytes(test, query, { key: test.project.readKey })).status).toBe(200);
    await change(test, name, { is_active: false });
    expect((await fetchBytes(test, query)).status).toBe(404);
  });

  it('reads the tables of the project alone', async () => {
    await save(test, name, { query: 'SELECT country, amount FROM sales' }, test.other);
    const other = await fetchBytes(test, `${name}/run?format=csv`, { project: test.other });
    expect(other.text).toBe('"country","amount"\r\n"fr",9\r\n');
  });
});

describe('a small result', () => {
  it.each(formats)('of %s is cached, apart from other formats', async (format) => {
    await run(test, name, { variables: { most: 9 } });
    const first = await get(`&format=${format}`);
    expect(first.headers.get('querydock-is-cached')).toBe('false');
    await test.sql("INSERT INTO sales VALUES ('pl', 4, '2026-01-01', NULL)");
    test.clock.advance(20_500);
    const second = await get(`&format=${format}`);
    await test.sql('ALTER TABLE sales DELETE WHERE amount = 4 SETTINGS mutations_sync = 2');
    expect(second.bytes).toEqual(first.bytes);
    expect(Object.fromEntries(second.headers)).toMatchObject({
      'querydock-is-cached': 'true',
      'querydock-served-from': 'cache',
      'querydock-execution-id': first.headers.get('querydock-execution-id'),
      'querydock-rows': '3',
      age: '20',
      'cache-control': 'private, max-age=60',
    });
    expect(await executions(test, name)).toBe(2);
  });

  it('is returned only in the format that it was computed for', async () => {
    const asked = ['json', ...formats].map((format) => `&limit=2&format=${format}`);
    const first = await Promise.all(asked.map((query) => get(query)));
    expect(new Set(first.map(({ bytes }) => bytes.toString('latin1'))).size).toBe(5);
    for (const [at, query] of asked.slice(1).entries()) {
      const again = await get(query);
      expect(again.headers.get('querydock-is-cached')).toBe('true');
      expect(again.bytes).toEqual(first[at + 1]?.bytes);
    }
    expect(await executions(test, name)).toBe(5);
  });

  it('has a tag of its own, and is 304 while it is the same', async () => {
    const tagged = await get('&format=csv');
    const tag = tagged.headers.get('etag') ?? '';
    const again = await get('&format=csv', { 'if-none-match': tag });
    expect([again.status, again.text]).toEqual([304, '']);
    expect((await get('&format=ndjson', { 'if-none-match': tag })).status).toBe(200);
    expect((await get('', { 'if-none-match': tag })).status).toBe(200);
    expect((await get('&format=csv&refresh=force', { 'if-none-match': tag })).status).toBe(200);
  });

  it('is computed once for all callers at once', async () => {
    await Promise.all([get('&format=csv'), get('', { accept: 'text/csv' }), get('&format=csv')]);
    expect(await executions(test, name)).toBe(1);
  });

  it('has the headers of its GET by HEAD', async () => {
    await get('&format=csv');
    const full = await get('&format=csv');
    const head = await fetchBytes(test, path('&format=csv'), { method: 'HEAD' });
    expect([head.status, head.bytes.length]).toEqual([200, 0]);
    for (const header of ['etag', 'content-type', 'querydock-rows', 'cache-control']) {
      expect(head.headers.get(header)).toBe(full.headers.get(header));
    }
  });

  it('is returned stale as JSON is', async () => {
    const { text } = await get('&format=csv');
    test.clock.advance(61_000);
    const stale = await relay.outage(() => get('&format=csv&stale_if_error_seconds=60'));
    expect([stale.status, stale.text]).toEqual([200, text]);
    expect(stale.headers.get('querydock-stale')).toBe('engine_unavailable');
    const without = await relay.outage(() => get('&format=csv'));
    expect([without.status, JSON.parse(without.text)]).toMatchObject([
      503,
      { code: 'engine_unavailable' },
    ]);
  });

  it('has a status with format, rows and bytes', async () => {
    for (const format of formats) {
      const { bytes } = await get(`&format=${format}&client_query_id=mine_${format}`);
      const [status] = (await statuses(name)).filter((one) => one.format === format);
      expect(status).toMatchObject({
        clientQueryId: `mine_${format}`,
        resultRows: 3n,
        resultBytes: BigInt(bytes.length),
        rowsRead: 3n,
        errorCode: null,
        endTime: expect.any(Date),
      });
    }
    const { body } = await test.graphql(
      '{ queryStatus(projectId: "@current", id: "mine_arrow") { format resultRows } }',
    );
    expect(body.data).toEqual({ queryStatus: { format: 'arrow', resultRows: 3 } });
  });
});

async function statuses(endpointName: string) {
  await test.app.core.recorder.flush();
  return test.backends.metadata.prisma.queryStatus.findMany({
    where: { projectId: test.project.id, endpointName },
    orderBy: { id: 'asc' },
  });
}
