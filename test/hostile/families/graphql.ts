/** The GraphQL endpoint: requests of every shape, and documents that are none or far too many. */
import fc from 'fast-check';
import type { HeaderPair } from '../support/exchange.ts';
import { family } from '../support/family.ts';
import {
  damage,
  deepJson,
  inheritedName,
  jsonFragment,
  objectText,
  wideJson,
} from '../support/texts.ts';
import { bearer, json, noBody, type World } from '../support/world.ts';

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
  '{',
  '}',
  '(',
  ')',
  '[',
  ']',
  '...',
  '@include(if: true)',
  '@skip(if: $v)',
  '@defer',
  '@stream(initialCount: 1)',
  '@deprecated',
  '@nothing',
  '$v',
  '$__proto__',
  ': ',
  '!',
  '=',
  '|',
  '&',
  '"',
  '"""',
  '#',
  '\u0000',
  '\ufeff',
  '\ud800',
  'null',
  '-0',
  '1e999',
  '9'.repeat(40),
  '"\\u0000"',
  '"\\ud800"',
  '"\\u{110000}"',
  'query',
  'mutation',
  'subscription',
  'fragment',
  'on',
  'schema',
  'type',
  'extend',
  '__typename',
  '__schema',
  '__type(name: "__proto__")',
  'constructor',
  '__proto__',
  'toString: id',
  '__proto__: id',
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

/** A good document with words removed, doubled or moved. */
const mutated: fc.Arbitrary<string> = fc
  .tuple(
    fc.constantFrom(...goodDocuments),
    fc.array(fc.tuple(fc.nat(), fc.nat({ max: 3 }), fc.constantFrom(...words)), {
      minLength: 1,
      maxLength: 4,
    }),
  )
  .map(([document, edits]) => {
    const tokens = document.split(/(?<=[{}()\s,:])|(?=[{}()\s,:])/);
    for (const [place, kind, word] of edits) {
      const index = place % tokens.length;
      if (kind === 0) tokens.splice(index, 1);
      else if (kind === 1) tokens.splice(index, 0, tokens[index] ?? '');
      else if (kind === 2) tokens.splice(index, 1, ` ${word} `);
      else tokens.splice(index, 0, ` ${word} `);
    }
    return tokens.join('');
  });

const times = (count: number, text: (n: number) => string) =>
  Array.from({ length: count }, (_, n) => text(n)).join(' ');

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

const document: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: mutated },
  { weight: 2, arbitrary: fc.constantFrom(...goodDocuments) },
  fc.array(fc.constantFrom(...words), { maxLength: 30 }).map((all) => all.join(' ')),
  fc.string({ unit: 'binary', maxLength: 40 }),
);

const asText = (value: unknown) => JSON.stringify(value) ?? 'null';

const requestMembers: fc.Arbitrary<readonly (readonly [string, string])[]> = fc
  .tuple(
    fc.oneof({ weight: 5, arbitrary: document.map(asText) }, jsonFragment),
    fc.array(
      fc.oneof(
        fc.tuple(
          fc.constant('variables'),
          fc.oneof(jsonFragment, deepJson, fc.constant('{"v":{"a":1},"n":["plain"]}')),
        ),
        fc.tuple(fc.constant('operationName'), fc.oneof(jsonFragment, fc.constant('"Q"'))),
        fc.tuple(
          fc.constant('extensions'),
          fc.oneof(
            jsonFragment,
            fc.constant(`{"persistedQuery":{"version":1,"sha256Hash":"${'0'.repeat(64)}"}}`),
          ),
        ),
        fc.tuple(
          fc.oneof(inheritedName, fc.constantFrom('query', 'id', 'documentId')),
          jsonFragment,
        ),
      ),
      { maxLength: 3 },
    ),
  )
  .map(([query, more]) => [['query', query], ...more]);

const body: fc.Arbitrary<string> = fc.oneof(
  { weight: 8, arbitrary: requestMembers.map(objectText) },
  requestMembers.map((members) => `[${objectText(members)},${objectText(members)}]`),
  jsonFragment,
  deepJson,
);

const types = [
  'application/json',
  'application/json; charset=utf-8',
  'application/graphql',
  'application/graphql+json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'multipart/form-data',
  'text/plain',
  'application/jsonl',
  '',
] as const;

const accepts = [
  '*/*',
  'application/json',
  'application/graphql-response+json',
  'text/event-stream',
  'multipart/mixed',
  'application/xml',
  'text/html',
  '',
] as const;

export const graphqlRequests = family(
  'GraphQL requests',
  () =>
    fc.record({
      text: body,
      hurt: damage,
      type: fc.oneof(
        { weight: 6, arbitrary: fc.constant('application/json') },
        fc.constantFrom(...types),
      ),
      accept: fc.constantFrom(...accepts),
      method: fc.oneof(
        { weight: 8, arbitrary: fc.constant('POST') },
        fc.constantFrom('PUT', 'DELETE', 'TRACE', 'QUERY', 'OPTIONS', 'HEAD', 'PATCH'),
      ),
    }),
  async (world, { text, hurt, type, accept, method }) => {
    await post(world, { body: hurt(Buffer.from(text)), type, accept, method });
  },
);

interface Post {
  readonly body: Buffer;
  readonly type?: string;
  readonly accept?: string;
  readonly method?: string;
}

function post(world: World, { body: sent, type, accept, method = 'POST' }: Post) {
  const headers: HeaderPair[] = [bearer(world.own.writeKey)];
  headers.push(type === undefined ? json : ['Content-Type', type]);
  if (accept !== undefined) headers.push(['Accept', accept]);
  return world.ask({ method, target: '/graphql', headers, body: sent });
}

export const graphqlByGet = family(
  'GraphQL by GET',
  () =>
    fc.record({
      query: document.map((text) => encodeURIComponent(text.toWellFormed())),
      more: fc.constantFrom(
        '',
        '&variables={}',
        '&variables=%7B%22v%22:1%7D',
        '&variables=[',
        '&operationName=Q',
        '&operationName=',
        '&extensions=%7B%22persistedQuery%22:%7B%22version%22:1%7D%7D',
        '&query=%7B__typename%7D',
        '&__proto__=1',
        '&variables[v]=1',
      ),
      accept: fc.constantFrom(...accepts.filter((type) => type !== 'text/html')),
    }),
  async (world, { query, more, accept }) => {
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
    await post(world, { body: Buffer.from(`{"query":${asText(query)},"variables":${fitting}}`) });
  },
);
