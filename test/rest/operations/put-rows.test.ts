import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpListener } from '../../../src/server/node-server.ts';
import { eventually } from '../../support/eventually.ts';
import { openTestApp, type TestApp, type TestProject } from '../../support/test-app.ts';

let app: TestApp;
let listener: HttpListener;
let dataDir: string;
let key: string;

const maxLoadBytes = 262_144;

interface Put {
  readonly type?: string;
  readonly query?: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly project?: TestProject;
}

async function put(table: string, body: string | Uint8Array<ArrayBuffer>, options: Put = {}) {
  const { type = 'text/csv', query = '', project = app.project } = options;
  const url = `http://127.0.0.1:${listener.port}/api/projects/${project.id}/tables/${table}/rows${query}`;
  const response = await fetch(url, {
    method: 'PUT',
    headers: {
      authorization: `Bearer ${options.key ?? key}`,
      'content-type': type,
      ...options.headers,
    },
    body,
  });
  const answer = (await response.json()) as Readonly<Record<string, unknown>>;
  return { status: response.status, headers: response.headers, body: answer };
}

const rowsOf = async (table: string) =>
  (await app.sql(`SELECT * FROM ${table} ORDER BY ALL FORMAT CSV`)).trim().replaceAll('"', '');
const spooled = () => readdir(join(dataDir, 'tmp')).catch(() => []);

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'querydock-test-rows-'));
  app = await openTestApp({ dataDir, maxLoadBytes, port: 0, maxLoads: 1 });
  listener = await app.app.start();
  ({ key } = await app.issueKey({ scopes: ['data:write'], projects: [app.project] }));
});

afterAll(async () => {
  await app.close();
  await rm(dataDir, { recursive: true, force: true });
});

