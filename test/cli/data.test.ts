/** `querydock data`: files as other programs write them, and what a replaced or dropped table would break. */
import { execFileSync, spawnSync } from 'node:child_process';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer, type Server as HttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type Caller, callRest, type RunBody } from './support/calls.ts';
import {
  querydock,
  querydockJson,
  type Running,
  type Server,
  start,
  startServer,
  type TempFolder,
  tempFolder,
} from './support/processes.ts';

let folder: TempFolder;
let env: { readonly DATA_DIR: string };
let server: Server;
let site: HttpServer;
let caller: Caller;

const file = (name: string) => path.join(folder.dir, name);
const write = (name: string, bytes: string | Buffer) => {
  writeFileSync(file(name), bytes);
  return file(name);
};
/** Null for a descriptor that was closed in the meantime. */
const linkAt = (at: string): string | null => {
  try {
    return readlinkSync(at);
  } catch {
    return null;
  }
};
interface Loaded {
  readonly rows: number;
  readonly columns: readonly { readonly name: string; readonly type: string }[];
}
const target = (table: string) => ['--project', 'shop', '--table', table];
const load = (from: string, table: string, ...more: readonly string[]) =>
  querydockJson<Loaded>(['data', 'load', from, ...target(table), ...more], env);
const refused = async (from: string, table: string, ...more: readonly string[]) =>
  (await querydock(['data', 'load', from, ...target(table), ...more], env)).stderr;

async function rowsOf(sql: string): Promise<unknown> {
  const body = { name: 'looked', query: sql };
  await callRest(caller, { method: 'POST', path: '', body });
  const ran = await callRest<RunBody>(caller, { path: '/looked/run' });
  await callRest(caller, { method: 'DELETE', path: '/looked' });
  return ran.body.results;
}

/** A file of the results of a query, as the service answers them. */
async function exported(
  name: string,
  { query, format }: { readonly query: string; readonly format: string },
): Promise<string> {
  await callRest(caller, { method: 'POST', path: '', body: { name: 'exported', query } });
  const response = await fetch(
    `${caller.url}/api/projects/1/endpoints/exported/run?format=${format}`,
    { headers: { authorization: `Bearer ${caller.key}` } },
  );
  const bytes = Buffer.from(await response.arrayBuffer());
  await callRest(caller, { method: 'DELETE', path: '/exported' });
  return write(`${name}.${format}`, bytes);
}

