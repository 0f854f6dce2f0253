/** The GraphQL endpoint: requests of every shape, and documents that are none or far too many. */
import fc from 'fast-check';
import {
  accepts,
  asText,
  bodiesOf,
  contentTypes,
  documentsOf,
  methods,
  moreParameters,
  post,
  times,
  withoutStreams,
} from '../support/documents.ts';
import { family } from '../support/family.ts';
import { damage, deepJson, wideJson } from '../support/texts.ts';
import { bearer, noBody } from '../support/world.ts';

const at = 'projectId: "@current"';

/** Documents that the service answers; hostile ones are made of their pieces. */
const goodDocuments = [
  `{ project(id: "@current") { id name tables { name columns { name } } } }`,
  `{ endpoints(${at}, first: 2) { totalCount edges { cursor node { id name versions(first: 1) { edges { node { version } } } } } pageInfo { endCursor } } }`,
  `{ endpoint(${at}, name: "plain") { ...E } } fragment E on Endpoint { name columns { name type } variables { name default } }`,
  `{ runEndpoint(${at}, name: "plain") { results columns types hasMore isCached executionId } }`,
  `query Q($v: JSON) { runEndpoint(${at}, name: "victim", input: {variables: $v, limit: 1}) { results } }`,
  `query ($n: [String!]!) { lastExecutionTimes(${at}, names: $n) { name executedAt } }`,
  `{ materializationStatus(${at}, name: "plain") { status canMaterialize reason history { outcome } } }`,
  `{ __schema { types { name fields { name type { name ofType { name } } } } } __type(name: "Endpoint") { name } }`,
  `mutation { updateEndpoint(${at}, name: "victim", input: {description: "x"}) { id } }`,
  `mutation ($i: CreateEndpointInput!) { createEndpoint(${at}, input: $i) { id } }`,
  `{ queryStatus(${at}, id: "x") { complete } apiKeys { edges { node { id } } } }`,
] as const;

const words = [
  'edges',
  'node',
  'run',
  'first: 99999999999',
  'first: -1',
  'after: "x"',
  'before: "R1BDOlM6eA=="',
  'name: "__proto__"',
  'input: {variables: {__proto__: 1}}',
  'id: {}',
] as const;

