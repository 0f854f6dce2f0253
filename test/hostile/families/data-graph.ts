/** The data graph of a project: documents over its typed fields, and values of every type as arguments and variables. */
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
import type { RawResponse } from '../support/exchange.ts';
import { family } from '../support/family.ts';
import { legacyTypes, valueTypes } from '../support/saved-endpoints.ts';
import { damage, deepJson, jsonFragment, wideJson } from '../support/texts.ts';
import { bearer, json, noBody, type World } from '../support/world.ts';

const graphOf = ({ own }: World) => `/api/projects/${own.projectId}/graphql`;

/** Documents that the service answers; hostile ones are made of their pieces. */
const goodDocuments = [
  '{ plain { rows { one } hasMore isCached lastRefresh servedFrom run { version executionId nextCursor } } }',
  '{ a: victim(a: 1) { rows { one a } } b: victim(a: 2, run: {limit: 1, offset: 0}) { rows { ...R } } } fragment R on VictimRow { a }',
  'query Q($v: Int = 3, $o: [VictimOrder!], $run: RunOptions) { victim(a: $v, orderBy: $o, run: $run) { rows { a @include(if: true) } } }',
  '{ bystander(orderBy: [{desc: n}], run: {limit: 2, cursor: ""}) { rows { n } run { nextCursor } } }',
  '{ filtered(run: {filtersOverride: {properties: [{key: "n", operator: "gt", value: 3}]}}) { rows { n } } }',
  '{ constructor(toString: 1) { rows { hasOwnProperty __typename } __typename } }',
  'query ($v: [BigInt!]!) { typed21(v: $v) { rows { v } } }',
  '{ typed25(v: [1, "x"]) { rows { v { a b } } } }',
  '{ __schema { types { name fields { name args { name type { name ofType { name } } } } } } __type(name: "PlainRow") { name } plain { hasMore } }',
  '{ plain(run: {debug: true, version: 1, refresh: force, integers: string}) { run { query cacheKey } } }',
] as const;

const words = [
  'plain',
  'victim',
  'typed0',
  'plain_v1',
  'victim_v2147483648',
  'VictimRow',
  'PlainRun_v1',
  'RunOptions',
  'rows',
  'run',
  'orderBy',
  'one',
  'a: 1',
  'a: 1e3',
  'a: -0',
  'a: 256',
  'a: [1]',
  'a: "1"',
  'v: "\\u0000"',
  'v: "\\uD800"',
  'run: {limit: -1}',
  'run: {limit: 1e3}',
  'run: {offset: 99999999999999999999}',
  'run: {cursor: "x"}',
  'run: {version: 2147483648}',
  'run: {maxAgeSeconds: 1e9}',
  'run: {clientQueryId: "\\u0000"}',
  'run: {intervalSeconds: 1}',
  'run: {lastContentId: "a"}',
  'run: {filtersOverride: []}',
  'run: {__proto__: 1}',
  'orderBy: []',
  'orderBy: [{}]',
  'orderBy: [{asc: n, desc: n}]',
  'orderBy: [{asc: constructor}]',
] as const;

const document = documentsOf(goodDocuments, words);

export const dataGraphRequests = family(
  'requests to the data graph',
  () =>
    fc.record({
      text: bodiesOf({
        document,
        variables: '{"v":1,"o":[{"asc":"a"}],"run":{"limit":1}}',
        operationName: 'Q',
      }),
      hurt: damage,
      type: fc.oneof(
        { weight: 6, arbitrary: fc.constant('application/json') },
        fc.constantFrom(...contentTypes),
      ),
      accept: fc.constantFrom(...accepts),
      method: methods,
    }),
  async (world, { text, hurt, ...how }) => {
    judgeGraph(await post(world, graphOf(world), { body: hurt(Buffer.from(text)), ...how }));
  },
);

export const dataGraphByGet = family(
  'the data graph by GET',
  () =>
    fc.record({
      text: document,
      more: fc.constantFrom(...moreParameters),
      accept: fc.constantFrom(...accepts.filter((type) => type !== 'text/html')),
      path: fc.constantFrom('graphql', 'graphql/', 'graphql/schema.graphql'),
    }),
  async (world, { text, more, accept, path }) => {
    const query = encodeURIComponent(withoutStreams(text.toWellFormed(), accept));
    const name = path.endsWith('.graphql') ? 'fields' : 'query';
    const response = await world.ask({
      method: 'GET',
      target: `/api/environments/@current/${path}?${name}=${query}${more}`,
      headers: [bearer(world.own.readKey), ['Accept', accept]],
      body: noBody,
    });
    if (name === 'query') judgeGraph(response);
  },
);

