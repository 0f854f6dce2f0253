import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;

beforeAll(async () => {
  test = await openTestApp();
  const bodies = [
    { name: 'big', query: 'SELECT 18446744073709551615 AS n, toInt128(5) AS wide' },
    { name: 'words', query: "SELECT 'a\\n\"b' AS s, '\\x01raw' AS t FROM numbers(2)" },
    { name: 'broken', query: 'SELECT throwIf(number = 1) FROM numbers(2)' },
  ];
  for (const body of bodies) {
    const { status, text } = await test.rest('POST', '/endpoints', { body });
    if (status !== 201) throw new Error(text);
  }
});
afterAll(() => test.close());

const run = (name: string, rest = '') =>
  `runEndpoint(projectId: "@current", name: "${name}"${rest})`;

describe('result bytes', () => {
  it('pass through GraphQL with every digit', async () => {
    const { text } = await test.graphql(`{ ${run('big')} { results columns types } }`);
    expect(text).toBe(
      '{"data":{"runEndpoint":{"results":[[18446744073709551615, "5"]],"columns":["n","wide"],"types":[["n","UInt64"],["wide","Int128"]]}}}',
    );
  });

  it('stand where the document asks for them, under aliases and beside each other', async () => {
    const { body } = await test.graphql(
      `{ a: ${run('words')} { x: results y: results } b: ${run('big', ', input: {integers: string}')} { results } }`,
    );
    const words = [
      ['a\n"b', '\u0001raw'],
      ['a\n"b', '\u0001raw'],
    ];
    expect(body).toEqual({
      data: { a: { x: words, y: words }, b: { results: [['18446744073709551615', '5']] } },
    });
  });

  it('are whole in a response by server-sent events', async () => {
    const response = await test.app.fetch(
      new Request('http://querydock.test/graphql', {
        method: 'POST',
        headers: {
          accept: 'text/event-stream',
          'content-type': 'application/json',
          authorization: `Bearer ${test.project.readKey}`,
        },
        body: JSON.stringify({ query: `{ ${run('big')} { results } }` }),
      }),
    );
    expect(response.headers.get('content-type')).toMatch('text/event-stream');
    expect(await response.text()).toContain(
      '{"data":{"runEndpoint":{"results":[[18446744073709551615, "5"]]}}}',
    );
  });
});

describe('a failing field', () => {
  it('leaves the other fields of the document their data', async () => {
    const { body } = await test.graphql(
      `{ good: ${run('big')} { columns } bad: ${run('broken')} { results } none: ${run('absent')} { results } }`,
    );
    expect(body.data).toEqual({ good: { columns: ['n', 'wide'] }, bad: null, none: null });
    expect(body.errors?.map(({ path, extensions }) => [path, extensions.code])).toEqual(
      expect.arrayContaining([
        [['bad'], 'query_failed'],
        [['none'], 'not_found'],
      ]),
    );
  });

  it('has type and attr beside the code', async () => {
    const { body } = await test.graphql(`{ ${run('big', ', input: {limit: 0}')} { results } }`);
    expect(body.errors?.[0]?.extensions).toEqual({
      code: 'invalid_input',
      type: 'validation_error',
      attr: 'limit',
    });
  });
});
