/** Endpoints and versions as REST returns them. */
import type { ReferenceObject, SchemaObject } from 'openapi3-ts/oas30';
import { syncFrequencySeconds } from '../../model/sync-frequency.ts';
import { legacyTypes } from '../../query/variable-definition.ts';
import { objectOf, orNull, schemaRef } from '../json-schema.ts';
import { materializationPreviewSchema, syncMembers } from './materialization.ts';

type Properties = NonNullable<SchemaObject['properties']>;

const text = (description: string): SchemaObject => ({ type: 'string', description });
const flag = (description: string): SchemaObject => ({ type: 'boolean', description });
const count = (description: string): SchemaObject => ({ type: 'integer', minimum: 0, description });
const instant = (description: string): SchemaObject => ({
  type: 'string',
  format: 'date-time',
  description,
});
const uuid = (description: string): SchemaObject => ({
  type: 'string',
  format: 'uuid',
  description,
});

export const syncFrequencySchema: SchemaObject = {
  type: 'string',
  enum: Object.keys(syncFrequencySeconds),
  description: 'How often a materialization is recomputed.',
};

export const storedRowsSchema: SchemaObject = {
  type: 'integer',
  nullable: true,
  minimum: 1,
  maximum: 2_000_000_000,
  description:
    "Rows that the stored table of a materialization may have; null: the server's default.",
};

export const cacheAgeSchema: SchemaObject = {
  type: 'integer',
  nullable: true,
  minimum: 0,
  maximum: 86_400,
  description: "Seconds for which a result counts as fresh; null: the server's default.",
};

const userSchema: SchemaObject = {
  ...objectOf({
    id: { type: 'integer', description: 'Number of the user.' },
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

/** Rows of the stored table and the like are absent while materialization is off. */
const materializationMembers: Properties = {
  can_materialize: flag('Whether the query of this version can be materialized.'),
  reason: orNull(text('Why it cannot be materialized; null when it can.')),
  status: {
    type: 'string',
    enum: ['Running', 'Completed', 'Failed', 'Modified', 'Cancelled'],
    description: 'Modified: the settings changed and were not yet synced.',
  },
  last_materialized_at: orNull(instant('When the stored table was last computed.')),
  error: orNull(text('Why the newest sync failed.')),
  sync_frequency: syncFrequencySchema,
  max_stored_rows: count('Rows that the stored table may have.'),
  next_sync_at: orNull(instant('When the next sync is due.')),
  rows: orNull(count('Rows of the stored table.')),
  bytes: orNull(count('Bytes of the stored table.')),
  ready: flag('Whether a run may be answered from the stored table at this moment.'),
};

const always = ['can_materialize', 'reason'] as const;

const materializationSchema: SchemaObject = {
  ...objectOf(materializationMembers, always),
  description:
    'How a materialization stands. While it is off, only can_materialize and reason are there.',
};

const materializationStatusSchema: SchemaObject = {
  ...objectOf(
    {
      name: text('Name of the endpoint.'),
      version: { type: 'integer', description: 'The version that this is of.' },
      ...materializationMembers,
      ...syncMembers,
    },
    ['name', 'version', ...always],
  ),
  description: 'How the materialization of one version stands.',
};

const endpointMembers: Properties = {
  id: uuid('Id of the endpoint, the same for all its versions.'),
  name: text('Unique among the endpoints of its project.'),
  description: text('What it answers; empty when its author does not say.'),
  query: schemaRef('Query'),
  is_active: flag('Whether it may run. Of a version: whether that version may run.'),
  cache_age_seconds: cacheAgeSchema,
  endpoint_path: text('Path that runs it.'),
  url: text('The same with scheme and host.'),
  ui_url: text('Its page for people.'),
  created_at: instant('When the endpoint was made.'),
  updated_at: instant('When the endpoint was last changed.'),
  created_by: schemaRef('CreatedBy'),
  is_materialized: flag('Whether materialization is turned on.'),
  current_version: { type: 'integer', description: 'The highest version number.' },
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

const variableSchema: SchemaObject = {
  ...objectOf({
    name: text('Its name.'),
    type: text('A ClickHouse type, or String, Number, Boolean, List, Date.'),
    required: flag('Whether a run must give it.'),
    default: { description: 'What a run without it takes.' },
    description: text('What it means; empty when its author does not say.'),
  }),
  description: 'A value that a run may or must give.',
};

function pageOf(items: ReferenceObject): SchemaObject {
  const address = (description: string): SchemaObject => ({
    type: 'string',
    nullable: true,
    description,
  });
  return {
    ...objectOf({
      count: count('How many there are in all.'),
      next: address('Address of the next page; null on the last.'),
      previous: address('Address of the page before; null on the first.'),
      results: { type: 'array', items },
    }),
    description: 'One page of a list.',
  };
}

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
  EndpointList: pageOf(schemaRef('Endpoint')),
  EndpointVersionList: pageOf(schemaRef('EndpointVersion')),
  CreatedBy: userSchema,
  Query: querySchema,
  VariableDefinition: variableDefinitionSchema,
  Column: {
    ...objectOf({ name: text('Its name.'), type: text('Its ClickHouse type.') }),
    description: 'A column of the result.',
  },
  Variable: variableSchema,
  Materialization: materializationSchema,
  MaterializationStatus: materializationStatusSchema,
  MaterializationPreview: materializationPreviewSchema,
};
