import { brotliDecompressSync, gunzipSync, zstdDecompressSync } from 'node:zlib';
import {
  buildClientSchema,
  buildSchema,
  type GraphQLObjectType,
  getIntrospectionQuery,
  type IntrospectionQuery,
  lexicographicSortSchema,
  printSchema,
  printType,
  validateSchema,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { statementsOf } from '../../support/statements.ts';
import type { TestApp, TestResponse } from '../../support/test-app.ts';
import { describeAccess } from '../support/access.ts';
import { change, ofCountry, openSalesApp, save } from '../support/sales.ts';

const path = '/graphql/schema.graphql';
let test: TestApp;

beforeAll(async () => {
  test = await openSalesApp();
  await save(test, 'daily-sales', { query: ofCountry, description: 'What was sold, by day.' });
  await save(test, 'by_country');
  await save(test, 'sleeping', { is_active: false });
  await save(test, 'changed', { query: 'SELECT 1 AS one' });
  await change(test, 'changed', { query: 'SELECT 1 AS one, 2 AS two' });
  await save(test, 'elsewhere', {}, test.other);
});
afterAll(() => test.close());

const rootOf = (text: string): GraphQLObjectType => {
  const query = buildSchema(text).getQueryType();
  if (!query) throw new Error('no root type');
  return query;
};
const fieldsOf = ({ text }: TestResponse): readonly string[] =>
  Object.keys(rootOf(text).getFields());

describe('200', () => {
  it('is the schema of the active endpoints, by name, and of versions of another shape', async () => {
    const response = await test.rest('GET', path);
    expect(response.status).toBe(200);
    expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    const saved = ['byCountry', 'changed', 'changed_v1', 'dailySales'];
    expect(fieldsOf(response)).toEqual([...saved, '_usage']);
    const schema = buildSchema(response.text);
    expect(validateSchema(schema)).toEqual([]);
    expect(`${printSchema(schema)}\n`).toBe(response.text);
  });

  it('says what introspection of the graph says', async () => {
    const query = getIntrospectionQuery({
      schemaDescription: true,
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      inputValueDeprecation: true,
      oneOf: true,
    });
    const { body } = await test.rest('POST', '/graphql', { body: { query } });
    const schema = buildClientSchema(body.data as IntrospectionQuery);
    const { text } = await test.rest('GET', path);
    expect(printSchema(lexicographicSortSchema(schema))).toBe(
      printSchema(lexicographicSortSchema(buildSchema(text))),
    );
  });

  it('is compressed as introspection, too', async () => {
    const body = JSON.stringify({ query: getIntrospectionQuery() });
    const ask = (encoding: string) => {
      const { id, readKey } = test.project;
      const url = `http://querydock.test/api/projects/${id}/graphql`;
      const headers = {
        authorization: `Bearer ${readKey}`,
        'content-type': 'application/json',
        'accept-encoding': encoding,
      };
      return test.app.fetch(new Request(url, { method: 'POST', headers, body }));
    };
    const [plain, zipped] = [await ask('identity'), await ask('gzip')];
    expect([plain, zipped].map(({ headers }) => headers.get('content-encoding'))).toEqual([
      null,
      'gzip',
    ]);
    expect(zipped.headers.get('vary')).toContain('Accept-Encoding');
    const bytes = Buffer.from(await zipped.arrayBuffer());
    expect(gunzipSync(bytes).toString()).toBe(await plain.text());
  });

  it('tells of an endpoint by its variables, columns and description', async () => {
    const { text } = await test.rest('GET', `${path}?fields=dailySales`);
    const schema = buildSchema(text);
    expect(printType(rootOf(text))).toContain(
      '  """What was sold, by day."""\n  dailySales(\n    country: String!\n',
    );
    expect(printType(rootOf(text))).toContain('): DailySalesRun');
    const row = schema.getType('DailySalesRow');
    expect(row && printType(row)).toBe(`"""A row of dailySales."""
type DailySalesRow {
  """day: Date"""
  day: Date!

  """amount: UInt32"""
  amount: BigInt!
}`);
  });

  it('has the fields that are asked for, with their types alone', async () => {
    const response = await test.rest('GET', `${path}?fields=dailySales,changed_v1,dailySales`);
    expect(fieldsOf(response)).toEqual(['changed_v1', 'dailySales']);
    expect(response.text).not.toContain('ByCountry');
    expect(response.text).not.toContain('ChangedRow');
  });

  it('is that of another project by its own endpoints only', async () => {
    const response = await test.rest('GET', path, { project: test.other, prefix: 'environments' });
    expect(fieldsOf(response)).toEqual(['elsewhere', '_usage']);
  });

  it('leaves out an endpoint whose row is not as it should be, and has the others', async () => {
    await save(test, 'broken');
    await test.backends.metadata.prisma.endpointVersion.updateMany({
      where: { endpoint: { name: 'broken' } },
      data: { columns: { not: 'a list' } },
    });
    expect(fieldsOf(await test.rest('GET', path))).toHaveLength(5);
    await test.rest('DELETE', '/endpoints/broken');
  });

  it('counts as one request of its key', async () => {
    const left = async () =>
      Number((await test.rest('GET', path)).headers.get('ratelimit-remaining'));
    const before = await left();
    expect(await left()).toBe(before - 1);
  });

  it('has the built-in field alone where there is no endpoint', async () => {
    await test.rest('DELETE', '/endpoints/elsewhere', { project: test.other });
    expect(fieldsOf(await test.rest('GET', path, { project: test.other }))).toEqual(['_usage']);
    await save(test, 'elsewhere', {}, test.other);
  });

  it.each([
    ['gzip', gunzipSync],
    ['br', brotliDecompressSync],
    ['zstd', zstdDecompressSync],
  ] as const)(
    'is compressed with %s, each time to the same bytes',
    async (encoding, decompress) => {
      const plain = await test.rest('GET', path);
      const { id, readKey } = test.project;
      const headers = { authorization: `Bearer ${readKey}`, 'accept-encoding': encoding };
      const url = `http://querydock.test/api/projects/${id}${path}`;
      const bodies = [];
      for (let time = 0; time < 2; time += 1) {
        const response = await test.app.fetch(new Request(url, { headers }));
        expect(response.headers.get('content-encoding')).toBe(encoding);
        expect(response.headers.get('vary')).toContain('Accept-Encoding');
        bodies.push(Buffer.from(await response.arrayBuffer()));
      }
      expect(bodies[0]).toEqual(bodies[1]);
      expect(decompress(bodies[0] ?? Buffer.alloc(0)).toString()).toBe(plain.text);
    },
  );

  it('costs the same statements whatever the number of endpoints, and none for what is known', async () => {
    const key = test.project.readKey;
    await test.rest('GET', path, { key });
    const ask = () => test.rest('GET', path, { key });
    const before = await statementsOf(test, ask);
    for (const name of ['one', 'two', 'three']) await save(test, name);
    const first = await statementsOf(test, ask);
    // What there is, and what it does not know of it.
    expect(first).toHaveLength(before.length + 2);
    expect(await statementsOf(test, ask)).toHaveLength(before.length);
    expect(fieldsOf(await ask())).toHaveLength(8);
    for (const name of ['one', 'two', 'three']) await test.rest('DELETE', `/endpoints/${name}`);
  });
});

describe('304', () => {
  it('answers a tag of the same schema, in any encoding, until something in it changes', async () => {
    const { headers, text } = await test.rest('GET', path);
    const etag = headers.get('etag') ?? '';
    expect(headers.get('cache-control')).toBe('private, no-cache');
    const ask = (tag: string) => test.rest('GET', path, { headers: { 'if-none-match': tag } });
    for (const tag of [etag, `W/${etag}`, etag.replace(/"$/, '-gzip"'), `"other", ${etag}`, '*']) {
      const same = await ask(tag);
      expect({ status: same.status, text: same.text }).toEqual({ status: 304, text: '' });
    }
    await change(test, 'by_country', { description: 'Said in other words.' });
    const other = await ask(etag);
    expect(other.status).toBe(200);
    expect(other.text).toContain('"""Said in other words."""');
    await change(test, 'by_country', { description: '' });
    expect((await ask(etag)).status).toBe(304);
    expect((await test.rest('GET', path)).text).toBe(text);
  });

  it('tells apart the schemas of some fields', async () => {
    const tags = [];
    for (const query of ['', '?fields=dailySales', '?fields=changed', '?fields=changed,dailySales'])
      tags.push((await test.rest('GET', path + query)).headers.get('etag'));
    expect(new Set(tags).size).toBe(4);
  });
});

describe('400', () => {
  it.each([
    ['fields=dailySale', 'fields', '"dailySale". Did you mean "dailySales"?'],
    ['fields=byCountry,sleeping', 'fields', '"sleeping"'],
    ['fields=elsewhere', 'fields', '"elsewhere"'],
    ['fields=', 'fields', 'no field ""'],
    ['fields=__typename', 'fields', '"__typename"'],
    [`fields=${'x'.repeat(300)}`, 'fields', `"${'x'.repeat(100)}…"`],
    ['fields=a&fields=b', 'fields', 'given more than once'],
    ['version=1', 'version', 'version'],
  ])('refuses ?%s', async (query, attr, words) => {
    const { status, body } = await test.rest('GET', `${path}?${query}`);
    expect(status).toBe(400);
    expect(body).toMatchObject({
      code: 'invalid_input',
      attr,
      detail: expect.stringContaining(words),
    });
  });
});

describe('404', () => {
  it('is for an administrator who names a project that does not exist', async () => {
    const response = await test.rest('GET', path, { key: test.adminKey, project: '2000000000' });
    expect(response.status).toBe(404);
    expect(response.body).toMatchObject({ code: 'not_found', attr: 'project_id' });
  });
});

describeAccess(() => test, {
  method: 'GET',
  scope: 'endpoint:read',
  status: 200,
  call: async () => ({ path }),
});
