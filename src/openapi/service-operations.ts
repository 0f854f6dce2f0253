import type { Scope } from '../model/scope.ts';

export type ServiceMethod = 'GET' | 'POST' | 'PATCH' | 'PUT' | 'DELETE';

/** One documented REST operation below a project; the document has it once for every project prefix. */
export interface ServiceOperation {
  /** The operationId under /api/projects; under /api/environments it has `_env` after it. */
  readonly id: string;
  readonly method: ServiceMethod;
  /** Below the project prefix, in the notation of OpenAPI. */
  readonly path: string;
  readonly scope: Scope;
  /** The status of success. */
  readonly status: 200 | 201 | 204;
}

/** The two spellings of a project's address; both behave the same. */
export const projectPrefixes = [
  { path: '/api/projects/{project_id}', suffix: '' },
  { path: '/api/environments/{project_id}', suffix: '_env' },
] as const;

const read = 'endpoint:read';
const write = 'endpoint:write';

/** The rows of the contract in its order, PUT, which behaves as PATCH, and what this service adds. */
export const serviceOperations = [
  { id: 'list_endpoints', method: 'GET', path: '/endpoints', scope: read, status: 200 },
  { id: 'create_endpoint', method: 'POST', path: '/endpoints', scope: write, status: 201 },
  { id: 'get_endpoint', method: 'GET', path: '/endpoints/{name}', scope: read, status: 200 },
  { id: 'update_endpoint', method: 'PATCH', path: '/endpoints/{name}', scope: write, status: 200 },
  { id: 'put_endpoint', method: 'PUT', path: '/endpoints/{name}', scope: write, status: 200 },
  { id: 'delete_endpoint', method: 'DELETE', path: '/endpoints/{name}', scope: write, status: 204 },
  {
    id: 'get_materialization_status',
    method: 'GET',
    path: '/endpoints/{name}/materialization_status',
    scope: read,
    status: 200,
  },
  {
    id: 'preview_materialization',
    method: 'POST',
    path: '/endpoints/{name}/materialization_preview',
    scope: read,
    status: 200,
  },
  {
    id: 'get_openapi_document',
    method: 'GET',
    path: '/endpoints/{name}/openapi.json',
    scope: read,
    status: 200,
  },
  {
    id: 'run_endpoint_get',
    method: 'GET',
    path: '/endpoints/{name}/run',
    scope: read,
    status: 200,
  },
  { id: 'run_endpoint', method: 'POST', path: '/endpoints/{name}/run', scope: read, status: 200 },
  {
    id: 'list_versions',
    method: 'GET',
    path: '/endpoints/{name}/versions',
    scope: read,
    status: 200,
  },
  {
    id: 'last_execution_times',
    method: 'POST',
    path: '/endpoints/last_execution_times',
    scope: read,
    status: 200,
  },
] as const satisfies readonly ServiceOperation[];

export type ServiceOperationId = (typeof serviceOperations)[number]['id'];
