import type { OperationObject, SchemaObject } from 'openapi3-ts/oas30';
import { describe, expect, it } from 'vitest';
import { errorStatus } from '../../src/errors/service-error.ts';
import { type DocumentedVersion, endpointDocument } from '../../src/openapi/endpoint-document.ts';
import { lint } from './lint.ts';
import { optional, publicUrl, schemaByType, variable, version } from './samples.ts';

const everyType = Object.keys(schemaByType);

const samples: Readonly<Record<string, DocumentedVersion>> = {
  'no variables': version(),
  'one column': version({ columns: [{ name: 'n', type: 'UInt64' }] }),
  'no columns': version({ columns: [] }),
  'two columns of one name': version({
    columns: [
      { name: 'n', type: 'UInt64' },
      { name: 'n', type: 'UInt64' },
    ],
  }),
  'every column type': version({
    columns: everyType.map((type, at) => ({ name: `c${at}`, type })),
  }),
  'every variable type, required': version({
    variables: everyType.map((type, at) => variable(`v${at}`, type)),
  }),
  'every variable type, optional': version({
    variables: everyType.map((type, at) => optional(`v${at}`, type, null)),
  }),
  'required and optional variables': version({
    variables: [variable('day', 'Date'), optional('carrier', 'String', 'AA')],
  }),
  'no description': version({ description: '' }),
  'a description with markup': version({
    description: 'a < b <script>alert(1)</script> <img onerror=x> [x](javascript:y) */ `z`',
    variables: [variable('x', 'String', { description: '<a href="javascript:y" onclick=z>' })],
    columns: [{ name: '<script>`', type: "Enum8('<script>' = 1)" }],
  }),
};

function bodySchema(documented: DocumentedVersion): SchemaObject {
  const body = endpointDocument(documented, publicUrl).components?.requestBodies
    ?.EndpointRunRequest;
  if (body === undefined || '$ref' in body) throw new Error('there is no body');
  return body.content['application/json']?.schema as SchemaObject;
}

function operations(documented: DocumentedVersion): {
  get: OperationObject;
  post: OperationObject;
} {
  const [item] = Object.values(endpointDocument(documented, publicUrl).paths);
  return item as { get: OperationObject; post: OperationObject };
}

describe('the document of an endpoint', () => {
  it.each(Object.entries(samples))('passes the linter: %s', async (_name, sample) => {
    expect(await lint(endpointDocument(sample, publicUrl))).toEqual([]);
  });

  it('names the endpoint that it describes', () => {
    const document = endpointDocument(version(), `${publicUrl}/`);
    expect(document).toMatchObject({
      openapi: '3.0.3',
      info: { title: 'flights-by-day', version: '3', description: 'Flights for each day.' },
      servers: [{ url: publicUrl }],
      security: [{ PersonalAPIKey: [] }],
    });
    expect(document.servers).toHaveLength(1);
    expect(document.components?.securitySchemes).toMatchObject({
      PersonalAPIKey: { type: 'http', scheme: 'bearer' },
    });
  });

  it('has the run path alone, with GET and POST under ids of their own', () => {
    const document = endpointDocument(version({ name: 'a-b_c-D' }), publicUrl);
    expect(Object.keys(document.paths)).toEqual(['/api/projects/7/endpoints/a-b_c-D/run']);
    const { get, post } = operations(version({ name: 'a-b_c-D' }));
    expect(post.operationId).toBe('run_a_b_c_D');
    expect(get.operationId).toBe('run_a_b_c_D_get');
  });

  it('describes itself when its author does not', () => {
    const { info } = endpointDocument(version({ description: '' }), publicUrl);
    expect(info.description).toBe('Querydock endpoint flights-by-day, version 3.');
  });

  it('is equal for an equal input, and its JSON reads back the same', () => {
    const document = endpointDocument(version(), publicUrl);
    expect(endpointDocument(version(), publicUrl)).toEqual(document);
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
  });
});

