import type { SchemaObject } from 'openapi3-ts/oas30';
import { type Inputs, input } from '../../openapi/inputs.ts';
import { anyValue, objectOf, schemaRef } from '../../openapi/json-schema.ts';
import { defaultFirstRows, maxFirstRows } from '../../runs/first-rows.ts';
import { json, type Route } from '../route.ts';
import { selectionOf } from './selection.ts';
import { tableMembers, tableSelection } from './tables.ts';

const rowInputs = {
  rows: input(
    {
      type: 'integer',
      minimum: 0,
      maximum: maxFirstRows,
      default: defaultFirstRows,
      description: 'How many of its first rows to show; 0 for none.',
    },
    {
      component: 'rows_of_table',
      outOfRange: `From 0 to ${maxFirstRows} rows of a table are shown.`,
    },
  ),
} as const satisfies Inputs;

const firstRowsMembers = {
  columns: { type: 'array', items: { type: 'string' }, description: 'Names of the columns.' },
  types: {
    type: 'array',
    items: { type: 'array', minItems: 2, maxItems: 2, items: { type: 'string' } },
    description: 'Pairs of column name and ClickHouse type.',
  },
  results: {
    type: 'array',
    items: { type: 'array', items: anyValue },
    description: 'The rows: arrays of values in the order of columns.',
  },
} as const satisfies Readonly<Record<string, SchemaObject>>;

const firstRowsSchema: SchemaObject = {
  ...objectOf(firstRowsMembers),
  nullable: true,
  description:
    'Its first rows, in no certain order; null when none were asked for or one of its columns cannot be returned.',
};

const document = `query Table($projectId: ID!, $table: String!, $rows: Int!, $showsRows: Boolean!) {
  table(projectId: $projectId, name: $table) {
    ...Members first_rows: firstRows(first: $rows) @include(if: $showsRows) ${selectionOf(firstRowsMembers)}
  }
}
fragment Members on Table ${selectionOf(tableMembers, tableSelection)}`;

export const table: Route = {
  id: 'table',
  method: 'GET',
  path: '/tables/:table',
  scope: 'endpoint:read',
  status: 200,
  query: rowInputs,
  body: null,
  documents: [document],
  respond: async (call) => {
    const rows = Number(call.input.rows ?? defaultFirstRows);
    const data = await call.run(document, { ...call.params, rows, showsRows: rows > 0 });
    return json({ ...(data.table as object), ...(rows > 0 ? {} : { first_rows: null }) });
  },
  openapi: {
    operationId: 'get_table',
    tag: 'tables',
    summary: 'Retrieve a table',
    description:
      'One table with its columns and its first rows, as queries of the project read them. Showing rows counts as a run.',
    success: 'The table.',
    response: schemaRef('TableWithRows'),
    schemas: {
      TableWithRows: {
        ...objectOf({ ...tableMembers, first_rows: firstRowsSchema }),
        description: 'A table with its first rows.',
      },
    },
  },
};
