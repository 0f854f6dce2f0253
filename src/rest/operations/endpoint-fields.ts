/** Endpoints and versions as REST returns them: each member is declared here, and selected from GraphQL by its name. */
import type { SchemaObject } from 'openapi3-ts/oas30';
import { objectOf, orNull, type Properties, schemaRef } from '../../openapi/json-schema.ts';
import { count, flag, instant, integer, text, texts, uuid } from '../../openapi/schemas/members.ts';
import { legacyTypes } from '../../query/variable-definition.ts';
import { json, type RouteCall, type RouteResult } from '../route.ts';
import {
  materializationMembers,
  syncFrequencySchema,
  toMaterialization,
} from './materialization-fields.ts';
import { selectionOf } from './selection.ts';

export const cacheAgeSchema: SchemaObject = {
  type: 'integer',
  nullable: true,
  minimum: 0,
  maximum: 86_400,
  description: "Seconds for which a result counts as fresh; null: the server's default.",
};

export const userSchema: SchemaObject = {
  ...objectOf({
    id: integer('Number of the user.'),
    uuid: text('Stable identifier.'),
    distinct_id: text('The same as uuid.'),
    first_name: text('Empty when unknown.'),
    last_name: text('Empty when unknown.'),
    email: text('Address that names the user.'),
  }),
  nullable: true,
  description: 'Who made it; null when that is not known.',
};

const variableDefinitionSchema: SchemaObject = {
  ...objectOf(
    {
      code_name: text('The name in the query text.'),
      type: { type: 'string', enum: [...legacyTypes], description: 'String when absent.' },
      value: { description: 'The default.' },
      isNull: flag('Whether the default is null.'),
      description: text('What it means.'),
      variableId: text('Kept from existing clients; not used.'),
      id: text('Kept from existing clients; not used.'),
      name: text('Kept from existing clients; not used.'),
    },
    [],
  ),
  description: 'The definition of one variable.',
};

const querySchema: SchemaObject = {
  ...objectOf(
    {
      kind: {
        type: 'string',
        enum: ['SQLQuery', 'HogQLQuery'],
        description: 'HogQLQuery is the kept spelling of SQLQuery.',
      },
      query: text('One ClickHouse SELECT, with {name:Type} or {variables.name} for variables.'),
      variables: {
        type: 'object',
        additionalProperties: schemaRef('VariableDefinition'),
        description: 'Definitions of variables, by id or by name.',
      },
    },
    ['kind', 'query'],
  ),
  description: 'A saved query.',
};

const endpointMembers: Properties = {
  id: uuid('Id of the endpoint, the same for all its versions.'),
  name: text('Unique among the endpoints of its project.'),
  description: text('What it answers; empty when its author does not say.'),
  query: schemaRef('Query'),
  is_active: flag('Whether it may run. Of a version: whether that version may run.'),
  cache_age_seconds: cacheAgeSchema,
  sync_frequency: syncFrequencySchema,
  data_freshness_seconds: count('The cadence in seconds.'),
  tags: texts('Labels, sorted.'),
  endpoint_path: text('Path that runs it.'),
  url: text('The same with scheme and host.'),
  ui_url: text('Its page for people.'),
  created_at: instant('When the endpoint was made.'),
  updated_at: instant('When the endpoint was last changed.'),
  created_by: schemaRef('CreatedBy'),
  is_materialized: flag('Whether materialization is turned on.'),
  current_version: integer('The highest version number.'),
  current_version_id: orNull(uuid('Id of that version.')),
  versions_count: count('How many versions it has.'),
  derived_from_insight: orNull(text('Short id of the insight that it came from.')),
  last_executed_at: orNull(instant('When it ran last.')),
  columns: { type: 'array', items: schemaRef('Column'), description: 'Columns of the result.' },
  variables: { type: 'array', items: schemaRef('Variable'), description: 'Values that runs take.' },
  materialization: schemaRef('Materialization'),
};

const versionMembers: Properties = {
  version: { type: 'integer', minimum: 1, description: 'Number of the version.' },
  version_id: uuid('Id of this version.'),
  version_created_at: instant('When this version was made.'),
  version_created_by: schemaRef('CreatedBy'),
  endpoint_is_active: flag('Whether the endpoint may run at all.'),
};

/** Schemas of the objects within endpoints, whose members GraphQL has to select. */
const partSchemas = {
  CreatedBy: userSchema,
  Column: {
    ...objectOf({ name: text('Its name.'), type: text('Its ClickHouse type.') }),
    description: 'A column of the result.',
  },
  Variable: {
    ...objectOf({
      name: text('Its name.'),
      type: text('A ClickHouse type, or String, Number, Boolean, List, Date.'),
      required: flag('Whether a run must give it.'),
      default: { description: 'What a run without it takes.' },
      description: text('What it means; empty when its author does not say.'),
    }),
    description: 'A value that a run may or must give.',
  },
  Materialization: {
    ...objectOf(materializationMembers, ['can_materialize', 'reason']),
    description:
      'How a materialization stands. While it is off, only can_materialize and reason are there.',
  },
} as const satisfies Readonly<Record<string, SchemaObject>>;

/** By the name of their component. */
export const endpointSchemas: Readonly<Record<string, SchemaObject>> = {
  Endpoint: {
    ...objectOf(endpointMembers),
    description:
      'A saved query under a name. What belongs to a version is told of the current one.',
  },
  EndpointVersion: {
    ...objectOf({ ...endpointMembers, ...versionMembers }),
    description: 'One immutable query of an endpoint, with the settings that belong to it.',
  },
  Query: querySchema,
  VariableDefinition: variableDefinitionSchema,
  ...partSchemas,
};

export const endpointOrVersionSchema: SchemaObject = {
  anyOf: [schemaRef('EndpointVersion'), schemaRef('Endpoint')],
};

export const userSelection = selectionOf(userSchema.properties ?? {}, {
  sources: { id: 'number', distinct_id: 'uuid' },
});

const components = partSchemas;
const sources = {
  created_by: `createdBy ${userSelection}`,
  version_created_by: `versionCreatedBy ${userSelection}`,
  materialization: `materialization ${selectionOf({ enabled: {}, ...materializationMembers })}`,
};

export const endpointSelection = selectionOf(endpointMembers, { components, sources });
export const versionSelection = selectionOf(
  { ...endpointMembers, ...versionMembers },
  { components, sources: { ...sources, id: 'endpointId' } },
);

/** The body of an endpoint or a version. Reuses the GraphQL result. */
export function toEndpointBody(value: unknown): object {
  const body = value as Record<string, unknown>;
  body.materialization = toMaterialization(body.materialization);
  return body;
}

/** Executes the document of an endpoint, or that of the requested version. */
export async function respondEndpointOrVersion(
  call: RouteCall,
  documents: { readonly endpoint: string; readonly version: string },
  variables: Readonly<Record<string, unknown>> = {},
): Promise<RouteResult> {
  const { version = null } = call.input;
  const document = version === null ? documents.endpoint : documents.version;
  const { endpoint } = await call.run(document, { ...call.params, ...variables, version });
  const found = version === null ? endpoint : (endpoint as { readonly version: unknown }).version;
  return json(toEndpointBody(found));
}
