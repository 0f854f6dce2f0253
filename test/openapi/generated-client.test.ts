import { describe, expect, it } from 'vitest';
import { endpointDocument } from '../../src/openapi/endpoint-document.ts';
import { generateTypes, typeCheck } from './generate-client.ts';
import {
  arrays,
  objects,
  optional,
  publicUrl,
  schemaByType,
  variable,
  version,
} from './samples.ts';

const documented = version({
  variables: [
    variable('day', 'Date'),
    optional('carrier', 'String', 'AA'),
    variable('ids', 'List'),
  ],
});

function program(call: string): string {
  return `
    import createClient from 'openapi-fetch';
    import type { paths } from './endpoint.d.ts';
    const client = createClient<paths>({ baseUrl: '${publicUrl}' });
    const path = '/api/projects/7/endpoints/flights-by-day/run';
    ${call}
  `;
}

function withBody(body: string): string {
  return `
    import type { paths } from './endpoint.d.ts';
    type Post = paths['/api/projects/7/endpoints/flights-by-day/run']['post'];
    export const body: Post['requestBody']['content']['application/json'] = ${body};
  `;
}

async function check(call: string): Promise<string[]> {
  const types = await generateTypes(endpointDocument(documented, publicUrl, arrays));
  return typeCheck({ 'endpoint.d.ts': types, 'main.ts': program(call) });
}

describe('a client generated from the document of an endpoint', () => {
  it('sends typed variables and reads typed rows', async () => {
    const problems = await check(`
      const { data, error } = await client.POST(path, { body: { variables: { day: '2001-01-01', ids: ['a'] } } });
      const rows: (string | number)[][] = data?.results ?? [];
      const names: ('day' | 'flights')[] = data?.columns ?? [];
      const isCached: boolean | undefined = data?.is_cached;
      const path_served: 'cache' | 'inline' | 'materialized' | undefined = data?.served_from;
      const code: 'missing_variable' | undefined = error?.code === 'missing_variable' ? error.code : undefined;
      export const all = [rows, names, isCached, path_served, code];
    `);
    expect(problems).toEqual([]);
  });

  it('gives every input in a query string', async () => {
    const problems = await check(`
      await client.GET(path, {
        params: {
          query: {
            'variables[day]': '2001-01-01', 'variables[ids]': '["a"]', 'variables[carrier]': 'BA',
            version: 3, limit: 10, offset: 5, refresh: 'force', debug: true, client_query_id: 'mine', integers: 'string',
          },
        },
      });
      export {};
    `);
    expect(problems).toEqual([]);
  });

  it('refuses what the service would refuse', async () => {
    const types = await generateTypes(endpointDocument(documented, publicUrl, arrays));
    const problems = typeCheck({
      'endpoint.d.ts': types,
      'missing.ts': withBody("{ variables: { ids: ['a'] } }"),
      'unknown.ts': withBody("{ variables: { day: '2001-01-01', ids: [], nope: 1 } }"),
      'type.ts': withBody('{ variables: { day: 5, ids: [] } }'),
      'member.ts': withBody("{ variables: { day: '2001-01-01', ids: [] }, limits: 1 }"),
      'none.ts': program('await client.POST(path); export {};'),
    });
    expect(problems.map((problem) => problem.split('(')[0])).toEqual([
      'member.ts',
      'missing.ts',
      'none.ts',
      'type.ts',
      'unknown.ts',
    ]);
    expect(problems.join('\n')).toMatch(/'limits' does not exist/);
    expect(problems.join('\n')).toMatch(/'nope' does not exist/);
  });

  it('type-checks for every column and variable type, and for descriptions that would end a comment', async () => {
    const types = Object.keys(schemaByType);
    const document = endpointDocument(
      version({
        description: 'ends */ a comment',
        columns: types.map((type, at) => ({ name: `c${at}`, type })),
        variables: types.map((type, at) => variable(`v${at}`, type, { description: '*/' })),
      }),
      publicUrl,
      objects,
    );
    expect(typeCheck({ 'endpoint.d.ts': await generateTypes(document) })).toEqual([]);
  });

  it('needs no body where no variable is required', async () => {
    const types = await generateTypes(endpointDocument(version(), publicUrl, arrays));
    const call = 'await client.POST(path); await client.GET(path); export {};';
    expect(typeCheck({ 'endpoint.d.ts': types, 'main.ts': program(call) })).toEqual([]);
  });
});
