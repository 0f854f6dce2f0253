/** The inputs of an operation, each declared once for both its parser and its documentation. */
import type {
  ParameterObject,
  ReferenceObject,
  RequestBodyObject,
  SchemaObject,
} from 'openapi3-ts/oas30';
import { objectOf, type Properties } from './json-schema.ts';

/** Kinds of body members and query string parameters. */
export type InputKind =
  | 'string'
  | 'boolean'
  /** 32 bits, as GraphQL's Int. */
  | 'integer'
  /** Any whole number; one that is too large names a version that does not exist. */
  | 'version'
  /** Up to the largest whole number that a double holds exactly. */
  | 'count'
  | 'object'
  | 'json'
  | 'strings'
  /**
   * Placeholders that existing clients send for no value: null, false, and empty lists and objects. They are dropped.
   */
  | 'empty'
  | readonly string[];

export interface Input {
  readonly kind: InputKind;
  /** Null when it is accepted but not documented. */
  readonly schema: SchemaObject | ReferenceObject | null;
  /** The message when it is absent or null; undefined makes it optional. */
  readonly required?: string;
  /** The message for a number outside the schema's minimum and maximum; undefined leaves that to the use case. */
  readonly outOfRange?: string;
  /**
   * Name of its parameter component in the service document, when another operation has a different one of the same
   * name.
   */
  readonly component?: string;
}

/** By wire name. An input may be absent or null unless it is required. */
export type Inputs = Readonly<Record<string, Input>>;

export interface DocumentedBody {
  /** Name of its component. */
  readonly name: string;
  readonly isRequired: boolean;
  /** The initial request in an API explorer; it works unchanged. */
  readonly example: object;
}

/** An input of the schema's own kind. */
export function input(schema: SchemaObject, more: Partial<Input> = {}): Input {
  return { kind: kindOf(schema), schema, ...more };
}

function kindOf({ type, enum: accepted }: SchemaObject): InputKind {
  if (type === 'string' && accepted !== undefined) return accepted;
  if (type === 'array') return 'strings';
  return type === 'string' || type === 'boolean' || type === 'integer' || type === 'object'
    ? type
    : 'json';
}

/** The documented inputs as members of an object. */
export function membersOf(inputs: Inputs): Properties {
  return Object.fromEntries(
    Object.entries(inputs).flatMap(([name, { schema }]) =>
      schema === null ? [] : [[name, schema]],
    ),
  );
}

/** The documented inputs as query string parameters, by component name. */
export function parametersOf(inputs: Inputs): Readonly<Record<string, ParameterObject>> {
  return Object.fromEntries(
    Object.entries(inputs).flatMap(([name, { schema, component = name }]) => {
      if (schema === null || '$ref' in schema) return [];
      const { description = '', ...rest } = schema;
      const list = rest.type === 'array' ? ({ style: 'form', explode: false } as const) : {};
      return [[component, { name, in: 'query', description, ...list, schema: rest }]];
    }),
  );
}

export function requestBodyOf(inputs: Inputs, body: DocumentedBody): RequestBodyObject {
  const required = Object.entries(inputs).filter(([, { required: message }]) => message);
  const schema = objectOf(
    membersOf(inputs),
    required.map(([name]) => name),
  );
  return {
    required: body.isRequired,
    content: {
      'application/json': {
        schema: { ...schema, additionalProperties: false },
        example: body.example,
      },
    },
  };
}
