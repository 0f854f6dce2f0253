/** Limit and offset on top of the query's own LIMIT, and the server's maximum. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSalesApp, run, save } from '../rest/support/sales.ts';
import type { TestApp } from '../support/test-app.ts';

let test: TestApp;

const queries = {
  five: 'SELECT number FROM numbers(5)',
  ten: 'SELECT number FROM numbers(10)',
  eleven: 'SELECT number FROM numbers(11)',
  hundred: 'SELECT number FROM numbers(100)',
  own_limit: 'SELECT number FROM numbers(100) LIMIT 3',
  own_offset: 'SELECT number FROM numbers(100) LIMIT 3 OFFSET 50',
  union: 'SELECT 0 AS n UNION ALL SELECT 1 UNION ALL SELECT 2 UNION ALL SELECT 3',
  union_limit: 'SELECT 0 AS n UNION ALL (SELECT number FROM numbers(9) LIMIT 2)',
  ties: 'SELECT intDiv(number, 4) AS n FROM numbers(20) ORDER BY n LIMIT 2 WITH TIES',
  limit_by: 'SELECT number % 3 AS n FROM numbers(9) ORDER BY n LIMIT 1 BY n',
  subquery: 'SELECT count() AS n FROM (SELECT number FROM numbers(100) LIMIT 50)',
  in_list:
    'SELECT number FROM numbers(5) WHERE number IN (SELECT number FROM numbers(100) LIMIT 4)',
  none: 'SELECT number FROM numbers(5) WHERE number > 9',
  comment: 'SELECT number FROM numbers(5) -- LIMIT 1',
} as const;
type Name = keyof typeof queries;

beforeAll(async () => {
  test = await openSalesApp({ maxRows: 10 });
  for (const [name, query] of Object.entries(queries)) await save(test, name, { query });
});
afterAll(() => test.close());

interface RunSpec {
  readonly limit?: number;
  readonly offset?: number;
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, i) => from + i);

const rows: readonly (readonly [Name, RunSpec, readonly number[], boolean])[] = [
  ['five', {}, [0, 1, 2, 3, 4], false],
  ['five', { limit: 1 }, [0], true],
  ['five', { limit: 4 }, [0, 1, 2, 3], true],
  ['five', { limit: 5 }, [0, 1, 2, 3, 4], false],
  ['five', { limit: 6 }, [0, 1, 2, 3, 4], false],
  ['five', { offset: 2 }, [2, 3, 4], false],
  ['five', { limit: 2, offset: 2 }, [2, 3], true],
  ['five', { limit: 2, offset: 3 }, [3, 4], false],
  ['five', { limit: 2, offset: 4 }, [4], false],
  ['five', { offset: 5 }, [], false],
  ['five', { offset: 1000 }, [], false],
  ['five', { offset: Number.MAX_SAFE_INTEGER }, [], false],
  ['ten', {}, range(0, 10), false],
  ['eleven', {}, range(0, 10), true],
  ['eleven', { offset: 1 }, range(1, 11), false],
  ['hundred', { offset: 95 }, range(95, 100), false],
  ['own_limit', {}, [0, 1, 2], false],
  ['own_limit', { limit: 2 }, [0, 1], true],
  ['own_limit', { limit: 9 }, [0, 1, 2], false],
  ['own_limit', { offset: 2 }, [2], false],
  ['own_limit', { offset: 3 }, [], false],
  ['own_limit', { limit: 1, offset: 1 }, [1], true],
  ['own_offset', {}, [50, 51, 52], false],
  ['own_offset', { limit: 1, offset: 1 }, [51], true],
  ['own_offset', { offset: 3 }, [], false],
  ['union', { limit: 4 }, [0, 1, 2, 3], false],
  ['ties', {}, [0, 0, 0, 0], false],
  ['ties', { limit: 3 }, [0, 0, 0], true],
  ['ties', { limit: 4 }, [0, 0, 0, 0], false],
  ['limit_by', {}, [0, 1, 2], false],
  ['limit_by', { limit: 2 }, [0, 1], true],
  ['subquery', { limit: 1 }, [50], false],
  ['in_list', { limit: 3 }, [0, 1, 2], true],
  ['in_list', { limit: 1, offset: 3 }, [3], false],
  ['none', { limit: 1 }, [], false],
  ['comment', { limit: 2 }, [0, 1], true],
];

describe('a run', () => {
  it.each(rows)('of %s with %j has the rows %j and hasMore %s', async (name, asked, ns, more) => {
    const body = await run(test, name, { ...asked, refresh: 'force' });
    const results = (body.results as readonly (readonly [number])[]).map(([n]) => n);
    expect(name === 'union' ? results.toSorted((a, b) => a - b) : results).toEqual(ns);
    expect(body).toMatchObject({
      hasMore: more,
      limit: asked.limit ?? 10,
      offset: asked.offset ?? 0,
    });
  });

  it.each([1, 2, 3, 4, 5])('of a UNION ALL has at most %d rows', async (limit) => {
    const body = await run(test, 'union', { limit });
    expect(body.results).toHaveLength(Math.min(limit, 4));
    expect(body.hasMore).toBe(limit < 4);
  });

  it('of a UNION ALL that ends in a LIMIT skips over the whole of it', async () => {
    const body = await run(test, 'union_limit', { offset: 1 });
    expect(body.results).toHaveLength(2);
    expect(body.hasMore).toBe(false);
  });

  it('names the limit that was applied when it asked for more than the server’s maximum', async () => {
    const body = await run(test, 'hundred', { limit: 1000 });
    expect(body).toMatchObject({ limit: 10, hasMore: true });
    expect(body.results).toHaveLength(10);
  });

  it('finds every row once, page by page', async () => {
    const found: unknown[] = [];
    for (let offset = 0, more = true; more && offset < 200; offset += 7) {
      const body = await run(test, 'hundred', { limit: 7, offset });
      found.push(...(body.results as readonly unknown[]));
      more = body.hasMore === true;
    }
    expect(found).toEqual(range(0, 100).map((n) => [n]));
  });

  it('caches results of different limits, offsets and integer formats apart', async () => {
    await save(test, 'apart', { query: queries.ten });
    for (const asked of [
      {},
      { limit: 2 },
      { limit: 3 },
      { limit: 2, offset: 1 },
      { integers: 'string' },
    ]) {
      expect(await run(test, 'apart', asked)).toMatchObject({ is_cached: false });
      expect(await run(test, 'apart', asked)).toMatchObject({ is_cached: true });
    }
  });
});
