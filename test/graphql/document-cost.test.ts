/** The cost of a document follows from the values of its variables, and `__typename` costs nothing. */
import { type FieldNode, Kind, parse, print, visit } from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { endpointSelection } from '../../src/rest/operations/endpoint-fields.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;
let ordinary: TestApp;

beforeAll(async () => {
  test = await openTestApp({ maxQueryCost: 5000 });
  ordinary = await openTestApp();
});
afterAll(async () => {
  await test.close();
  await ordinary.close();
});

/** Empty when the document ran. */
async function refusalOf(query: string, variables: object = {}): Promise<string> {
  const { body } = await test.graphql(query, variables);
  return (body.errors ?? [])
    .map(({ message, extensions }) => `${extensions.code}: ${message}`)
    .join('\n');
}

function post(body: object, accept: string): Promise<Response> {
  const headers = {
    accept,
    authorization: `Bearer ${test.project.readKey}`,
    'content-type': 'application/json',
  };
  const init = { method: 'POST', headers, body: JSON.stringify(body) };
  return test.app.fetch(new Request('http://querydock.test/graphql', init));
}

const tooCostly = (points: number) =>
  `GRAPHQL_DOCUMENT_TOO_LARGE: The document costs ${points} points; at most 5000 are accepted. Request fewer rows with first.`;

/** 1 + 7 n points. */
const rows = '{ edges { node { id name description url query } } }';
const list = (size: string) => `endpoints(projectId: "@current"${size}) ${rows}`;
const sized = (type: string, size = 'first: $n') => `query ($n: ${type}) { ${list(`, ${size}`)} }`;

/** 1 + 10 (3 + 3 n) points. */
const nested = (type: string) => `query ($n: ${type}) {
  endpoints(projectId: "@current", first: 10) {
    edges { node { versions(first: $n) { edges { node { id } } } } }
  }
}`;

describe('a list that a variable sizes', () => {
  it.each([714, 715])('costs as much as the literal %d', async (n) => {
    const refused = n === 714 ? '' : tooCostly(1 + 7 * n);
    expect(await refusalOf(`{ ${list(`, first: ${n}`)} }`)).toBe(refused);
    expect(await refusalOf(sized('Int'), { n })).toBe(refused);
    expect(await refusalOf(sized('Int!'), { n })).toBe(refused);
    expect(await refusalOf(sized('Int', 'last: $n'), { n })).toBe(refused);
    expect(await refusalOf(sized(`Int = ${n}`))).toBe(refused);
    expect(await refusalOf(sized(`Int = ${1429 - n}`), { n })).toBe(refused);
  });

  it.each([
    ['absent', 'Int', {}],
    ['null', 'Int', { n: null }],
    ['null by default', 'Int = null', {}],
    ['null in place of its default', 'Int = 5', { n: null }],
  ])('has 100 rows when the variable is %s', async (_what, type, variables) => {
    expect(await refusalOf(sized(type), variables)).toBe('');
    const dear = nested(type).replace('first: 10', 'first: 17');
    expect(await refusalOf(dear, variables)).toBe(tooCostly(1 + 17 * 303));
  });

  it.each([1000, 1001, 2_147_483_647])('of %d rows counts as its maximum of 1000', async (n) => {
    expect(await refusalOf(sized('Int'), { n })).toBe(tooCostly(7001));
    expect(await refusalOf(`{ ${list(`, first: ${n}`)} }`)).toBe(tooCostly(7001));
  });

  it.each([2_147_483_648, 1e300, 5.5, '5', [5], { n: 5 }, true])(
    'is refused with %j, which is no number of rows',
    async (n) => {
      expect(await refusalOf(sized('Int'), { n })).not.toBe('');
    },
  );

  it('is judged anew for each request of the same document', async () => {
    const query = sized('Int!').replace('query', 'query Anew');
    for (const n of [1000, 5, 1000, 5])
      expect(await refusalOf(query, { n })).toBe(n === 5 ? '' : tooCostly(7001));
  });

  it('counts the larger of first and last, though one is null', async () => {
    for (const size of ['first: $a, last: $b', 'last: $b, first: $a'])
      expect(
        await refusalOf(`query ($a: Int, $b: Int) { ${list(`, ${size}`)} }`, { a: null, b: 1000 }),
      ).toBe(tooCostly(7001));
    expect(await refusalOf(sized('Int', 'first: null, last: $n'), { n: 1000 })).toBe(
      tooCostly(7001),
    );
  });

  it('counts within other lists, and through fragments', async () => {
    expect(await refusalOf(nested('Int'), { n: 165 })).toBe('');
    expect(await refusalOf(nested('Int'), { n: 166 })).toBe(tooCostly(5011));
    const spread = `query ($n: Int) { endpoints(projectId: "@current", first: 10) { ...A } }
      fragment A on EndpointConnection { edges { node { ...B } } }
      fragment B on Endpoint { versions(first: $n) { edges { node { id } } } }`;
    expect(await refusalOf(spread, { n: 166 })).toBe(tooCostly(5011));
  });

  it('counts fragments that double without walking each of their uses', async () => {
    const doubled = (times: number) => {
      const fragments = Array.from(
        { length: times },
        (_, i) => `fragment F${i} on Query { ...F${i + 1} ...F${i + 1} }`,
      );
      return `query ($n: Int) { ...F0 } ${fragments.join(' ')} fragment F${times} on Query { ${list(', first: $n')} }`;
    };
    expect(await refusalOf(doubled(9), { n: 1 })).toBe('');
    expect(await refusalOf(doubled(9), { n: 2 })).toBe(tooCostly(512 * 15));
    expect(await refusalOf(doubled(60), { n: 1 })).toMatch(/^GRAPHQL_DOCUMENT_TOO_LARGE/);
  });

  it('counts in the operation that is executed', async () => {
    const query = `query Few($n: Int = 5) { ${list(', first: $n')} } query Many($n: Int = 1000) { ${list(', first: $n')} }`;
    const run = async (operationName: string) =>
      (await post({ query, operationName }, 'application/json')).text();
    expect(await run('Few')).not.toContain('errors');
    expect(await run('Many')).toContain('costs 7001 points');
  });

  it('is refused with the status of other refusals', async () => {
    const body = { query: sized('Int'), variables: { n: 1000 } };
    expect((await post(body, 'application/graphql-response+json')).status).toBe(400);
    expect((await post(body, 'application/json')).status).toBe(200);
  });
});

