import { GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import { toExactNumber, toWholeNumber } from '../../lib/parse-json.ts';
import { instantForm, instantOf } from '../../sql/param-time.ts';
import { builder } from '../builder.ts';

builder.addScalarType(
  'DateTime',
  new GraphQLScalarType<Date, string>({
    name: 'DateTime',
    description: 'An instant in ISO 8601 with the offset Z, as in 2001-05-31T12:00:00.000Z.',
    serialize: (value) => (value as Date).toISOString(),
    parseValue: (value) => {
      const date = typeof value === 'string' ? instantOf(value) : null;
      if (date === null) throw new TypeError(`A DateTime must be a string ${instantForm}.`);
      return date;
    },
  }),
);

builder.addScalarType(
  'JSON',
  new GraphQLScalarType<unknown, unknown>({
    name: 'JSON',
    description:
      'Any JSON value. Numbers in responses have all their digits; in variables, pass integers above 2^53 as strings.',
    serialize: (value) => value,
    parseValue: (value) => value,
    parseLiteral: (node, variables) => literalValue(node, variables ?? {}),
  }),
);

function literalValue(node: ValueNode, variables: Record<string, unknown>): unknown {
  switch (node.kind) {
    case Kind.NULL:
      return null;
    case Kind.INT:
      return toWholeNumber(node.value);
    case Kind.FLOAT:
      return toExactNumber(node.value);
    case Kind.LIST:
      return node.values.map((item) => literalValue(item, variables));
    case Kind.OBJECT:
      return Object.fromEntries(
        node.fields.map((f) => [f.name.value, literalValue(f.value, variables)]),
      );
    case Kind.VARIABLE:
      return variables[node.name.value];
    default:
      return node.value;
  }
}
