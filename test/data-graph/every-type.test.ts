/** What the engine writes for each of its types is what the data graph says of it. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { pascalCase } from '../../src/data-graph/names.ts';
import { compileRows } from '../../src/data-graph/rows/compile-rows.ts';
import { fitColumns } from '../../src/data-graph/rows/fit-columns.ts';
import { spliceRows } from '../../src/data-graph/rows/splice-rows.ts';
import type { GraphShape, TypeRef } from '../../src/data-graph/shape.ts';
import { toShape } from '../../src/data-graph/to-shape.ts';
import { typeText } from '../../src/data-graph/types.ts';
import { parseJson } from '../../src/lib/parse-json.ts';
import { retrieve, saveQuery } from '../rest/support/sales.ts';
import { batchesOf, sampled, systematic } from '../runs/support/every-type.ts';
import { queryOf } from '../runs/support/type-batches.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';
import { wholeRow, wholeSelection, wholeText } from './rows/support/whole-selection.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openTestApp();
});
afterAll(() => test.close());

const isText = (value: unknown): boolean => typeof value === 'string';
const matches = (pattern: RegExp) => (value: unknown) =>
  isText(value) && pattern.test(String(value));
const isWhole = (value: unknown): boolean =>
  typeof value === 'bigint' || Number.isSafeInteger(value);

/** Whether a value of the response may be one of the scalar. */
const scalars: Readonly<Record<string, (value: unknown) => boolean>> = {
  Int: (value) => Number.isInteger(value) && (Number(value) | 0) === Number(value),
  BigInt: isWhole,
  HugeInt: matches(/^-?\d+$/),
  Float: (value) => typeof value === 'number' || typeof value === 'bigint',
  Decimal: matches(/^-?\d+(\.\d+)?$/),
  Boolean: (value) => typeof value === 'boolean',
  Date: matches(/^\d{4}-\d\d-\d\d$/),
  DateTime: matches(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/),
  ID: matches(/^[0-9a-f-]{36}$/),
  String: isText,
  JSON: () => true,
};

function fits(value: unknown, type: TypeRef, shape: GraphShape): boolean {
  if (value === null) return !type.nonNull;
  if ('list' in type) {
    return Array.isArray(value) && value.every((item) => fits(item, type.list, shape));
  }
  const object = shape.objects.find(({ name }) => name === type.name);
  if (object === undefined) return scalars[type.name]?.(value) === true;
  if (typeof value !== 'object' || Array.isArray(value)) return false;
  const members = Object.entries(value);
  return (
    members.length === object.fields.length &&
    object.fields.every(({ key, type: of }, at) => {
      const [name, member] = members[at] ?? [];
      return name === key && fits(member, of, shape);
    })
  );
}

/** A sentence for each cell that is not what its column's type in the graph says. */
async function misfits(batch: Parameters<typeof queryOf>[1]): Promise<readonly string[]> {
  const name = await saveQuery(test, await queryOf(test, batch));
  const { columns } = (await retrieve(test, name)) as { columns: { name: string; type: string }[] };
  const shape = toShape({ field: 'types', description: '', columns, variables: [] });
  const { text } = await test.rest('GET', `/endpoints/${name}/run`);
  const { results } = parseJson(text) as { results: readonly (readonly unknown[])[] };
  expect(results.length).toBeGreaterThan(0);
  expect(await askedFor(name, shape)).toEqual(results.map((row) => wholeRow(shape, row)));
  expect(splicedOf(text, shape)).toEqual(results.map((row) => wholeRow(shape, row)));
  expect(shape.columns.length).toBe(batch.length);
  return results.flatMap((row) =>
    shape.columns.flatMap(({ engineType, type }, at) => {
      if (fits(row[at], type, shape)) return [];
      return [`${engineType} is ${typeText(type)} and was ${JSON.stringify(row[at])}`];
    }),
  );
}

/** The rows of the endpoint's field in the data graph. */
async function askedFor(name: string, shape: GraphShape): Promise<unknown> {
  const field = String((await retrieve(test, name)).graphql_name);
  const rowType = `${pascalCase(field)}Row`;
  const query = `{ ${field} { rows ${wholeText(shape)} } }`;
  const { text } = await test.rest('POST', '/graphql', { body: { query } });
  // Object types are named by the field, the shape of the test by another.
  const answer = parseJson(text.replaceAll(`"${rowType}`, `"${shape.rowType}`)) as {
    readonly data?: Readonly<Record<string, { readonly rows: unknown }>>;
  };
  return answer.data?.[String(field)]?.rows ?? text;
}

/** The rows of a run's response as objects, by the types that came with them. */
function splicedOf(response: string, shape: GraphShape): unknown {
  const end = response.lastIndexOf(',"columns":');
  const rows = Buffer.from(response.slice('{"results":'.length, end));
  const { types } = JSON.parse(`{${response.slice(end + 1)}`) as { types: [string, string][] };
  const found = types.map(([name, type]) => ({ name, type }));
  const { layout, misfits: unfit } = fitColumns(shape, shape.columns.keys(), found);
  expect(unfit).toEqual([]);
  expect(found.map(({ type }) => type)).toEqual(shape.columns.map((one) => one.engineType));
  const compiled = compileRows(shape, wholeSelection(shape), layout);
  return parseJson(spliceRows(rows, compiled, { maxBytes: 10_000_000 }).toString());
}

describe('every type, alone, in containers and two deep', () => {
  it.each(
    batchesOf([...systematic, ...sampled(1, 60)]).map((batch) => [batch[0]?.type, batch] as const),
  )('from %s on', async (_first, batch) => {
    expect(await misfits(batch)).toEqual([]);
  });
});
