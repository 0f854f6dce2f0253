/** The types of the data graph that are the same for every project and every endpoint. */
import {
  GraphQLBoolean,
  GraphQLEnumType,
  type GraphQLFieldConfigMap,
  GraphQLFloat,
  GraphQLID,
  GraphQLInputObjectType,
  GraphQLInt,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLObjectType,
  GraphQLScalarType,
  GraphQLString,
  Kind,
} from 'graphql';
import type { RunResponse } from '../../runs/run-response.ts';
import { schema } from '../schema.ts';
import { descriptionIn, enumIn, scalarIn } from './schema-parts.ts';

const JSON_ = scalarIn(schema, 'JSON');
const RefreshMode = enumIn(schema, 'RefreshMode');
const IntegerFormat = enumIn(schema, 'IntegerFormat');

/** Values pass as they are given: the run reads them by the engine's type, with the errors of every other interface. */
function passedOn(name: string, description: string, specifiedByURL?: string): GraphQLScalarType {
  return new GraphQLScalarType({
    name,
    description,
    specifiedByURL: specifiedByURL ?? null,
    serialize: (value) => (typeof value === 'bigint' ? String(value) : value),
    parseValue: (value) => value,
    // A fraction as its text, because a double may not hold its digits.
    parseLiteral: (node, variables) =>
      node.kind === Kind.FLOAT ? node.value : JSON_.parseLiteral(node, variables),
  });
}

const timeStandard = 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6';

/** The library's own, which does not know the bigint that a variable's whole number beyond 2^53 is read as. */
const Float = new GraphQLScalarType({
  ...GraphQLFloat.toConfig(),
  parseValue: (value) => GraphQLFloat.parseValue(typeof value === 'bigint' ? Number(value) : value),
});

const BigInt_ = passedOn(
  'BigInt',
  'A whole number of up to 64 bits: a JSON number with every digit, or a string of digits in runs with integers: string.',
);
const DateTime = passedOn(
  'DateTime',
  'An instant in ISO 8601 with the offset Z, with as many decimals as its column has.',
  timeStandard,
);

/** By name: those that columns, variables and the fields of runs have. */
export const scalars: Readonly<Record<string, GraphQLScalarType>> = {
  Int: GraphQLInt,
  Float,
  String: GraphQLString,
  Boolean: GraphQLBoolean,
  ID: GraphQLID,
  BigInt: BigInt_,
  HugeInt: passedOn('HugeInt', 'A whole number of up to 256 bits, as a string of digits.'),
  Decimal: passedOn('Decimal', 'A decimal number, as a string with every digit of its scale.'),
  Date: passedOn('Date', 'A day, as in 2001-05-31.', timeStandard),
  DateTime,
  JSON: JSON_,
};

const ServedFrom = new GraphQLEnumType({
  name: 'ServedFrom',
  description: 'How a run was served.',
  values: {
    cache: { description: 'From a cached result.' },
    inline: { description: 'By running the query on the source data.' },
    materialized: { description: 'From the stored table of a materialized version.' },
  } satisfies Readonly<Record<RunResponse['servedFrom'], { readonly description: string }>>,
});

const input = (name: string): string => descriptionIn(schema, 'RunInput', name);

const lastContentIdDescription =
  'Of a subscription: the contentId that the subscriber has. Nothing is sent until the content is another.';

