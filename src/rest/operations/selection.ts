/** Derives GraphQL selections from the schemas of response bodies, so that each member is declared once. */
import type { ReferenceObject, SchemaObject } from 'openapi3-ts/oas30';
import { toCamelCase } from '../../lib/camel-case.ts';
import type { Properties } from '../../openapi/json-schema.ts';

interface SelectionOptions {
  /** Schemas whose members are selected; other references are selected as a whole. */
  readonly components?: Readonly<Record<string, SchemaObject>>;
  /** The GraphQL field of a member that is not named like the member in camelCase. */
  readonly sources?: Readonly<Record<string, string>>;
}

/** Selects each member under its wire name, from the field with its camelCase name. */
export function selectionOf(properties: Properties, options: SelectionOptions = {}): string {
  const members = Object.entries(properties).map(([name, schema]) => {
    const source = options.sources?.[name];
    if (source !== undefined) return `${name}: ${source}`;
    const inner = propertiesOf(schema, options);
    const field = inner === null ? '' : ` ${selectionOf(inner, options)}`;
    return `${name}: ${toCamelCase(name)}${field}`;
  });
  return `{ ${members.join(' ')} }`;
}

/** The properties of an object or of an array's items; null when there are none to select. */
function propertiesOf(
  schema: SchemaObject | ReferenceObject,
  options: SelectionOptions,
): Properties | null {
  if ('$ref' in schema) {
    const component = options.components?.[schema.$ref.replace(/^.*\//, '')];
    return component === undefined ? null : propertiesOf(component, options);
  }
  if (schema.items !== undefined) return propertiesOf(schema.items, options);
  return schema.properties ?? null;
}