/** Small texts that would cost much: each must be refused before it does. */
const bombs: Readonly<Record<string, string>> = {
  aliases: `{ ${times(800, (n) => `a${n}: plain { hasMore }`)} }`,
  'aliases of rows': `{ plain { ${times(1000, (n) => `a${n}: rows { one }`)} } }`,
  'aliases of a column': `{ bystander { rows { ${times(3000, (n) => `a${n}: n`)} } } }`,
  'the same column': `{ bystander { rows { ${'n '.repeat(3900)} } } }`,
  'runs with other arguments': `{ ${times(45, (n) => `a${n}: victim(a: ${n}) { hasMore }`)} }`,
  'fields that conflict': `{ ${times(400, (n) => `victim(a: ${n}) { hasMore }`)} }`,
  'fields that are not there': `{ ${times(900, (n) => `f${n} { hasMore }`)} }`,
  'some fields that are not there': `{ ${times(150, (n) => `plaim${n} { hasMore }`)} }`,
  'older versions': `{ ${times(150, (n) => `plain_v${n} { hasMore }`)} }`,
  'types that are not there': `{ plain { ${times(400, (n) => `... on X${n}Run { hasMore }`)} } }`,
  'types of variables': `query (${times(400, (n) => `$v${n}: X${n}Run_a`)}) { plain { hasMore } }`,
  'depth of nothing': `{ plain { rows ${'{ one '.repeat(900)} ${'}'.repeat(900)} } }`,
  'inline fragments': `{ plain { rows { ${'... { '.repeat(900)} one ${'} '.repeat(900)} } } }`,
  'fragments of fragments': `{ plain { rows { ...f0 } } } ${times(120, (n) => `fragment f${n} on PlainRow { ...f${n + 1} ...f${n + 1} one }`)} fragment f120 on PlainRow { one }`,
  'a circle of fragments':
    '{ ...a } fragment a on Query { plain { ...b } } fragment b on PlainRun { rows { ...c } } fragment c on PlainRow { ...c }',
  'depth of a filter': `{ filtered(run: {filtersOverride: ${'{a:'.repeat(900)}1${'}'.repeat(900)}}) { hasMore } }`,
  'depth of a list': `{ typed21(v: ${'['.repeat(1900)}${']'.repeat(1900)}) { hasMore } }`,
  'a long order': `{ bystander(orderBy: [${'{asc: n} '.repeat(1900)}]) { hasMore } }`,
  'a long list': `{ typed21(v: [${'1,'.repeat(300_000)}]) { hasMore } }`,
  'a huge number': `{ typed6(v: ${'9'.repeat(300_000)}) { hasMore } }`,
  'a long text': `{ typed0(v: "${'x'.repeat(900_000)}") { hasMore } }`,
  'a long name': `{ ${'x'.repeat(900_000)} { hasMore } }`,
  'long names that are alike': `{ ${times(100, (n) => `plai${'n'.repeat(300)}${n} { hasMore }`)} }`,
  'many operations': times(600, (n) => `query q${n} { plain { hasMore } }`),
  introspection: `{ __schema { types { ${'fields { type { '.repeat(100)} name ${'} } '.repeat(100)} } } }`,
  'introspection in aliases': `{ ${times(40, (n) => `a${n}: __schema { types { fields { args { type { name } } } } }`)} }`,
  'introspection of types': `{ ${times(150, (n) => `a${n}: __type(name: "PlainRow") { fields { name } }`)} }`,
  subscriptions: `subscription { ${times(100, (n) => `a${n}: plain { hasMore }`)} }`,
  mutations: 'mutation { plain { hasMore } }',
  definitions: 'type PlainRow { a: Int } extend type Query { x: Int }',
};

export const dataGraphBombs = family(
  'bombs for the data graph',
  () =>
    fc.tuple(
      fc.constantFrom(...Object.values(bombs)),
      fc.oneof({ weight: 3, arbitrary: fc.constant('{}') }, deepJson, wideJson),
    ),
  async (world, [query, variables]) => {
    const room = 1_000_000 - query.length;
    const fitting = variables.length < room ? variables : '{}';
    const body = Buffer.from(`{"query":${asText(query)},"variables":${fitting}}`);
    judgeGraph(await post(world, graphOf(world), { body }));
  },
);

