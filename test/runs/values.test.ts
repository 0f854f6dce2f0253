/** Every kind of value, to the last digit, through both interfaces: read from the text of the response, never parsed. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { valueTypes } from '../engine/support/value-types.ts';
import { openSalesApp, saveQuery } from '../rest/support/sales.ts';
import type { TestApp } from '../support/test-app.ts';

let test: TestApp;
let names: readonly string[];

/** Those that the contract names and the engine's own table of value types may leave out. */
const contracted = [
  { expression: 'true', type: 'Bool', json: 'true' },
  { expression: '-inf', type: 'Float64', json: 'null' },
  { expression: '[nan, 1.5]', type: 'Array(Float64)', json: '[null,1.5]' },
  { expression: "toDate('2026-02-28')", type: 'Date', json: '"2026-02-28"' },
  {
    expression: "toDateTime64('2026-02-28 12:00:00.123456', 6, 'UTC')",
    type: "DateTime64(6, 'UTC')",
    json: '"2026-02-28T12:00:00.123456Z"',
  },
  {
    expression: 'toUInt64(9007199254740993)',
    type: 'UInt64',
    json: '9007199254740993',
    asString: '"9007199254740993"',
  },
  {
    expression: '[toInt64(-9223372036854775808)]',
    type: 'Array(Int64)',
    json: '[-9223372036854775808]',
    asString: '["-9223372036854775808"]',
  },
  { expression: 'CAST(NULL AS Nullable(UInt8))', type: 'Nullable(UInt8)', json: 'null' },
  { expression: "map('a', toUInt8(1))", type: 'Map(String, UInt8)', json: '{"a":1}' },
  {
    expression: "CAST('b' AS Enum16('a' = 1, 'b' = 1000))",
    type: "Enum16('a' = 1, 'b' = 1000)",
    json: '"b"',
  },
  { expression: "(toUInt8(1), 'a')", type: 'Tuple(UInt8, String)', json: '[1,"a"]' },
] as const;
const values = [...valueTypes, ...contracted];

beforeAll(async () => {
  test = await openSalesApp();
  const saved: string[] = [];
  for (const { expression } of values)
    saved.push(await saveQuery(test, `SELECT ${expression} AS v`));
  names = saved;
});
afterAll(() => test.close());

describe.each(values.map((value, at) => ({ ...value, at })))('$expression', (value) => {
  const strings = 'asString' in value && value.asString !== undefined ? value.asString : value.json;

  it('is written by REST as it is', async () => {
    const { text, body } = await test.rest('GET', `/endpoints/${names[value.at]}/run`);
    expect(text).toContain(`{"results":[[${value.json}]],"columns":["v"]`);
    expect(body.types).toEqual([['v', value.type]]);
  });

  it('is written with integers as strings where they have 64 bits', async () => {
    const path = `/endpoints/${names[value.at]}/run`;
    const { text } = await test.rest('POST', path, { body: { integers: 'string' } });
    expect(text).toContain(`{"results":[[${strings}]],`);
  });

  it('is written by GraphQL in the same way', async () => {
    const document =
      'query Run($id: ID!, $name: String!) { runEndpoint(projectId: $id, name: $name) { results types } }';
    const { text } = await test.graphql(document, { id: test.project.id, name: names[value.at] });
    expect(text).toContain(`"results":[[${value.json}]],`);
    expect(text).toContain(JSON.stringify([['v', value.type]]));
  });
});
