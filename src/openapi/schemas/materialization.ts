/** What is told of syncs and of materializations that are not there yet. */
import type { SchemaObject } from 'openapi3-ts/oas30';
import { objectOf, orNull } from '../json-schema.ts';

const text = (description: string): SchemaObject => ({ type: 'string', description });
const flag = (description: string): SchemaObject => ({ type: 'boolean', description });
const count = (description: string): SchemaObject => ({ type: 'integer', minimum: 0, description });
const number = (description: string): SchemaObject => ({ type: 'number', minimum: 0, description });
const instant = (description: string): SchemaObject => ({
  type: 'string',
  format: 'date-time',
  description,
});

const progressSchema: SchemaObject = {
  ...objectOf({
    rows_read: count('Rows read.'),
    bytes_read: count('Bytes read.'),
    rows_total: count('Rows to read in all; 0 when the engine does not say.'),
    percent: orNull(number('Of the rows to read.')),
    time_elapsed: number('Seconds since it began.'),
  }),
  nullable: true,
  description: 'How far the sync under way has come; null when there is none.',
};

const syncSchema: SchemaObject = objectOf({
  id: { type: 'string', format: 'uuid', description: 'Id of the sync.' },
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
  duration_seconds: number('How long it took.'),
});

/** Members of the status route beyond those that an endpoint shows, too. */
export const syncMembers: NonNullable<SchemaObject['properties']> = {
  duration_seconds: orNull(number('How long the sync took that made the stored table.')),
  progress: progressSchema,
  history: {
    type: 'array',
    items: syncSchema,
    description: 'The last syncs that ended, newest first, at most 20.',
  },
};

const strings = (description: string): SchemaObject => ({
  type: 'array',
  items: { type: 'string' },
  description,
});

export const materializationPreviewSchema: SchemaObject = {
  ...objectOf({
    name: text('Name of the endpoint.'),
    version: { type: 'integer', description: 'The version that this is of.' },
    can_materialize: flag('Whether it can be materialized.'),
    reason: orNull(text('Why not; null when it can.')),
    stored_query: orNull(text('The query whose rows would be stored.')),
    read_query: orNull(text('The query that runs would read them by.')),
    sorting_key: strings('Columns that the stored rows would be sorted by.'),
    required_variables: strings('Variables that every run would have to give.'),
    variables: {
      type: 'array',
      items: objectOf({
        variable: text('Name of the variable.'),
        expression: text('What it is compared with.'),
        operator: text('How it is compared.'),
        column: text('The stored column.'),
      }),
      description: 'How the variables would filter.',
    },
    aggregates: {
      type: 'array',
      items: objectOf({
        expression: text('As the query has it.'),
        stored: text('As it is stored.'),
      }),
      description: 'Aggregates that would be stored as states and merged by each run.',
    },
    max_stored_rows: count('Rows that the stored table may have.'),
    expected: {
      ...objectOf({
        rows: count('Rows.'),
        bytes: orNull(count('Bytes before they are compressed.')),
        exact: flag('Whether the rows were counted; otherwise the table has so many at most.'),
      }),
      nullable: true,
      description: 'How large the stored table would be; null when nobody could say in time.',
    },
  }),
  description: 'What turning materialization on would do to one version.',
};
