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
import { toExactNumber, toWholeNumber } from '../../lib/parse-json.ts';
import type { RunResponse } from '../../runs/run-response.ts';
import { schema } from '../schema.ts';
import { descriptionIn, enumIn, scalarIn } from './schema-parts.ts';

const JSON_ = scalarIn(schema, 'JSON');
const RefreshMode = enumIn(schema, 'RefreshMode');
const IntegerFormat = enumIn(schema, 'IntegerFormat');

/**
 * Passes values through unchanged: the run parses them by the engine's type, with the same errors as every other
 * interface.
 */
function passedOn(name: string, description: string, specifiedByURL?: string): GraphQLScalarType {
  return new GraphQLScalarType({
    name,
    description,
    specifiedByURL: specifiedByURL ?? null,
    serialize: (value) => (typeof value === 'bigint' ? String(value) : value),
    parseValue: (value) => value,
    // A fraction stays text, because a double may not hold its digits.
    parseLiteral: (node, variables) =>
      node.kind === Kind.FLOAT ? node.value : JSON_.parseLiteral(node, variables),
  });
}

const timeStandard = 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6';

/** Wraps the library's Float, which would round whole numbers beyond 2^53: the run binds them with all their digits. */
const Float = new GraphQLScalarType<unknown, unknown>({
  ...GraphQLFloat.toConfig(),
  parseValue: (value) => (typeof value === 'bigint' ? value : GraphQLFloat.parseValue(value)),
  parseLiteral(node, variables) {
    if (node.kind === Kind.INT) return toWholeNumber(node.value);
    if (node.kind === Kind.FLOAT) return toExactNumber(node.value);
    return GraphQLFloat.parseLiteral(node, variables);
  },
});

const BigInt_ = passedOn(
  'BigInt',
  'An integer of up to 64 bits: a JSON number with all its digits, or a string of digits in runs with integers: string.',
);
const DateTime = passedOn(
  'DateTime',
  'An instant in ISO 8601 with the offset Z and the fractional digits of its column.',
  timeStandard,
);

/** By name: scalars of columns, variables and run fields. */
export const scalars: Readonly<Record<string, GraphQLScalarType>> = {
  Int: GraphQLInt,
  Float,
  String: GraphQLString,
  Boolean: GraphQLBoolean,
  ID: GraphQLID,
  BigInt: BigInt_,
  HugeInt: passedOn('HugeInt', 'An integer of up to 256 bits, as a string of digits.'),
  Decimal: passedOn('Decimal', 'A decimal number, as a string with all digits of its scale.'),
  Date: passedOn('Date', 'A date in ISO 8601, as in 2001-05-31.', timeStandard),
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
  'For subscriptions: the last received contentId. Nothing is sent until the content differs from it.';

export const RunOptions = new GraphQLInputObjectType({
  name: 'RunOptions',
  description:
    'Options of a run. The values of variables are arguments of the field of the endpoint.',
  fields: {
    version: {
      type: GraphQLInt,
      description:
        'Version to run; it must have the selected columns. Default: the version of the field.',
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
        'For subscriptions: seconds after which the result is recomputed even if no change is known; default: when it is no longer fresh in the cache.',
    },
    lastContentId: { type: GraphQLID, description: lastContentIdDescription },
    debug: {
      type: GraphQLBoolean,
      description: 'Whether run includes the executed SQL and the key of the result in the cache.',
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
  description: 'Metadata of a run.',
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
  run: { type: new GraphQLNonNull(RunFacts), description: 'Further metadata of the run.' },
};

/** Part of every schema, in this order. */
export const staticTypes: readonly GraphQLNamedType[] = [
  ...Object.values(scalars),
  RefreshMode,
  IntegerFormat,
  ServedFrom,
  RunOptions,
  RunFacts,
];

/** The root types in schema order. They have the same fields. */
export const rootTypes = {
  Query: 'The endpoints of the project that the key can run.',
  Subscription:
    'Live results of the same endpoints: the result first, and again whenever it changes. A document selects one field.',
} as const;

export type RootName = keyof typeof rootTypes;

export function isRootName(name: unknown): name is RootName {
  return typeof name === 'string' && Object.hasOwn(rootTypes, name);
}

/**
 * An object type needs a field. Every project has one, so this is only used in the schema built for its static types.
 */
export const placeholderFields: GraphQLFieldConfigMap<unknown, unknown> = {
  _: { type: GraphQLBoolean, description: 'Always null: there is no endpoint to run.' },
};
