/** The GraphQL types of a shape, and the schema of some shapes. */
import {
  type GraphQLArgumentConfig,
  GraphQLEnumType,
  type GraphQLFieldConfig,
  type GraphQLFieldConfigMap,
  GraphQLInputObjectType,
  type GraphQLInputType,
  GraphQLList,
  type GraphQLNamedType,
  GraphQLNonNull,
  GraphQLObjectType,
  type GraphQLOutputType,
  GraphQLSchema,
  type GraphQLType,
  isInputType,
  isOutputType,
} from 'graphql';
import type { GraphShape, TypeRef } from '../../data-graph/shape.ts';
import {
  columnDescription,
  enumType,
  enumValues,
  orderTexts,
  requireScalar,
  rootArguments,
  rowDescription,
  rowsDescription,
  runDescription,
} from './shape-parts.ts';
import {
  placeholderFields,
  RunOptions,
  rootTypes,
  runFields,
  staticTypes,
} from './static-types.ts';

const made = new WeakMap<GraphShape, GraphQLFieldConfig<unknown, unknown>>();

/** The root field of a shape, whose type and arguments lead to all its types. Built once per shape object. */
function rootFieldOf(shape: GraphShape): GraphQLFieldConfig<unknown, unknown> {
  const known = made.get(shape);
  if (known !== undefined) return known;
  const field = makeRootField(shape);
  made.set(shape, field);
  return field;
}

/** The schema whose root fields are these shapes, in their order. */
export function schemaOf(shapes: readonly GraphShape[]): GraphQLSchema {
  const fields = Object.fromEntries(shapes.map((shape) => [shape.field, rootFieldOf(shape)]));
  return rootedSchema(shapes.length === 0 ? placeholderFields : fields);
}

/** A schema whose root types have these fields. It always includes the static types. */
export function rootedSchema(fields: GraphQLFieldConfigMap<unknown, unknown>): GraphQLSchema {
  const root = (name: keyof typeof rootTypes) =>
    new GraphQLObjectType({ name, description: rootTypes[name], fields });
  return new GraphQLSchema({
    query: root('Query'),
    subscription: root('Subscription'),
    types: [...staticTypes],
    assumeValid: true,
  });
}

function makeRootField(shape: GraphShape): GraphQLFieldConfig<unknown, unknown> {
  const named = new Map<string, GraphQLNamedType>([[RunOptions.name, RunOptions]]);
  for (const one of shape.enums) named.set(one.name, enumType(one));
  for (const type of orderTypes(shape)) named.set(type.name, type);
  for (const object of shape.objects) named.set(object.name, nestedType(object, named));
  const row = new GraphQLObjectType({
    name: shape.rowType,
    description: rowDescription(shape),
    fields: fieldsOf(shape.columns, named, columnDescription),
  });
  const rows = new GraphQLNonNull(new GraphQLList(new GraphQLNonNull(row)));
  const run = new GraphQLObjectType({
    name: shape.runType,
    description: runDescription(shape),
    fields: { rows: { type: rows, description: rowsDescription }, ...runFields },
  });
  const args = rootArguments(shape).map((argument): readonly [string, GraphQLArgumentConfig] => [
    argument.name,
    {
      type: toInput(argument.type, named),
      description: argument.description,
      defaultValue: argument.defaultValue,
    },
  ]);
  const description = shape.description || null;
  return { type: run, description, args: Object.fromEntries(args) };
}

function orderTypes(shape: GraphShape): readonly GraphQLNamedType[] {
  if (shape.sortable.length === 0) return [];
  const column = new GraphQLEnumType({
    name: shape.columnType,
    description: orderTexts.columnType(shape),
    values: enumValues(shape.sortable),
  });
  const input = new GraphQLInputObjectType({
    name: shape.orderType,
    description: orderTexts.orderType(shape),
    isOneOf: true,
    fields: {
      asc: { type: column, description: orderTexts.asc },
      desc: { type: column, description: orderTexts.desc },
    },
  });
  return [column, input];
}

type Named = ReadonlyMap<string, GraphQLNamedType>;

/** Object types may be recursive, so their fields are resolved lazily. */
function nestedType(object: GraphShape['objects'][number], named: Named): GraphQLObjectType {
  return new GraphQLObjectType({
    name: object.name,
    fields: () => fieldsOf(object.fields, named, () => null),
  });
}

function fieldsOf<Field extends { readonly name: string; readonly type: TypeRef }>(
  fields: readonly Field[],
  named: Named,
  describe: (field: Field) => string | null,
): GraphQLFieldConfigMap<unknown, unknown> {
  return Object.fromEntries(
    fields.map((field) => [
      field.name,
      { type: toOutput(field.type, named), description: describe(field) },
    ]),
  );
}

function toOutput(ref: TypeRef, named: Named): GraphQLOutputType {
  const type = toType(ref, named);
  if (!isOutputType(type)) throw new Error(`${String(type)} is not a type of columns.`);
  return type;
}

function toInput(ref: TypeRef, named: Named): GraphQLInputType {
  const type = toType(ref, named);
  if (!isInputType(type)) throw new Error(`${String(type)} is not a type of arguments.`);
  return type;
}

function toType(ref: TypeRef, named: Named): GraphQLType {
  const type =
    'list' in ref
      ? new GraphQLList(toType(ref.list, named))
      : (named.get(ref.name) ?? requireScalar(ref.name));
  return ref.nonNull ? new GraphQLNonNull(type) : type;
}
