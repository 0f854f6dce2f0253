import type { ParameterObject } from 'openapi3-ts/oas30';
import { ENDPOINT_NAME } from '../../endpoints/endpoint-name.ts';
import { runParameters } from './run.ts';

export const nameSchema = { type: 'string', pattern: ENDPOINT_NAME.source } as const;

/** Parameters of paths, by the name of their component. */
export const pathParameters = {
  project_id: {
    name: 'project_id',
    in: 'path',
    required: true,
    description: 'The project by its id in decimal, or @current for a key of exactly one project.',
    schema: { type: 'string', pattern: '^([0-9]+|@current)$' },
  },
  name: {
    name: 'name',
    in: 'path',
    required: true,
    description: 'The name of the endpoint, matched exactly.',
    schema: nameSchema,
  },
} as const satisfies Record<string, ParameterObject>;

function ofRun(name: string): ParameterObject {
  const found = runParameters.find((parameter) => parameter.name === name);
  if (found === undefined) throw new Error(`runs take no ${name}`);
  return found;
}

/** Every other parameter, by the name of its component; runs and lists differ in what a limit is. */
export const serviceParameters = {
  limit: {
    name: 'limit',
    in: 'query',
    description: 'How many to return at most.',
    schema: { type: 'integer', minimum: 1, maximum: 1000, default: 100 },
  },
  offset: {
    name: 'offset',
    in: 'query',
    description: 'How many to skip from the start.',
    schema: { type: 'integer', minimum: 0, default: 0 },
  },
  is_active: {
    name: 'is_active',
    in: 'query',
    description: 'Only active ones, or only inactive ones.',
    schema: { type: 'boolean' },
  },
  is_materialized: {
    name: 'is_materialized',
    in: 'query',
    description: 'Only those whose current version is materialized, or only the others.',
    schema: { type: 'boolean' },
  },
  created_by: {
    name: 'created_by',
    in: 'query',
    description: 'Only those that the user of this id made.',
    schema: { type: 'integer' },
  },
  search: {
    name: 'search',
    in: 'query',
    description: 'Only those whose name or description holds this text, whatever its case.',
    schema: { type: 'string' },
  },
  version: {
    name: 'version',
    in: 'query',
    description: 'Number of a version; the latest when absent.',
    schema: { type: 'integer', minimum: 1 },
  },
  variables: {
    name: 'variables',
    in: 'query',
    style: 'deepObject',
    explode: true,
    description:
      'Values as variables[name]=value, read by the type of each variable. One JSON object as variables={...} is accepted too.',
    schema: {
      type: 'object',
      additionalProperties: {
        anyOf: [{ type: 'string' }, { type: 'number' }, { type: 'boolean' }],
      },
    },
  },
  limit_of_run: ofRun('limit'),
  offset_of_run: ofRun('offset'),
  refresh: ofRun('refresh'),
  debug: ofRun('debug'),
  client_query_id: ofRun('client_query_id'),
  integers: ofRun('integers'),
  format: ofRun('format'),
  max_age_seconds: ofRun('max_age_seconds'),
  stale_while_revalidate_seconds: ofRun('stale_while_revalidate_seconds'),
  stale_if_error_seconds: ofRun('stale_if_error_seconds'),
  cache_control: ofRun('Cache-Control'),
  if_none_match: ofRun('If-None-Match'),
} satisfies Record<string, ParameterObject>;

export type ServiceParameter = keyof typeof serviceParameters;