/** Small texts that would cost much: each must be refused before it does. */
export const bombs: Readonly<Record<string, string>> = {
  aliases: `{ ${times(800, (n) => `a${n}: project(id: "@current") { id }`)} }`,
  'aliases of one run': `{ ${times(45, (n) => `a${n}: runEndpoint(${at}, name: "plain") { results }`)} }`,
  'the same field': `{ ${'__typename '.repeat(3900)} }`,
  'the same field with arguments': `{ ${times(400, () => 'project(id: "@current") { id }')} }`,
  'the same field with other arguments': `{ ${times(400, (n) => `project(id: ${n}) { id }`)} }`,
  depth: `{ endpoint(${at}, name: "plain") { ${'versions { edges { node { '.repeat(200)} id ${'} } } '.repeat(200)} } }`,
  'depth of nothing': '{'.repeat(2000),
  'depth of a value': `{ runEndpoint(${at}, name: "plain", input: {variables: ${'['.repeat(1900)}${']'.repeat(1900)}}) { results } }`,
  'depth of an object': `{ runEndpoint(${at}, name: "plain", input: {variables: ${'{a:'.repeat(900)}1${'}'.repeat(900)}}) { results } }`,
  'depth of a type': `query ($v: ${'['.repeat(1900)}Int${']'.repeat(1900)}) { __typename }`,
  directives: `{ __typename ${'@include(if: true) '.repeat(600)} }`,
  'unknown directives': `{ __typename ${'@x '.repeat(1900)} }`,
  'fragments of fragments': `{ ...f0 } ${times(120, (n) => `fragment f${n} on Query { ...f${n + 1} ...f${n + 1} __typename }`)} fragment f120 on Query { __typename }`,
  'a circle of fragments': `{ ...a } ${times(200, (n) => `fragment ${n === 0 ? 'a' : `a${n}`} on Query { ...${n === 199 ? 'a' : `a${n + 1}`} }`)}`,
  'a fragment of itself': '{ ...a } fragment a on Query { ...a ...a ...a }',
  'unused fragments': `{ __typename } ${times(400, (n) => `fragment f${n} on Query { __typename }`)}`,
  'inline fragments': `{ ${'... { '.repeat(900)} __typename ${'} '.repeat(900)} }`,
  'overlapping fields': `{ ${times(300, (n) => `...f${n}`)} } ${times(300, (n) => `fragment f${n} on Query { x: __typename }`)}`,
  'overlapping fields in depth': `{ ${times(40, () => `endpoint(${at}, name: "plain") { version(version: 1) { createdBy { id } } }`)} }`,
  'many operations': `${times(600, (n) => `query q${n} { __typename }`)}`,
  'many variables': `query (${times(600, (n) => `$v${n}: Int`)}) { __typename }`,
  'one variable many times': `query (${times(600, () => '$v: Int')}) { __typename }`,
  'a long name': `{ ${'x'.repeat(900_000)} }`,
  'a long text': `{ project(id: "${'x'.repeat(900_000)}") { id } }`,
  'long names that are alike': `{ ${times(100, (n) => `runEndpoin${'t'.repeat(300)}${n}`)} }`,
  'a block text': `{ project(id: """${'\n '.repeat(200_000)}""") { id } }`,
  'commas only': ','.repeat(900_000),
  'comments only': `{ __typename } ${'#\n'.repeat(400_000)}`,
  introspection: `{ __schema { types { ${'fields { type { '.repeat(100)} name ${'} } '.repeat(100)} } } }`,
  'introspection side by side': `{ ${times(300, (n) => `a${n}: __schema { types { fields { type { name } } } }`)} }`,
  'introspection in aliases': `{ ${times(40, (n) => `a${n}: __schema { types { fields { args { type { name } } } } }`)} }`,
  lists: `{ endpoints(${at}, first: 1000) { edges { node { versions(first: 1000) { edges { node { openapi query columns { name } } } } } } } }`,
  'a run of each endpoint': `{ endpoints(${at}, first: 1000) { edges { node { run(input: {refresh: force}) { results } } } } }`,
  subscription: 'subscription { endpoint { id } }',
  definitions: 'type X { a: Int } schema { query: X } extend type Query { x: Int }',
  'a huge number': `{ endpoints(${at}, first: ${'9'.repeat(5000)}) { totalCount } }`,
  'a huge number as JSON': `{ runEndpoint(${at}, name: "plain", input: {variables: {a: ${'9'.repeat(300_000)}}}) { results } }`,
  'many defaults': `query ($v: JSON = {${times(900, (n) => `k${n}: ${n}`)}}) { __typename }`,
};

const document = documentsOf(goodDocuments, words);

export const graphqlRequests = family(
  'GraphQL requests',
  () =>
    fc.record({
      text: bodiesOf({ document, variables: '{"v":{"a":1},"n":["plain"]}', operationName: 'Q' }),
      hurt: damage,
      type: fc.oneof(
        { weight: 6, arbitrary: fc.constant('application/json') },
        fc.constantFrom(...contentTypes),
      ),
      accept: fc.constantFrom(...accepts),
      method: methods,
    }),
  async (world, { text, hurt, ...how }) => {
    await post(world, '/graphql', { body: hurt(Buffer.from(text)), ...how });
  },
);

export const graphqlByGet = family(
  'GraphQL by GET',
  () =>
    fc.record({
      text: document,
      more: fc.constantFrom(...moreParameters),
      accept: fc.constantFrom(...accepts.filter((type) => type !== 'text/html')),
    }),
  async (world, { text, more, accept }) => {
    const query = encodeURIComponent(withoutStreams(text.toWellFormed(), accept));
    await world.ask({
      method: 'GET',
      target: `/graphql?query=${query}${more}`,
      headers: [bearer(world.own.writeKey), ['Accept', accept]],
      body: noBody,
    });
  },
);

export const graphqlBombs = family(
  'GraphQL bombs',
  () =>
    fc.tuple(
      fc.constantFrom(...Object.values(bombs)),
      fc.oneof({ weight: 3, arbitrary: fc.constant('{}') }, deepJson, wideJson),
    ),
  async (world, [query, variables]) => {
    const room = 1_000_000 - query.length;
    const fitting = variables.length < room ? variables : '{}';
    const body = Buffer.from(`{"query":${asText(query)},"variables":${fitting}}`);
    await post(world, '/graphql', { body });
  },
);
