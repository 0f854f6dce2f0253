import type { SchemaObject } from 'openapi3-ts/oas30';
import { objectOf, orNull, type Properties, schemaRef } from '../../openapi/json-schema.ts';
import { amount, count, flag, integer, text, texts } from '../../openapi/schemas/members.ts';
import { json, type Route } from '../route.ts';
import { versionInputs } from './endpoint-inputs.ts';
import { materializationStatus } from './materialization-status.ts';
import { selectionOf } from './selection.ts';

const listOf = (members: Properties, description: string): SchemaObject => ({
  type: 'array',
  items: objectOf(members),
  description,
});

/** Whether and how a query can be materialized. */
export const layoutMembers: Properties = {
  can_materialize: flag('Whether it can be materialized.'),
  reason: orNull(text('Why not; null when it can.')),
  stored_query: orNull(text('The query whose rows would be stored.')),
  read_query: orNull(text('The query that runs would read them by.')),
  sorting_key: texts('Columns that the stored rows would be sorted by.'),
  variables: listOf(
    {
      variable: text('Name of the variable.'),
      expression: text('What it is compared with.'),
      operator: text('The operator or function between the two.'),
      column: orNull(text('The stored column; null when the condition uses no columns.')),
      condition: text('The whole condition, which each run evaluates over the stored columns.'),
    },
    'How the variables would filter.',
  ),
  aggregates: listOf(
    { expression: text('As the query has it.'), stored: text('As it is stored.') },
    'Aggregates that would be stored as states and merged by each run.',
  ),
};

const members: Properties = {
  name: text('Name of the endpoint.'),
  version: integer('The version that this is of.'),
  ...layoutMembers,
  max_stored_rows: count('Rows that the stored table may have.'),
  tied_rows: {
    ...objectOf({
      detail: text('What is left open, and how to settle it.'),
      tie_breaker: orNull(
        text('Expressions to append to the first such ORDER BY; null when none settle it.'),
      ),
      query: orNull(text('The text of the query with them, as the engine accepts it.')),
    }),
    nullable: true,
    description:
      'Where ORDER BY leaves open which rows LIMIT returns or a window takes first; else null.',
  },
  expected: {
    ...objectOf({
      rows: count('Rows.'),
      bytes: orNull(count('Bytes before they are compressed.')),
      exact: flag('Whether the rows were counted; otherwise the table has so many at most.'),
    }),
    nullable: true,
    description: 'How large the stored table would be; null when nobody could say in time.',
  },
  gain: {
    ...objectOf({
      source_rows: orNull(count('Rows of the source tables at most; null when unknown.')),
      inline_ms: amount('Milliseconds that the query takes on the source data, in the engine.'),
      expected_read_ms: amount('Milliseconds that a read of the stored table should take.'),
      expected_gain: amount('How many times as fast as inline a run would be.'),
      advice: orNull(text('What to change, or why to leave it inline; null for a clear gain.')),
      alternative: {
        ...objectOf({
          expression: text('The coarser expression.'),
          instead_of: text('The expression in the query.'),
          rows: count('Rows that would be stored.'),
          expected_gain: amount('How many times as fast as inline a run would be.'),
        }),
        nullable: true,
        description: 'A comparison that would gain more; null when none was found or needed.',
      },
    }),
    nullable: true,
    description: 'What runs should gain; null when it could not be measured in time.',
  },
};

const document = `query MaterializationPreview($projectId: ID!, $name: String!, $version: Int) {
  preview: materializationPreview(projectId: $projectId, name: $name, version: $version) ${selectionOf(members)}
}`;

export const materializationPreview: Route = {
  id: 'materialization_preview',
  method: 'POST',
  path: '/endpoints/:name/materialization_preview',
  scope: 'endpoint:read',
  status: 200,
  query: versionInputs,
  body: { ...versionInputs, bucket_overrides: { kind: 'empty', schema: null } },
  documents: [document],
  respond: async (call) => {
    const { preview } = await call.run(document, { ...call.params, ...call.input });
    return json(preview);
  },
  openapi: {
    operationId: 'preview_materialization',
    listedAfter: materializationStatus.path,
    tag: 'endpoints',
    summary: 'Preview a materialization',
    description:
      'What turning materialization on would do to one version: whether it can be done, why not, the query that would be stored, the one that runs would read it by, and how large it would be. Changes nothing.',
    success: 'The preview.',
    response: schemaRef('MaterializationPreview'),
    schemas: {
      MaterializationPreview: {
        ...objectOf(members),
        description: 'What turning materialization on would do to one version.',
      },
    },
  },
};