export const RunOptions = new GraphQLInputObjectType({
  name: 'RunOptions',
  description: 'How to run an endpoint. The values of its variables are arguments of its field.',
  fields: {
    version: {
      type: GraphQLInt,
      description: 'Version to run, if its columns fit those selected; default: that of the field.',
    },
    limit: { type: GraphQLInt, description: input('limit') },
    offset: { type: BigInt_, description: input('offset') },
    cursor: { type: GraphQLString, description: input('cursor') },
    refresh: { type: RefreshMode, description: input('refresh') },
    maxAgeSeconds: { type: GraphQLInt, description: input('maxAgeSeconds') },
    staleWhileRevalidateSeconds: {
      type: GraphQLInt,
      description: input('staleWhileRevalidateSeconds'),
    },
    staleIfErrorSeconds: { type: GraphQLInt, description: input('staleIfErrorSeconds') },
    integers: { type: IntegerFormat, description: input('integers') },
    filtersOverride: { type: JSON_, description: input('filtersOverride') },
    clientQueryId: { type: GraphQLString, description: input('clientQueryId') },
    intervalSeconds: {
      type: GraphQLInt,
      description:
        'Of a subscription: how often the result is computed again when nothing is known to have changed; default: when it leaves the cache.',
    },
    lastContentId: { type: GraphQLID, description: lastContentIdDescription },
    debug: {
      type: GraphQLBoolean,
      description: 'Whether run tells the SQL sent and the key of the result in the cache.',
    },
  },
});

const fact = (name: string): string => descriptionIn(schema, 'EndpointRun', name);
const required = {
  boolean: new GraphQLNonNull(GraphQLBoolean),
  int: new GraphQLNonNull(GraphQLInt),
  bigInt: new GraphQLNonNull(BigInt_),
  dateTime: new GraphQLNonNull(DateTime),
} as const;

export const RunFacts = new GraphQLObjectType({
  name: 'RunFacts',
  description: 'What is told of a run beside its rows.',
  fields: {
    version: { type: required.int, description: fact('endpointVersion') },
    executionId: { type: new GraphQLNonNull(GraphQLID), description: fact('executionId') },
    contentId: { type: new GraphQLNonNull(GraphQLID), description: fact('contentId') },
    limit: { type: required.int, description: fact('limit') },
    offset: { type: required.bigInt, description: fact('offset') },
    nextCursor: { type: GraphQLString, description: fact('nextCursor') },
    cacheTargetAge: { type: required.dateTime, description: fact('cacheTargetAge') },
    isStale: { type: required.boolean, description: fact('isStale') },
    staleReason: { type: GraphQLString, description: fact('staleReason') },
    inlineReason: { type: GraphQLString, description: fact('inlineReason') },
    materializedAt: { type: DateTime, description: fact('endpointMaterializedAt') },
    cacheKey: { type: GraphQLString, description: fact('cacheKey') },
    query: { type: GraphQLString, description: fact('query') },
  },
});

/** The fields of every run's type after `rows`. */
export const runFields: GraphQLFieldConfigMap<unknown, unknown> = {
  hasMore: { type: required.boolean, description: fact('hasMore') },
  isCached: { type: required.boolean, description: fact('isCached') },
  lastRefresh: { type: required.dateTime, description: fact('lastRefresh') },
  servedFrom: { type: new GraphQLNonNull(ServedFrom), description: 'How the run was served.' },
  run: { type: new GraphQLNonNull(RunFacts), description: 'More about the run.' },
};

/** In every slice of every project's graph, in this order. */
export const staticTypes: readonly GraphQLNamedType[] = [
  ...Object.values(scalars),
  RefreshMode,
  IntegerFormat,
  ServedFrom,
  RunOptions,
  RunFacts,
];

/** The root types, in their order in a schema. They have the same fields. */
export const rootTypes = {
  Query: 'The endpoints of the project that the key may run.',
  Subscription:
    'The same endpoints, each followed: a result now and whenever it changes. One field in a document.',
} as const;

export type RootName = keyof typeof rootTypes;

export function isRootName(name: unknown): name is RootName {
  return typeof name === 'string' && Object.hasOwn(rootTypes, name);
}

/** An object type needs a field. Every project has one, so this is that of a schema that is made for its static types. */
export const placeholderFields: GraphQLFieldConfigMap<unknown, unknown> = {
  _: { type: GraphQLBoolean, description: 'Always null: there is no endpoint to run.' },
};
