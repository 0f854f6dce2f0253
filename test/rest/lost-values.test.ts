/** What no table can hold of an Arrow or Parquet file is refused; the engine alone would leave it out or change it. */
import {
  Field,
  Int32,
  List,
  Map_,
  Null,
  Struct,
  Table,
  tableToIPC,
  Utf8,
  vectorFromArray,
} from 'apache-arrow';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let app: TestApp;
let key: string;

beforeAll(async () => {
  app = await openTestApp();
  ({ key } = await app.issueKey({ scopes: ['data:write'], projects: [app.project] }));
});
afterAll(() => app.close());

const types = {
  stream: 'application/vnd.apache.arrow.stream',
  file: 'application/vnd.apache.arrow.file',
  parquet: 'application/vnd.apache.parquet',
} as const;

async function put(body: Uint8Array, type: string) {
  const request = new Request(urlOf('tables/loaded/rows'), {
    method: 'PUT',
    headers: { authorization: `Bearer ${key}`, 'content-type': type },
    body: new Uint8Array(body),
  });
  const response = await app.app.fetch(request);
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const urlOf = (path: string) => `http://querydock.test/api/projects/${app.project.id}/${path}`;

const item = new Field('item', new Int32(), true);
const list = new List(item);
const struct = new Struct([item]);
const entries = new Struct<{ key: Utf8; value: Int32 }>([
  new Field('key', new Utf8(), false),
  new Field('value', new Int32(), true),
]);
const map = new Map_<Utf8, Int32>(new Field('entries', entries, false));
const ids = vectorFromArray([1, 2, 3], new Int32());
const alone = 'NULL as the value of v in one or more of the rows 1 to 3';

it.each([
  ['a NULL list', vectorFromArray([[1], null, []], list), `has ${alone}; a list is never NULL`],
  ['a NULL map', vectorFromArray([{ a: 1 }, null, {}], map), `has ${alone}; a map is never NULL`],
  [
    'a NULL struct',
    vectorFromArray([{ item: 1 }, null, { item: null }], struct),
    `has ${alone}; a`,
  ],
  [
    'a NULL struct in a list',
    vectorFromArray([[{ item: 1 }, null], [], []], new List(new Field('item', struct, true))),
    'has NULL within v in one or more of the rows 1 to 3; a struct is never NULL in a table. Write',
  ],
  ['values of no type', vectorFromArray([null, null, null], new Null()), 'has the type null in v,'],
])('Arrow with %s is refused', async (_what, v, words) => {
  for (const form of ['stream', 'file'] as const) {
    const answer = await put(tableToIPC(new Table({ id: ids, v }), form), types[form]);
    expect([answer.status, answer.body.code]).toEqual([400, 'invalid_input']);
    expect(answer.body.detail).toContain(`The body ${words}`);
  }
});

it('Arrow names the rows of the batch that has the NULL, and loads lists, maps and structs without one', async () => {
  const tableOf = (lists: readonly (readonly (number | null)[] | null)[]) =>
    new Table({
      id: ids,
      l: vectorFromArray(lists, list),
      m: vectorFromArray([{ a: 1 }, {}, { b: null }], map),
      s: vectorFromArray([{ item: 1 }, { item: null }, { item: 3 }], struct),
    });
  const whole = tableOf([[1, null], [], [2]]);
  const gap = tableOf([[1], null, [2]]);
  for (const form of ['stream', 'file'] as const) {
    const refused = await put(tableToIPC(whole.concat(gap), form), types[form]);
    expect(refused.body.detail).toContain('the value of l in one or more of the rows 4 to 6;');
    const loaded = await put(tableToIPC(whole.concat(whole), form), types[form]);
    expect([loaded.status, loaded.body.rows]).toEqual([200, 6]);
    expect(await app.sql('SELECT l, m, s FROM loaded LIMIT 3 FORMAT TSV')).toBe(
      "[1,NULL]\t{'a':1}\t(1)\n[]\t{}\t(NULL)\n[2]\t{'b':NULL}\t(3)\n",
    );
  }
});

it('a column without a name is refused', async () => {
  const unnamed = tableToIPC(new Table({ id: ids, '': ids }), 'stream');
  const refused = await put(unnamed, types.stream);
  expect([refused.status, refused.body.detail]).toEqual([
    400,
    'The body has a column without a name.',
  ]);

  const named = new Uint8Array(await (await runAsParquet('SELECT 1 AS id, 2 AS zz')).arrayBuffer());
  expect((await put(named, types.parquet)).body).toMatchObject({ rows: 1, columns: [{}, {}] });
  const answer = await put(withoutName(Buffer.from(named), 'zz'), types.parquet);
  expect([answer.status, answer.body.detail]).toEqual([
    400,
    'The body has a column without a name.',
  ]);
});

async function runAsParquet(query: string): Promise<Response> {
  const headers = {
    authorization: `Bearer ${app.project.writeKey}`,
    'content-type': 'application/json',
  };
  const body = JSON.stringify({ query, format: 'parquet' });
  return app.app.fetch(new Request(urlOf('query'), { method: 'POST', headers, body }));
}

/** The file with an empty text wherever its footer has the name. */
function withoutName(file: Buffer, name: string): Buffer {
  const end = file.length - 8;
  const start = end - file.readUInt32LE(end);
  const written = String.fromCharCode(name.length) + name;
  const footer = file.toString('latin1', start, end).replaceAll(written, '\0');
  const length = Buffer.alloc(4);
  length.writeUInt32LE(footer.length);
  return Buffer.concat([
    file.subarray(0, start),
    Buffer.from(footer, 'latin1'),
    length,
    file.subarray(end + 4),
  ]);
}

it.each([
  [
    '[1,2]',
    'application/json',
    "The body could not be read as JSON: Cannot parse input: expected '{'.",
  ],
  ['{"a":"\\ud800"}', 'application/x-ndjson', 'missing second part of surrogate pair.'],
])(
  'the error about %s quotes neither the data nor settings of the engine',
  async (body, type, words) => {
    const { detail } = (await put(Buffer.from(body), type)).body;
    expect(detail).toContain(words);
    expect(detail).not.toMatch(/before|setting/);
  },
);
