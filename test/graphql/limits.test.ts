import { readFileSync } from 'node:fs';
import { buildSchema, getNamedType, isObjectType } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;
let roomy: TestApp;

beforeAll(async () => {
  test = await openTestApp({
    maxQueryAliases: 5,
    maxQueryCost: 5000,
    maxQueryDepth: 6,
    maxQueryRuns: 3,
    maxQueryTokens: 500,
  });
  roomy = await openTestApp();
});
afterAll(async () => {
  await test.close();
  await roomy.close();
});

async function refusalOf(query: string, of = test): Promise<string | undefined> {
  const { body } = await of.graphql(query);
  return body.errors?.map((error) => `${error.extensions.code}: ${error.message}`).join('\n');
}

/** Every field of the schema that answers pages. */
const pagedFields = new Set(
  Object.values(buildSchema(readFileSync('schema.graphql', 'utf8')).getTypeMap())
    .filter(isObjectType)
    .flatMap((type) => Object.values(type.getFields()))
    .filter(({ type }) => getNamedType(type).name.endsWith('Connection'))
    .map(({ name }) => name),
);

const at = () => `projectId: ${test.project.id}`;

describe('a document is refused before it runs', () => {
  it('when it is too deep', async () => {
    const query = `{ endpoints(${at()}, first: 1) { edges { node { version { materialization { status enabled } createdBy { id } } versions(first: 1) { edges { node { columns { name } } } } } } } }`;
    expect(await refusalOf(query)).toMatch(
      /GRAPHQL_DOCUMENT_TOO_LARGE: The document is 8 levels deep; at most 6/,
    );
  });

  it('when its lists multiply to more than the cost', async () => {
    const query = `{ endpoints(${at()}, first: 1000) { edges { node { id name description url query } } } }`;
    expect(await refusalOf(query)).toMatch(/costs 7\d{3} points; at most 5000/);
  });

  it.each([...pagedFields])('when the list that makes it dear is %s', async (name) => {
    const list = (size: string) => `{ ${name}${size} { edges { node { a b c d e } } } }`;
    expect(await refusalOf(list('(first: 1000)'))).toMatch(/costs 7001 points; at most 5000/);
    expect(await refusalOf(list('(last: 1000)'))).toMatch(/costs 7001 points; at most 5000/);
    expect(await refusalOf(`{ endpoints { edges { node ${list('')} } } }`)).toMatch(/costs/);
  });

  it('when a variable makes a list that long', async () => {
    const query = `query ($n: Int = 1000) { endpoints(${at()}, first: $n) { edges { node { id name description url query } } } }`;
    expect(await refusalOf(query)).toMatch(/costs 7001 points; at most 5000/);
  });

  it('when it has too many aliases', async () => {
    const query = `{ ${[1, 2, 3, 4, 5, 6].map((n) => `a${n}: project(id: "@current") { id }`).join(' ')} }`;
    expect(await refusalOf(query)).toMatch(/6 aliases; at most 5/);
  });

  it('when it has too many fragments, each of which validation compares with the others', async () => {
    const fragments = (count: number) =>
      Array.from({ length: count }, (_, n) => ` fragment f${n} on Query { __typename }`).join('');
    const spreads = (count: number) =>
      Array.from({ length: count }, (_, n) => `...f${n}`).join(' ');
    const query = (count: number) => `{ ${spreads(count)} }${fragments(count)}`;
    expect(await refusalOf(query(101), roomy)).toMatch(/101 fragments; at most 100/);
    expect(await refusalOf(query(100), roomy)).toBeUndefined();
  });

  it('when fragments hide the aliases', async () => {
    const query = `{ project(id: "@current") { ...A ...A ...A } } fragment A on Project { x: id y: id }`;
    expect(await refusalOf(query)).toMatch(/6 aliases; at most 5/);
  });

  it('when its aliases are runs, few as they may be', async () => {
    const one = `runEndpoint(${at()}, name: "nobody") { isCached }`;
    const runs = (count: number) =>
      `{ ${Array.from({ length: count }, (_, n) => `r${n}: ${one}`).join(' ')} }`;
    expect(await refusalOf(runs(4))).toMatch(/runs 4 endpoints; at most 3/);
    expect(await refusalOf(runs(3))).not.toMatch(/at most/);
  });

  it('when fragments hide the runs', async () => {
    const query = `{ ...A ...B } fragment A on Query { endpoint(${at()}, name: "nobody") { run { isCached } x: run { isCached } } } fragment B on Query { ...A }`;
    expect(await refusalOf(query)).toMatch(/runs 4 endpoints; at most 3/);
  });

  it('when a list is named like a member that every object has', async () => {
    expect(await refusalOf('{ constructor { toString { __proto__ { id } } } }')).toMatch(
      /GRAPHQL_VALIDATION_FAILED/,
    );
  });

  it('when it has too many tokens', async () => {
    const query = `{ project(id: "@current") { ${'id '.repeat(600)} } }`;
    expect(await refusalOf(query)).toMatch(/more tha\w 500 tokens/);
  });

  it('when introspection is nested beyond what tools ask for', async () => {
    const query = `{ __schema { types { ${'fields { type { '.repeat(9)} name ${'} } '.repeat(9)} } } }`;
    expect(await refusalOf(query)).toMatch(/Introspection may be at most/);
  });

  it('when fragments hide how deep introspection is nested', async () => {
    const query = `{ ...A } fragment A on Query { __schema { types { ...B } } } fragment B on __Type { ${'ofType { '.repeat(20)} name ${'} '.repeat(20)} }`;
    expect(await refusalOf(query)).toMatch(/Introspection may be at most/);
  });

  it('when it asks for the schema again and again', async () => {
    const types = 'types { fields { type { fields { args { type { name } } } } } }';
    const query = `{ __schema { ${types} } ...A } fragment A on Query { ${[1, 2, 3, 4].map((n) => `a${n}: __schema { ${types} }`).join(' ')} }`;
    expect(await refusalOf(query)).toMatch(/more than twice the size of the schema/);
    expect(await refusalOf(`{ __schema { ${types} } }`)).toBeUndefined();
  });

  it.each([
    ['fields', `${'{ project '.repeat(1000)}`],
    ['a value', `{ project(id: ${'['.repeat(1000)}${']'.repeat(1000)}) { id } }`],
    ['an object', `{ project(id: ${'{a: '.repeat(800)}1${'}'.repeat(800)}) { id } }`],
    ['a type', `query ($v: ${'['.repeat(1000)}Int${']'.repeat(1000)}) { __typename }`],
  ])('when its brackets are nested deep, before anything walks them: %s', async (_what, query) => {
    const { body } = await roomy.graphql(query);
    expect(body.errors).toMatchObject([
      {
        message: expect.stringMatching(/nested more than 200/),
        extensions: { code: 'GRAPHQL_DOCUMENT_TOO_LARGE' },
      },
    ]);
  });

  it('when fragments use each other in a circle', async () => {
    const query =
      '{ project(id: "@current") { ...A } } fragment A on Project { ...B } fragment B on Project { ...A }';
    expect(await refusalOf(query)).toMatch(/GRAPHQL_VALIDATION_FAILED.*fragment/is);
  });
});

