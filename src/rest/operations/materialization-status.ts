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
    rows_total: count('Estimated number of rows to read; 0 if unknown.'),
    percent: orNull(amount('Percentage of the rows read; null if unknown.')),
    time_elapsed: amount('Seconds since the sync started.'),
  }),
  nullable: true,
  description: 'Progress of the running sync; null if none is running.',
};

const syncSchema = objectOf({
  id: uuid('Id of the sync.'),
  started_at: instant('When it started.'),
  ended_at: instant('When it ended; null while it is running.'),
  outcome: {
    type: 'string',
    enum: ['completed', 'failed', 'cancelled'],
    description: 'Outcome of the sync.',
  },
  error: orNull(text('Error message; null unless the sync failed.')),
  rows: orNull(count('Number of rows in its table.')),
  bytes: orNull(count('Size of its table on disk in bytes.')),
  duration_seconds: amount('Duration of the sync in seconds.'),
});

/** An endpoint's materialization status and its syncs. */
const statusMembers: Properties = {
  ...materializationMembers,
  duration_seconds: orNull(amount('Duration in seconds of the sync that built the stored table.')),
  read_ms: orNull(
    amount('Milliseconds that the engine takes to read the stored table; null if not measured.'),
  ),
  inline_ms: orNull(
    amount(
      'Milliseconds that the engine takes for the same runs on the source data; null if not measured.',
    ),
  ),
  served_from: orNull({
    type: 'string',
    enum: ['materialized', 'inline'],
    description: 'How runs are currently served.',
  }),
  progress: progressSchema,
  history: {
    type: 'array',
    items: syncSchema,
    description: 'The last finished syncs, newest first, at most 20.',
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
    description: 'State of the materialization of one version.',
    success: 'The status, with the name of the endpoint and the number of the version.',
    response: schemaRef('MaterializationStatus'),
    schemas: {
      MaterializationStatus: {
        ...objectOf(
          {
            name: text('Name of the endpoint.'),
            version: integer('Number of the version.'),
            ...statusMembers,
          },
          ['name', 'version', 'can_materialize', 'reason'],
        ),
        description: 'State of the materialization of one version.',
      },
    },
  },
};
