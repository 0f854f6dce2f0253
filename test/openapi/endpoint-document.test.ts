import type {
  OperationObject,
  ParameterObject,
  RequestBodyObject,
  ResponseObject,
  SchemaObject,
} from 'openapi3-ts/oas30';
import { describe, expect, it } from 'vitest';
import { errorStatus } from '../../src/errors/service-error.ts';
import type { DocumentedVersion } from '../../src/openapi/documented-version.ts';
import { endpointDocument } from '../../src/openapi/endpoint-document.ts';
import type { DocumentChoice } from '../../src/openapi/row-form.ts';
import { lint } from './lint.ts';
import {
  arrays,
  objects,
  optional,
  publicUrl,
  schemaByType,
  variable,
  version,
} from './samples.ts';

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

function bodyOf(
  documented: DocumentedVersion,
  choice: DocumentChoice = objects,
): RequestBodyObject {
  return operations(documented, choice).post.requestBody as RequestBodyObject;
}

function bodySchema(documented: DocumentedVersion, choice: DocumentChoice = objects): SchemaObject {
  return bodyOf(documented, choice).content['application/json']?.schema as SchemaObject;
}

function resultOf(documented: DocumentedVersion, choice: DocumentChoice = objects): SchemaObject {
  const { '200': response } = operations(documented, choice).post.responses;
  return (response as ResponseObject).content?.['application/json']?.schema as SchemaObject;
}

function parametersOf(operation: OperationObject): readonly ParameterObject[] {
  return (operation.parameters ?? []) as ParameterObject[];
}

function operations(
  documented: DocumentedVersion,
  choice: DocumentChoice = objects,
): {
  get: OperationObject;
  post: OperationObject;
} {
  const [item] = Object.values(endpointDocument(documented, publicUrl, choice).paths);
  return item as { get: OperationObject; post: OperationObject };
}