beforeAll(async () => {
  folder = await tempFolder();
  env = { DATA_DIR: path.join(folder.dir, 'data') };
  await querydock(['project', 'create', 'shop'], env);
  server = await startServer('start', env);
  const made = await querydockJson<{ readonly key: string }>(
    ['key', 'create', '--project', 'shop', '--scope', 'endpoint:write'],
    env,
  );
  caller = { url: server.url, projectId: 1, key: made.key };
  site = createServer((request, response) => {
    if (request.url === '/moved') response.writeHead(302, { location: '/rows.csv?x=1' }).end();
    else if (request.url === '/loop') response.writeHead(302, { location: '/loop' }).end();
    else if (request.url?.startsWith('/rows.csv') === true) response.end('id\n1\n2\n');
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
});
afterAll(async () => {
  site.close();
  await server.end('SIGTERM');
  await folder.remove();
});

/** Python's csv.writer, by way of utf-8-sig: a mark, CRLF, quotes and line breaks in fields. */
const spreadsheet =
  '\uFEFFid,amount,day,note\r\n1,10.50,2024-01-31,"a,b"\r\n2,,2024-02-29,"line\nbreak ""q"""\r\n';
/** Python's bz2.compress, twice: `id,name\n1,one\n` and `2,two\n`. */
const bzipped = Buffer.from(
  'QlpoOTFBWSZTWWhfuTgAAATZAAAQAAQgACYjoAAxADAgGj1CZXRpNB0eLuSKcKEg0L9ycEJaaDkxQVkmU1lZ4qfqAAABWYAAEAAEEAAAAISAIAAhgAwCR67i7kinChILPFT9QA==',
  'base64',
);

describe('data load', () => {
  it('reads what spreadsheets write, with a type that was given', async () => {
    const from = write('sheet.csv', spreadsheet);
    const type = 'amount=Nullable(Decimal(18,2))';
    expect((await load(from, 'sheet', '--column', type)).rows).toBe(2);
    expect(await rowsOf('SELECT id, amount, day, note FROM sheet ORDER BY id')).toEqual([
      [1, '10.50', '2024-01-31', 'a,b'],
      [2, null, '2024-02-29', 'line\nbreak "q"'],
    ]);
  });

  it('decompresses by content, whatever the name says', async () => {
    const plain = Buffer.from('id,name\n3,x\n');
    const half = zstdCompressSync(plain.subarray(0, 9));
    expect((await load(write('a.csv.bz2', bzipped), 'packed')).rows).toBe(2);
    await load(write('b.csv', gzipSync(plain)), 'packed', '--append');
    const frames = Buffer.concat([half, zstdCompressSync(plain.subarray(9))]);
    await load(write('c.csv.zst', frames), 'packed', '--append');
    expect(await rowsOf('SELECT id, count() FROM packed GROUP BY id ORDER BY id')).toEqual([
      [1, 1],
      [2, 1],
      [3, 2],
    ]);
    const cut = write('d.csv.gz', gzipSync(plain).subarray(0, 20));
    expect(await refused(cut, 'cut')).toMatch(/d\.csv\.gz cannot be read: .*end/);
  });

  it('takes columns from the file alone, whatever its path says', async () => {
    mkdirSync(file('zip=5/region=eu'), { recursive: true });
    const partition = write('zip=5/region=eu/part.csv', 'zip,price\n00501,2\n00502,3\n');
    expect((await load(partition, 'parts')).columns.map(({ name, type }) => [name, type])).toEqual([
      ['zip', 'String'],
      ['price', 'Int64'],
    ]);
    expect(await rowsOf('SELECT zip, price FROM parts ORDER BY zip')).toEqual([
      ['00501', 2],
      ['00502', 3],
    ]);
    const brackets = write('a{1..3}?*[b].csv', 'n\n7\n');
    expect((await load(brackets, 'brackets')).rows).toBe(1);
  });

  it('loads what the service answers as Arrow', async () => {
    const query = 'SELECT id, note FROM sheet ORDER BY id';
    const from = await exported('rows', { query, format: 'arrow' });
    expect((await load(from, 'again')).rows).toBe(2);
    expect(await rowsOf('SELECT note FROM again ORDER BY id')).toEqual([
      ['a,b'],
      ['line\nbreak "q"'],
    ]);
  });

  it('keeps every value of several Parquet or Arrow files, or refuses them', async () => {
    const kept = 'toInt64(1) AS n, toDateTime64(1, 3) AS ts, toDecimal64(1.2, 3) AS p';
    const odd =
      "toInt64(3000000000) AS n, toDateTime64('2024-01-01 00:00:00.5', 3) AS ts, toDecimal64(1.239, 3) AS p";
    for (const format of ['parquet', 'arrow']) {
      const one = await exported('one', { query: `SELECT ${kept}`, format });
      const two = await exported('two', { query: `SELECT ${odd}`, format });
      for (const type of ['n=Int32', 'ts=DateTime', 'p=Decimal(18,2)']) {
        const [column = ''] = type.split('=');
        expect(await refused(one, 'both', two, '--column', type)).toContain(
          `two.${format}, row 1: the value of ${column} is missing or is not a valid`,
        );
      }
      expect((await load(one, 'both', two)).rows).toBe(2);
      expect(await rowsOf('SELECT n, p FROM both ORDER BY n')).toEqual([
        [1, '1.200'],
        [3000000000, '1.239'],
      ]);
      await querydock(['data', 'drop', 'both', '--project', 'shop'], env);
    }
  });

  it('refuses an integer of one file that a number of the other would round', async () => {
    const format = 'parquet';
    const query = 'SELECT toInt64(9007199254740993) AS n';
    const integers = await exported('integers', { query, format });
    const floats = await exported('floats', { query: 'SELECT 1.5 AS n', format });
    expect(await refused(integers, 'rounded', floats)).toContain(
      'integers.parquet, row 1: the value of n',
    );
  });

  it.each([
    ['Array(Int32)', '[1]', '[3000000000]'],
    ['Array(Nullable(Float64))', '[0.1, null]', '[9007199254740993]'],
    [
      'Tuple(p Decimal(18, 2), at Array(DateTime))',
      '{"p": 1.20, "at": []}',
      '{"p": 1.239, "at": []}',
    ],
    ['Tuple(p String, at Array(DateTime))', '{"p": "x", "at": []}', '{"p": "x", "at": ["12:00"]}'],
  ])('refuses values that do not fit within a given %s', async (type, kept, odd) => {
    const from = write('within.ndjson', `{"v": ${kept}}\n`);
    expect((await load(from, 'within', '--column', `v=${type}`, '--replace')).rows).toBe(1);
    const both = write('odd.ndjson', `{"v": ${kept}}\n{"v": ${odd}}\n`);
    expect(await refused(both, 'within', '--column', `v=${type}`, '--replace')).toContain(
      `odd.ndjson, line 2: the value of v is missing or is not a valid ${type}.`,
    );
  });

  it.each([
    ['points.ndjson', '{"id":1,"at":[1.5,2]}\n', '{"id":1,"at":[0.12345678901234567891,2]}\n'],
    ['points.csv', 'id,at\n1,"(1.5,2)"\n', 'id,at\n1,"(1.5,x)"\n'],
  ])('takes %s with a column of type Point, and refuses what is none', async (name, body, odd) => {
    const given = ['--column', 'at=Point', '--replace'];
    await load(write(name, body), 'points', ...given);
    expect(await rowsOf('SELECT toTypeName(at), at FROM points')).toEqual([['Point', [1.5, 2]]]);
    expect(await refused(write(`odd_${name}`, odd), 'points', ...given)).toMatch(
      /line \d: the value of at is (?:missing or is )?not a valid (?:Point|Tuple)/,
    );
    expect(await rowsOf('SELECT count() FROM points')).toEqual([[1]]);
  });

  it('takes the given type of a column whose values have none in common', async () => {
    const mixed = write('mixed.ndjson', '{"v":1}\n{"v":"two"}\n{"v":{"a":[3]}}\n');
    expect(await refused(mixed, 'mixed')).toContain('mixed.ndjson has values of v that no type');
    await load(mixed, 'mixed', '--column', 'v=String');
    expect(await rowsOf('SELECT v FROM mixed')).toEqual([['1'], ['two'], ['{"a":[3]}']]);
  });

  it('reads a tuple of a CSV from one field', async () => {
    const from = write('pairs.csv', 'id,pair,n\n1,"(7,\'a\')",5\n');
    await load(from, 'pairs', '--column', 'pair=Tuple(Int64, String)');
    expect(await rowsOf('SELECT id, pair, n FROM pairs')).toEqual([[1, [7, 'a'], 5]]);
  });

  it('takes other delimiters and encodings, and says what it saw of wrong ones', async () => {
    const semicolons = write('semi.csv', Buffer.from('id;name\n1;\xe9\n', 'latin1'));
    expect(await refused(semicolons, 'semi')).toContain(
      'semi.csv is not valid utf-8: the byte at offset 10, on line 2,',
    );
    expect(await refused(semicolons, 'semi', '--encoding', 'latin1')).toContain(
      'semi.csv has one column by commas, and 2 by semicolons: its header is id;name.',
    );
    await load(semicolons, 'semi', '--encoding', 'latin1', '--delimiter', ';');
    const utf16 = Buffer.concat([
      Buffer.from([0xff, 0xfe]),
      Buffer.from('id\tname\n2\t\n', 'utf16le'),
    ]);
    const text = ['--encoding', 'utf-16', '--null-as', ''];
    await load(write('wide.tsv', utf16), 'wide', ...text);
    expect(await rowsOf('SELECT * FROM semi')).toEqual([[1, 'é']]);
    expect(await rowsOf('SELECT id, name FROM wide')).toEqual([[2, null]]);
  });

  it('says what is missing where no local engine is installed', async () => {
    const bare = file('bare');
    const root = path.resolve(import.meta.dirname, '../..');
    mkdirSync(path.join(bare, 'node_modules'), { recursive: true });
    for (const name of ['src', 'package.json', 'prisma'])
      cpSync(path.join(root, name), path.join(bare, name), { recursive: true });
    const packages = readdirSync(path.join(root, 'node_modules')).filter((at) => at !== '@chdb');
    for (const name of packages.map((each) => path.join('node_modules', each)))
      symlinkSync(path.join(root, name), path.join(bare, name));
    const given = ['data', 'load', write('bare.csv', 'id\n1\n'), ...target('bare')];
    const args = [path.join(bare, 'src/main.ts'), ...given];
    const { status, stderr } = spawnSync(process.execPath, args, {
      env: { ...process.env, ...env },
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([
      1,
      expect.stringMatching(/^querydock: No data can be loaded/),
    ]);
  });

  it('names a malformed row by its file and line', async () => {
    const uneven = write('uneven.csv', 'id,note\n1,"x\ny"\n2\n');
    expect(await refused(uneven, 'bad')).toContain(
      'uneven.csv, line 4: it has 1 field; the header has 2.',
    );
    const large = write('large.csv', 'id\n1\n300\n');
    expect(await refused(large, 'bad', '--column', 'id=UInt8')).toContain(
      'large.csv, line 3: the value of id is missing or is not a valid UInt8.',
    );
    const { stderr } = await querydock(['data', 'describe', 'bad', '--project', 'shop'], env);
    expect(stderr).toContain('has no table bad.');
  });

  it('reads the standard input, and describes the table', async () => {
    const from = write('piped.tsv', 'id\tname\n1\tone\n');
    const args = ['data', 'load', '-', ...target('piped'), '--format', 'tsv'];
    const script = `exec "$0" src/main.ts ${args.join(' ')} < '${from}'`;
    expect(await start(['/bin/sh', '-c', script, process.execPath], env).exited).toMatchObject({
      code: 0,
    });
    const { table } = await querydockJson<{ readonly table: object }>(
      ['data', 'describe', 'piped', '--project', 'shop'],
      env,
    );
    expect(table).toMatchObject({
      name: 'piped',
      rows: 1,
      columns: [
        { name: 'id', type: 'Int64' },
        { name: 'name', type: 'String' },
      ],
    });
  });

  it.runIf(existsSync('/proc/self/fd'))(
    'reads a pipe, for whose writer it waits until a signal',
    async () => {
      const pipe = file('pipe.csv');
      execFileSync('mkfifo', [pipe]);
      const loading = (table: string) =>
        start([process.execPath, 'src/main.ts', 'data', 'load', pipe, ...target(table)], env);
      const isOpenIn = ({ pid }: Running) =>
        readdirSync(`/proc/${pid}/fd`).some((fd) => linkAt(`/proc/${pid}/fd/${fd}`) === pipe);

      const read = loading('written');
      await eventually('the pipe is open', () => isOpenIn(read));
      writeFileSync(pipe, 'id\n1\n2\n');
      expect(await read.exited).toEqual({ code: 0, signal: null });
      expect(read.stdout()).toContain('Loaded 2 rows into written');

      const waiting = loading('unwritten');
      await eventually('the pipe is open', () => isOpenIn(waiting));
      expect(await waiting.end('SIGINT')).toEqual({ code: 130, signal: null });
    },
  );

  it('requests a URL, and follows no more than five redirects', async () => {
    const at = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    expect((await load(`${at}/moved`, 'fetched', '--format', 'csv')).rows).toBe(2);
    expect(await refused(`${at}/loop`, 'none', '--format', 'csv')).toContain('more than 5 times');
    expect(await refused(`${at}/none.csv`, 'none')).toContain('responded with status 404');
  });
});

describe('saved endpoints', () => {
  it('are named when a table would break them, and see a table that was replaced', async () => {
    await load(write('one.csv', 'id,price\n1,2\n'), 'prices');
    const query = 'SELECT sum(price) AS total FROM prices WHERE id = {id:Int64}';
    await callRest(caller, { method: 'POST', path: '', body: { name: 'total', query } });
    const total = () => callRest<RunBody>(caller, { path: '/total/run?variables[id]=1' });
    expect((await total()).body.results).toEqual([[2]]);
    expect((await total()).body.is_cached).toBe(true);

    const renamed = write('renamed.csv', 'id,cost\n1,2\n');
    const text = await refused(renamed, 'prices', '--replace');
    expect(text).toMatch(
      /^querydock: Cannot replace prices, because that would break saved endpoints:\n/,
    );
    expect(text).toMatch(/ {2}total \(version 1\): .*price/);
    const retyped = write('retyped.csv', 'id,price\n1,2.5\n');
    expect(await refused(retyped, 'prices', '--replace')).toContain(
      'the type of its result column total changes from Int64 to Float64',
    );
    expect(
      (await querydock(['data', 'drop', 'prices', '--project', 'shop'], env)).stderr,
    ).toContain('total (version 1): it reads prices');
    expect((await total()).body.results).toEqual([[2]]);

    await load(write('two.csv', 'id,price,more\n1,7,x\n'), 'prices', '--replace');
    await eventually(
      'the new rows are answered',
      async () => JSON.stringify((await total()).body.results) === '[[7]]',
    );
    await load(renamed, 'prices', '--replace', '--force');
    await querydockJson(['data', 'drop', 'prices', '--project', 'shop', '--force'], env);
    await eventually('its table is gone', async () => (await total()).status === 400);
  });
});
