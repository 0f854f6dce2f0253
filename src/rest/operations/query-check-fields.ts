/** The result of checking a query, both standalone and in a dry run of a write. */
import type { ReferenceObject, SchemaObject } from 'openapi3-ts/oas30';
import { breakingChangeKinds } from '../../data-graph/compare-shapes.ts';
import { objectOf, orNull, type Properties, schemaRef } from '../../openapi/json-schema.ts';
import { count, text, texts } from '../../openapi/schemas/members.ts';
import type { RouteResult } from '../route.ts';
import { partSchemas } from './endpoint-fields.ts';
import { layoutMembers } from './materialization-preview.ts';
import { selectionOf } from './selection.ts';

const members: Properties = {
  columns: { type: 'array', items: schemaRef('Column'), description: 'Result columns.' },
  variables: {
    type: 'array',
    items: schemaRef('Variable'),
    description: 'Variables that a run can set.',
  },
  tables: {
    type: 'array',
    items: objectOf({
      name: text('Name of the table.'),
      columns: texts('Names of the columns; empty if the query only counts rows.'),
    }),
    description: 'The tables and columns that the query reads.',
  },
  estimated_rows: orNull(
    count(
      'Number of rows that the engine expects to read with the given or default values of the variables; null if it gives no estimate or a value is missing.',
    ),
  ),
  materialization: {
    ...objectOf(layoutMembers),
    description: 'Whether and how the query could be materialized.',
  },
};

export const checkSelection = selectionOf(members, { components: partSchemas });

export const queryCheckSchema: SchemaObject = {
  ...objectOf(members),
  description: 'The result of checking a query without running it.',
};

const changeMembers: Properties = {
  kind: { type: 'string', enum: [...breakingChangeKinds], description: 'Kind of change.' },
  place: text('The affected field or argument, as in airport.rows.city or airport(code:).'),
  message: text('The change, in one sentence.'),
};

export const changesSelection = `graph_changes: graphChanges ${selectionOf(changeMembers)}`;

/** A member of the response to an update. */
export const changesSchema: SchemaObject = {
  type: 'array',
  items: objectOf(changeMembers),
  description: 'What the change breaks for callers of the data graph.',
};

/** Additional members of a write's dry run. */
const dryRunMembers: Properties = {
  dry_run: { type: 'boolean', enum: [true], description: 'Always true: nothing was written.' },
  check: {
    type: 'object',
    nullable: true,
    allOf: [schemaRef('QueryCheck')],
    description: 'The check of the query in the request; null if it contains none.',
  },
};

/** Combines the schema of the resulting object with these members and those of the write. */
export function dryRunSchema(
  result: SchemaObject | ReferenceObject,
  more: Properties = {},
): SchemaObject {
  return {
    allOf: [result, objectOf({ ...dryRunMembers, ...more })],
    description: 'The object that would result. Its ids belong to no stored object.',
  };
}

/** The response to a write's dry run, with its additional members. */
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
