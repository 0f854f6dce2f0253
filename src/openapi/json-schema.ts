import type { SchemaObject } from 'openapi3-ts/oas30';

/** The members of an object by name. */
export type Properties = NonNullable<SchemaObject['properties']>;

/** Any JSON value, including null. */
export const anyValue: SchemaObject = {};

/** The schema extended by null. OpenAPI 3.0 allows `nullable` only beside `type`. */
export function orNull(schema: SchemaObject): SchemaObject {
  if (schema.anyOf !== undefined) {
    return { ...schema, anyOf: schema.anyOf.map((member) => orNull(member as SchemaObject)) };
  }
  if (schema.type === undefined || schema.nullable === true) return schema;
  return schema.enum === undefined
    ? { ...schema, nullable: true }
    : { ...schema, nullable: true, enum: [...schema.enum, null] };
}

/** A union of the schemas, without duplicates. */
export function anyOf(schemas: readonly SchemaObject[]): SchemaObject {
  const distinct = new Map(schemas.map((schema) => [JSON.stringify(schema), schema]));
  const members = [...distinct.values()];
  const [first = anyValue] = members;
  if (members.length < 2) return first;
  return distinct.has('{}') ? anyValue : { anyOf: members };
}

/** An array with one value per schema, in order; OpenAPI 3.0 cannot express the order. */
export function tupleOf(schemas: readonly SchemaObject[]): SchemaObject {
  const length = schemas.length;
  return { type: 'array', minItems: length, maxItems: length, items: anyOf(schemas) };
}

/** An object with all these members; others are unspecified. */
export function objectOf(
  properties: Properties,
  required: readonly string[] = Object.keys(properties),
): SchemaObject {
  const schema: SchemaObject = { type: 'object', properties };
  return required.length === 0 ? schema : { ...schema, required: [...required] };
}

/** A reference to one of the document's component schemas. */
export function schemaRef(name: string): { readonly $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}

/** The same for a parameter. */
export function parameterRef(name: string): { $ref: string } {
  return { $ref: `#/components/parameters/${name}` };
}

/**
 * Escapes an author's text as inert Markdown: documentation tools render descriptions as Markdown with HTML, and
 * linters reject script in them.
 */
export function toMarkdown(text: string): string {
  return text.replace(/<(?=[a-z/!?])/gi, '&lt;').replace(/javascript:/gi, 'javascript :');
}
