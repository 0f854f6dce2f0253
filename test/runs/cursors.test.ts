/** Pages by cursor: which of them begin at sort keys, that none loses or repeats a row, and what is refused. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSalesApp, saveQuery } from '../rest/support/sales.ts';
import { fetchBytes } from '../support/formats.ts';
import type { TestApp } from '../support/test-app.ts';
import { makeMixed } from './support/mixed-table.ts';

let test: TestApp;
let mixed = '';
beforeAll(async () => {
  test = await openSalesApp();
  await makeMixed(test);
  mixed = await saveQuery(test, 'SELECT * FROM mixed ORDER BY id LIMIT 24');
});
afterAll(() => test.close());

interface Page {
  readonly results: readonly (readonly unknown[])[];
  readonly next_cursor: string | null;
}

async function run(name: string, body: object): Promise<Page> {
  const response = await test.rest('POST', `/endpoints/${name}/run`, { body });
  expect([response.status, response.body.detail]).toEqual([200, undefined]);
  return response.body as unknown as Page;
}

async function refusal(name: string, body: object) {
  const { status, body: error } = await test.rest('POST', `/endpoints/${name}/run`, { body });
  return [status, error.code, error.attr];
}

const refused = [400, 'invalid_input', 'cursor'];

/** What a cursor holds: digest, own keys, sort keys, rows to skip. Opaque to callers. */
function contentOf(cursor: string): readonly [string, unknown, readonly unknown[] | null, number] {
  return JSON.parse(Buffer.from(cursor, 'base64url').toString());
}

/** The rows of all pages, and the cursors between them. */
async function follow(name: string, body: object, first: string | null = null) {
  const rows: (readonly unknown[])[] = [];
  const cursors: string[] = [];
  for (let at = first; ; ) {
    const page: Page = await run(name, { ...body, ...(at === null ? {} : { cursor: at }) });
    rows.push(...page.results);
    if (page.next_cursor === null) return { rows, cursors };
    cursors.push(page.next_cursor);
    expect(cursors.length).toBeLessThan(100);
    at = page.next_cursor;
  }
}

describe('a page', () => {
  const exact = 'low maybe price day at kind flag wide key ip'.split(' ');
  it.each([
    ...exact.map((column) => [column, 'always'] as const),
    ['word', 'sometimes'] as const,
    ['ratio', 'sometimes'] as const,
    ['code', 'sometimes'] as const,
    ['list', 'never'] as const,
  ])('begins at a %s %s, and at every value in both directions', async (column, when) => {
    for (const sign of ['', '-']) {
      const body = { columns: ['id', column], order_by: [`${sign}${column}`, '-id'] };
      const { results } = await run(mixed, body);
      const { rows, cursors } = await follow(mixed, { ...body, limit: 1 });
      expect(rows).toEqual(results);
      expect(new Set(rows.map(([id]) => id)).size).toBe(24);
      const atKeys = cursors.filter((cursor) => contentOf(cursor)[3] === 0).length;
      if (when === 'always') expect(atKeys).toBe(23);
      else if (when === 'never') expect(atKeys).toBe(0);
      else expect([atKeys > 2, atKeys < 23]).toEqual([true, true]);
    }
  });

  it('counts rows from where the keys began, while they are the same', async () => {
    const name = await saveQuery(test, 'SELECT number AS n, intDiv(n, 5) AS five FROM numbers(12)');
    const { rows, cursors } = await follow(name, { order_by: ['-five'], limit: 2 });
    expect(rows.map(([n]) => n)).toEqual([10, 11, 5, 6, 7, 8, 9, 0, 1, 2, 3, 4]);
    // Pages of 10 11 | 5 6 | 7 8 | 9 0 | 1 2 | 3 4.
    const starts = cursors.map((cursor) => contentOf(cursor).slice(2));
    expect(starts).toEqual([
      [['1'], 0],
      [['1'], 2],
      [['1'], 4],
      [['1'], 6],
      [['1'], 8],
    ]);
  });

  it('reads from its keys on, not from the start', async () => {
    await test.sql('CREATE TABLE many (id UInt64, v UInt64) ENGINE = MergeTree ORDER BY id');
    await test.sql('INSERT INTO many SELECT number, number % 10 FROM numbers(1000000)');
    const name = await saveQuery(test, 'SELECT id, v FROM many ORDER BY id');
    const first = await run(name, { cursor: '', limit: 50_000 });
    let cursor = first.next_cursor;
    for (let page = 0; page < 17; page += 1) {
      cursor = (await run(name, { cursor, limit: 50_000 })).next_cursor;
    }
    const deep = await test.rest('POST', `/endpoints/${name}/run`, {
      body: { cursor, limit: 10, debug: true },
    });
    expect(deep.body.results).toContainEqual([900_000, 0]);
    const { rows_read: rows } = deep.body.query_progress as { readonly rows_read: number };
    expect(rows).toBeLessThan(200_000);
  });

  it('of a growing table has what is after its keys', async () => {
    await test.sql('CREATE TABLE growing (id UInt64) ENGINE = MergeTree ORDER BY id');
    await test.sql('INSERT INTO growing SELECT 10 * number FROM numbers(6)');
    const name = await saveQuery(test, 'SELECT id FROM growing');
    const body = { order_by: ['id'], limit: 3, refresh: 'force' };
    const first = await run(name, body);
    await test.sql('INSERT INTO growing VALUES (5), (35)');
    const second = await run(name, { ...body, cursor: first.next_cursor });
    expect([first.results, second.results]).toEqual([
      [[0], [10], [20]],
      [[30], [35], [40]],
    ]);
  });
});