it('a list of ids has a row for each of them', async () => {
  const node = '{ id ... on Endpoint { versions(first: 100) { edges { node { id } } } } }';
  const query = `query ($ids: [ID!]!, $id: ID!) { nodes(ids: $ids) ${node} one: nodes(ids: [$id]) { id } }`;
  const ids = (count: number) => ({ id: 'a', ids: Array.from({ length: count }, () => 'a') });
  expect(await refusalOf(query, ids(16))).toBe('');
  expect(await refusalOf(query, ids(17))).toBe(tooCostly(2 + 1 + 17 * 302));
});

function withTypenames(document: string): string {
  const typename: FieldNode = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '__typename' } };
  const added = visit(parse(document), {
    SelectionSet: (set) => ({ ...set, selections: [...set.selections, typename] }),
  });
  return print(added);
}

describe('__typename', () => {
  it('costs nothing, wherever a client adds it', async () => {
    const query = withTypenames(sized('Int'));
    expect(query.match(/__typename/g)).toHaveLength(4);
    expect(await refusalOf(query, { n: 714 })).toBe('');
    expect(await refusalOf(query, { n: 715 })).toBe(tooCostly(5006));
  });

  it('does not make the rows of a list free', async () => {
    const query = `query ($n: Int) { endpoints(projectId: "@current", first: $n) {
      edges { node { versions(first: 1000) { __typename } } } } }`;
    expect(await refusalOf(query, { n: 4 })).toBe('');
    expect(await refusalOf(query, { n: 5 })).toBe(tooCostly(1 + 5 * 1003));
  });
});

it('an ordinary list of 100 endpoints with all fields of REST is within the default limits', async () => {
  await ordinary.rest('POST', '/endpoints', { body: { name: 'a', query: 'SELECT 1 AS n' } });
  const query = withTypenames(`query List($first: Int!, $after: String) {
    endpoints(projectId: "@current", first: $first, after: $after) {
      totalCount
      edges { cursor node ${endpointSelection} }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }`);
  const { body } = await ordinary.graphql(query, { first: 100 });
  expect(body.errors).toBeUndefined();
  expect(body.data).toMatchObject({
    endpoints: { totalCount: 1, edges: [{ node: { __typename: 'Endpoint', name: 'a' } }] },
  });
});
