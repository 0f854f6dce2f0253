import { type GraphQLField, type GraphQLSchema, isObjectType } from 'graphql';

/** Types of the Relay specification, whose fields the library leaves without descriptions. */
const ofRelay = /(Connection|Edge)$|^PageInfo$/;

const fields: Readonly<Record<string, string>> = {
  edges: 'The rows of the page, each with its cursor.',
  pageInfo: 'Cursors of the page, and whether there are more pages.',
  totalCount: 'Number of rows on all pages together.',
  cursor: 'Position of the row: pass it as after or before to continue from here.',
  node: 'The row.',
  hasNextPage: 'Whether there are rows after the page.',
  hasPreviousPage: 'Whether there are rows before the page.',
  startCursor:
    'Cursor of the first row: pass it as before to get the previous page. Null if the page is empty.',
  endCursor:
    'Cursor of the last row: pass it as after to get the next page. Null if the page is empty.',
};

const pageArguments: Readonly<Record<string, string>> = {
  first: 'Number of rows from the start, or after the cursor: 100 by default, at most 1000.',
  after: 'Cursor of the row before the page.',
  last: 'Number of rows from the end, or before the cursor, at most 1000.',
  before: 'Cursor of the row after the page.',
};

/** Describes the fields and arguments of all connections. */
export function describeConnections(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type)) continue;
    if (type.name === 'PageInfo') type.description = 'Where a page of a list begins and ends.';
    for (const field of Object.values(type.getFields())) {
      if (ofRelay.test(type.name)) field.description ??= fields[field.name];
      describeArguments(field);
    }
  }
  return schema;
}

function describeArguments({ args }: GraphQLField<unknown, unknown>): void {
  for (const arg of args) arg.description ??= pageArguments[arg.name];
}
