import { type FormatName, formatNames } from '../../engine/load-formats.ts';
import { type Inputs, input } from '../../openapi/inputs.ts';
import { objectOf, schemaRef } from '../../openapi/json-schema.ts';
import type { LoadOptions } from '../../tables/load-options.ts';
import { loadMediaTypes, type UploadMode, uploadModes } from '../../tables/upload-type.ts';
import { json, type Route } from '../route.ts';

const rowsInputs = {
  format: input(
    {
      type: 'string',
      enum: [...formatNames],
      description: 'Format of the body; takes precedence over Content-Type.',
    },
    { component: 'format_of_rows' },
  ),
  mode: input(
    {
      type: 'string',
      enum: [...uploadModes],
      default: 'replace',
      description:
        'replace: the rows replace those of the table. append: they are added to the table, which is created if it does not exist. create: they form a new table, which must not exist yet.',
    },
    { component: 'mode_of_rows' },
  ),
  force: input(
    {
      type: 'boolean',
      default: false,
      description: 'Whether to replace the table even if that breaks saved endpoints.',
    },
    { component: 'force_rows' },
  ),
  delimiter: input({
    type: 'string',
    description:
      'What separates the fields of CSV and TSV: one character, or tab. By default a comma, and for TSV a tab.',
  }),
  null_as: input({
    type: 'string',
    description:
      'The text of an unquoted field of CSV and TSV that is NULL; an empty field of a text is then NULL as well, unless it is quoted. By default \\N and an empty field, of any type but text.',
  }),
  types: input({
    type: 'string',
    description:
      'ClickHouse types of columns by name, as a JSON object such as {"amount": "Decimal(18, 2)"}. The types of other columns are inferred from the data.',
  }),
  order_by: input(
    {
      type: 'array',
      items: { type: 'string' },
      description:
        'Names of the columns by which the table is sorted on disk, which makes conditions on them fast. For a table that is created or replaced; by default none.',
    },
    { component: 'order_by_of_rows' },
  ),
} as const satisfies Inputs;

const binary = { schema: { type: 'string', format: 'binary' } } as const;
const content = Object.fromEntries(
  formatNames.flatMap((name) => loadMediaTypes[name].slice(0, 1).map((type) => [type, binary])),
);

/** The body is a stream of bytes, which GraphQL cannot carry, so there is no document. */
export const putRows: Route = {
  id: 'put_rows',
  method: 'PUT',
  path: '/tables/:table/rows',
  scope: 'data:write',
  status: 200,
  query: rowsInputs,
  body: null,
  documents: [],
  respond: async (call) => {
    const { format, mode, force, delimiter, nullAs, types, orderBy } = call.input;
    return json(
      await call.loadRows({
        format: (format ?? undefined) as FormatName | undefined,
        mode: (mode ?? 'replace') as UploadMode,
        force: force === true,
        options: { delimiter, nullAs, types, orderBy } as LoadOptions,
      }),
    );
  },
  openapi: {
    operationId: 'put_table_rows',
    tag: 'tables',
    summary: 'Load rows into a table',
    description:
      'Replaces the rows of a table with those of the body, or appends them, atomically. A table that does not exist is created with column types inferred from the data. The body may be compressed with gzip, zstd or bz2.',
    success: 'The rows were loaded.',
    rawBody: { required: true, description: 'The rows, in one of the formats.', content },
    response: schemaRef('LoadedRows'),
    schemas: {
      LoadedRows: {
        ...objectOf({
          table: { type: 'string', description: 'Name of the table.' },
          mode: { type: 'string', enum: [...uploadModes], description: 'The mode of the request.' },
          rows: { type: 'integer', description: 'Number of rows loaded.' },
          columns: {
            type: 'array',
            description: 'Columns of the loaded data, with their types.',
            items: objectOf({
              name: { type: 'string', description: 'Column name.' },
              type: { type: 'string', description: 'ClickHouse type.' },
            }),
          },
        }),
        description: 'What was loaded.',
      },
    },
  },
};
