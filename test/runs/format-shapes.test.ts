/**
 * Whatever the columns are called and however the query cuts, joins and fills its rows, each format has what the
 * engine itself answers to the text.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { StreamFormat } from '../../src/model/result-format.ts';
import { openSalesApp, saveQuery } from '../rest/support/sales.ts';
import { fetchBytes } from '../support/formats.ts';
import type { TestApp } from '../support/test-app.ts';
import { parseJson, readFormat, type Tree } from './support/read-formats.ts';
import { textByEngine } from './support/type-batches.ts';

const formats: readonly StreamFormat[] = ['ndjson', 'csv', 'arrow', 'parquet'];

let test: TestApp;
beforeAll(async () => {
  test = await openSalesApp();
  await test.sql('CREATE TABLE q (c0 UInt8, q UInt8, `n.a` Array(UInt8)) ENGINE = Memory');
  await test.sql('INSERT INTO q VALUES (5, 6, [7]), (8, 9, [])');
});
afterAll(() => test.close());

/** A text of CSV has no quotes and one of the others has: here both are the same. */
function plain(rows: readonly (readonly Tree[])[]): readonly unknown[] {
  return rows.map((row) =>
    row.map((value) => (typeof value === 'string' ? value.replace(/^"(.*)"$/, '$1') : value)),
  );
}

/** The rows as each format has them, with their names. */
async function inEveryFormat(query: unknown, variables: Readonly<Record<string, unknown>> = {}) {
  const name = await saveQuery(test, query);
  const asked = `${name}/run?variables=${encodeURIComponent(JSON.stringify(variables))}`;
  const { text, body } = await test.rest('GET', `/endpoints/${asked}`);
  expect(body).toMatchObject({ name });
  const { results } = parseJson(text) as { results: readonly (readonly Tree[])[] };
  const responses: Record<string, { names: unknown; rows: readonly unknown[] }> = {
    json: { names: body.columns, rows: plain(results) },
  };
  for (const format of formats) {
    const {
      status,
      bytes,
      headers,
      text: said,
    } = await fetchBytes(test, `${asked}&format=${format}`);
    expect([status, status === 200 ? '' : said]).toEqual([200, '']);
    const { names, rows } = await readFormat(format, bytes);
    expect(headers.get('querydock-rows')).toBe(String(rows.length));
    responses[format] = { names, rows: plain(rows) };
  }
  return responses;
}

const names = [
  ...'c0 c1 c2 C1 c_0 c_1 c__0 c_t q Q t side h rows a.b a.c c_t.c_0 n.a a``b a"b a\'b'.split(' '),
  ...'a\\\\b * 1x " ? $1 é 列 😀 SELECT FROM CAST toJSONString count sales file NULL'.split(' '),
  ...'true -- /* # ; , ( ) {x} {x:UInt8} =1 id limit interpolate'.split(' '),
  'a b',
  ' ',
];
const unescaped = (name: string) => name.replace('``', '`').replace('\\\\', '\\');

