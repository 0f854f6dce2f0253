/** A repeated GraphQL run is sent the body of an earlier response, so the fields of that must not change in between. */
import { isObjectType } from 'graphql';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { schema } from '../../src/graphql/schema.ts';
import { fieldsCoveredByTag } from '../../src/graphql/types/endpoint-run.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;

beforeAll(async () => {
  test = await openTestApp();
  const body = { name: 'one', query: 'SELECT 1 AS n', cache_age_seconds: 3600 };
  const { status, text } = await test.rest('POST', '/endpoints', { body });
  if (status !== 201) throw new Error(text);
});
afterAll(() => test.close());

const type = schema.getType('EndpointRun');
const fields = isObjectType(type) ? Object.values(type.getFields()) : [];
const withoutDebug = fields
  .filter(({ name }) => !fieldsCoveredByTag.has(name))
  .map(({ name }) => name);

/** @param end makes the text another one, which is executed in full. */
async function run(selection: readonly string[], end: string): Promise<Record<string, unknown>> {
  const query = `{ runEndpoint(projectId: "@current", name: "one") { ${selection.join(' ')} } }${end}`;
  const { body } = await test.graphql(query);
  return (body as { readonly data: { readonly runEndpoint: Record<string, unknown> } }).data
    .runEndpoint;
}

it('every field that a repeated run may reuse stays the same while its result is cached', async () => {
  await run(['results'], '');
  const first = await run([...fieldsCoveredByTag], '');
  test.clock.advance(7000);
  expect(await run([...fieldsCoveredByTag], ' ')).toEqual(first);
  expect(first).toMatchObject({ isCached: true, results: [[1]] });
});

it('every other field is null without debug, so that no run needs it anew', async () => {
  const selection = withoutDebug.map((name) => {
    const leaf = fields.find((field) => field.name === name)?.type.toString() ?? '';
    return /^(ID|String|Int|Float|Boolean)!?$/.test(leaf) ? name : `${name} { __typename }`;
  });
  const values = Object.values(await run(selection, ''));
  expect(values).toEqual(withoutDebug.map(() => null));
});