const literals = [
  '1e999',
  '1e3',
  '-0',
  '0.1',
  '1.0',
  '{a:[1,{b:null}]}',
  '{__proto__: 1}',
  '[]',
  '[null]',
  '[[1]]',
  'ENUM',
  'a',
  'true',
  'null',
  '"""x"""',
  '"\\u0000"',
  '"a\\u0000b"',
  '"\\uD800"',
  '"\\u{1F600}"',
  '"2001-02-30"',
  '"1\'; DROP TABLE sales --"',
  '9'.repeat(400),
  '-9223372036854775809',
] as const;

const names = [
  ...valueTypes.map((_type, at) => `typed${at}`),
  ...legacyTypes.map((type) => `legacy${type}`),
];
/** Its column is an object. */
const tuple = valueTypes.indexOf('Tuple(a UInt8, b String)');
/** Types that a document may give its variable; about one of them fits each argument. */
const variableTypes = [
  ...['String!', 'Int!', 'BigInt!', 'HugeInt!', 'Float!', 'Decimal!', 'Boolean!', 'ID!'],
  ...['Date!', 'DateTime!', 'JSON!', '[String!]!', '[BigInt!]!', '[DateTime!]!', 'String', 'JSON'],
  ...['[[Float]!]!', 'Typed19Run_v!', 'RunOptions'],
] as const;

export const dataGraphValues = family(
  'values of the data graph',
  () =>
    fc.record({
      name: fc.constantFrom(...names),
      literal: fc.oneof(
        fc.constantFrom(...literals),
        fc.string({ unit: 'binary', maxLength: 20 }).map(asText),
      ),
      text: fc.oneof({ weight: 6, arbitrary: jsonFragment }, deepJson),
      type: fc.option(fc.constantFrom(...variableTypes)),
    }),
  async (world, { name, literal, text, type }) => {
    const [head, value] = type === null ? ['', literal] : [`query ($v: ${type}) `, '$v'];
    const column = name === `typed${tuple}` ? 'v { a b }' : 'v';
    const query = `${head}{ ${name}(v: ${value}, run: {refresh: force}) { rows { ${column} } } }`;
    const response = await world.ask({
      method: 'POST',
      target: graphOf(world),
      headers: [bearer(world.own.readKey), json],
      body: Buffer.from(`{"query":${asText(query)},"variables":{"v":${text}}}`),
    });
    judgeGraph(response);
    judgeArgument(response, 'v');
  },
);

interface GraphError {
  readonly message: string;
  readonly path?: readonly unknown[];
  readonly extensions: { readonly attr?: string | null };
}

function errorsOf({ headers, body }: RawResponse): readonly GraphError[] {
  if (!/json/.test(headers.get('content-type') ?? '') || body.length === 0) return [];
  const { errors = [] } = JSON.parse(body.toString('utf8')) as {
    readonly errors?: readonly GraphError[];
  };
  return errors;
}

/** Parameters and members of REST, none of which is a name of the graph. */
const restWords =
  /\b(?:order_by|max_age_seconds|stale_\w+_seconds|client_query_id|filters_override|interval_seconds|query_override)\b|\bvariables\./;

/** A field's error names what the caller of the graph wrote. */
function judgeGraph(response: RawResponse): void {
  for (const { message, path, extensions } of errorsOf(response)) {
    if (path === undefined) continue;
    const { attr = null } = extensions;
    if (attr !== null && !/^(?:\w+|run(?:\.\w+(?:\[\d+\])?)*|rows\.\w+)$/.test(attr))
      throw new Error(`${attr} is no argument: ${message}`);
    const unquoted = message.replace(/"[^"]*"/g, '""');
    if (restWords.test(unquoted)) throw new Error(`a message for REST: ${message}`);
  }
}

/** The only input that can be at fault. */
function judgeArgument(response: RawResponse, name: string): void {
  for (const { message, path, extensions } of errorsOf(response)) {
    const { attr = null } = extensions;
    if (path === undefined || attr === null || attr === name || attr === `rows.${name}`) continue;
    throw new Error(`${attr} is not ${name}: ${message}`);
  }
}
