import type { SchemaObject } from 'openapi3-ts/oas30';
import { type Inputs, input } from '../../openapi/inputs.ts';
import { objectOf, orNull, type Properties, schemaRef } from '../../openapi/json-schema.ts';
import { count, text } from '../../openapi/schemas/members.ts';
import { json, type Route } from '../route.ts';
import { pageInputs, pageOf, pageSchema, toPage } from './page.ts';
import { selectionOf } from './selection.ts';

const columnSchema: SchemaObject = {
  ...objectOf({
    name: text('Column name.'),
    type: text('ClickHouse type of the column.'),
    comment: text('Comment of the column; may be empty.'),
  }),
  description: 'A column of a table.',
};

export const tableMembers: Properties = {
  name: text('Name of the table.'),
  comment: text('Comment of the table; may be empty.'),
  rows: orNull(count('Number of rows; null if the engine does not count them, as for a view.')),
  bytes: orNull(count('Size on disk in bytes; null if the engine does not report it.')),
  columns: {
    type: 'array',
    items: schemaRef('TableColumn'),
    description: 'Columns of the table, in table order.',
  },
};

export const tableSelection = { components: { TableColumn: columnSchema } } as const;

const searchInputs = {
  search: input(text('Only tables whose name or comment contains this text, ignoring case.'), {
    component: 'search_tables',
  }),
} as const satisfies Inputs;

const document = `query Tables($projectId: ID!, $first: Int!, $offset: Int!, $search: String) {
  tables(projectId: $projectId, first: $first, offset: $offset, search: $search) {
    totalCount results ${selectionOf(tableMembers, tableSelection)}
  }
}`;

export const tables: Route = {
  id: 'tables',
  method: 'GET',
  path: '/tables',
  scope: 'endpoint:read',
  status: 200,
  query: { ...pageInputs, ...searchInputs },
  body: null,
  documents: [document],
  respond: async (call) => {
    const { search } = call.input;
    const data = await call.run(document, { ...call.params, ...pageOf(call), search });
    const { totalCount, results } = data.tables as {
      readonly totalCount: number;
      readonly results: readonly unknown[];
    };
    return json(toPage({ totalCount, edges: results.map((node) => ({ node })) }, call));
  },
  openapi: {
    operationId: 'list_tables',
    tag: 'tables',
    summary: 'List tables',
    description: 'The tables that queries of the project can read, by name.',
    success: 'One page of tables.',
    response: schemaRef('TableList'),
    schemas: {
      TableColumn: columnSchema,
      Table: {
        ...objectOf(tableMembers),
        description: 'A table that queries of the project can read.',
      },
      TableList: pageSchema(schemaRef('Table')),
    },
  },
};