describe('names', () => {
  it('of every kind beside each other are those of the query, over its values', async () => {
    const query = `SELECT ${names.map((name, at) => `${at} AS \`${name}\``).join(', ')}`;
    const expected = { names: names.map(unescaped), rows: [names.map((_name, at) => String(at))] };
    const responses = await inEveryFormat(query);
    for (const [format, response] of Object.entries(responses)) {
      expect({ format, ...response }).toEqual({ format, ...expected });
    }
  });

  it.each([
    ['SELECT 1 AS c1, 2 AS c2, 3 AS c3', ['1', '2', '3']],
    ['SELECT 1 AS c1, 2 AS c0', ['1', '2']],
    ["SELECT 'secret' AS q", ['secret']],
    ['SELECT c0, q FROM q ORDER BY c0 LIMIT 1', ['5', '6']],
    ['SELECT toInt128(1) AS c1, toInt128(2) AS c0, toInt128(3) AS q', ['1', '2', '3']],
    ['SELECT toInt128(1) AS c_1, 2 AS c_0, 3 AS c__1', ['1', '2', '3']],
  ])('%s', async (query, row) => {
    const responses = await inEveryFormat(query);
    for (const response of Object.values(responses)) expect(response.rows).toEqual([row]);
  });

  it('of two columns may be one, also in a subquery of the engine', async () => {
    const query =
      'SELECT number AS `plus(number, 1)`, number + 1 FROM numbers(9) ORDER BY 1 LIMIT 2';
    for (const { rows } of Object.values(await inEveryFormat(query))) {
      expect(rows).toEqual([
        ['0', '1'],
        ['1', '2'],
      ]);
    }
  });

  it('are in Parquet none of what a struct beside them has', async () => {
    const name = await saveQuery(
      test,
      'SELECT CAST((1, 2) AS Tuple(x UInt8, y UInt8)) AS t, 7 AS `t.x`, t.y, [8] AS l, 9 AS `l.list.element`',
    );
    const { bytes } = await fetchBytes(test, `${name}/run?format=parquet`);
    expect(await readFormat('parquet', bytes)).toEqual({
      names: ['t', 't.x_2', 't.y_2', 'l', 'l.list.element_2'],
      rows: [[{ x: '1', y: '2' }, '7', '2', ['8'], '9']],
    });
    expect(await textByEngine(test, 'parquet', bytes)).toBe('[{"x":1,"y":2}, 7, 2, [8], 9]');
    const arrow = await fetchBytes(test, `${name}/run?format=arrow`);
    const { names: inArrow } = await readFormat('arrow', arrow.bytes);
    expect(inArrow.join(' ')).toBe('t t.x t.y l l.list.element');
  });

  it('may become one by the value of a variable', async () => {
    const query = {
      kind: 'SQLQuery',
      query:
        'SELECT number AS `plus(number, 1)`, number + {x:UInt8} FROM numbers(9) ORDER BY 1 LIMIT 2',
    };
    for (const { rows } of Object.values(await inEveryFormat(query, { x: 1 }))) {
      expect(rows).toEqual([
        ['0', '1'],
        ['1', '2'],
      ]);
    }
  });
});

const filled = 'FROM numbers(6) WHERE number IN (1, 4) ORDER BY a WITH FILL FROM 0 TO 6';

/** The order of the rows is decided in each. */
const shapes = [
  `SELECT number AS a, number * 10 AS b ${filled}`,
  `SELECT number AS a, number * 10 AS b ${filled} INTERPOLATE (b AS b + 1)`,
  `SELECT number AS a, number * 10 AS b ${filled} INTERPOLATE (b)`,
  `SELECT number AS c1, number * 10 AS c0 ${filled.replace('BY a', 'BY c1')} INTERPOLATE (c0 AS c0 + c1)`,
  `SELECT number AS a, toInt128(number) AS b ${filled} INTERPOLATE (b AS b + 1)`,
  `SELECT toUInt256(number) AS a, number AS b ${filled} INTERPOLATE (b AS b + 1) LIMIT 4`,
  `SELECT toString(b) AS x FROM (SELECT number AS a, number * 10 AS b ${filled} INTERPOLATE (b AS b + 1)) ORDER BY a`,
  `(SELECT number AS a, number * 10 AS b ${filled} INTERPOLATE (b AS b + 1))`,
  `WITH z AS (SELECT number AS a, number * 10 AS b ${filled} INTERPOLATE (b AS b + 1)) SELECT * FROM z ORDER BY a`,
  'SELECT * FROM (SELECT 1 AS a UNION ALL SELECT 2 AS b) ORDER BY a DESC',
  'SELECT number % 3 AS k, number FROM numbers(9) ORDER BY k LIMIT 1 BY k',
  'SELECT number % 3 AS k FROM numbers(9) ORDER BY k LIMIT 2 WITH TIES',
  'SELECT number AS a FROM numbers(9) ORDER BY a DESC LIMIT 2, 3',
  'SELECT number AS a FROM numbers(9) ORDER BY a OFFSET 2 ROWS FETCH FIRST 3 ROWS ONLY',
  '(SELECT 1 AS a INTERSECT SELECT 1) EXCEPT SELECT 2',
  'SELECT country, count() AS n FROM sales GROUP BY country WITH ROLLUP ORDER BY n, country',
  'SELECT country, count() AS n FROM sales GROUP BY GROUPING SETS ((country), ()) ORDER BY n, country',
  'SELECT count() AS n FROM (SELECT amount FROM sales GROUP BY amount WITH TOTALS)',
  'SELECT * FROM (SELECT 1 AS x, 2 AS y) AS t CROSS JOIN (SELECT 3 AS x) AS u',
  'SELECT t.x, u.x, t.x AS z FROM (SELECT 1 AS x) AS t CROSS JOIN (SELECT 3 AS x) AS u',
  'SELECT x AS y, y AS x FROM (SELECT 1 AS x, 2 AS y)',
  'SELECT DISTINCT number % 2 AS a FROM numbers(9) ORDER BY a',
  'SELECT number AS a, sum(number) OVER (ORDER BY number) AS s FROM numbers(4) ORDER BY a',
  'SELECT arrayJoin([3, 1, 2]) AS a ORDER BY a',
  'SELECT finalizeAggregation(anyState(CAST(7 AS Dynamic))) AS a',
  'SELECT anyMerge(s) AS a FROM (SELECT anyState(CAST(materialize(7) AS Dynamic)) AS s)',
  'SELECT country FROM sales ORDER BY amount -- the end',
  'SELECT number AS a FROM numbers(200000) ORDER BY cityHash64(number) LIMIT 150000, 20',
  'SELECT number AS a FROM numbers_mt(45000) ORDER BY cityHash64(a)',
];

/** Their `ORDER BY` is one of the last SELECT, so the engine gives the rows of either first. */
const shapesInAnyOrder = [
  `SELECT 7 AS a, 7 AS b UNION ALL SELECT * FROM (SELECT number AS a, number * 10 AS b ${filled} INTERPOLATE (b AS b + 1)) ORDER BY b, a`,
  'SELECT number AS a FROM numbers(3) UNION ALL SELECT number + 10 FROM numbers(2) ORDER BY 1',
];

describe('shapes', () => {
  /** As the engine answers to the text. */
  async function rowsOf(query: string): Promise<readonly unknown[]> {
    const text = await test.sql(
      `${query}\nFORMAT JSONCompactEachRow SETTINGS output_format_json_quote_64bit_integers = 0`,
    );
    const lines = text.trim().split('\n');
    return plain(lines.map((line) => parseJson(line) as readonly Tree[]));
  }

  it.each(shapes)('%s', async (query) => {
    const expected = await rowsOf(query);
    for (const [format, { rows }] of Object.entries(await inEveryFormat(query))) {
      expect({ format, rows }).toEqual({ format, rows: expected });
    }
  });

  it.each(shapesInAnyOrder)('%s, in any order', async (query) => {
    const sorted = (rows: readonly unknown[]) => rows.map((row) => JSON.stringify(row)).sort();
    const expected = sorted(await rowsOf(query));
    for (const [format, { rows }] of Object.entries(await inEveryFormat(query))) {
      expect({ format, rows: sorted(rows) }).toEqual({ format, rows: expected });
    }
  });
});

it('many blocks come in the order of the query', async () => {
  const query = 'SELECT number AS a FROM numbers_mt(200000) ORDER BY cityHash64(a)';
  const expected = (await test.sql(`${query} FORMAT TSV`)).trim().split('\n');
  const name = await saveQuery(test, query);
  for (const format of formats) {
    const { bytes } = await fetchBytes(test, `${name}/run?format=${format}`);
    const { rows } = await readFormat(format, bytes);
    expect(rows.every(([a], at) => a === expected[at])).toBe(true);
    expect(rows).toHaveLength(expected.length);
  }
});

it.each(['UInt8', 'Int128'])(
  'a replaced table with other columns, of %s, is seen at once',
  async (type) => {
    const replace = (columns: string) =>
      test.sql(`CREATE OR REPLACE TABLE replaced ENGINE = Memory AS SELECT ${columns}`);
    await replace(`1::${type} AS a, 2::${type} AS b`);
    const name = await saveQuery(test, 'SELECT * FROM replaced');
    await replace(`2::${type} AS b, 1::${type} AS a`);
    const { body } = await test.rest('GET', `/endpoints/${name}/run`);
    expect(body.columns).toEqual(['b', 'a']);
    for (const format of formats) {
      const { bytes } = await fetchBytes(test, `${name}/run?format=${format}`);
      const { names: found, rows } = await readFormat(format, bytes);
      expect({ format, found, rows: plain(rows) }).toEqual({
        format,
        found: ['b', 'a'],
        rows: [['2', '1']],
      });
    }
  },
);
