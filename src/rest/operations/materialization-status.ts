import type { SchemaObject } from 'openapi3-ts/oas30';
import { objectOf, orNull, type Properties, schemaRef } from '../../openapi/json-schema.ts';
import { amount, count, instant, integer, text, uuid } from '../../openapi/schemas/members.ts';
import { json, type Route } from '../route.ts';
import { versionInputs } from './endpoint-inputs.ts';
import { materializationMembers, toMaterialization } from './materialization-fields.ts';
import { selectionOf } from './selection.ts';

const progressSchema: SchemaObject = {
  ...objectOf({
    rows_read: count('Rows read.'),
    bytes_read: count('Bytes read.'),
    rows_total: count('Rows to read in all; 0 when the engine does not say.'),
    percent: orNull(amount('Of the rows to read.')),
    time_elapsed: amount('Seconds since it began.'),
  }),
  nullable: true,
  description: 'How far the sync under way has come; null when there is none.',
};

const syncSchema = objectOf({
  id: uuid('Id of the sync.'),
  started_at: instant('When it began.'),
  ended_at: instant('When it ended.'),
  outcome: {
    type: 'string',
    enum: ['completed', 'failed', 'cancelled'],
    description: 'How it ended.',
  },
  error: orNull(text('Why it failed.')),
  rows: orNull(count('Rows of its table.')),
  bytes: orNull(count('Bytes of its table on disk.')),
  duration_seconds: amount('How long it took.'),
});

/** What an endpoint shows of its materialization, and its syncs. */
const statusMembers: Properties = {
  ...materializationMembers,
  duration_seconds: orNull(amount('How long the sync took that made the stored table.')),
  read_ms: orNull(amount('Milliseconds that the engine takes for reads of the stored table.')),
  inline_ms: orNull(amount('Milliseconds for the same runs on the source data.')),
  served_from: orNull({
    type: 'string',
    enum: ['materialized', 'inline'],
    description: 'From where runs are served now.',
  }),
  progress: progressSchema,
  history: {
    type: 'array',
    items: syncSchema,
    description: 'The last syncs that ended, newest first, at most 20.',
  },
};

const document = `query MaterializationStatus($projectId: ID!, $name: String!, $version: Int) {
  endpoint: endpointVersion(projectId: $projectId, name: $name, version: $version) {
    name version materialization { enabled ...Status }
  }
}
fragment Status on MaterializationStatus ${selectionOf(statusMembers)}`;

export const materializationStatus: Route = {
  id: 'materialization_status',
  method: 'GET',
  path: '/endpoints/:name/materialization_status',
  scope: 'endpoint:read',
  status: 200,
  query: versionInputs,
  body: versionInputs,
  documents: [document],
  respond: async (call) => {
    const { endpoint } = await call.run(document, { ...call.params, ...call.input });
    const { name, version, materialization } = endpoint as {
      readonly name: string;
      readonly version: number;
      readonly materialization: unknown;
    };
    return json({ name, version, ...toMaterialization(materialization) });
  },
  openapi: {
    operationId: 'get_materialization_status',
    tag: 'endpoints',
    summary: 'Materialization status',
    description: 'How the materialization of one version stands.',
    success: 'The status, with the name and the version that it is of.',
    response: schemaRef('MaterializationStatus'),
    schemas: {
      MaterializationStatus: {
        ...objectOf(
          {
            name: text('Name of the endpoint.'),
            version: integer('The version that this is of.'),
            ...statusMembers,
          },
          ['name', 'version', 'can_materialize', 'reason'],
        ),
        description: 'How the materialization of one version stands.',
      },
    },
  },
};
