/** Generated wrong input through GraphQL: each gets a clear refusal and changes nothing. */
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bystanders, ofCountry, openSalesApp, save } from '../rest/support/sales.ts';
import type { TestApp } from '../support/test-app.ts';
import {
  endpointMembers,
  hostile,
  hostileMember,
  runMembers,
  settings,
} from './support/refused-members.ts';

let test: TestApp;

beforeAll(async () => {
  test = await openSalesApp();
  await save(test, 'sales', { query: ofCountry });
  await save(test, 'plain');
});
afterAll(() => test.close());

async function expectRefusal(document: string, variables: object): Promise<void> {
  const before = await bystanders(test);
  const { status, body } = await test.graphql(document, { id: test.project.id, ...variables });
  expect(status).toBeLessThan(500);
  const { errors } = body;
  expect(errors).not.toEqual([]);
  for (const { extensions } of errors ?? [{ extensions: {} }]) {
    expect(extensions).toMatchObject({
      code: expect.stringMatching(/^(?!error$)[a-z_]+$/),
      type: expect.stringMatching(/^[a-z_]+$/),
    });
    expect(extensions).toHaveProperty('attr');
  }
  expect(await bystanders(test)).toEqual(before);
}

const toCamel = (name: string) =>
  name.replace(/_([a-z])/g, (_all, letter: string) => letter.toUpperCase());

const create =
  'mutation ($id: ID!, $input: CreateEndpointInput!) { createEndpoint(projectId: $id, input: $input) { id } }';
const update =
  'mutation ($id: ID!, $input: UpdateEndpointInput!) { updateEndpoint(projectId: $id, name: "sales", input: $input) { id } }';
const run =
  'query ($id: ID!, $input: RunInput) { runEndpoint(projectId: $id, name: "plain", input: $input) { results } }';
const valid = { name: 'new', query: 'SELECT 1 AS one' };

describe.each([
  ['createEndpoint', create, valid, hostileMember(endpointMembers)],
  ['updateEndpoint', update, {}, hostileMember(endpointMembers)],
  ['runEndpoint', run, {}, hostileMember(runMembers)],
] as const)('the input of %s', (_field, document, base, members) => {
  it('is refused with a member that it cannot take', async () => {
    const property = fc.asyncProperty(members, ({ member, value }) =>
      expectRefusal(document, { input: { ...base, [toCamel(member)]: value } }),
    );
    await fc.assert(property, { ...settings, numRuns: 120 });
  });

  it('is refused with a member that it does not have', async () => {
    const property = fc.asyncProperty(fc.stringMatching(/^[a-z]{1,10}$/), (member) =>
      expectRefusal(document, { input: { ...base, [`unknown_${member}`]: 1 } }),
    );
    await fc.assert(property, { ...settings, numRuns: 10 });
  });
});

const byName = [
  'query ($id: ID!, $name: String!) { endpoint(projectId: $id, name: $name) { id } }',
  'query ($id: ID!, $name: String!) { endpointVersions(projectId: $id, name: $name, first: 1) { edges { cursor } } }',
  'query ($id: ID!, $name: String!) { materializationStatus(projectId: $id, name: $name) { ready } }',
  'query ($id: ID!, $name: String!) { runEndpoint(projectId: $id, name: $name) { results } }',
  'query ($id: ID!, $name: ID!) { queryStatus(projectId: $id, id: $name) { id } }',
  'mutation ($id: ID!, $name: ID!) { cancelQuery(projectId: $id, id: $name) { id } }',
  'mutation ($id: ID!, $name: String!) { deleteEndpoint(projectId: $id, name: $name) }',
  'mutation ($id: ID!, $name: String!) { updateEndpoint(projectId: $id, name: $name, input: {}) { id } }',
];

describe('a name or an id', () => {
  it('is refused by every field when nobody has it', async () => {
    const property = fc.asyncProperty(fc.constantFrom(...byName), hostile.name, (document, name) =>
      expectRefusal(document, { name }),
    );
    await fc.assert(property, { ...settings, numRuns: 100 });
  });

  it('is refused among the names of last execution times', async () => {
    const document =
      'query ($id: ID!, $names: [String!]!) { lastExecutionTimes(projectId: $id, names: $names) { name } }';
    const names = hostile.name.filter((name) => typeof name === 'string');
    const property = fc.asyncProperty(names, (name) => expectRefusal(document, { names: [name] }));
    await fc.assert(property, { ...settings, numRuns: 20 });
  });
});

describe('a project id', () => {
  it('is refused when it names none', async () => {
    const document = 'query ($id: ID!) { project(id: $id) { id } }';
    const ids = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 10 }).map((text) => `x${text}`),
      fc.constantFrom('', '0', '-1', '\u0000', '\ud800', '9'.repeat(30), 1.5, true, null, {}, []),
    );
    const property = fc.asyncProperty(ids, (id) => expectRefusal(document, { id }));
    await fc.assert(property, { ...settings, numRuns: 30 });
  });
});

describe('JSON that is nested without end', () => {
  const deep = `${'['.repeat(200_000)}${']'.repeat(200_000)}`;
  const plain = 'query ($id: ID!, $v: JSON) { runEndpoint(projectId: $id, name: "sales", input:';

  it.each([
    [
      'a query',
      create
        .replace('$input: CreateEndpointInput!', '$v: JSON!')
        .replace('input: $input', 'input: { name: "new", query: $v }'),
      deep,
    ],
    ['variables', `${plain} { variables: $v }) { results } }`, `{"country":${deep}}`],
    ['filters', `${plain} { filtersOverride: $v }) { results } }`, `{"date_from":${deep}}`],
    ['an override', `${plain} { queryOverride: $v }) { results } }`, deep],
  ])('is refused as %s', async (_what, query, value) => {
    const before = await bystanders(test);
    const body = `{"query":${JSON.stringify(query)},"variables":{"id":${test.project.id},"v":${value}}}`;
    const response = await test.app.fetch(
      new Request('http://querydock.test/graphql', {
        method: 'POST',
        headers: {
          authorization: `Bearer ${test.project.writeKey}`,
          'content-type': 'application/json',
        },
        body,
      }),
    );
    expect(await response.json()).toMatchObject({
      errors: [{ extensions: { code: expect.stringMatching(/^(?!error$)[a-z_]+$/) } }],
    });
    expect(await bystanders(test)).toEqual(before);
  });
});
