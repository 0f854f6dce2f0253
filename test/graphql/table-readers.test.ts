import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openTestApp();
  for (const statement of [
    'CREATE TABLE orders (id UInt32, price UInt32, day Date) ENGINE = MergeTree ORDER BY id',
    'CREATE TABLE unread (id UInt32) ENGINE = MergeTree ORDER BY id',
    'CREATE VIEW orders_seen AS SELECT id FROM orders',
  ])
    await test.sql(statement);
});
afterAll(() => test.close());

interface Readers {
  readonly results: readonly Readonly<Record<string, unknown>>[];
  readonly nextOffset: number | null;
}

async function readersOf(name: string, offset = 0): Promise<Readers> {
  const { body } = await test.graphql(
    `query ($name: String!, $offset: Int) { table(projectId: "@current", name: $name) {
      readers(offset: $offset) { results { name version isCurrent columns } nextOffset } } }`,
    { name, offset },
  );
  expect(body.errors).toBeUndefined();
  return (body.data as { readonly table: { readonly readers: Readers } }).table.readers;
}

async function save(name: string, query: string): Promise<void> {
  const { status, text } = await test.rest('POST', '/endpoints', { body: { name, query } });
  if (status !== 201) throw new Error(text);
}

const change = (name: string, body: unknown, version = '') =>
  test.rest('PATCH', `/endpoints/${name}${version}`, { body });

describe('the readers of a table', () => {
  it('are the versions whose queries read it, with the columns that they read', async () => {
    await save('prices', 'SELECT price FROM orders WHERE day = {day:Date}');
    await change('prices', { query: 'SELECT price, id FROM orders' });
    await save('number', 'SELECT count() AS n FROM orders');
    await save('quoted', 'SELECT o.id FROM (SELECT * FROM `orders`) AS o');
    await save('words', "SELECT 'orders' AS orders");
    await save('through_view', 'SELECT id FROM orders_seen');
    expect(await readersOf('orders')).toEqual({
      results: [
        { name: 'number', version: 1, isCurrent: true, columns: [] },
        { name: 'prices', version: 1, isCurrent: false, columns: ['day', 'price'] },
        { name: 'prices', version: 2, isCurrent: true, columns: ['id', 'price'] },
        { name: 'quoted', version: 1, isCurrent: true, columns: ['day', 'id', 'price'] },
      ],
      nextOffset: null,
    });
    expect(await readersOf('orders_seen')).toMatchObject({ results: [{ name: 'through_view' }] });
    expect(await readersOf('unread')).toEqual({ results: [], nextOffset: null });
  });

  it('are without old versions that cannot run, and those that the engine refuses', async () => {
    await change('prices', { is_active: false }, '?version=1');
    expect((await readersOf('orders')).results).toHaveLength(3);
    await test.sql('ALTER TABLE orders DROP COLUMN price');
    expect((await readersOf('orders')).results.map(({ name }) => name)).toEqual([
      'number',
      'quoted',
    ]);
  });

  it('come in pages of those that name it, each of which counts as a run', async () => {
    await test.sql('CREATE TABLE paged (id UInt32) ENGINE = MergeTree ORDER BY id');
    for (let at = 0; at < 51; at += 1)
      await save(`page_${String(at).padStart(2, '0')}`, `SELECT id + ${at} AS id FROM paged`);
    const first = await readersOf('paged');
    expect(first.results).toHaveLength(50);
    expect(first.nextOffset).toBe(50);
    expect(await readersOf('paged', 50)).toMatchObject({
      results: [{ name: 'page_50' }],
      nextOffset: null,
    });
    const refused = await test.graphql(
      '{ table(projectId: "@current", name: "paged") { readers(offset: -1) { nextOffset } } }',
    );
    expect(refused.body.errors?.[0]?.extensions).toMatchObject({
      code: 'invalid_input',
      attr: 'offset',
    });
    const many = Array.from({ length: 30 }, (_, at) => `r${at}: readers { nextOffset }`).join(' ');
    const costly = await test.graphql(
      `{ table(projectId: "@current", name: "unread") { ${many} } }`,
    );
    expect(costly.body.errors?.map(({ extensions }) => extensions.code)).toContain('too_many_runs');
  });

  it('are those of the project alone', async () => {
    await test.sql('CREATE TABLE orders (id UInt32) ENGINE = MergeTree ORDER BY id', test.other);
    const { body } = await test.graphql(
      '{ table(projectId: "@current", name: "orders") { readers { results { name } } } }',
      {},
      { key: test.other.readKey },
    );
    expect(body.data?.table).toEqual({ readers: { results: [] } });
  });
});
