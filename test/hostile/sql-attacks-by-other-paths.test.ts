/**
 * Some attacks of every family by other paths than a first save through REST: a changed query, GraphQL, a query that is run
 * or checked without being saved, an override of the query in a run, and texts with filters.
 */
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openTestApp, type TestApp, type TestResponse } from '../support/test-app.ts';
import { attacks, selects } from './sql/all.ts';
import { leak, type SqlAttack } from './support/attack.ts';
import { type Canaries, openCanaries } from './support/canaries.ts';

/** The first of each family and every nth after it. */
function some(all: readonly SqlAttack[], nth = 4): readonly SqlAttack[] {
  const families = new Set(all.map(({ family }) => family));
  return [...families].flatMap((family) =>
    all.filter((attack) => attack.family === family).filter((_, index) => index % nth === 0),
  );
}

const few = some(attacks, 10);

describe('an attack by a text that is not saved first by REST', () => {
  let tested: TestApp;
  let canaries: Canaries;
  let before: string;

  const saved = async () => {
    const { body } = await tested.rest('GET', '/endpoints');
    const endpoints = body.results as readonly object[];
    return JSON.stringify(endpoints.map((endpoint) => ({ ...endpoint, last_executed_at: null })));
  };

  beforeAll(async () => {
    tested = await openTestApp();
    canaries = await openCanaries(tested);
    for (const [name, query] of [
      ['good', 'SELECT country FROM sales'],
      ['filtered', 'SELECT country FROM sales WHERE {filters.sold_at}'],
    ])
      expect((await tested.rest('POST', '/endpoints', { body: { name, query } })).status).toBe(201);
  });
  beforeEach(async () => {
    before = await saved();
  });
  afterEach(async () => {
    expect(await canaries.touched()).toEqual([]);
    expect(await saved()).toBe(before);
  });
  afterAll(async () => {
    await canaries?.close();
    await tested?.close();
  });

  function expectRefused({ status, body }: TestResponse, says: RegExp): void {
    expect({ status, ...body }).toMatchObject({ status: 400, type: 'validation_error' });
    expect(body.code).toMatch(/^(invalid_query|invalid_input)$/);
    expect(body.detail).toMatch(says);
    expect(body.detail).not.toMatch(leak);
  }

  async function expectRefusedByGraphql(
    document: string,
    query: string,
    says: RegExp,
  ): Promise<void> {
    const { body } = await tested.graphql(document, { query });
    expect(Object.values(body.data ?? {})).toEqual(body.data === null ? [] : [null]);
    const [error] = body.errors ?? [];
    expect(error?.extensions.code).toMatch(/^(invalid_query|invalid_input)$/);
    expect(error?.message).toMatch(says);
    expect(JSON.stringify(body)).not.toMatch(leak);
  }

  describe.each(['PATCH', 'PUT'])('is refused by %s', (method) => {
    it.each(some(attacks))('$family: $sql', async ({ sql, says }) => {
      const body = { query: canaries.fill(sql) };
      expectRefused(await tested.rest(method, '/endpoints/good', { body }), says);
    });
  });

  describe('is refused by createEndpoint', () => {
    it.each(some(attacks))('$family: $sql', async ({ sql, says }) => {
      const field =
        'createEndpoint(projectId: "@current", input: { name: "attack", query: $query })';
      const document = `mutation ($query: JSON!) { ${field} { id } }`;
      await expectRefusedByGraphql(document, canaries.fill(sql), says);
    });
  });

  describe('is refused by updateEndpoint', () => {
    it.each(some(attacks))('$family: $sql', async ({ sql, says }) => {
      const field = 'updateEndpoint(projectId: "@current", name: "good", input: { query: $query })';
      const document = `mutation ($query: JSON!) { ${field} { id } }`;
      await expectRefusedByGraphql(document, canaries.fill(sql), says);
    });
  });

  describe('is refused by POST /query, run in each way and checked', () => {
    it.each(few)('$family: $sql', async ({ sql, says }) => {
      const query = canaries.fill(sql);
      for (const more of [{}, { format: 'csv' }, { dry_run: true }])
        expectRefused(await tested.rest('POST', '/query', { body: { query, ...more } }), says);
    });
  });

  describe('is refused by a dry run of a write', () => {
    it.each(few)('$family: $sql', async ({ sql, says }) => {
      const body = { query: canaries.fill(sql), dry_run: true };
      const created = { ...body, name: 'attack' };
      expectRefused(await tested.rest('POST', '/endpoints', { body: created }), says);
      expectRefused(await tested.rest('PATCH', '/endpoints/good', { body }), says);
    });
  });

  describe.each([
    ['runQuery', 'results'],
    ['checkQuery', 'estimatedRows'],
  ])('is refused by %s', (field, member) => {
    it.each(few)('$family: $sql', async ({ sql, says }) => {
      const call = `${field}(projectId: "@current", query: $query) { ${member} }`;
      await expectRefusedByGraphql(`query ($query: JSON!) { ${call} }`, canaries.fill(sql), says);
    });
  });

  describe('is no name of a table', () => {
    it.each(few.filter(({ sql }) => sql !== ''))('$family: $sql', async ({ sql }) => {
      const name = encodeURIComponent(canaries.fill(sql).slice(0, 1000));
      const { status, body } = await tested.rest('GET', `/tables/${name}`);
      expect([status, body.code]).toEqual([404, 'not_found']);
    });
  });

  describe('is refused as query_override', () => {
    it.each(some(attacks))('$family: $sql', async ({ sql }) => {
      const query = canaries.fill(sql);
      for (const override of [{ kind: 'SQLQuery', query }, { query }]) {
        const body = { query_override: override };
        const response = await tested.rest('POST', '/endpoints/good/run', { body });
        expectRefused(response, /variables/);
      }
    });
  });

  describe('is refused in a text with filters', () => {
    it.each(some(selects))('$family: $sql', async ({ sql }) => {
      const inner = canaries.fill(sql);
      for (const query of [
        `SELECT s.country FROM sales AS s, (\n${inner}\n) AS a WHERE {filters.sold_at}`,
        `SELECT country FROM sales WHERE {filters.sold_at} UNION ALL\n${inner}`,
      ]) {
        const response = await tested.rest('POST', '/endpoints', {
          body: { name: 'attack', query },
        });
        expectRefused(response, /./);
      }
    });
  });

  describe('is no column of a filter, and a text when it is a value', () => {
    it.each(some(attacks))('$family: $sql', async ({ sql }) => {
      const text = canaries.fill(sql);
      const run = (filter: object) => {
        const body = { filters_override: { properties: [filter] } };
        return tested.rest('POST', '/endpoints/filtered/run', { body });
      };
      expectRefused(await run({ key: text, operator: 'exact', value: 'x' }), /./);
      expectRefused(await run({ key: 'country', operator: text, value: 'x' }), /./);
      const asValue = await run({ key: 'country', operator: 'exact', value: text });
      if (text.includes('\0')) expectRefused(asValue, /./);
      else expect(asValue).toMatchObject({ status: 200, body: { results: [] } });
    });
  });
});
