import type { OpenAPIObject, OperationObject } from 'openapi3-ts/oas30';
import { describe, expect, it } from 'vitest';
import { errorStatus } from '../../src/errors/service-error.ts';
import { serviceDocument } from '../../src/openapi/service-document.ts';
import { operations } from '../../src/rest/operations/all.ts';
import { generateTypes, typeCheck } from './generate-client.ts';
import { lint } from './lint.ts';
import { publicUrl } from './samples.ts';

const document = serviceDocument(publicUrl, operations);
const methods = ['get', 'post', 'patch', 'put', 'delete'] as const;

function operationsOf({ paths }: OpenAPIObject): readonly (readonly [string, OperationObject])[] {
  return Object.entries(paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method];
      return operation === undefined
        ? []
        : [[`${method.toUpperCase()} ${path}`, operation] as const];
    }),
  );
}

/** What the contract lists, without PUT. */
const contract = [
  'GET endpoint:read 200 /endpoints',
  'POST endpoint:write 200 or 201 /endpoints',
  'GET endpoint:read 200 /endpoints/{name}',
  'PATCH endpoint:write 200 /endpoints/{name}',
  'DELETE endpoint:write 204 /endpoints/{name}',
  'GET endpoint:read 200 /endpoints/{name}/materialization_status',
  'POST endpoint:read 200 /endpoints/{name}/materialization_preview',
  'GET endpoint:read 200 /endpoints/{name}/openapi.json',
  'GET endpoint:read 200 /endpoints/{name}/run',
  'POST endpoint:read 200 /endpoints/{name}/run',
  'GET endpoint:read 200 /endpoints/{name}/versions',
  'POST endpoint:read 200 /endpoints/last_execution_times',
  'POST endpoint:write 200 /query',
  'GET endpoint:read 200 /tables',
  'GET endpoint:read 200 /tables/{table}',
  'GET endpoint:read 200 /endpoints/{name}/logs',
  'GET endpoint:read 200 /insight_variables',
  'POST endpoint:write 201 /insight_variables',
  'GET endpoint:read 200 /insight_variables/{id}',
  'PATCH endpoint:write 200 /insight_variables/{id}',
  'DELETE endpoint:write 204 /insight_variables/{id}',
  'GET endpoint:read 200 /openapi.json',
  'GET endpoint:read 200 /graphql/schema.graphql',
  'GET endpoint:read 200 /usage',
  'GET endpoint:read 200 /endpoints/{name}/usage',
  'GET endpoint:read 200 /logs',
  'GET endpoint:write 200 /usage/advice',
];

describe('the document of the service', () => {
  it('passes the linter', async () => {
    expect(await lint(document)).toEqual([]);
  });

  it('documents that an update can delete, and what that answers', () => {
    const { schemas, requestBodies } = document.components ?? {};
    expect(JSON.stringify(requestBodies?.UpdateEndpoint)).toContain('"deleted":{"type":"boolean"');
    expect(schemas?.EndpointDeleted).toMatchObject({ properties: { success: {} } });
    for (const method of ['patch', 'put'] as const) {
      const operation = document.paths['/api/projects/{project_id}/endpoints/{name}']?.[method];
      expect(JSON.stringify(operation?.responses['200'])).toContain('EndpointDeleted');
    }
  });

  it.each(['projects', 'environments'])('lists the rows of the contract under /api/%s', (name) => {
    const prefix = `/api/${name}/{project_id}`;
    const rows = operationsOf(document)
      .filter(([row]) => row.includes(` ${prefix}/`) && !row.startsWith('PUT '))
      .map(([row, { description, responses }]) => {
        const [method, path] = row.split(' ');
        const [, scope] = /Needs the scope `([a-z:]+)`/.exec(description ?? '') ?? [];
        const success = Object.keys(responses)
          .filter((status) => status.startsWith('2'))
          .join(' or ');
        return `${method} ${scope} ${success} ${path?.replace(prefix, '')}`;
      });
    expect(rows).toEqual(contract);
  });

  it('has every operation that the service answers, and no other', () => {
    const documented = operationsOf(document).map(([row]) => row);
    const served = operations.flatMap(({ method, path }) => {
      const below = path.replace(/:(\w+)/g, '{$1}').replace(/\/$/, '');
      const prefixes = ['/api/projects/{project_id}', '/api/environments/{project_id}'];
      return (path.startsWith('/api/') ? [''] : prefixes).flatMap((prefix) =>
        (method === 'PATCH' ? ['PATCH', 'PUT'] : [method]).map((by) => `${by} ${prefix}${below}`),
      );
    });
    expect([...documented].sort()).toEqual(served.sort());
  });

  it('names each operation once', () => {
    const ids = operationsOf(document).map(([, operation]) => operation.operationId);
    expect(ids).toHaveLength(64);
    expect(new Set(ids).size).toBe(64);
  });

  it('knows every error code, and which status each comes with', () => {
    expect(document.components?.schemas?.Error).toHaveProperty(
      'properties.code.enum',
      Object.keys(errorStatus),
    );
    const words = JSON.stringify(document.components?.responses);
    const beforeAnyOperation: readonly number[] = [405, 408, 431];
    for (const [code, status] of Object.entries(errorStatus)) {
      expect(words.includes(`\`${code}\``), code).toBe(!beforeAnyOperation.includes(status));
    }
  });

  it('documents every member of last execution times', () => {
    expect(document.components?.schemas?.QueryStatus).toHaveProperty('required', [
      'complete',
      'dashboard_id',
      'end_time',
      'error',
      'error_message',
      'expiration_time',
      'id',
      'insight_id',
      'labels',
      'pickup_time',
      'query_async',
      'query_progress',
      'results',
      'start_time',
      'task_id',
      'team_id',
    ]);
  });

  it('gives a client that type-checks', async () => {
    const problems = typeCheck({
      'service.d.ts': await generateTypes(document),
      'main.ts': `
        import createClient from 'openapi-fetch';
        import type { paths } from './service.d.ts';
        const client = createClient<paths>({ baseUrl: '${publicUrl}' });
        const path = { project_id: '@current' };
        const made = await client.POST('/api/projects/{project_id}/endpoints', {
          params: { path },
          body: { name: 'a', query: 'SELECT 1' },
        });
        const columns: { name: string; type: string }[] = made.data?.columns ?? [];
        const author: string | undefined = made.data?.created_by?.email;
        const run = await client.GET('/api/environments/{project_id}/endpoints/{name}/run', {
          params: { path: { ...path, name: 'a' }, query: { variables: '{"n":1}', limit: 5 } },
        });
        const code: 'not_found' | (string & {}) | undefined = run.error?.code;
        const times = await client.POST('/api/projects/{project_id}/endpoints/last_execution_times', {
          params: { path },
          body: { names: ['a'] },
        });
        const rows: number | undefined = times.data?.query_status.query_progress?.rows_read;
        export const all = [columns, author, code, rows];
      `,
    });
    expect(problems).toEqual([]);
  });
});
