/** Looks up parts of the main schema by name, to reuse their descriptions in another schema. */
import {
  type GraphQLEnumType,
  type GraphQLScalarType,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isObjectType,
  isScalarType,
} from 'graphql';

/** @throws Error when the schema has no such scalar. */
export function scalarIn(schema: GraphQLSchema, name: string): GraphQLScalarType {
  const type = schema.getType(name);
  if (!isScalarType(type)) throw missing(name);
  return type;
}

/** @throws Error when the schema has no such enum. */
export function enumIn(schema: GraphQLSchema, name: string): GraphQLEnumType {
  const type = schema.getType(name);
  if (!isEnumType(type)) throw missing(name);
  return type;
}

/** The description of a field of an object type or an input. Throws an Error when it is missing. */
export function descriptionIn(schema: GraphQLSchema, typeName: string, field: string): string {
  const type = schema.getType(typeName);
  const fields = isObjectType(type) || isInputObjectType(type) ? type.getFields() : {};
  const description = fields[field]?.description;
  if (!description) throw missing(`${typeName}.${field}`);
  return description;
}

function missing(name: string): Error {
  return new Error(`The GraphQL schema has no ${name} with a description.`);
}
