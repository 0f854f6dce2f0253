/** Endpoints and versions as REST returns them: each member is declared here and selected from GraphQL by its name. */
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
  description: "Seconds for which a result is fresh; null: the server's default.",
};

export const userSchema: SchemaObject = {
  ...objectOf({
    id: integer('Number of the user.'),
    uuid: text('Stable identifier.'),
    distinct_id: text('Same as uuid.'),
    first_name: text('Empty if unknown.'),
    last_name: text('Empty if unknown.'),
    email: text('Email address.'),
  }),
  nullable: true,
  description: 'The author; null if unknown.',
};

const variableDefinitionSchema: SchemaObject = {
  ...objectOf(
    {
      code_name: text('The name in the query text.'),
      type: { type: 'string', enum: [...legacyTypes], description: 'Default: String.' },
      value: { description: 'Default value.' },
      isNull: flag('Whether the default is null.'),
      description: text('Description for callers.'),
      variableId: text(
        'Id of a saved variable, which gives the code name, type and default that are absent here.',
      ),
      id: text('Accepted for compatibility; ignored.'),
      name: text('Accepted for compatibility; ignored.'),
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
        description: 'HogQLQuery is accepted for compatibility and is equivalent to SQLQuery.',
      },
      query: text('One ClickHouse SELECT, with {name:Type} or {variables.name} for variables.'),
      variables: {
        type: 'object',
        additionalProperties: schemaRef('VariableDefinition'),
        description: 'Variable definitions by id or by name.',
      },
    },
    ['kind', 'query'],
  ),
  description: 'A saved query.',
};

const endpointMembers: Properties = {
  id: uuid('Id of the endpoint, the same for all its versions.'),
  name: text('Name, unique in the project.'),
  graphql_name: text('Name of its field in the data graph, unique in the project.'),
  description: text('Description; may be empty.'),
  query: schemaRef('Query'),
  is_active: flag('Whether runs are allowed; in a version, whether runs of that version are.'),
  cache_age_seconds: cacheAgeSchema,
  sync_frequency: syncFrequencySchema,
  data_freshness_seconds: count('The cadence in seconds.'),
  tags: texts('Labels, sorted.'),
  endpoint_path: text('Path of its runs.'),
  url: text('URL of its runs.'),
  ui_url: text('URL of its page in the console.'),
  created_at: instant('When the endpoint was created.'),
  updated_at: instant('When the endpoint was last changed.'),
  created_by: schemaRef('CreatedBy'),
  is_materialized: flag('Whether materialization is enabled.'),
  current_version: integer('Number of the current version.'),
  current_version_id: orNull(uuid('Id of the current version.')),
  versions_count: count('Number of versions.'),
  derived_from_insight: orNull(text('Short id of the insight it was derived from.')),
  last_executed_at: orNull(instant('When it last ran.')),
  columns: { type: 'array', items: schemaRef('Column'), description: 'Result columns.' },
  variables: {
    type: 'array',
    items: schemaRef('Variable'),
    description: 'Variables of the query.',
  },
  materialization: schemaRef('Materialization'),
};

const versionMembers: Properties = {
  version: { type: 'integer', minimum: 1, description: 'Number of the version.' },
  version_id: uuid('Id of this version.'),
  version_created_at: instant('When this version was created.'),
  version_created_by: schemaRef('CreatedBy'),
  endpoint_is_active: flag('Whether the endpoint allows runs at all.'),
};

/** Schemas of nested objects of endpoints, whose members GraphQL has to select. */
export const partSchemas = {
  CreatedBy: userSchema,
  Column: {
    ...objectOf({ name: text('Name.'), type: text('ClickHouse type.') }),
    description: 'A result column.',
  },
  Variable: {
    ...objectOf({
      name: text('Name.'),
      type: text('A ClickHouse type, or String, Number, Boolean, List, Date.'),
      required: flag('Whether a run must set it.'),
      default: { description: 'Default value.' },
      description: text('Description; may be empty.'),
    }),
    description: 'A variable that a run may or must set.',
  },
  Materialization: {
    ...objectOf(materializationMembers, ['can_materialize', 'reason']),
    description:
      'State of a materialization. While it is disabled, only can_materialize and reason are present.',
  },
} as const satisfies Readonly<Record<string, SchemaObject>>;

/** Keyed by component name. */
export const endpointSchemas: Readonly<Record<string, SchemaObject>> = {
  Endpoint: {
    ...objectOf(endpointMembers),
    description:
      'A saved, named query. Members that belong to a version are those of the current one.',
  },
  EndpointVersion: {
    ...objectOf({ ...endpointMembers, ...versionMembers }),
    description: 'An immutable query of an endpoint and its settings.',
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

/** The body of an endpoint or a version. Modifies and reuses the GraphQL result. */
export function toEndpointBody(value: unknown): object {
  const body = value as Record<string, unknown>;
  body.materialization = toMaterialization(body.materialization);
  return body;
}

/** Also selects the endpoint's revision, which `toEndpoint` takes out again. */
export function withRevision(selection: string): string {
  return `{ revision ${selection.slice(1)}`;
}

interface EndpointResult {
  readonly revision: string;
  /** Only set by an update. */
  readonly graph_changes?: readonly unknown[] | null;
}

/** The result of a document that selects an endpoint with its revision. */
export function toEndpoint(value: unknown): RouteResult {
  const { revision, graph_changes: changes, ...endpoint } = value as EndpointResult;
  return json(withChanges(toEndpointBody(endpoint), changes), revision);
}

function withChanges(body: object, changes: EndpointResult['graph_changes']): object {
  return changes && changes.length > 0 ? { ...body, graph_changes: changes } : body;
}

/** Executes the document of an endpoint, or that of the requested version. Both select the endpoint's revision. */
export async function respondEndpointOrVersion(
  call: RouteCall,
  documents: { readonly endpoint: string; readonly version: string },
  variables: Readonly<Record<string, unknown>> = {},
): Promise<RouteResult> {
  const { version = null } = call.input;
  const document = version === null ? documents.endpoint : documents.version;
  const { endpoint } = await call.run(document, { ...call.params, ...variables, version });
  if (version === null) return toEndpoint(endpoint);
  const {
    revision,
    graph_changes: changes,
    version: found,
  } = endpoint as EndpointResult & { version: unknown };
  return json(withChanges(toEndpointBody(found), changes), revision);
}
