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
      description: 'Number of rows to include; 0 for none.',
    },
    {
      component: 'rows_of_table',
      outOfRange: `rows must be from 0 to ${maxFirstRows}.`,
    },
  ),
  order_by: input(
    {
      type: 'array',
      items: { type: 'string' },
      minItems: 1,
      description:
        'Names of columns by which all rows of the table are sorted, with - in front for descending. Separated by commas, or a JSON array.',
    },
    { component: 'order_of_table' },
  ),
} as const satisfies Inputs;

const firstRowsMembers = {
  columns: { type: 'array', items: { type: 'string' }, description: 'Names of the columns.' },
  types: {
    type: 'array',
    items: { type: 'array', minItems: 2, maxItems: 2, items: { type: 'string' } },
    description: 'Pairs of a column name and its ClickHouse type.',
  },
  results: {
    type: 'array',
    items: { type: 'array', items: anyValue },
    description: 'The rows, each an array of values in column order.',
  },
} as const satisfies Readonly<Record<string, SchemaObject>>;

const firstRowsSchema: SchemaObject = {
  ...objectOf(firstRowsMembers),
  nullable: true,
  description:
    'Some rows of the table, in no particular order unless order_by is given; null if none were requested or one of its columns cannot be returned.',
};

const document = `query Table($projectId: ID!, $table: String!, $rows: Int!, $orderBy: [String!], $showsRows: Boolean!) {
  table(projectId: $projectId, name: $table) {
    ...Members first_rows: firstRows(first: $rows, orderBy: $orderBy) @include(if: $showsRows) ${selectionOf(firstRowsMembers)}
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
    const data = await call.run(document, {
      ...call.params,
      rows,
      orderBy: call.input.orderBy ?? null,
      showsRows: rows > 0,
    });
    return json({ ...(data.table as object), ...(rows > 0 ? {} : { first_rows: null }) });
  },
  openapi: {
    operationId: 'get_table',
    tag: 'tables',
    summary: 'Retrieve a table',
    description:
      'One table with its columns and some of its rows, as queries of the project read them. Including rows counts as a run.',
    success: 'The table.',
    response: schemaRef('TableWithRows'),
    schemas: {
      TableWithRows: {
        ...objectOf({ ...tableMembers, first_rows: firstRowsSchema }),
        description: 'A table with some of its rows.',
      },
    },
  },
};
