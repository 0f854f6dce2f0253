/** Rows that a query holds itself by `format(…)`: what a reader gets is what the engine reads. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openSalesApp, save } from '../rest/support/sales.ts';
import type { TestApp } from '../support/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openSalesApp();
});
afterAll(() => test.close());

it.each([
  `format(JSONEachRow, '{"a":1,"b":"it\\'s"}\n{"a":null,"b":"\\\\\\\\"}')`,
  `format(JSONEachRow, '{"a b":{"c":[1,2]},"t":"2020-01-01 00:00:00","d":"2020-01-01","f":-0.5,"y":true}')`,
  `format(JSONEachRow, 'a UInt8, n Nested(x UInt8), z DateTime(\\'Asia/Tokyo\\')', '{"a":1,"n.x":[3],"z":"2020-01-01 09:00:00"}')`,
  `format(JSONEachRow, '{"a":18446744073709551615,"b":-9223372036854775808,"c":1e300,"e":[]}')`,
  `format(CSVWithNames, 'x,y\n1,"a,b"\n2,"c""d"')`,
  `format(CSV, 'a Int64, b Nullable(Float64), e Enum8(\\'u\\' = 1)', '1,,u\n2,2.5,u')`,
  `format(TSV, 'a\t1\n\\\\N\t2')`,
  `format(JSONCompactEachRow, '[1, "x", [1, null]]')`,
])('%s', async (call) => {
  const query = `SELECT * FROM ${call} AS f`;
  const name = `rows_${call.length}`;
  await save(test, name, { query });
  const { body } = await test.rest('GET', `/endpoints/${name}/run`);
  const direct = await test.sql(
    `${query} SETTINGS date_time_output_format = 'iso' FORMAT JSONCompact`,
  );
  const { data, meta } = JSON.parse(direct) as {
    readonly data: readonly unknown[];
    readonly meta: readonly { readonly name: string; readonly type: string }[];
  };
  expect(body.types).toEqual(meta.map((column) => [column.name, column.type]));
  expect(body.results).toEqual(data);
});

it.each([
  [`format(Values, '(file(\\'/x\\'))')`, 'The table function format at line 1, column 15'],
  [`format(Native, 'x')`, 'The table function format'],
  [`format(JSONEachRow, concat('{', '}'))`, 'The table function format'],
  [`format(JSONEachRow, 'a AggregateFunction(uniq, UInt8)', '{}')`, 'cannot be parsed from bytes'],
  [`format(JSONEachRow, 'a UInt8 DEFAULT 1', '{}')`, 'no DEFAULT'],
  [`format(JSONEachRow, 'm Map(String, UInt8)', '{"m":{"k":1}}')`, 'is a Map'],
  [`format(JSONEachRow, 'nonsense')`, 'nonsense'],
])('400: %s', async (call, says) => {
  const query = `SELECT * FROM ${call}`;
  const { status, body } = await test.rest('POST', '/endpoints', { body: { name: 'no', query } });
  expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_query' });
  expect(body.detail).toContain(says);
});