describe('the document of an endpoint', () => {
  it.each(Object.entries(samples))('passes the linter: %s', async (_name, sample) => {
    for (const choice of [objects, arrays])
      expect(await lint(endpointDocument(sample, publicUrl, choice))).toEqual([]);
  });

  it('names the endpoint that it describes', () => {
    const document = endpointDocument(version(), `${publicUrl}/`, objects);
    expect(document).toMatchObject({
      openapi: '3.0.3',
      info: { title: 'flights-by-day', version: '3', description: 'Flights for each day.' },
      servers: [{ url: publicUrl }],
      security: [{ PersonalAPIKey: [] }],
    });
    expect(document.servers).toHaveLength(1);
    expect(document.info).not.toHaveProperty('license');
    expect(document.components?.securitySchemes).toMatchObject({
      PersonalAPIKey: { type: 'http', scheme: 'bearer' },
    });
  });

  it('has the run path alone, with GET and POST under ids of their own', () => {
    const document = endpointDocument(version({ name: 'a-b_c-D' }), publicUrl, objects);
    expect(Object.keys(document.paths)).toEqual(['/api/projects/7/endpoints/a-b_c-D/run']);
    const environments = { ...objects, prefix: 'environments' } as const;
    expect(
      Object.keys(endpointDocument(version({ name: 'a' }), publicUrl, environments).paths),
    ).toEqual(['/api/environments/7/endpoints/a/run']);
    const { get, post } = operations(version({ name: 'a-b_c-D' }));
    expect(post.operationId).toBe('run_a_b_c_D');
    expect(get.operationId).toBe('run_a_b_c_D_get');
  });

  it('describes itself when its author does not', () => {
    const { info } = endpointDocument(version({ description: '' }), publicUrl, objects);
    expect(info.description).toBe('Querydock endpoint flights-by-day, version 3.');
  });

  it('is equal for an equal input, and its JSON reads back the same', () => {
    const document = endpointDocument(version(), publicUrl, objects);
    expect(endpointDocument(version(), publicUrl, objects)).toEqual(document);
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
  });

  it('has a typed parameter of GET for each variable', () => {
    const documented = version({
      variables: [
        variable('day', 'Date'),
        optional('carrier', 'String', 'AA'),
        optional('flag', 'Boolean', true),
        optional('many', 'Nullable(Int32)', null),
        optional('ids', 'Array(UInt8)', [1, 2]),
        optional('none', 'Array(UInt8)', []),
        variable('names', 'Array(String)'),
        optional('tags', 'List', ['a', 'b']),
        variable('pair', 'Tuple(Int8, String)'),
      ],
    });
    const told = parametersOf(operations(documented).get).slice(0, 9);
    expect(told.map(({ name, required, schema }) => [name, required, schema])).toEqual([
      [
        'variables[day]',
        true,
        { type: 'string', format: 'date', example: '2024-01-01', 'x-type': 'Date' },
      ],
      ['variables[carrier]', false, { type: 'string', default: 'AA', 'x-type': 'String' }],
      ['variables[flag]', false, { type: 'boolean', default: true, 'x-type': 'Boolean' }],
      ['variables[many]', false, { ...schemaByType.Int32, 'x-type': 'Nullable(Int32)' }],
      [
        'variables[ids]',
        false,
        {
          type: 'array',
          minItems: 1,
          items: schemaByType.UInt8,
          default: [1, 2],
          'x-type': 'Array(UInt8)',
        },
      ],
      [
        'variables[none]',
        false,
        { type: 'array', minItems: 1, items: schemaByType.UInt8, 'x-type': 'Array(UInt8)' },
      ],
      [
        'variables[names]',
        true,
        { type: 'string', example: '["example"]', 'x-type': 'Array(String)' },
      ],
      ['variables[tags]', false, { type: 'string', default: '["a","b"]', 'x-type': 'List' }],
      [
        'variables[pair]',
        true,
        { type: 'string', example: '[1,"example"]', 'x-type': 'Tuple(Int8, String)' },
      ],
    ]);
  });

  it.each([
    ['a required variable', both, true],
    ['only optional ones', version({ variables: [optional('carrier', 'String', 'AA')] }), false],
    ['none', version(), false],
  ])('with %s requires a body or not', (_name, documented, required) => {
    expect(bodyOf(documented)).toMatchObject({ required });
    expect('required' in bodySchema(documented)).toBe(required);
  });

  it('has the kept names for clients that look it up', () => {
    for (const choice of [objects, arrays]) {
      const { schemas = {} } = endpointDocument(both, publicUrl, choice).components ?? {};
      const inline = bodySchema(both, choice);
      expect(schemas.Variables).toEqual(inline.properties?.variables);
      expect(schemas.EndpointRunRequest).toEqual({
        ...inline,
        properties: { ...inline.properties, variables: { $ref: '#/components/schemas/Variables' } },
      });
      expect(schemas.DashboardFilter).toHaveProperty('properties.date_from');
      expect(inline.properties?.filters_override).toEqual({
        $ref: '#/components/schemas/DashboardFilter',
      });
    }
  });

  it('has no variables where the endpoint has none', () => {
    const { schemas } = endpointDocument(version(), publicUrl, objects).components ?? {};
    expect(schemas).not.toHaveProperty('Variables');
    expect(bodySchema(version()).properties).not.toHaveProperty('variables');
    const names = parametersOf(operations(version()).get).map(({ name }) => name);
    expect(names.filter((name) => name.startsWith('variables'))).toEqual([]);
  });

  it('requires rows=objects where it types them, and offers nothing that would make the types wrong', () => {
    const { get, post } = operations(version());
    for (const { parameters = [] } of [get, post]) {
      expect(parameters).toContainEqual(
        expect.objectContaining({
          name: 'rows',
          in: 'query',
          required: true,
          schema: { type: 'string', enum: ['objects'] },
        }),
      );
    }
    const named = [...parametersOf(get), ...parametersOf(post)].map(({ name }) => name);
    const members = Object.keys(bodySchema(version()).properties ?? {});
    for (const name of ['columns', 'integers', 'format']) {
      expect(named).not.toContain(name);
      expect(members).not.toContain(name);
    }
    expect(members).not.toContain('rows');
  });

  it('offers them where it describes arrays, which rows need not be asked for', () => {
    const { get } = operations(version(), arrays);
    const rows = parametersOf(get).find(({ name }) => name === 'rows');
    expect(rows).toMatchObject({
      required: false,
      schema: { enum: ['arrays'], default: 'arrays' },
    });
    const names = parametersOf(get).map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(['columns', 'order_by', 'integers', 'format']));
    expect(bodySchema(version(), arrays).properties).toHaveProperty('columns.items.enum', [
      'day',
      'flights',
    ]);
  });

  it('has the inputs of a stream for GET alone, and names its media type', () => {
    for (const choice of [objects, arrays]) {
      const { get, post } = operations(version(), choice);
      const named = parametersOf(get).map(({ name, in: place }) => `${place} ${name}`);
      expect(named).toEqual(
        expect.arrayContaining([
          'query interval_seconds',
          'query changes',
          'query key',
          'header Last-Event-ID',
        ]),
      );
      expect(get.responses['200']['x-media-types']).toContain('text/event-stream');
      expect(Object.keys(get.responses['200'].content)).toEqual(['application/json']);
      expect(JSON.stringify(post)).not.toMatch(/interval_seconds|Last-Event-ID|event-stream/);
    }
  });

  it('names the columns to sort by', () => {
    const named = ['day', '-day', 'flights', '-flights'];
    const { properties } = bodySchema(version());
    expect(properties).toHaveProperty('order_by.items.enum', named);
    const parameter = parametersOf(operations(version()).get).find(
      ({ name }) => name === 'order_by',
    );
    expect(parameter).toMatchObject({
      style: 'form',
      explode: false,
      schema: { type: 'array', items: { enum: named } },
    });
  });

  it('leaves out of the query string the columns that cannot be named between commas', () => {
    const names = ['a,b', ' c', '[d', 'e'];
    const documented = version({ columns: names.map((name) => ({ name, type: 'UInt8' })) });
    const columns = parametersOf(operations(documented, arrays).get).find(
      ({ name }) => name === 'columns',
    );
    expect(columns).toHaveProperty('schema.items.enum', ['e']);
    const { properties } = bodySchema(documented, arrays);
    expect(properties).toHaveProperty('columns.items.enum', names);
  });

  it('leaves out the columns that cannot be told apart by name, and writes a sign before a name with one', () => {
    const names = ['n', 'n', '-x', 'y'];
    const documented = version({ columns: names.map((name) => ({ name, type: 'UInt8' })) });
    const { properties } = bodySchema(documented, arrays);
    expect(properties).toHaveProperty('columns.items.enum', ['-x', 'y']);
    expect(properties).toHaveProperty('order_by.items.enum', ['+-x', '--x', 'y', '-y']);
    const same = version({
      columns: [documented.columns[0], documented.columns[1]].flatMap((c) => c ?? []),
    });
    expect(bodySchema(same, arrays).properties).not.toHaveProperty('columns');
  });

  it('has the cursor of a page, and the next one in the response', () => {
    for (const choice of [objects, arrays]) {
      expect(bodySchema(version(), choice).properties).toHaveProperty('cursor.type', 'string');
      const parameters = parametersOf(operations(version(), choice).get);
      expect(parameters.map(({ name }) => name)).toContain('cursor');
      expect(resultOf(version(), choice)).toMatchObject({
        required: expect.arrayContaining(['next_cursor']),
        properties: { next_cursor: { type: 'string', nullable: true } },
      });
    }
  });
});

