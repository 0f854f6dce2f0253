import type { OpenAPIObject, RequestBodyObject } from 'openapi3-ts/oas30';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openTestApp();
});
afterAll(() => test.close());

/** The body that the endpoint's document shows. */
async function exampleOf(name: string): Promise<unknown> {
  const { body } = await test.rest('GET', `/endpoints/${name}/openapi.json`);
  const document = body as unknown as OpenAPIObject;
  const shown = Object.values(document.paths)[0]?.post?.requestBody;
  const request = shown !== undefined && '$ref' in shown ? named(document, shown.$ref) : shown;
  return (request as RequestBodyObject).content['application/json']?.example;
}

function named({ components }: OpenAPIObject, ref: string): unknown {
  return components?.requestBodies?.[ref.split('/').at(-1) ?? ''];
}

const types = [
  ...['Int8', 'UInt64', 'Int256', 'Float32', 'Decimal(18, 4)', 'Bool', 'Date', 'Date32'],
  ...['DateTime', "DateTime64(3, 'UTC')", 'UUID', 'IPv4', 'IPv6', 'String', 'FixedString(2)'],
  ...["Enum8('small' = 1, 'large' = 2)", 'Nullable(String)', 'LowCardinality(String)'],
  ...['Array(UInt8)', 'Array(Array(String))', 'Tuple(UInt8, String)', 'Map(String, Date)'],
];

it.each(types)('has an example that runs as it is for a variable of type %s', async (type) => {
  const name = `of_type_${types.indexOf(type)}`;
  const query = `SELECT {v:${type}} AS v`;
  const created = await test.rest('POST', '/endpoints', { body: { name, query } });
  expect(created.status, created.text).toBe(201);
  const run = await test.rest('POST', `/endpoints/${name}/run`, { body: await exampleOf(name) });
  expect(run.status, run.text).toBe(200);
  expect(run.body.results).toHaveLength(1);
});

it('takes the example that a description names, and defaults as they are', async () => {
  const query = 'SELECT {code:String}, {day:Date}, {n:UInt8}, {variables.kept}, {variables.size}';
  const variables = {
    code: { description: 'IATA code, such as SFO. Required.' },
    day: { description: 'A day, for example Monday.' },
    n: { value: 3 },
    kept: { code_name: 'kept', type: 'Boolean' },
    size: { code_name: 'size', type: 'Number', value: 2 },
  };
  const body = { name: 'named', query: { kind: 'SQLQuery', query, variables } };
  expect((await test.rest('POST', '/endpoints', { body })).status).toBe(201);
  const example = await exampleOf('named');
  expect(example).toEqual({
    variables: expect.objectContaining({ code: 'SFO', day: '2024-01-01', n: 3, size: 2 }),
    limit: 10,
  });
  expect((await test.rest('POST', '/endpoints/named/run', { body: example })).status).toBe(200);
});
