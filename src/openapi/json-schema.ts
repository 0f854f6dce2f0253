import type { SchemaObject } from 'openapi3-ts/oas30';

/** The members of an object by name. */
export type Properties = NonNullable<SchemaObject['properties']>;

/** Any JSON value, null included. */
export const anyValue: SchemaObject = {};

/** The schema with null among its values. OpenAPI 3.0 allows `nullable` only beside `type`. */
export function orNull(schema: SchemaObject): SchemaObject {
  if (schema.anyOf !== undefined) {
    return { ...schema, anyOf: schema.anyOf.map((member) => orNull(member as SchemaObject)) };
  }
  if (schema.type === undefined || schema.nullable === true) return schema;
  return schema.enum === undefined
    ? { ...schema, nullable: true }
    : { ...schema, nullable: true, enum: [...schema.enum, null] };
}

/** What fits at least one of the schemas; each different schema is named once. */
export function anyOf(schemas: readonly SchemaObject[]): SchemaObject {
  const distinct = new Map(schemas.map((schema) => [JSON.stringify(schema), schema]));
  const members = [...distinct.values()];
  const [first = anyValue] = members;
  if (members.length < 2) return first;
  return distinct.has('{}') ? anyValue : { anyOf: members };
}

/** An array with one value per schema, in their order; OpenAPI 3.0 cannot state the order. */
export function tupleOf(schemas: readonly SchemaObject[]): SchemaObject {
  const length = schemas.length;
  return { type: 'array', minItems: length, maxItems: length, items: anyOf(schemas) };
}

/** An object with all these members and no statement on others. */
export function objectOf(
  properties: Properties,
  required: readonly string[] = Object.keys(properties),
): SchemaObject {
  const schema: SchemaObject = { type: 'object', properties };
  return required.length === 0 ? schema : { ...schema, required: [...required] };
}

/** A reference to a schema of the document's components. */
export function schemaRef(name: string): { readonly $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}

/**
 * An author's text as Markdown that shows it and does nothing: documentation tools render descriptions
 * as Markdown with HTML, and linters refuse script in them.
 */
export function toMarkdown(text: string): string {
  return text.replace(/<(?=[a-z/!?])/gi, '&lt;').replace(/javascript:/gi, 'javascript :');
}
