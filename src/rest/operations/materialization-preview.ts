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
  can_materialize: flag('Whether the query can be materialized.'),
  reason: orNull(text('Why it cannot be materialized; null if it can.')),
  stored_query: orNull(
    text(
      'The query whose rows would be stored. If several tables would be stored, their queries are separated by semicolons.',
    ),
  ),
  read_query: orNull(text('The query with which runs would read these rows.')),
  sorting_key: texts('Columns by which the stored rows would be sorted.'),
  variables: listOf(
    {
      variable: text('Name of the variable.'),
      expression: text('The expression that the variable is compared with.'),
      operator: text('The operator or function between the variable and the expression.'),
      column: orNull(text('The stored column; null if the condition uses no columns.')),
      condition: text('The whole condition, which each run evaluates over the stored columns.'),
    },
    'How the variables would filter the stored rows.',
  ),
  aggregates: listOf(
    {
      expression: text('The aggregate in the query.'),
      stored: text('The aggregate state that is stored.'),
    },
    'Aggregates that would be stored as states and merged by each run.',
  ),
};

const members: Properties = {
  name: text('Name of the endpoint.'),
  version: integer('Number of the version.'),
  ...layoutMembers,
  max_stored_rows: count('Maximum number of rows in the stored table.'),
  tied_rows: {
    ...objectOf({
      detail: text('What is not determined, and how to determine it.'),
      tie_breaker: orNull(
        text('Expressions to append to the first such ORDER BY; null if none determine the order.'),
      ),
      query: orNull(text('The query with these expressions appended, as accepted by the engine.')),
    }),
    nullable: true,
    description:
      'Each ORDER BY that does not determine which rows LIMIT returns or a window function sees first; null if there is none.',
  },
  expected: {
    ...objectOf({
      rows: count('Number of rows.'),
      bytes: orNull(count('Uncompressed size in bytes; null if estimated from the source alone.')),
      exact: flag('Whether the rows were counted; otherwise their number is an upper bound.'),
    }),
    nullable: true,
    description: 'Expected size of the stored table; null if it could not be determined in time.',
  },
  gain: {
    ...objectOf({
      source_rows: orNull(
        count('Upper bound of the number of rows in the source tables; null if unknown.'),
      ),
      inline_ms: amount('Milliseconds that the query takes on the source data, in the engine.'),
      expected_read_ms: amount('Milliseconds that a read of the stored table is expected to take.'),
      expected_gain: amount('How many times as fast as inline a run would be.'),
      advice: orNull(text('What to change, or why to leave it inline; null if the gain is clear.')),
      alternative: {
        ...objectOf({
          expression: text('The coarser expression.'),
          instead_of: text('The expression in the query.'),
          rows: count('Number of rows that would be stored.'),
          expected_gain: amount('How many times as fast as inline a run would be.'),
        }),
        nullable: true,
        description: 'A comparison that would gain more; null if none was found or needed.',
      },
    }),
    nullable: true,
    description: 'Expected gain of runs; null if it could not be measured in time.',
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
      'The effect of materializing one version: whether it is possible and why not, the query that would be stored, the query with which runs would read it, and its expected size and gain. Changes nothing.',
    success: 'The preview.',
    response: schemaRef('MaterializationPreview'),
    schemas: {
      MaterializationPreview: {
        ...objectOf(members),
        description: 'The effect of materializing one version.',
      },
    },
  },
};
