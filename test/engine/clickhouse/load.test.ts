import { createReadStream } from 'node:fs';
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openLog } from '../../../src/config/open-log.ts';
import type { LoadRequest } from '../../../src/engine/clickhouse/load/load-request.ts';
import { loadTable } from '../../../src/engine/clickhouse/load/load-table.ts';
import { openSharedInference } from '../../../src/engine/clickhouse/load/shared-inference.ts';
import type { Column } from '../../../src/engine/query-engine.ts';
import { eventually } from '../../support/eventually.ts';
import { adminRunner } from '../support/admin.ts';
import { config, type LocalEngine, log, startLocalEngine } from '../support/local-engine.ts';

const datasets = join(import.meta.dirname, '../../../node_modules/vega-datasets/data');
const flights = join(datasets, 'flights-3m.parquet');
const airports = join(datasets, 'airports.csv');
const flightColumns: readonly Column[] = [
  { name: 'date', type: "DateTime64(6, 'UTC')" },
  { name: 'delay', type: 'Int64' },
  { name: 'distance', type: 'Int64' },
  { name: 'origin', type: 'String' },
  { name: 'destination', type: 'String' },
];

let files: string;
const file = async (name: string, text: string) => {
  const path = join(files, name);
  await writeFile(path, text);
  return path;
};

beforeAll(async () => {
  files = await mkdtemp(join(tmpdir(), 'querydock-files-'));
});
afterAll(async () => rm(files, { recursive: true, force: true }));

