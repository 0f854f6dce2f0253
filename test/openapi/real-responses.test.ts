/** Real responses against the schemas of their documents, by the linter's validator of examples. */
import type { MediaTypeObject, OpenAPIObject, OperationObject } from 'openapi3-ts/oas30';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';
import { lint } from './lint.ts';

const query = `SELECT toInt64(-9007199254740993) AS small, toUInt64(18446744073709551615) AS large,
  toUInt32(7) AS narrow, toInt256(1) AS wide, INTERVAL 3 DAY AS span, toNullable(toInt64(5)) AS some,
  CAST(NULL AS Nullable(UInt64)) AS none, [toInt64(1), 2] AS list, [[toNullable(toUInt64(1))]] AS nested,
  tuple(toInt64(1), 'a') AS pair, CAST((1, true), 'Tuple(n UInt64, is Bool)') AS named,
  map('a', toUInt64(1)) AS by_name, toLowCardinality(toInt64(1)) AS low, sumSimpleState(toUInt64(number)) AS total,
  (1., 2.)::Point AS place, toDecimal64(1.5, 2) AS amount, nan AS nothing, true AS flag, today() AS day
  FROM numbers(2) GROUP BY ALL`;

const choices = [
  '',
  '&integers=string',
  '&debug=true',
  '&limit=1&max_age_seconds=5',
  '&columns=large,day&integers=string',
];

let test: TestApp;
beforeAll(async () => {
  test = await openTestApp();
  const created = await test.rest('POST', '/endpoints', { body: { name: 'every', query } });
  expect(created.status, created.text).toBe(201);
});
afterAll(() => test.close());

/** What contradicts the schema of the operation's JSON response when a real response is its example. */
async function problemsOf(
  document: OpenAPIObject,
  operation: OperationObject | undefined,
  response: unknown,
): Promise<string[]> {
  const media: MediaTypeObject | undefined =
    operation?.responses['200']?.content?.['application/json'];
  if (media === undefined) throw new Error('the operation has no JSON response');
  media.example = response;
  return lint(document);
}

async function documentAt(path: string): Promise<OpenAPIObject> {
  const { body, status, text } = await test.rest('GET', path);
  expect(status, text).toBe(200);
  return body as unknown as OpenAPIObject;
}

async function serviceDocument(): Promise<OpenAPIObject> {
  const response = await test.app.fetch(new Request('http://querydock.test/api/openapi.json'));
  return (await response.json()) as OpenAPIObject;
}

const runPath = () => `/api/projects/${test.project.id}/endpoints/every/run`;

describe.each([
  ['an endpoint', '/endpoints/every/openapi.json'],
  ['a project', '/openapi.json'],
])('the document of %s', (_of, path) => {
  it.each(choices)('holds for rows=arrays%s', async (choice) => {
    const response = await test.rest('GET', `/endpoints/every/run?rows=arrays${choice}`);
    expect(response.status, response.text).toBe(200);
    const document = await documentAt(`${path}?rows=arrays`);
    expect(await problemsOf(document, document.paths[runPath()]?.get, response.body)).toEqual([]);
  });

  it('holds for rows=objects', async () => {
    const response = await test.rest('GET', '/endpoints/every/run?rows=objects');
    const document = await documentAt(path);
    expect(await problemsOf(document, document.paths[runPath()]?.post, response.body)).toEqual([]);
  });

  it('is contradicted by rows of another form', async () => {
    const response = await test.rest('GET', '/endpoints/every/run?rows=objects');
    const document = await documentAt(`${path}?rows=arrays`);
    expect(await problemsOf(document, document.paths[runPath()]?.get, response.body)).not.toEqual(
      [],
    );
  });
});

describe('the document of the service', () => {
  const forms = ['arrays', 'objects'] as const;

  it.each(forms)('holds for a run with rows=%s', async (rows) => {
    const document = await serviceDocument();
    for (const choice of choices) {
      const response = await test.rest('GET', `/endpoints/every/run?rows=${rows}${choice}`);
      expect(response.status, response.text).toBe(200);
      const item = document.paths['/api/projects/{project_id}/endpoints/{name}/run'];
      expect(await problemsOf(document, item?.get, response.body)).toEqual([]);
    }
  });

  it.each(forms)('holds for an unsaved query with rows=%s', async (rows) => {
    const document = await serviceDocument();
    const body = { query, rows, integers: 'string' };
    const response = await test.rest('POST', '/query', { body });
    expect(response.status, response.text).toBe(200);
    const item = document.paths['/api/projects/{project_id}/query'];
    expect(await problemsOf(document, item?.post, response.body)).toEqual([]);
  });
});
