/** Arguments, enums and texts of a shape, for both GraphQL types and texts that are built without them. */
import { GraphQLEnumType, type GraphQLInputType, GraphQLList, GraphQLNonNull } from 'graphql';
import { orderArgument, runArgument } from '../../data-graph/names.ts';
import type { GraphShape, ShapeArgument, ShapeEnum, TypeRef } from '../../data-graph/shape.ts';
import { defaultLiteral } from './default-literal.ts';
import { RunOptions, scalars } from './static-types.ts';

export const rowDescription = ({ field }: GraphShape): string => `A row of ${field}.`;
export const runDescription = ({ field }: GraphShape): string => `A run of ${field}.`;
export const rowsDescription = 'The rows.';
export const columnDescription = (column: GraphShape['columns'][number]): string =>
  `${column.source}: ${column.engineType}`;

export const orderTexts = {
  columnType: ({ field }: GraphShape): string => `Columns of ${field} that rows can be sorted by.`,
  orderType: ({ field }: GraphShape): string => `A column that rows of ${field} are sorted by.`,
  asc: 'Sorts by this column, lowest values first.',
  desc: 'Sorts by this column, highest values first.',
  argument: 'How the rows are sorted: by the first column, then by the second, and so on.',
} as const;

/** An argument of the root field of a shape. */
export interface RootArgument {
  readonly name: string;
  readonly type: TypeRef;
  readonly description: string | null;
  readonly defaultValue: unknown;
  /** The default value in the GraphQL language; null when there is none. */
  readonly literal: string | null;
}

const runOptions: RootArgument = {
  name: runArgument,
  type: { name: RunOptions.name, nonNull: false },
  description: 'Options of the run.',
  defaultValue: undefined,
  literal: null,
};

/** The variables, then sorting and run options. */
export function rootArguments(shape: GraphShape): readonly RootArgument[] {
  const variables = shape.args.map((argument) => rootArgument(argument, shape.enums));
  if (shape.sortable.length === 0) return [...variables, runOptions];
  const order: RootArgument = {
    name: orderArgument,
    type: { list: { name: shape.orderType, nonNull: true }, nonNull: false },
    description: orderTexts.argument,
    defaultValue: undefined,
    literal: null,
  };
  return [...variables, order, runOptions];
}

const maxShownDefault = 200;

/** A default that GraphQL cannot express makes the argument optional and is stated in its description. */
function rootArgument(argument: ShapeArgument, enums: readonly ShapeEnum[]): RootArgument {
  const { name, type, defaultValue } = argument;
  const description = argument.description || null;
  if (defaultValue === undefined) {
    return { name, type, description, defaultValue, literal: null };
  }
  const literal = defaultLiteral(defaultValue, type, () => inputType(type, enums));
  if (literal !== null) return { name, type, description, defaultValue, literal };
  const shown = `Default: ${String(JSON.stringify(defaultValue)).slice(0, maxShownDefault)}.`;
  return {
    name,
    type: { ...type, nonNull: false },
    description: description === null ? shown : `${description} ${shown}`,
    defaultValue: undefined,
    literal: null,
  };
}

function inputType(type: TypeRef, enums: readonly ShapeEnum[]): GraphQLInputType {
  const inner = 'list' in type ? new GraphQLList(inputType(type.list, enums)) : named(type.name);
  return type.nonNull ? new GraphQLNonNull(inner) : inner;

  function named(name: string) {
    const found = enums.find((one) => one.name === name);
    return found === undefined ? requireScalar(name) : enumType(found);
  }
}

/** The enum of a shape's variable. */
export function enumType({ name, members }: ShapeEnum): GraphQLEnumType {
  return new GraphQLEnumType({ name, values: enumValues(members) });
}

export function enumValues(members: readonly string[]): Record<string, { readonly value: string }> {
  return Object.fromEntries(members.map((member) => [member, { value: member }]));
}

/** Throws an Error for an unknown static scalar. */
export function requireScalar(name: string) {
  const scalar = Object.hasOwn(scalars, name) ? scalars[name] : undefined;
  if (scalar === undefined) throw new Error(`The data graph has no type ${name}.`);
  return scalar;
}