describe('without order_by', () => {
  it.each([
    ['SELECT id, day FROM mixed ORDER BY day DESC, id', [~1, 0]],
    ['SELECT id % 3 AS m, count() AS n FROM mixed GROUP BY m ORDER BY id % 3 DESC', [~0]],
    ['SELECT DISTINCT kind, flag FROM mixed', [0, 1]],
    ['SELECT id FROM mixed WHERE id < 9 UNION ALL SELECT id FROM mixed WHERE id < 4', [0]],
    ['SELECT id FROM mixed ORDER BY day, id', null],
    ['SELECT low, id FROM mixed ORDER BY low NULLS FIRST, id', null],
    ["SELECT kind::String AS k, id FROM mixed ORDER BY k COLLATE 'en', id", null],
  ])('the keys of %s are %j', async (query, keys) => {
    const name = await saveQuery(test, query);
    const whole = await run(name, { cursor: '' });
    const { rows, cursors } = await follow(name, { limit: 2 }, '');
    expect(rows).toEqual(whole.results);
    const own = await run(name, {});
    const sorted = (list: Page['results']) => list.map((row) => JSON.stringify(row)).sort();
    expect(sorted(rows)).toEqual(sorted(own.results));
    if (query.includes('ORDER BY')) expect(rows).toEqual(own.results);
    expect(contentOf(cursors[0] ?? '')[1]).toEqual(keys);
    expect(own.next_cursor).toBeNull();
  });

  it('pages of very many columns are whole, too', async () => {
    const columns = Array.from({ length: 300 }, (_, at) => `number + ${at} AS c${at}`);
    const name = await saveQuery(test, `SELECT ${columns.join(', ')} FROM numbers(5)`);
    const { rows } = await follow(name, { limit: 2 }, '');
    expect(rows.map(([first]) => first)).toEqual([0, 1, 2, 3, 4]);
  });

  it('duplicate names are no obstacle', async () => {
    const name = await saveQuery(test, 'SELECT id, day, id FROM mixed ORDER BY day, id');
    const { rows } = await follow(name, { limit: 7 }, '');
    expect(rows).toEqual((await run(name, {})).results);
  });
});

describe('in other formats', () => {
  it('the cursor is a header, and a trailer of a large result', async () => {
    const name = await saveQuery(
      test,
      'SELECT number AS n, repeat(toString(n), 30) AS t FROM numbers(40000)',
    );
    const asked = 'order_by=-n&limit=15000';
    const { next_cursor: cursor } = await run(name, { order_by: ['-n'], limit: 15_000 });
    for (const format of ['csv', 'arrow', 'parquet', 'ndjson']) {
      const small = await fetchBytes(test, `${name}/run?order_by=-n&limit=2&format=${format}`);
      const { next_cursor: expected } = await run(name, { order_by: ['-n'], limit: 2 });
      expect(small.headers.get('querydock-next-cursor')).toBe(expected);
    }
    const last = await fetchBytes(test, `${name}/run?order_by=-n&format=csv`);
    expect(last.headers.get('querydock-next-cursor')).toBeNull();
    const next = await fetchBytes(
      test,
      `${name}/run?${asked}&format=csv&cursor=${cursor}&columns=n`,
    );
    expect(next.status).toBe(400);
    const rows = await fetchBytes(test, `${name}/run?${asked}&format=csv&cursor=${cursor}`);
    expect(rows.text.split('\r\n')[1]).toMatch(/^24999,/);
  });
});

describe('a cursor is refused', () => {
  it('beside an offset, for another run, and when it was changed', async () => {
    const query = 'SELECT id, day, kind FROM mixed WHERE kind = {kind:String}';
    const [name, twin] = [await saveQuery(test, query), await saveQuery(test, query)];
    const body = { variables: { kind: 'a' }, order_by: ['-day', 'id'], limit: 3 };
    const { next_cursor: cursor } = await run(name, body);
    const next = { ...body, cursor };
    expect((await run(name, { ...next, limit: 5, rows: 'objects' })).results).toHaveLength(5);
    expect(await refusal(twin, next)).toEqual(refused);
    const changed = [
      { offset: 0 },
      { variables: { kind: 'b' } },
      { order_by: ['day', 'id'] },
      { order_by: null },
      { columns: ['id'] },
    ];
    for (const change of changed)
      expect(await refusal(name, { ...next, ...change })).toEqual(refused);
    const [digest, keys, from, skip] = contentOf(cursor ?? '');
    const pack = (content: unknown) => Buffer.from(JSON.stringify(content)).toString('base64url');
    const texts = [
      'x',
      '!',
      `${cursor}A`,
      cursor?.slice(1),
      'a'.repeat(20_000),
      pack({}),
      pack([]),
      pack(null),
      pack([digest, keys, from, skip + 1]),
      pack([digest, keys, ['2001-01-01', '1) OR (1'], skip]),
      pack([digest, [0], from, skip]),
      pack([digest, keys, from, -1]),
    ];
    for (const text of texts)
      expect(await refusal(name, { ...body, cursor: text })).toEqual(refused);
  });
});