describe('inferred columns', () => {
  const inference = openSharedInference({ config, log });
  afterAll(() => inference.close());
  const infer = (format: LoadRequest['format'], filePath: string) =>
    inference.columns({ format, filePath });

  it('finds the types of a Parquet file, nullable only where it has NULLs', async () => {
    expect(await infer('Parquet', flights)).toEqual(flightColumns);
  });

  it('finds the types of a CSV', async () => {
    expect(await infer('CSVWithNames', airports)).toEqual([
      ...['iata', 'name', 'city', 'state', 'country'].map((name) => ({ name, type: 'String' })),
      { name: 'latitude', type: 'Float64' },
      { name: 'longitude', type: 'Float64' },
    ]);
  });

  it('makes a number nullable where a CSV leaves it out, and keeps empty texts', async () => {
    const path = await file('gaps.csv', 'a,`b c`,s\n1,,x\n2,3,\n');
    expect(await infer('CSVWithNames', path)).toEqual([
      { name: 'a', type: 'Int64' },
      { name: '`b c`', type: 'Nullable(Int64)' },
      { name: 's', type: 'String' },
    ]);
  });

  it('reads lines of JSON', async () => {
    const path = await file('rows.json', '{"a":1,"b":null,"c":["x"]}\n{"a":2,"b":1.5,"c":[]}\n');
    expect(await infer('JSONEachRow', path)).toEqual([
      { name: 'a', type: 'Int64' },
      { name: 'b', type: 'Nullable(Float64)' },
      { name: 'c', type: expect.stringMatching(/^Array\(/) },
    ]);
  });

  it('takes one engine for files that follow each other, and stops it when none does', async () => {
    const { TMPDIR } = process.env;
    const own = await mkdtemp(join(files, 'engines-'));
    const path = await file('shared.csv', 'a\n1\n');
    process.env.TMPDIR = own;
    try {
      const shared = openSharedInference({ config, log }, { idleMs: 1 });
      const kept = openSharedInference({ config, log });
      const read = (inference: typeof shared) =>
        inference.columns({ format: 'CSVWithNames', filePath: path });
      const found = await Promise.all([read(kept), read(kept)]);
      expect([...found, await read(kept)]).toEqual(Array(3).fill([{ name: 'a', type: 'Int64' }]));
      expect(await readdir(own)).toHaveLength(1);
      await kept.close();
      expect(await readdir(own)).toHaveLength(0);
      expect(await read(shared)).toEqual([{ name: 'a', type: 'Int64' }]);
      await eventually('the idle engine is gone', async () => (await readdir(own)).length === 0);
      expect(await read(shared)).toEqual([{ name: 'a', type: 'Int64' }]);
      await shared.close();
      expect(await readdir(own)).toHaveLength(0);
    } finally {
      if (TMPDIR === undefined) delete process.env.TMPDIR;
      else process.env.TMPDIR = TMPDIR;
    }
  });

  it('reports what is wrong with a file', async () => {
    await expect(infer('Parquet', airports)).rejects.toMatchObject({
      code: 'invalid_input',
      attr: null,
      message: expect.not.stringContaining(datasets),
    });
    await expect(infer('Parquet', join(files, 'none'))).rejects.toMatchObject({
      code: 'invalid_input',
      message: 'The file cannot be read.',
    });
  });
});

describe('loadTable', () => {
  const columns: readonly Column[] = [
    { name: 'id', type: 'Int64' },
    { name: 'at', type: 'Nullable(DateTime)' },
    { name: "it's `odd`\\", type: 'String' },
  ];
  const header = 'id,at,"it\'s `odd`\\"\n';
  let local: LocalEngine;
  let admin: (sql: string) => Promise<string>;
  const load = (given: Partial<LoadRequest>) =>
    loadTable({
      log: openLog('silent'),
      connection: local.engine.connection,
      projectId: 1,
      table: 't',
      format: 'CSVWithNames',
      source: '',
      columns,
      orderBy: ['id'],
      mode: 'create',
      ...given,
    });
  const content = () => admin('SELECT * FROM project_1.t ORDER BY id FORMAT CSV');
  const tables = () => admin('SHOW TABLES FROM project_1');

  beforeAll(async () => {
    local = await startLocalEngine();
    admin = adminRunner(local.engine.connection);
  });
  afterAll(async () => local?.close());
  beforeEach(async () => {
    await admin('DROP DATABASE IF EXISTS project_1 SYNC');
    await admin('CREATE DATABASE project_1');
    const source = await file('first.csv', `${header}2,2001-01-01T00:00:00Z,b\n1,,\n`);
    expect(await load({ source })).toEqual({ rows: 2 });
  });
  const first = '1,\\N,""\n2,"2001-01-01 00:00:00","b"\n';

  it('makes a table, with odd names, NULLs, empty texts and ISO times', async () => {
    expect(await content()).toBe(first);
    expect(await admin('SHOW CREATE TABLE project_1.t FORMAT TSVRaw')).toMatch(
      /ORDER BY \(?id\)?\n/,
    );
  });

  it('takes a stream, and reports how much was sent', async () => {
    const sent: number[] = [];
    const result = await load({
      table: 'flights',
      format: 'Parquet',
      source: createReadStream(flights),
      columns: flightColumns,
      orderBy: ['origin', 'date'],
      onProgress: (bytes) => sent.push(bytes),
    });
    expect(result).toEqual({ rows: 3_000_000 });
    expect(sent.at(-1)).toBe(13_493_022);
    expect(sent).toEqual([...sent].sort((a, b) => a - b));
  });

  it('replaces all rows, and the columns', async () => {
    const source = await file('other.csv', 'x\n5\n');
    const other = [{ name: 'x', type: 'UInt8' }];
    expect(await load({ source, columns: other, orderBy: [], mode: 'replace' })).toEqual({
      rows: 1,
    });
    expect(await admin('SELECT * FROM project_1.t FORMAT CSV')).toBe('5\n');
    expect(await tables()).toBe('t\n');
  });

  it('replaces a table that does not exist yet', async () => {
    const source = await file('new.csv', `${header}3,,c\n`);
    expect(await load({ table: 'fresh', source, mode: 'replace' })).toEqual({ rows: 1 });
  });

  it('appends rows', async () => {
    const source = await file('more.csv', `${header}3,,c\n`);
    expect(await load({ source, mode: 'append' })).toEqual({ rows: 1 });
    expect(await content()).toBe(`${first}3,\\N,"c"\n`);
    expect(await tables()).toBe('t\n');
  });

  it.each<readonly [string, Partial<LoadRequest>, object]>([
    ['a table that exists', { mode: 'create' }, { code: 'unique', attr: 'table' }],
    ['to append to none', { mode: 'append', table: 'none' }, { attr: 'table' }],
    ['another type', { mode: 'append', columns: [{ name: 'id', type: 'String' }] }, { attr: null }],
    [
      'a column too many',
      { mode: 'append', columns: [...columns, { name: 'x', type: 'Int8' }] },
      { attr: null },
    ],
    ['a column too few', { mode: 'append', columns: columns.slice(0, 2) }, { attr: null }],
    ['a bad name', { table: 'a`b' }, { attr: 'table' }],
    ['an unfinished load’s name', { table: '_load_x' }, { attr: 'table' }],
    ['no columns', { columns: [] }, { attr: null }],
    [
      'a type with a clause',
      { columns: [{ name: 'a', type: "String DEFAULT file('/x')" }], orderBy: [] },
      { attr: 'types' },
    ],
    [
      'a type with a codec',
      { columns: [{ name: 'a', type: 'Array(String) CODEC(NONE)' }], orderBy: [] },
      { attr: 'types' },
    ],
    [
      'states of aggregate functions as bytes',
      { columns: [{ name: 'a', type: 'AggregateFunction(uniq, UInt8)' }], orderBy: [] },
      { attr: null, message: expect.stringContaining('cannot be parsed from bytes') },
    ],
    [
      'such states within other types',
      { columns: [{ name: 'a', type: 'Array(AggregateFunction(sum, UInt8))' }], orderBy: [] },
      { attr: null },
    ],
    [
      'a time zone that is a file',
      { columns: [{ name: 'a', type: "DateTime('file:/etc/hostname')" }], orderBy: [] },
      { attr: null, message: expect.stringContaining('is not a time zone') },
    ],
    ['an order by nothing', { orderBy: ['none'] }, { attr: 'order_by' }],
    ['a file that is not there', { source: 'none.csv', mode: 'replace' }, { attr: null }],
  ])('refuses %s', async (_name, given, refusal) => {
    const source = await file('refused.csv', `${header}3,,c\n`);
    await expect(load({ source, ...given })).rejects.toMatchObject({
      code: 'invalid_input',
      ...refusal,
    });
    expect(await content()).toBe(first);
    expect(await tables()).toBe('t\n');
  });

  it.each(['append', 'replace'] as const)(
    'leaves everything as it was when %s fails',
    async (mode) => {
      const good = Array.from({ length: 200_000 }, (_, i) => `${i},,x`).join('\n');
      const source = await file('bad.csv', `${header}${good}\nbroken,,x\n`);
      await expect(load({ source, mode })).rejects.toMatchObject({
        code: 'invalid_input',
        attr: null,
        message: 'bad.csv, line 200002: the value of id is missing or is not a valid Int64.',
      });
      expect(await content()).toBe(first);
      expect(await tables()).toBe('t\n');
    },
  );

  it.each(['CSVWithNames', 'JSONEachRow'] as const)(
    'appends nothing from %s without rows',
    async (format) => {
      const source = await file('none.txt', format === 'JSONEachRow' ? '' : header);
      expect(await load({ source, format, mode: 'append' })).toEqual({ rows: 0 });
      expect(await content()).toBe(first);
    },
  );

  it('refuses a gap where the column has no NULL, instead of making it 0', async () => {
    const source = await file('gap.csv', `${header},,x\n`);
    await expect(load({ source, mode: 'replace' })).rejects.toMatchObject({ attr: null });
    expect(await content()).toBe(first);
  });

  it.each([
    ['Int64', '1', '99999999999999999999'],
    ['UInt8', '255', '256'],
    ['Decimal(18, 2)', '1.20', '1.239'],
    ['Date', '2024-02-29', '2023-02-29'],
    ['Date', '2149-06-06', '2150-01-01'],
    ['DateTime', '2024-01-01T00:00:00Z', '2300-01-01 00:00:00'],
    ['DateTime', '2024-12-31 10:00:00', '05/06/2024'],
    ['DateTime64(3)', '2024-01-01', '31.12.2024 10:00'],
    ['DateTime64(3)', '2024-01-01 00:00:00.123', '2024-01-01 00:00:00.1234'],
    ['Float64', '1e3', ''],
  ])('reads %s exactly: takes %s and refuses %s', async (type, taken, refused) => {
    const one = { columns: [{ name: 'v', type }], orderBy: [], mode: 'replace' } as const;
    const good = await file('taken.csv', `v\n${taken}\n`);
    expect(await load({ ...one, source: good })).toEqual({ rows: 1 });
    const bad = await file('refused.csv', `v\n${taken}\n"${refused}"\n`);
    await expect(load({ ...one, source: bad })).rejects.toMatchObject({
      message: expect.stringMatching(/^refused\.csv, line 3: the value of v is /),
    });
    expect(await admin('SELECT count() FROM project_1.t')).toBe('1\n');
  });

  it('stops when it is aborted, and leaves nothing behind', async () => {
    const abort = new AbortController();
    const loading = load({
      format: 'Parquet',
      source: flights,
      columns: flightColumns,
      orderBy: ['date'],
      mode: 'replace',
      onProgress: () => abort.abort(),
      signal: abort.signal,
    });
    await expect(loading).rejects.toMatchObject({ code: 'query_cancelled' });
    expect(await content()).toBe(first);
    expect(await tables()).toBe('t\n');
  });
});