describe('PUT /tables/:table/rows', () => {
  it.each([
    'SELECT * FROM swapped',
    'SELECT /* all */ * FROM swapped',
    'SELECT DISTINCT ON (a) * FROM swapped',
  ])('names the columns as they are after a replacement in %s', async (query) => {
    const names = async () => {
      const { body } = await app.rest('POST', '/query', { body: { query, rows: 'objects' } });
      return body.results;
    };
    expect((await put('swapped', 'a,b\nx,y\n', { query: '?force=true' })).status).toBe(200);
    expect(await names()).toEqual([{ a: 'x', b: 'y' }]);
    await put('swapped', 'b,a\nx,y\n', { query: '?force=true' });
    expect(await names()).toEqual([{ b: 'x', a: 'y' }]);
  });

  it('leaves a view of the name alone', async () => {
    await app.sql('CREATE VIEW seen AS SELECT 1 AS a');
    const { status, body } = await put('seen', 'a\n2\n');
    expect([status, body.code]).toEqual([400, 'invalid_input']);
    expect(await rowsOf('seen')).toBe('1');
  });

  it('creates a table, replaces its rows and appends to them', async () => {
    const made = await put('fruit', 'name,n\npear,1\nfig,2\n');
    expect(made).toMatchObject({ status: 200 });
    expect(made.body).toEqual({
      table: 'fruit',
      mode: 'replace',
      rows: 2,
      columns: [
        { name: 'name', type: 'String' },
        { name: 'n', type: 'Int64' },
      ],
    });
    const ndjson = await put('fruit', '{"name":"kiwi","n":3}\n', { type: 'application/x-ndjson' });
    expect(ndjson.body).toMatchObject({ rows: 1 });
    expect(await rowsOf('fruit')).toBe('kiwi,3');
    const more = gzipSync('name\tn\nplum\t4\n');
    const appended = await put('fruit', more, {
      type: 'text/tab-separated-values',
      query: '?mode=append',
      headers: { 'content-encoding': 'gzip' },
    });
    expect(appended.body).toMatchObject({ mode: 'append', rows: 1 });
    expect(await rowsOf('fruit')).toBe('kiwi,3\nplum,4');
    expect(await spooled()).toEqual([]);
    const { rows } = await app.backends.metadata.pool.query<{ readonly action: string }>(
      "SELECT action, api_key_id FROM audit_entry WHERE action LIKE 'data.%' ORDER BY sequence LIMIT 2",
    );
    expect(rows).toMatchObject([
      { action: 'data.load', api_key_id: expect.any(String) },
      { action: 'data.loaded', api_key_id: expect.any(String) },
    ]);
  });

  describe('with options', () => {
    const at = (options: Readonly<Record<string, string>>) =>
      `?${new URLSearchParams(options).toString()}`;
    const semicolons = 'id;price;note\n2;1.10;NA\n1;20.05;x\n';

    it('reads other delimiters, texts for NULL and types, and sorts the table', async () => {
      const types = JSON.stringify({ price: 'Decimal(18, 2)', id: 'UInt32' });
      const query = at({ delimiter: ';', null_as: 'NA', types, order_by: 'id' });
      const { status, body } = await put('priced', semicolons, { query });
      expect([status, body.columns]).toEqual([
        200,
        [
          { name: 'id', type: 'UInt32' },
          { name: 'price', type: 'Decimal(18, 2)' },
          { name: 'note', type: 'Nullable(String)' },
        ],
      ]);
      expect(await rowsOf('priced')).toBe('1,20.05,x\n2,1.1,\\N');
      const key = "SELECT sorting_key FROM system.tables WHERE name = 'priced' FORMAT TSV";
      expect((await app.sql(key)).trim()).toBe('(id)');
      const more = await put('priced', 'id|price|note\n3|7|NA\n', {
        query: at({ mode: 'append', delimiter: '|', null_as: 'NA' }),
      });
      expect(more.body).toMatchObject({ rows: 1 });
      expect(await rowsOf('priced')).toBe('1,20.05,x\n2,1.1,\\N\n3,7,\\N');
    });

    it('gives the types of data without rows and of values that differ', async () => {
      const types = JSON.stringify({ 'a "b"': 'Date', v: 'String' });
      const none = await put('typed', '"a ""b""",v\n', { query: at({ types, mode: 'create' }) });
      expect(none.body).toMatchObject({ rows: 0, columns: [{ type: 'Date' }, { type: 'String' }] });
      const mixed = await put('typed', '[{"v": 1}, {"v": {"x": 2}}]', {
        type: 'application/json',
        query: at({ types: '{"v": "String"}' }),
      });
      expect(mixed.body).toMatchObject({ rows: 2, columns: [{ name: 'v', type: 'String' }] });
    });

    it.each([
      [{ delimiter: ';;' }, 'delimiter', 'must be one character'],
      [{ delimiter: 'a' }, 'delimiter', 'must be one character'],
      [{ format: 'ndjson', delimiter: ';' }, 'delimiter', 'CSV and TSV only, not to ndjson'],
      [{ format: 'parquet', null_as: '-' }, 'null_as', 'CSV and TSV only, not to parquet'],
      [{ types: 'a=String' }, 'types', 'must be a JSON object'],
      [{ types: '["String"]' }, 'types', 'must be a JSON object'],
      [{ types: '{"a": 1}' }, 'types', 'must be a JSON object'],
      [{ types: '{"c": "String"}' }, 'types', 'the column c, which the data has not. It has a, b.'],
      [{ types: '{"a": "Int32) ENGINE = Null --"}' }, 'types', 'is not a ClickHouse type'],
      [{ types: '{"a": "Wrong"}' }, null, 'Wrong'],
      [{ types: '{"a": "AggregateFunction(sum, Int64)"}' }, null, 'is not accepted'],
      [
        { types: '{"b": "UInt8"}' },
        null,
        'line 2: the value of b is missing or is not a valid UInt8',
      ],
      [{ order_by: 'c' }, 'order_by', 'sorted by c, which is not a column'],
      [{ order_by: 'a', mode: 'append' }, 'order_by', 'with mode=append it keeps its order'],
    ])('refuses %j', async (options, attr, detail) => {
      const { status, body } = await put('refused', 'a,b\n1,x\n', { query: at(options) });
      expect([status, body.attr, body.detail]).toEqual([
        400,
        attr,
        expect.stringContaining(detail),
      ]);
      expect(await app.sql('EXISTS refused')).toBe('0\n');
    });

    it('says which option a CSV with another delimiter needs', async () => {
      const { body } = await put('refused', semicolons);
      expect(body.detail).toContain('3 by semicolons');
      expect(body.detail).toContain('the query parameter delimiter');
    });
  });

  it('appends to a table with columns that are computed from others, which the data leaves out', async () => {
    await app.sql(
      'CREATE TABLE doubled (a Int64, b Int64 MATERIALIZED a * 2, c Int64 ALIAS a * 3) ENGINE = MergeTree ORDER BY a',
    );
    const append = { query: '?mode=append' };
    expect((await put('doubled', 'a\n1\n2\n', append)).body).toMatchObject({ rows: 2 });
    expect((await app.sql('SELECT a, b, c FROM doubled ORDER BY a FORMAT CSV')).trim()).toBe(
      '1,2,3\n2,4,6',
    );
    for (const name of ['b', 'c']) {
      const { status, body } = await put('doubled', `a,${name}\n3,3\n`, append);
      expect([status, body.detail]).toEqual([
        400,
        `The rows cannot be appended to doubled: its column ${name} is computed from the others. Leave it out.`,
      ]);
    }
    const none = await put('doubled', '[]', { type: 'application/json', ...append });
    expect(none.body).toMatchObject({ rows: 0 });
    expect(await rowsOf('doubled')).toBe('1\n2');
  });

  it('names the constraint that a row breaks, and does not quote the row', async () => {
    await app.sql(
      'CREATE TABLE positive (a Int64, CONSTRAINT above CHECK a > 0) ENGINE = MergeTree ORDER BY a',
    );
    const { status, body } = await put('positive', 'a\n1\n-7\n', { query: '?mode=append' });
    expect([status, body.detail]).toEqual([
      400,
      'The body has a row that breaks the constraint above of the table, which requires a > 0.',
    ]);
    expect(await rowsOf('positive')).toBe('');
  });

  it('creates the table that rows are appended to', async () => {
    const made = await put('fresh', '[{"a":1},{"a":2}]', {
      type: 'application/json',
      query: '?mode=append',
    });
    expect(made.body).toMatchObject({ mode: 'append', rows: 2 });
    expect(await rowsOf('fresh')).toBe('1\n2');
  });

  it('makes a table that must be new, and leaves one alone that exists', async () => {
    const made = await put('novel', 'a\n1\n', { query: '?mode=create' });
    expect(made).toMatchObject({ status: 200, body: { mode: 'create', rows: 1 } });
    const again = await put('novel', 'a\n2\n', { query: '?mode=create' });
    expect(again).toMatchObject({ status: 400, body: { code: 'unique', attr: 'table' } });
    expect(again.body.detail).toContain('mode=append');
    expect(await rowsOf('novel')).toBe('1');
    const other = await put('novel', 'a\n1\n', { query: '?mode=add' });
    expect(other).toMatchObject({ status: 400, body: { attr: 'mode' } });
  });

  it('loads the own output of runs, which then see the new rows', async () => {
    await put('source', 'id,price\n1,2.5\n2,3.5\n');
    await app.rest('POST', '/endpoints', {
      body: { name: 'prices', query: 'SELECT id, price FROM source ORDER BY id' },
    });
    for (const format of ['arrow', 'parquet']) {
      const run = await app.app.fetch(
        new Request(
          `http://querydock.test/api/projects/${app.project.id}/endpoints/prices/run?format=${format}`,
          { headers: { authorization: `Bearer ${app.project.readKey}` } },
        ),
      );
      const type = run.headers.get('content-type') ?? '';
      const copied = await put('copied', new Uint8Array(await run.arrayBuffer()), { type });
      expect(copied.body).toMatchObject({ rows: 2 });
      expect(await rowsOf('copied')).toBe('1,2.5\n2,3.5');
    }
    const before = await app.rest('POST', '/endpoints/prices/run');
    expect((await app.rest('POST', '/endpoints/prices/run')).body.is_cached).toBe(true);
    expect((await put('source', 'id,price\n7,8.5\n')).status).toBe(200);
    const after = await app.rest('POST', '/endpoints/prices/run');
    expect(before.body.results).toHaveLength(2);
    expect(after.body).toMatchObject({ is_cached: false, results: [[7, 8.5]] });
  });

  it('names the line of a malformed row, and changes nothing', async () => {
    await put('kept', 'a,b\n1,2\n');
    const uneven = await put('kept', 'a,b\n1,2\n3\n4,5,6\n');
    expect(uneven).toMatchObject({ status: 400, body: { code: 'invalid_input' } });
    expect(uneven.body.detail).toMatch(/^The body, line 3\b/);
    const wrong = await put('kept', 'a,b\n1,2\n3,x\n', { query: '?mode=append' });
    expect(wrong).toMatchObject({ status: 400, body: { code: 'invalid_input' } });
    expect(wrong.body.detail).toContain('line 3');
    const torn = gzipSync('a,b\n1,2\n').subarray(0, 15);
    expect(await put('kept', torn)).toMatchObject({ status: 400, body: { code: 'invalid_input' } });
    expect(await put('kept', '')).toMatchObject({ status: 400, body: { code: 'invalid_input' } });
    expect(await put('kept', new Uint8Array([97, 10, 255, 10]))).toMatchObject({ status: 400 });
    expect(await rowsOf('kept')).toBe('1,2');
    expect(await spooled()).toEqual([]);
  });

  it.each([
    ['a quote that does not end', 'a,b\n1,"x\n2,y\n', 'line 2: it is incomplete'],
    [
      'a text behind a quoted one',
      'a,b\n1,x\n2,"y" z\n',
      'line 3: a text follows its closing quote',
    ],
    ['a blank line among rows of several fields', 'a,b\n1,x\n\n2,y\n', 'line 3: it is empty'],
    ['a header without rows', 'a,b\n', 'has no rows, so the types of its columns are not known'],
    ['two columns of a name', 'a,a\n1,2\n', 'The body has several columns with the name a.'],
    ['a column without a name', 'a,\n1,2\n', 'The body has a column without a name in its header.'],
    ['nothing', '', 'could not be read as CSV: The file is empty'],
  ])('refuses a CSV with %s', async (_what, body, reason) => {
    const { status, body: answer } = await put('refused', body);
    expect([status, answer.attr]).toEqual([400, null]);
    expect(answer.detail).toContain(reason);
    expect(
      (await app.app.core.engine.tables(app.project.id)).map(({ name }) => name),
    ).not.toContain('refused');
  });

  it.each([
    ['zip codes and phone numbers', 'v\n00501\n+4930123\n', 'String', '+4930123\n00501'],
    ['negative numbers with leading zeros', 'v\n-007\n12\n', 'String', '-007'],
    ['plain integers', 'v\n0\n-5\n10\n', 'Int64', '-5'],
    [
      'dates that begin with the day or the month',
      'v\n01/02/2024\n12/31/2024\n',
      'String',
      '01/02/2024',
    ],
    ['times in ISO 8601', 'v\n2024-01-02T03:04:05Z\n', 'DateTime', '2024-01-02 03:04:05'],
    [
      'many digits behind the point',
      'v\n0.1234567890123456789\n1.10\n',
      'Decimal(38, 19)',
      '0.1234567890123456789',
    ],
    [
      'numbers with the digits of a double',
      'v\n0.30000000000000004\n2.5\n',
      'Float64',
      '0.30000000000000004',
    ],
    ['numbers in scientific notation', 'v\n1e-7\n-2.5E+10\n3\n', 'Float64', '-25000000000'],
    ['hashes that look like it', 'v\n12e45\n1e5\n', 'String', '12e45\n1e5'],
    ['numbers beyond a double', 'v\n1e999\n1\n', 'String', '1\n1e999'],
    [
      'integers of more than 64 bits',
      'v\n170141183460469231731687303715884105\n1\n',
      'Int128',
      '1\n170141183460469231731687303715884105',
    ],
  ])('keeps %s as they are written', async (_what, body, type, first) => {
    const loaded = await put('written', body);
    expect(loaded.body).toMatchObject({ columns: [{ name: 'v', type }] });
    expect((await rowsOf('written')).startsWith(first)).toBe(true);
  });

  it('refuses NDJSON whose members have no names', async () => {
    const { status, body } = await put('refused', '{"":1}\n', { type: 'application/x-ndjson' });
    expect([status, body.detail]).toEqual([400, 'The body has rows whose members have no names.']);
  });

  it.each([
    ['a later row', '{"a":1}\n{"a":2,"":3}\n', 'The body, line 2: it has'],
    ['the first row', '{"a":1,"":2}\n', 'The body, line 1: it has'],
    ['an object within a row', '{"a":1}\n\n{"a":{"b":{"":2}}}\n', 'The body, line 3: it has'],
    ['a row of an array on one line', '[{"a":1},{"a":2,"":3}]', 'The body, row 2: it has'],
  ])('says which row has a member without a name: %s', async (_which, body, where) => {
    const type = body.startsWith('[') ? 'application/json' : 'application/x-ndjson';
    const accepted = 'a member without a name; each needs one, as in {"id": 1}.';
    const refused = await put('refused', body, { type });
    expect([refused.status, refused.body.detail]).toEqual([400, `${where} ${accepted}`]);
    await put('named', '{"a":1}\n', { type });
    const appended = await put('named', body, { type, query: '?mode=append' });
    expect([appended.status, appended.body.detail]).toEqual([400, `${where} ${accepted}`]);
    expect(await rowsOf('named')).toBe('1');
  });

  it('keeps long numbers and dates of NDJSON as they are written', async () => {
    const body = '{"d":"01/02/2024","n":12345678901234567890123}\n{"d":"x","n":1}\n';
    const { status, body: answer } = await put('written', body, { type: 'application/x-ndjson' });
    expect([status, answer.columns]).toEqual([
      200,
      [
        { name: 'd', type: 'String' },
        { name: 'n', type: 'Int128' },
      ],
    ]);
    expect(await rowsOf('written')).toBe('01/02/2024,12345678901234567890123\nx,1');
  });

  it.each(['arrow', 'parquet'])(
    'replaces a table by %s without rows, with its types',
    async (format) => {
      await put('typed', 'a,b\n1,2\n');
      const query = 'SELECT 1::Int32 AS a, 2::UInt8 AS b WHERE a = 0';
      const run = await app.app.fetch(
        new Request(`http://querydock.test/api/projects/${app.project.id}/query`, {
          method: 'POST',
          headers: {
            authorization: `Bearer ${app.project.writeKey}`,
            'content-type': 'application/json',
          },
          body: JSON.stringify({ query, format }),
        }),
      );
      const type = run.headers.get('content-type') ?? '';
      const answer = await put('typed', new Uint8Array(await run.arrayBuffer()), { type });
      expect([answer.status, answer.body.rows, answer.body.columns]).toEqual([
        200,
        0,
        [
          { name: 'a', type: 'Int32' },
          { name: 'b', type: 'UInt8' },
        ],
      ]);
      expect(await rowsOf('typed')).toBe('');
    },
  );

  it('takes data without rows into a table that exists, with its types', async () => {
    await put('emptied', 'id,price\n1,2.5\n');
    const columns = [
      { name: 'id', type: 'Int64' },
      { name: 'price', type: 'Float64' },
    ];
    const json = { type: 'application/json' };
    const lines = { type: 'application/x-ndjson' };
    const append = { query: '?mode=append' };
    for (const [body, options] of [
      ['id,price\n', append],
      ['', { ...lines, ...append }],
      ['[]', { ...json, ...append }],
    ] as const) {
      const { status, body: answer } = await put('emptied', body, options);
      expect([status, answer.rows, answer.columns]).toEqual([200, 0, columns]);
    }
    expect(await rowsOf('emptied')).toBe('1,2.5');
    // What may be left of an upload that failed does not replace a table.
    const blank = await put('emptied', '', lines);
    expect([blank.status, blank.body.detail]).toEqual([400, expect.stringContaining('is empty')]);
    expect((await put('emptied', 'id,other\n')).status).toBe(400);
    expect(await rowsOf('emptied')).toBe('1,2.5');
    expect((await put('emptied', 'price,id\n')).body).toMatchObject({
      rows: 0,
      columns: columns.toReversed(),
    });
    expect(await rowsOf('emptied')).toBe('');
  });

  it('takes quotes within a field as they are', async () => {
    const body = 'a,b\n5"" pipe,"say ""x"""\n6" pipe,"y,\nz"\n';
    expect((await put('quotes', body)).body).toMatchObject({ rows: 2 });
    const rows = await app.sql('SELECT * FROM quotes ORDER BY a FORMAT JSONCompactEachRow');
    expect(
      rows
        .trim()
        .split('\n')
        .map((row) => JSON.parse(row) as unknown),
    ).toEqual([
      ['5"" pipe', 'say "x"'],
      ['6" pipe', 'y,\nz'],
    ]);
  });

  it('takes blank lines at the end of a CSV', async () => {
    expect((await put('blank', 'a,b\n1,x\n\n\n')).body).toMatchObject({ rows: 1 });
    expect(await rowsOf('blank')).toBe('1,x');
  });

  it('takes thousands of columns', async () => {
    const columns = Array.from({ length: 2500 }, (_, at) => `column_${at}`);
    const body = [columns, columns.map((_, at) => at)].map((row) => `${row.join(',')}\n`);
    expect((await put('wide', body.join(''))).body).toMatchObject({ rows: 1 });
    expect((await put('wide', body.join(''), { query: '?mode=append' })).status).toBe(200);
    expect((await app.sql('SELECT sum(column_0), sum(column_2499) FROM wide')).trim()).toBe(
      '0\t4998',
    );
  });

  it.each([
    ['semicolons', 'id;name\n1;a\n', 'text/csv', 'separate the fields by commas, or quote'],
    ['commas for tabs', 'id,name\n', 'text/tab-separated-values', 'separate the fields by tabs'],
    ['a text and an object', '{"v":"x"}\n{"v":{"a":1}}\n', 'application/x-ndjson', 'values of v '],
    ['lines that end with CR', 'id,name\r1,a\r', 'text/csv', 'End each with LF or CRLF'],
    ['xz', new Uint8Array([0xfd, 0x37, 0x7a, 0x58, 0x5a, 0, 0]), 'text/csv', 'compressed as xz'],
  ])('says of %s what is accepted, and changes nothing', async (_, body, type, detail) => {
    await put('untouched', 'id,name\n1,a\n');
    const answer = await put('untouched', body, { type });
    expect(answer).toMatchObject({ status: 400, body: { code: 'invalid_input', attr: null } });
    expect(answer.body.detail).toContain(detail);
    expect(await rowsOf('untouched')).toBe('1,a');
  });

  it('refuses what would break saved endpoints, unless it is forced', async () => {
    await put('used', 'id,price\n1,2\n');
    await app.rest('POST', '/endpoints', {
      body: { name: 'uses_price', query: 'SELECT price FROM used' },
    });
    const refused = await put('used', 'id\n1\n');
    expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_input', attr: 'force' } });
    expect(refused.body.detail).toContain('uses_price (version 1)');
    expect(await rowsOf('used')).toBe('1,2');
    expect(await put('used', 'id\n1\n', { query: '?force=true' })).toMatchObject({ status: 200 });
    expect(await rowsOf('used')).toBe('1');
  });

  it('leaves nothing behind when the caller goes away', async () => {
    await put('left', 'a\n1\n');
    const socket = connect(listener.port, '127.0.0.1');
    socket.write(
      `PUT /api/projects/${app.project.id}/tables/left/rows HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: text/csv\r\ncontent-length: 1000\r\n\r\na\n2\n`,
    );
    await eventually('the body is on disk', async () => (await spooled()).length === 1);
    socket.destroy();
    await once(socket, 'close');
    await eventually('the file is gone', async () => (await spooled()).length === 0);
    expect(await rowsOf('left')).toBe('1');
    // The slot of the load is free again.
    expect(await put('left', 'a\n3\n')).toMatchObject({ status: 200 });
  });

  it('runs so many loads at once, and answers the others', async () => {
    const socket = connect(listener.port, '127.0.0.1');
    socket.write(
      `PUT /api/projects/${app.project.id}/tables/slow/rows HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${key}\r\ncontent-type: text/csv\r\ncontent-length: 4\r\n\r\na\n`,
    );
    await eventually('the body is on disk', async () => (await spooled()).length === 1);
    const refused = await put('slow', 'a\n2\n');
    expect(refused).toMatchObject({ status: 503, body: { code: 'query_capacity' } });
    expect(refused.headers.get('retry-after')).toBe('5');
    const answered = once(socket, 'data');
    socket.write('1\n');
    const answer = await answered;
    expect(String(answer[0])).toContain('HTTP/1.1 200');
    socket.destroy();
    expect(await rowsOf('slow')).toBe('1');
  });

  it('limits the body by its length, as it arrives, and without its compression', async () => {
    const large = `a\n${'1\n'.repeat(maxLoadBytes / 2)}`;
    const tooLarge = { status: 413, body: { code: 'body_too_large' } };
    expect(await put('large', large)).toMatchObject(tooLarge);
    expect(await put('large', gzipSync(large))).toMatchObject(tooLarge);
    const path = `/api/projects/${app.project.id}/tables/large/rows`;
    const pieces = new Blob([large]).stream();
    const streamed = await fetch(`http://127.0.0.1:${listener.port}${path}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'text/csv' },
      body: pieces,
      duplex: 'half',
    } as RequestInit);
    expect({ status: streamed.status, body: await streamed.json() }).toMatchObject(tooLarge);
    expect(await app.sql("SELECT count() FROM system.tables WHERE name = 'large'")).toBe('0\n');
    expect(await spooled()).toEqual([]);
  });

  it('says that nothing was loaded where no temporary files can be written', async () => {
    await put('unmoved', 'a\n1\n');
    // The next load starts an engine again.
    await app.app.core.loads.files.close();
    const { TMPDIR } = process.env;
    // No file can be made there.
    process.env.TMPDIR = '/proc';
    const refused = await put('unmoved', 'a\n2\n').finally(() => {
      if (TMPDIR === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = TMPDIR;
    });
    expect(refused).toMatchObject({ status: 503, body: { code: 'service_unavailable' } });
    expect(refused.body.detail).toMatch(/^The service cannot write temporary files, so nothing/);
    expect(refused.headers.get('retry-after')).toBe('60');
    expect(await rowsOf('unmoved')).toBe('1');
    expect(await put('unmoved', 'a\n3\n')).toMatchObject({ status: 200 });
    expect(await spooled()).toEqual([]);
  });

  it('is for keys with the scope, and for their projects', async () => {
    const denied = { status: 403, body: { code: 'permission_denied' } };
    const { readKey, writeKey } = app.project;
    for (const other of [readKey, writeKey])
      expect(await put('mine', 'a\n1\n', { key: other })).toMatchObject(denied);
    expect(await put('mine', 'a\n1\n', { project: app.other })).toMatchObject(denied);
    expect((await app.rest('GET', '/endpoints', { key })).status).toBe(403);
    expect((await app.rest('POST', '/endpoints/prices/run', { key })).status).toBe(403);
    expect(await app.sql("SELECT count() FROM system.tables WHERE name = 'mine'")).toBe('0\n');
    await app.sql('CREATE TABLE both (a Int64) ENGINE = Memory', app.other);
    expect(await put('both', 'a\n1\n', { key: app.adminKey })).toMatchObject({ status: 200 });
    expect(await app.sql('SELECT count() FROM both', app.other)).toBe('0\n');
  });

  it('refuses types, names, parameters and methods that it does not take', async () => {
    const type = await put('odd', 'a', { type: 'text/html' });
    expect(type).toMatchObject({ status: 415, body: { code: 'unsupported_media_type' } });
    const encoding = await put('odd', 'a', { headers: { 'content-encoding': 'br' } });
    expect(encoding).toMatchObject({ status: 415 });
    expect(await put('1odd', 'a\n1\n')).toMatchObject({ status: 400, body: { attr: 'table' } });
    expect(await put('odd', 'a\n1\n', { query: '?mode=merge' })).toMatchObject({ status: 400 });
    const named = await put('named', 'a\n1\n', { type: 'text/html', query: '?format=csv' });
    expect(named).toMatchObject({ status: 200 });
    const wrong = await app.rest('PATCH', '/tables/odd/rows');
    expect(wrong.status).toBe(405);
    expect(wrong.headers.get('allow')).toBe('OPTIONS, PUT');
    const inProcess = await app.rest('PUT', '/tables/direct/rows', {
      key,
      body: 'a\n5\n',
      headers: { 'content-type': 'text/csv' },
    });
    expect(inProcess.body).toMatchObject({ table: 'direct', rows: 1 });
  });
});
