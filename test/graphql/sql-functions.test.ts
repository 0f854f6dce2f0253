import { afterAll, beforeAll, expect, it } from 'vitest';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;
beforeAll(async () => {
  test = await openTestApp();
});
afterAll(() => test.close());

interface SqlFunction {
  readonly name: string;
  readonly syntax: string;
  readonly description: string;
  readonly isAggregate: boolean;
  readonly aliasOf: string | null;
}

async function functionsOf(variables: object, key = test.project.readKey) {
  const { body } = await test.graphql(
    `query ($project: ID!, $search: String, $first: Int, $offset: Int) {
      functions(projectId: $project, search: $search, first: $first, offset: $offset) {
        totalCount results { name syntax description isAggregate aliasOf } } }`,
    { project: '@current', ...variables },
    { key },
  );
  const page = body.data?.functions as
    | { readonly totalCount: number; readonly results: readonly SqlFunction[] }
    | null
    | undefined;
  return { errors: body.errors, total: page?.totalCount ?? 0, results: page?.results ?? [] };
}

it('are listed by name, in pages', async () => {
  const first = await functionsOf({ first: 1000 });
  expect(first.total).toBeGreaterThan(1500);
  const second = await functionsOf({ first: 1000, offset: 1000 });
  const names = [...first.results, ...second.results].map(({ name }) => name);
  expect(names).toHaveLength(first.total);
  expect(names).toEqual([...new Set(names)].sort());
});

it('are documented as the engine does, as plain text', async () => {
  const { results } = await functionsOf({ search: 'DATEDIFF' });
  expect(results.find(({ name }) => name === 'dateDiff')).toEqual({
    name: 'dateDiff',
    syntax: 'dateDiff(unit, startdate, enddate[, timezone])',
    description: expect.stringMatching(/^Returns the count of the specified unit boundaries /),
    isAggregate: false,
    aliasOf: null,
  });
  const { results: aliases } = await functionsOf({ search: 'date_diff' });
  expect(aliases.map(({ aliasOf }) => aliasOf)).toContain('dateDiff');
  const { results: sums } = await functionsOf({ search: 'sumMap' });
  expect(sums.every(({ isAggregate }) => isAggregate)).toBe(true);
  const { results: all } = await functionsOf({ first: 1000 });
  expect(all.filter(({ description }) => description !== '').length).toBeGreaterThan(700);
  expect(all.filter(({ description }) => /\]\(|^\s|\n/.test(description))).toEqual([]);
});

it('are those that a query may call, and no others', async () => {
  const pages = await Promise.all([0, 1000].map((offset) => functionsOf({ first: 1000, offset })));
  const names = new Set(pages.flatMap(({ results }) => results.map(({ name }) => name)));
  const engine = await test.sql('SELECT name FROM system.functions FORMAT TSV');
  const others = engine
    .trim()
    .split('\n')
    .filter((name) => !names.has(name));
  expect(others).toEqual(expect.arrayContaining(['file', 'sleep', 'dictGet', 'getSetting']));
  for (const name of others) {
    const { body } = await test.rest('POST', '/endpoints', {
      body: { name: 'not_called', query: `SELECT ${name}('x') AS n` },
    });
    expect(body).toMatchObject({ code: 'invalid_query' });
  }
});

it('need the right to read the project', async () => {
  const { errors } = await functionsOf({ project: String(test.project.id) }, test.other.readKey);
  expect(errors?.[0]?.extensions.code).toBe('permission_denied');
  const page = await functionsOf({ first: 0 });
  expect(page.errors?.[0]).toMatchObject({ extensions: { code: 'invalid_input', attr: 'first' } });
});