describe('the response', () => {
  it('has a row with one required, typed member for each column', () => {
    const { schemas = {} } = endpointDocument(version(), publicUrl, objects).components ?? {};
    expect(resultOf(version()).properties?.results).toMatchObject({
      type: 'array',
      items: { $ref: '#/components/schemas/FlightsByDayRow' },
    });
    expect(schemas.FlightsByDayRow).toMatchObject({
      type: 'object',
      required: ['day', 'flights'],
      properties: {
        day: { type: 'string', format: 'date' },
        flights: { type: 'integer', format: 'int64', minimum: 0 },
      },
    });
  });

  it.each(['two columns of one name', 'no columns'])('has arrays for %s', (name) => {
    const sample = samples[name];
    if (sample === undefined) throw new Error(`no sample ${name}`);
    const document = endpointDocument(sample, publicUrl, objects);
    expect(document).toEqual(endpointDocument(sample, publicUrl, arrays));
    expect(resultOf(sample).properties?.results).toMatchObject({ items: { type: 'array' } });
  });

  it('types the rows by the columns, in order, where it describes arrays', () => {
    const schema = resultOf(version(), arrays);
    const dayAndCount = [
      { type: 'string', format: 'date' },
      {
        anyOf: [
          { type: 'integer', format: 'int64', minimum: 0 },
          { type: 'string', pattern: '^-?[0-9]+$' },
        ],
      },
    ];
    expect(schema).toMatchObject({
      properties: {
        results: {
          items: {
            minItems: 1,
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
    const { required = [], properties = {} } = schema;
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
    const { responses = {} } = endpointDocument(version(), publicUrl, objects).components ?? {};
    expect(responses.Unavailable).toHaveProperty(['headers', 'Retry-After']);
    expect(responses.TooManyRequests).toHaveProperty(['headers', 'Retry-After']);
    expect(responses.Unauthenticated).toHaveProperty(['headers', 'WWW-Authenticate']);
    expect(responses.BadRequest).not.toHaveProperty('headers');
  });

  it('knows every error code of the catalogue', () => {
    const { schemas = {} } = endpointDocument(version(), publicUrl, objects).components ?? {};
    expect(schemas.Error).toHaveProperty('properties.code.enum', Object.keys(errorStatus));
  });
});