describe('the request', () => {
  const both = version({
    variables: [variable('day', 'Date'), optional('carrier', 'String', 'AA')],
  });

  it('marks what is required and states defaults', () => {
    expect(bodySchema(both)).toMatchObject({
      required: ['variables'],
      additionalProperties: false,
      properties: {
        variables: {
          additionalProperties: false,
          required: ['day'],
          properties: { day: { format: 'date' }, carrier: { type: 'string', default: 'AA' } },
        },
        refresh: { enum: ['cache', 'force', 'direct'], default: 'cache' },
        debug: { default: false },
      },
    });
    const [variables] = operations(both).get.parameters ?? [];
    expect(variables).toMatchObject({ name: 'variables', style: 'deepObject', required: true });
  });

  it.each([
    ['a required variable', both, true],
    ['only optional ones', version({ variables: [optional('carrier', 'String', 'AA')] }), false],
    ['none', version(), false],
  ])('with %s requires a body or not', (_name, documented, required) => {
    const { components } = endpointDocument(documented, publicUrl);
    expect(components?.requestBodies?.EndpointRunRequest).toMatchObject({ required });
    expect('required' in bodySchema(documented)).toBe(required);
  });

  it('has no variables where the endpoint has none', () => {
    expect(bodySchema(version()).properties).not.toHaveProperty('variables');
    const names = (operations(version()).get.parameters ?? []).map((p) => 'name' in p && p.name);
    expect(names).toEqual([
      'version',
      'limit',
      'offset',
      'refresh',
      'max_age_seconds',
      'stale_while_revalidate_seconds',
      'stale_if_error_seconds',
      'debug',
      'client_query_id',
      'integers',
      'format',
      'rows',
      'columns',
      'order_by',
      'cursor',
      'If-None-Match',
      'Cache-Control',
    ]);
  });
});

describe('the response', () => {
  it('types the rows by the columns, in order', () => {
    const schema = endpointDocument(version(), publicUrl).components?.schemas?.EndpointRunResponse;
    const dayAndCount = [
      { type: 'string', format: 'date' },
      { type: 'integer', format: 'int64', minimum: 0 },
    ];
    expect(schema).toMatchObject({
      properties: {
        results: {
          items: {
            minItems: 2,
            maxItems: 2,
            items: { anyOf: dayAndCount },
            'x-columns': [
              { name: 'day', type: 'Date', schema: dayAndCount[0] },
              { name: 'flights', type: 'UInt64', schema: dayAndCount[1] },
            ],
          },
        },
        columns: { items: { enum: ['day', 'flights'] } },
        query_status: { nullable: true },
      },
    });
    const { required = [], properties = {} } = schema as SchemaObject;
    const debug = Object.keys(properties).filter((name) => !required.includes(name));
    expect(debug).toEqual([
      'cache_key',
      'query',
      'timings',
      'query_progress',
      'served_from',
      'inline_reason',
      'is_stale',
      'stale_reason',
      'freshness',
    ]);
  });

  it('lists the statuses of both methods', () => {
    const { get, post } = operations(version());
    const shared = ['400', '401', '403', '404', '406', '429', '500', '503'];
    expect(Object.keys(get.responses)).toEqual(['200', '304', ...shared].sort());
    expect(Object.keys(post.responses)).toEqual(['200', '413', '415', ...shared].sort());
    expect(get.responses['200']).toHaveProperty('headers.ETag');
    expect(post.responses['200']).toHaveProperty('headers.ETag');
  });

  it('documents when to retry', () => {
    const { responses = {} } = endpointDocument(version(), publicUrl).components ?? {};
    expect(responses.Unavailable).toHaveProperty(['headers', 'Retry-After']);
    expect(responses.TooManyRequests).toHaveProperty(['headers', 'Retry-After']);
    expect(responses.Unauthenticated).toHaveProperty(['headers', 'WWW-Authenticate']);
    expect(responses.BadRequest).not.toHaveProperty('headers');
  });

  it('knows every error code of the catalogue', () => {
    const { schemas = {} } = endpointDocument(version(), publicUrl).components ?? {};
    expect(schemas.Error).toHaveProperty('properties.code.enum', Object.keys(errorStatus));
  });
});
