import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { statementsOf } from '../../support/statements.ts';
import type { TestApp } from '../../support/test-app.ts';
import { describeAccess } from '../support/access.ts';
import { byCountry, change, openSalesApp, retrieve, save } from '../support/sales.ts';

let test: TestApp;
let authorId: number;

beforeAll(async () => {
  test = await openSalesApp();
  await save(test, 'first', { description: 'Sums by COUNTRY' });
  test.clock.advance(1000);
  await save(test, 'second', { is_active: false });
  test.clock.advance(1000);
  const third = await save(test, 'third', { description: 'all of 100% of it' });
  authorId = (third.created_by as { readonly id: number }).id;
  await save(test, 'first', { description: 'of the other project' }, test.other);
});
afterAll(() => test.close());

async function list(query = '') {
  const response = await test.rest('GET', `/endpoints${query}`);
  expect(response.body).not.toHaveProperty('code');
  expect(response.status).toBe(200);
  const results = response.body.results as readonly { readonly name: string }[];
  return { ...response.body, names: results.map(({ name }) => name), results };
}

describe('200', () => {
  it('returns the whole endpoints, newest first', async () => {
    const { body } = await test.rest('GET', '/endpoints');
    expect(body).toEqual({
      count: 3,
      next: null,
      previous: null,
      results: [
        await retrieve(test, 'third'),
        await retrieve(test, 'second'),
        await retrieve(test, 'first'),
      ],
    });
  });

  it('returns the other project its own endpoints only', async () => {
    const { body } = await test.rest('GET', '/endpoints', { project: test.other });
    expect(body).toMatchObject({
      count: 1,
      results: [{ name: 'first', description: 'of the other project' }],
    });
  });

  it('returns one page and where the next and the previous are', async () => {
    const base = `http://querydock.test/api/projects/${test.project.id}/endpoints`;
    const page = await list('?limit=1&offset=1');
    expect(page).toMatchObject({
      count: 3,
      next: `${base}?limit=1&offset=2`,
      previous: `${base}?limit=1&offset=0`,
      names: ['second'],
    });
  });

  it('keeps the filters in the addresses of the pages', async () => {
    const page = await list('?search=t&limit=1');
    expect(page.names).toEqual(['third']);
    expect(page).toMatchObject({ count: 2, previous: null });
    const { pathname, search } = new URL((page as unknown as { next: string }).next);
    const next = await test.rest('GET', pathname + search);
    expect(next.body).toMatchObject({ count: 2, next: null, results: [{ name: 'first' }] });
  });

  it('returns an empty page past the end', async () => {
    expect(await list('?offset=3')).toMatchObject({ count: 3, next: null, results: [] });
  });

  it('accepts pages of up to 1000', async () => {
    expect((await list('?limit=1000')).names).toHaveLength(3);
  });

  it.each([
    ['?is_active=true', ['third', 'first']],
    ['?is_active=false', ['second']],
    ['?is_materialized=true', []],
    ['?is_materialized=false', ['third', 'second', 'first']],
    ['?search=FIR', ['first']],
    ['?search=country', ['first']],
    ['?search=100%25', ['third']],
    ['?search=_', []],
    ['?search=nothing', []],
    ['?search=', ['third', 'second', 'first']],
    ['?search=t&is_active=true&limit=1', ['third']],
    ['?created_by=2147483647', []],
  ] as const)('filters by %s', async (query, names) => {
    expect((await list(query)).names).toEqual(names);
  });

  it('filters by author', async () => {
    expect((await list(`?created_by=${authorId}`)).names).toHaveLength(3);
  });

  it('has its order by when endpoints were made, not changed', async () => {
    await change(test, 'first', { cache_age_seconds: 7 });
    expect((await list()).names).toEqual(['third', 'second', 'first']);
  });

  it('shows an endpoint whose table is gone', async () => {
    await test.sql('CREATE TABLE fleeting (a UInt8) ENGINE = Memory');
    await save(test, 'fleeting', { query: 'SELECT a FROM fleeting' });
    await test.sql('DROP TABLE fleeting SYNC');
    const { results } = await list('?search=fleeting');
    expect(results).toMatchObject([{ name: 'fleeting', columns: [{ name: 'a', type: 'UInt8' }] }]);
    await test.rest('DELETE', '/endpoints/fleeting');
  });

  it('costs the same statements whatever the number of rows', async () => {
    const key = test.project.readKey;
    const ask = (limit: number) => () => test.rest('GET', `/endpoints?limit=${limit}`, { key });
    await ask(1)();
    const forOne = await statementsOf(test, ask(1));
    expect(await statementsOf(test, ask(100))).toHaveLength(forOne.length);
    expect(forOne).not.toEqual([]);
  });
});

describe('400', () => {
  it.each([
    ['limit=0', 'limit'],
    ['limit=1001', 'limit'],
    ['limit=-1', 'limit'],
    ['limit=ten', 'limit'],
    ['limit=1.5', 'limit'],
    ['limit=', 'limit'],
    ['limit=5&limit=6', 'limit'],
    ['offset=-1', 'offset'],
    ['offset=99999999999', 'offset'],
    ['offset=99999999999999999999', 'offset'],
    ['is_active=maybe', 'is_active'],
    ['is_materialized=2', 'is_materialized'],
    ['created_by=me', 'created_by'],
    ['created_by=99999999999', 'created_by'],
    ['search=%00', 'search'],
    ['serach=first', 'serach'],
    ['version=1', 'version'],
  ])('refuses ?%s', async (query, attr) => {
    const { status, body } = await test.rest('GET', `/endpoints?${query}`);
    expect(body).toEqual({
      type: 'validation_error',
      code: 'invalid_input',
      detail: expect.any(String),
      attr,
    });
    expect(status).toBe(400);
  });
});

describeAccess(() => test, {
  method: 'GET',
  scope: 'endpoint:read',
  status: 200,
  call: async () => ({ path: '/endpoints' }),
});

it('lists the query as it was saved', async () => {
  const { results } = await list('?search=first');
  expect(results).toMatchObject([{ query: { kind: 'SQLQuery', query: byCountry, variables: {} } }]);
});