describe('a list whose rows are run', () => {
  it('runs as many as one request may, and reports an error for the others', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e'])
      await test.rest('POST', '/endpoints', { body: { name, query: `SELECT '${name}' AS name` } });
    const query = `{ endpoints(${at()}, first: 10) { edges { node { name run { results } } } } }`;
    const { body } = await test.graphql(query);
    const list = body.data?.endpoints as
      | { edges: { node: { name: string; run: { results: unknown } | null } }[] }
      | undefined;
    const edges = list?.edges ?? [];
    expect(edges.map(({ node }) => node.run?.results)).toEqual([
      ...edges.slice(0, 3).map(({ node }) => [[node.name]]),
      undefined,
      undefined,
    ]);
    expect(body.errors?.map(({ extensions }) => extensions)).toEqual(
      [3, 4].map(() => ({ code: 'too_many_runs', type: 'validation_error', attr: null })),
    );
    expect((await test.rest('GET', '/endpoints/d/run')).body.results).toEqual([['d']]);
  });
});

describe('a document within the limits', () => {
  it('runs', async () => {
    const { body } = await test.graphql('{ project(id: "@current") { id name } }');
    expect(body).toEqual({ data: { project: { id: String(test.project.id), name: 'flights' } } });
  });

  it('may be the whole introspection query', async () => {
    const { getIntrospectionQuery } = await import('graphql');
    const { body } = await roomy.graphql(getIntrospectionQuery(), {}, { key: null });
    expect(body.errors).toBeUndefined();
  });
});
