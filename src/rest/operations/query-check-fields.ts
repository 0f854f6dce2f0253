/** What a check of a query answers, by itself and in a dry run of a write. */
import type { ReferenceObject, SchemaObject } from 'openapi3-ts/oas30';
import { breakingChangeKinds } from '../../data-graph/compare-shapes.ts';
import { objectOf, orNull, type Properties, schemaRef } from '../../openapi/json-schema.ts';
import { count, text, texts } from '../../openapi/schemas/members.ts';
import type { RouteResult } from '../route.ts';
import { partSchemas } from './endpoint-fields.ts';
import { layoutMembers } from './materialization-preview.ts';
import { selectionOf } from './selection.ts';

const members: Properties = {
  columns: { type: 'array', items: schemaRef('Column'), description: 'Columns of the result.' },
  variables: { type: 'array', items: schemaRef('Variable'), description: 'Values that runs take.' },
  tables: {
    type: 'array',
    items: objectOf({
      name: text('Name of the table.'),
      columns: texts('Names of the columns; none when it only counts rows.'),
    }),
    description: 'The tables and columns that it reads.',
  },
  estimated_rows: orNull(
    count(
      'Rows that the engine expects to read, with the given values or the defaults; null when it cannot tell or a value is missing.',
    ),
  ),
  materialization: {
    ...objectOf(layoutMembers),
    description: 'Whether and how it could be materialized.',
  },
};

export const checkSelection = selectionOf(members, { components: partSchemas });

export const queryCheckSchema: SchemaObject = {
  ...objectOf(members),
  description: 'What is known of a query that was checked and not run.',
};

const changeMembers: Properties = {
  kind: { type: 'string', enum: [...breakingChangeKinds], description: 'What is different.' },
  place: text('The field or the argument: airport.rows.city, airport(code:).'),
  message: text('The difference as a sentence.'),
};

export const changesSelection = `graph_changes: graphChanges ${selectionOf(changeMembers)}`;

/** A member of the answer to an update. */
export const changesSchema: SchemaObject = {
  type: 'array',
  items: objectOf(changeMembers),
  description: 'What the change breaks for callers of the data graph.',
};

/** The members of a dry run of a write, beside those of what would result. */
const dryRunMembers: Properties = {
  dry_run: { type: 'boolean', enum: [true], description: 'Nothing was written.' },
  check: {
    type: 'object',
    nullable: true,
    allOf: [schemaRef('QueryCheck')],
    description: 'What is known of the query of the request; null without one.',
  },
};

/** Of what would result: its own schema, with these members and those of the write. */
export function dryRunSchema(
  result: SchemaObject | ReferenceObject,
  more: Properties = {},
): SchemaObject {
  return {
    allOf: [result, objectOf({ ...dryRunMembers, ...more })],
    description: 'What would result. Its ids are of no object.',
  };
}

/** The answer to a dry run of a write, with what is told of it. */
export function toDryRun(body: object, { check, ...more }: DryRunFacts): RouteResult {
  return {
    kind: 'json',
    status: 200,
    body: { ...body, dry_run: true, check: check ?? null, ...more },
  };
}

interface DryRunFacts {
  readonly check: unknown;
  readonly graph_changes?: unknown;
}
