/** Many types as the columns of one table, run in every format and read back. */
import { isDeepStrictEqual } from 'node:util';
import { expect } from 'vitest';
import type { StreamFormat } from '../../../src/model/result-format.ts';
import { saveQuery } from '../../rest/support/sales.ts';
import { engineFormats, fetchBytes } from '../../support/formats.ts';
import type { TestApp } from '../../support/test-app.ts';
import { isTransient } from './every-type.ts';
import { parseJson, type ReadRows, readFormat, type Tree } from './read-formats.ts';
import { isSameValue, type Reader } from './same-value.ts';
import type { Cell, TypeCase } from './value-cases.ts';

/** A sentence for each cell that is not what its type declares; empty when there is none. */
export async function wrongCells(
  test: TestApp,
  columns: readonly TypeCase[],
): Promise<readonly string[]> {
  const name = await saveQuery(test, await queryOf(test, columns));
  const wrong: string[] = [];
  const json = await test.rest('GET', `/endpoints/${name}/run`);
  expect(json.body).toMatchObject({ name });
  const { results } = parseJson(json.text) as { results: readonly (readonly Tree[])[] };
  wrong.push(...compare('json', columns, results, (cell, found) => isJson(cell, found)));
  for (const format of ['ndjson', 'csv', 'arrow', 'parquet'] as const) {
    const { status, headers, bytes, text } = await fetchBytes(test, `${name}/run?format=${format}`);
    expect([format, status, status === 200 ? '' : text]).toEqual([format, 200, '']);
    const { rows } = await readFormat(format, bytes);
    expect(headers.get('querydock-rows')).toBe(String(results.length));
    wrong.push(...compare(format, columns, rows, judgeOf(format)));
    if (format !== 'arrow' && format !== 'parquet') continue;
    const again = await readByEngine(test, format, bytes);
    const judge = (cell: Cell, found: Tree) => isSameValue(cell.binary, found, 'engine');
    wrong.push(...compare(`${format} read by the engine`, columns, again.rows, judge));
  }
  return wrong;
}

let tables = 0;

/** From a table where it may be: values in a text are constants to the engine. */
export async function queryOf(test: TestApp, columns: readonly TypeCase[]): Promise<string> {
  const select = rowsOf(columns)
    .map(
      (row, at) => `SELECT ${at} AS row, ${row.map(({ sql }, n) => `${sql} AS x${n}`).join(', ')}`,
    )
    .join(' UNION ALL ');
  if (columns.some(isTransient)) {
    return `SELECT * EXCEPT row FROM (${select}) ORDER BY row`;
  }
  tables += 1;
  await test.sql(
    `CREATE TABLE types_${tables} ENGINE = Memory AS ${select} SETTINGS allow_suspicious_low_cardinality_types = 1, allow_suspicious_variant_types = 1`,
  );
  return `SELECT * EXCEPT row FROM types_${tables} ORDER BY row`;
}

function rowsOf(columns: readonly TypeCase[]): readonly (readonly Cell[])[] {
  const count = Math.max(...columns.map(({ cells }) => cells.length));
  return Array.from({ length: count }, (_row, at) =>
    columns.map(({ cells }) => cells[at % cells.length] as Cell),
  );
}

type Judge = (cell: Cell, found: Tree, of: TypeCase) => boolean;

function compare(
  where: string,
  columns: readonly TypeCase[],
  found: ReadRows['rows'],
  judge: Judge,
): readonly string[] {
  const expected = rowsOf(columns);
  if (found.length !== expected.length) return [`${where} has ${found.length} rows`];
  return expected.flatMap((row, at) =>
    row.flatMap((cell, n) => {
      const value = found[at]?.[n] ?? null;
      const of = columns[n] as TypeCase;
      if (judge(cell, value, of)) return [];
      return [`${where}: ${of.type}, ${cell.sql} is ${JSON.stringify(value)}`];
    }),
  );
}

function isJson({ json }: Cell, found: Tree): boolean {
  return isDeepStrictEqual(found, parseJson(json));
}

function judgeOf(format: StreamFormat): Judge {
  if (format === 'ndjson') return isJson;
  if (format === 'csv') return isCsv;
  const reader: Reader = format === 'arrow' ? 'apache-arrow' : 'hyparquet';
  return ({ binary }, found) => isSameValue(binary, found, reader);
}

function isCsv({ csv }: Cell, found: Tree, { isNested }: TypeCase): boolean {
  if (csv === null || typeof found !== 'string') return csv === found;
  return isNested ? isDeepStrictEqual(parseJson(found), parseJson(csv)) : found === csv;
}

async function readByEngine(
  test: TestApp,
  format: 'arrow' | 'parquet',
  bytes: Buffer,
): Promise<ReadRows> {
  const lines = (await textByEngine(test, format, bytes)).split('\n');
  return { names: [], rows: lines.map((line) => parseJson(line) as readonly Tree[]) };
}

/** A line of JSON for each row. */
export async function textByEngine(
  test: TestApp,
  format: 'arrow' | 'parquet',
  bytes: Buffer,
): Promise<string> {
  const text = await test.sql(
    `SELECT * FROM format(${engineFormats[format]}, unhex('${bytes.toString('hex')}'))
    FORMAT JSONCompactEachRow SETTINGS max_query_size = 100000000, date_time_output_format = 'iso',
    output_format_json_quote_denormals = 1, output_format_json_quote_64bit_integers = 0,
    output_format_json_quote_decimals = 1, output_format_decimal_trailing_zeros = 1`,
  );
  return text.trimEnd();
}
