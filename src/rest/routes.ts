import { requireProject } from '../access/principal.ts';
import { requireOffset } from '../endpoints/authorize-list.ts';
import { invalidInput } from '../errors/service-error.ts';
import { andThen, type MaybePromise } from '../lib/maybe-promise.ts';
import type { DocumentName } from './documents.ts';
import { endpointSpec, pageSpec, runBodySpec, runQuerySpec, versionSpec } from './input-specs.ts';
import { toEndpointBody, toExecutionTimes, toList, toMaterialization } from './response-shapes.ts';
import type { Route, RouteCall, RouteResult } from './route.ts';

const named = ({ params }: RouteCall) => ({ projectId: params.projectId, name: params.name });

const runResult = (call: RouteCall): MaybePromise<RouteResult> => {
  const run = call.runEndpoint({ ...named(call), input: call.input }, call.context);
  return andThen(run, (answer) => ({ kind: 'run', run: answer }));
};

/** The operations of the documented surface, in its order. */
export const routes: readonly Route[] = [
  {
    id: 'list',
    method: 'GET',
    path: '/endpoints',
    scope: 'endpoint:read',
    status: 200,
    query: {
      ...pageSpec,
      is_active: 'boolean',
      is_materialized: 'boolean',
      created_by: 'integer',
      search: 'string',
    },
    body: null,
    answer: async (call) => {
      const { limit: _limit, offset: _offset, ...filter } = call.input;
      const page = { ...readPage(call.input), url: call.url() };
      const { endpoints } = await call.run('list', {
        projectId: call.params.projectId,
        first: page.limit,
        offset: page.offset,
        filter,
      });
      return { kind: 'json', body: toList(endpoints, page) };
    },
  },
  {
    id: 'create',
    method: 'POST',
    path: '/endpoints',
    scope: 'endpoint:write',
    status: 201,
    query: {},
    body: endpointSpec,
    answer: async (call) => {
      const { name = null, query = null, ...rest } = call.input;
      if (name === null) throw invalidInput('name', 'A name is required.');
      if (query === null) throw invalidInput('query', 'A query is required.');
      const { endpoint } = await call.run('create', {
        projectId: call.params.projectId,
        input: { ...rest, name, query },
      });
      return { kind: 'json', body: toEndpointBody(endpoint) };
    },
  },
  {
    id: 'retrieve',
    method: 'GET',
    path: '/endpoints/:name',
    scope: 'endpoint:read',
    status: 200,
    query: versionSpec,
    body: versionSpec,
    answer: async (call) => endpointResult(call, 'retrieve', 'retrieveVersion', {}),
  },
  {
    id: 'update',
    method: 'PATCH',
    path: '/endpoints/:name',
    scope: 'endpoint:write',
    status: 200,
    query: versionSpec,
    body: { ...endpointSpec, deleted: 'boolean' },
    answer: async (call) => {
      const { version: _version, deleted, ...input } = call.input;
      if (deleted !== true) return endpointResult(call, 'update', 'updateVersion', { input });
      await call.run('delete', named(call));
      return { kind: 'json', body: { success: true } };
    },
  },
  {
    id: 'delete',
    method: 'DELETE',
    path: '/endpoints/:name',
    scope: 'endpoint:write',
    status: 204,
    query: {},
    body: null,
    answer: async (call) => {
      await call.run('delete', named(call));
      return { kind: 'empty' };
    },
  },
  {
    id: 'materialization_status',
    method: 'GET',
    path: '/endpoints/:name/materialization_status',
    scope: 'endpoint:read',
    status: 200,
    query: versionSpec,
    body: versionSpec,
    answer: async (call) => {
      const { endpoint } = await call.run('materializationStatus', {
        ...named(call),
        ...call.input,
      });
      const { name, version, materialization } = endpoint as {
        readonly name: string;
        readonly version: number;
        readonly materialization: unknown;
      };
      return {
        kind: 'json',
        body: { name, version, ...toMaterialization(materialization) },
      };
    },
  },
  {
    id: 'openapi',
    method: 'GET',
    path: '/endpoints/:name/openapi.json',
    scope: 'endpoint:read',
    status: 200,
    query: versionSpec,
    body: versionSpec,
    answer: async (call) => {
      const { endpoint } = await call.run('openapi', { ...named(call), ...call.input });
      return { kind: 'json', body: (endpoint as { readonly openapi: unknown }).openapi };
    },
  },
  {
    id: 'run_get',
    method: 'GET',
    path: '/endpoints/:name/run',
    scope: 'endpoint:read',
    status: 200,
    query: runQuerySpec,
    body: runBodySpec,
    takesVariables: true,
    answer: runResult,
  },
  {
    id: 'run_post',
    method: 'POST',
    path: '/endpoints/:name/run',
    scope: 'endpoint:read',
    status: 200,
    query: runQuerySpec,
    body: runBodySpec,
    takesVariables: true,
    answer: runResult,
  },
  {
    id: 'versions',
    method: 'GET',
    path: '/endpoints/:name/versions',
    scope: 'endpoint:read',
    status: 200,
    query: pageSpec,
    body: null,
    answer: async (call) => {
      const page = { ...readPage(call.input), url: call.url() };
      const { endpointVersions } = await call.run('versions', {
        ...named(call),
        first: page.limit,
        offset: page.offset,
      });
      return { kind: 'json', body: toList(endpointVersions, page) };
    },
  },
  {
    id: 'last_execution_times',
    method: 'POST',
    path: '/endpoints/last_execution_times',
    scope: 'endpoint:read',
    status: 200,
    query: {},
    body: { names: 'strings' },
    answer: async (call) => {
      const { names } = call.input as { readonly names?: readonly string[] | null };
      if (names === undefined || names === null)
        throw invalidInput('names', 'names is an array of strings.');
      const { times } = await call.run('lastExecutionTimes', {
        projectId: call.params.projectId,
        names,
      });
      const teamId = requireProject(await call.context.principal(), call.params.projectId);
      return { kind: 'json', body: toExecutionTimes(times, { teamId, asked: names.length }) };
    },
  },
  {
    id: 'materialization_preview',
    method: 'POST',
    path: '/endpoints/:name/materialization_preview',
    scope: 'endpoint:read',
    status: 200,
    query: versionSpec,
    body: versionSpec,
    answer: async (call) => {
      const { preview } = await call.run('materializationPreview', {
        ...named(call),
        ...call.input,
      });
      return { kind: 'json', body: preview };
    },
  },
];

/** An endpoint, or the one version that the caller named. */
async function endpointResult(
  call: RouteCall,
  whole: DocumentName,
  versioned: DocumentName,
  variables: Readonly<Record<string, unknown>>,
): Promise<RouteResult> {
  const { version = null } = call.input;
  if (version === null) {
    const { endpoint } = await call.run(whole, { ...named(call), ...variables });
    return { kind: 'json', body: toEndpointBody(endpoint) };
  }
  const { endpoint } = await call.run(versioned, { ...named(call), ...variables, version });
  return {
    kind: 'json',
    body: toEndpointBody((endpoint as { readonly version: unknown }).version),
  };
}

const defaultPageSize = 100;
const maxPageSize = 1000;

function readPage(input: Readonly<Record<string, unknown>>): {
  readonly limit: number;
  readonly offset: number;
} {
  const limit = Number(input.limit ?? defaultPageSize);
  if (limit < 1 || limit > maxPageSize) {
    throw invalidInput('limit', `A page has from 1 to ${maxPageSize} rows.`);
  }
  return { limit, offset: requireOffset(input.offset as number | null | undefined) };
}
