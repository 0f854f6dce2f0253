/**
 * Columns, order and pages of generated runs, against the whole result that was fetched once and is selected, sorted and
 * cut here.
 */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openSalesApp, saveQuery } from '../rest/support/sales.ts';
import type { TestApp } from '../support/test-app.ts';
import { makeMixed } from './support/mixed-table.ts';

type Row = readonly unknown[];

let test: TestApp;
const names = new Map<string, string>();
beforeAll(async () => {
  test = await openSalesApp();
  await makeMixed(test);
  for (const text of queries) names.set(text, await saveQuery(test, text));
});
afterAll(() => test.close());

const queries = [
  'SELECT * FROM mixed',
  'SELECT id, word, low, maybe, ratio FROM mixed ORDER BY low DESC, word LIMIT 40',
  'SELECT word, count() AS n, avg(price) AS `average.of price` FROM mixed GROUP BY word ORDER BY n',
  'SELECT low, day, id FROM mixed ORDER BY low, day, id LIMIT 2 BY low, day',
  'SELECT day, id FROM mixed ORDER BY day LIMIT 5 WITH TIES',
  "SELECT m.id AS word, m.kind::String AS id FROM mixed AS m UNION ALL SELECT 7, 'seven' UNION ALL SELECT 7, 'seven'",
  "SELECT 1 AS either, map(kind, ratio) AS map, id % 3 AS third FROM mixed UNION ALL SELECT '1', map(), 1 FROM numbers(20)",
  'SELECT id, row_number() OVER (PARTITION BY day ORDER BY id) AS `ROW`, lagInFrame(id) OVER (ORDER BY id) AS before FROM mixed ORDER BY toString(id) DESC LIMIT 3, 30',
  "SELECT number % 7 AS c0, number % 2 AS `c``1`, toNullable(number) AS `-c`, 'ü' AS `a,b` FROM system.numbers LIMIT 25 -- the end",
  'WITH t AS (SELECT DISTINCT kind, flag, wide FROM mixed) SELECT * FROM t ORDER BY kind DESC, wide',
];

interface Result {
  readonly columns: readonly string[];
  readonly types: readonly (readonly [string, string])[];
  readonly results: readonly unknown[];
  readonly hasMore: boolean;
  readonly next_cursor: string | null;
}

async function run(name: string, body: object): Promise<Result> {
  const given = { integers: 'string', ...body };
  const response = await test.rest('POST', `/endpoints/${name}/run`, { body: given });
  expect([response.status, given, response.status === 200 ? '' : response.text]).toEqual([
    200,
    given,
    '',
  ]);
  return response.body as unknown as Result;
}

/** All pages of a run, one after another. */
async function pages(name: string, body: object, cursor: string | null): Promise<unknown[]> {
  const rows: unknown[] = [];
  const seen = new Set<string>();
  for (let at = cursor; ; ) {
    const page: Result = await run(name, { ...body, ...(at === null ? {} : { cursor: at }) });
    rows.push(...page.results);
    expect(page.hasMore).toBe(page.next_cursor !== null);
    if (page.next_cursor === null) return rows;
    expect(seen.has(page.next_cursor)).toBe(false);
    seen.add(page.next_cursor);
    at = page.next_cursor;
  }
}

/** By the value that JSON shows; the types whose order is not that of their JSON are not compared here. */
function compare(type: string, a: unknown, b: unknown): number {
  if (a === b) return 0;
  if (a === null || b === null) return a === null ? 1 : -1;
  if (/Decimal|Int\d|Float/.test(type)) return sign(toNumber(a), toNumber(b));
  if (type === 'Bool') return Number(a) - Number(b);
  if (type.startsWith('Enum')) return a === 'b' ? -1 : 1;
  return Buffer.compare(Buffer.from(String(a as string)), Buffer.from(String(b as string)));
}

function toNumber(value: unknown): number | bigint {
  return typeof value === 'string' && /^-?\d+$/.test(value) ? BigInt(value) : Number(value);
}

function sign(a: number | bigint, b: number | bigint): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** Texts that are not UTF-8, NaN and infinities look alike in JSON, and UUID, IPv6 and arrays have an order of their own. */
function isComparable(name: string, type: string): boolean {
  return name !== 'word' && !/UUID|IPv|Array|Float|FixedString/.test(type);
}

const sorted = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).sort();

const choices = fc.record({
  query: fc.constantFrom(...queries),
  order: fc.array(fc.tuple(fc.nat(), fc.boolean()), { minLength: 0, maxLength: 3 }),
  columns: fc.option(fc.array(fc.nat(), { minLength: 1, maxLength: 4 })),
  limit: fc.integer({ min: 1, max: 30 }),
  isObjects: fc.boolean(),
});

describe('generated runs', () => {
  it('have the rows of the whole result, in their order, whole and once over all pages', async () => {
    await fc.assert(
      fc.asyncProperty(choices, async ({ query, order, columns, limit, isObjects }) => {
        const name = names.get(query) ?? '';
        const whole = await run(name, {});
        const width = whole.columns.length;
        const nameAt = (at: number) => whole.columns[at % width] ?? '';
        const picked = columns === null ? null : [...new Set(columns.map(nameAt))];
        const keys = new Map(
          order
            .filter(([at]) => !/^(Variant|Map)/.test(whole.types[at % width]?.[1] ?? ''))
            .map(([at, down]) => [nameAt(at), down]),
        );
        const body = {
          ...(picked === null ? {} : { columns: picked }),
          ...(keys.size === 0
            ? {}
            : { order_by: [...keys].map(([key, down]) => `${down ? '-' : '+'}${key}`) }),
          ...(isObjects ? { rows: 'objects' } : {}),
        };
        const cursor = keys.size === 0 ? '' : null;
        const shown = picked ?? whole.columns;
        const one = await run(name, { ...body, ...(cursor === null ? {} : { cursor }) });
        expect(one.columns).toEqual(shown);
        const toRow = (row: unknown): Row =>
          isObjects ? shown.map((key) => (row as Record<string, unknown>)[key]) : (row as Row);
        const rows = one.results.map(toRow);
        const positions = shown.map((key) => whole.columns.indexOf(key));
        const expected = (whole.results as readonly Row[]).map((row) =>
          positions.map((at) => row[at]),
        );
        expect(sorted(rows)).toEqual(sorted(expected));
        const checked: { at: number; type: string; down: boolean }[] = [];
        for (const [key, down] of keys) {
          const at = shown.indexOf(key);
          const type = whole.types[whole.columns.indexOf(key)]?.[1] ?? '';
          if (at < 0 || !isComparable(key, type)) break;
          checked.push({ at, type, down });
        }
        const inOrder = [...expected].sort((a, b) => {
          for (const { at, type, down } of checked) {
            const order = compare(type, a[at], b[at]);
            if (order !== 0) return down && a[at] !== null && b[at] !== null ? -order : order;
          }
          return 0;
        });
        const keysOf = (row: Row) => checked.map(({ at }) => row[at]);
        expect(rows.map(keysOf)).toEqual(inOrder.map(keysOf));
        const paged = await pages(name, { ...body, limit }, cursor);
        expect(paged).toEqual(one.results);
      }),
      { numRuns: 50, endOnFailure: true },
    );
  });
});
