/** Variables that are saved once, and what queries take from them. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../../support/test-app.ts';
import { change, openSalesApp, save } from '../support/sales.ts';

let test: TestApp;
let made = 0;

beforeAll(async () => {
  test = await openSalesApp();
});
afterAll(() => test.close());

type Body = Readonly<Record<string, unknown>>;
type Saved = Body & { readonly id: string; readonly code_name: string };
const path = '/insight_variables';
const create = (body: unknown) => test.rest('POST', path, { body });

async function saved(more: Body = {}): Promise<Saved> {
  made += 1;
  test.clock.advance(1000);
  const { status, body } = await create({ name: `Land ${made}`, type: 'String', ...more });
  expect(status).toBe(201);
  return body as Saved;
}

const used = (id: string, name: string, own: Body = {}) => ({
  kind: 'HogQLQuery',
  query: `SELECT sum(amount) AS total FROM sales WHERE country = {variables.${name}}`,
  variables: { [id]: own },
});

describe('a saved variable', () => {
  it('is created, listed, read, changed and deleted', async () => {
    const body = await saved({ default_value: 'de', values: ['de', 'at'] });
    expect(body).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      name: `Land ${made}`,
      code_name: `land_${made}`,
      type: 'String',
      default_value: 'de',
      values: ['de', 'at'],
      created_at: test.clock.now().toISOString(),
      updated_at: test.clock.now().toISOString(),
      created_by: expect.objectContaining({ first_name: 'Ada' }),
    });
    const { body: list } = await test.rest('GET', `${path}/?limit=1`);
    expect(list).toMatchObject({ next: null, previous: null, results: [body] });
    const one = `${path}/${body.id}/`;
    expect((await test.rest('GET', one)).body).toEqual(body);
    const changed = await test.rest('PATCH', one, {
      body: { name: 'Country', default_value: null, code_name: body.code_name },
    });
    expect(changed.body).toEqual({ ...body, name: 'Country', default_value: null });
    const gone = await test.rest('DELETE', one);
    expect([gone.status, gone.text]).toEqual([204, '']);
    expect((await test.rest('GET', one)).status).toBe(404);
    expect((await test.rest('DELETE', one)).status).toBe(404);
  });

  it('fills a query that is not saved, as it fills one that is', async () => {
    const variable = await saved({ default_value: 'de' });
    const query = used(variable.id, variable.code_name);
    const [{ body: run }, { body: check }] = [
      await test.rest('POST', '/query', { body: { query } }),
      await test.rest('POST', '/query', { body: { query, dry_run: true } }),
    ];
    expect(run.results).toEqual([[5]]);
    expect(check.variables).toMatchObject([{ name: variable.code_name, required: false }]);
  });

  it('belongs to its project alone', async () => {
    const { id, code_name } = await saved();
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const options = method === 'PATCH' ? { body: { name: 'x' } } : {};
      const { status } = await test.rest(method, `${path}/${id}`, {
        ...options,
        project: test.other,
      });
      expect(status).toBe(404);
    }
    const query = used(id, code_name);
    const refused = await test.rest('POST', '/endpoints', {
      body: { name: 'foreign', query },
      project: test.other,
    });
    expect(refused.body).toMatchObject({ code: 'invalid_input', attr: `query.variables.${id}` });
    expect((await test.rest('GET', `${path}/${id}`)).status).toBe(200);
  });

  it('is told alike by GraphQL', async () => {
    const { id, code_name } = await saved({ type: 'Number', default_value: 3 });
    const document = `query ($project: ID!, $id: ID!) {
      savedVariable(projectId: $project, id: $id) { id codeName type defaultValue values }
      savedVariables(projectId: $project, first: 1) { edges { node { id } } } }`;
    const { body } = await test.graphql(document, { project: test.project.id, id });
    expect(body.data).toEqual({
      savedVariable: { id, codeName: code_name, type: 'Number', defaultValue: 3, values: null },
      savedVariables: { edges: [{ node: { id } }] },
    });
  });

  it.each([
    ['without a name', { type: 'String' }, 'name'],
    ['without a type', { name: 'x' }, 'type'],
    ['of another type', { name: 'x', type: 'Text' }, 'type'],
    [
      'with a default of another type',
      { name: 'x', type: 'Number', default_value: 'x' },
      'default_value',
    ],
    ['with a name that gives no code name', { name: '€', type: 'String' }, 'code_name'],
    ['with values that are no array', { name: 'x', type: 'List', values: 'a' }, 'values'],
    [
      'with a query for its values',
      { name: 'x', type: 'List', values_query: 'SELECT 1' },
      'values_query',
    ],
  ])('is refused %s', async (_what, body, attr) => {
    const response = await create(body);
    expect(response.status).toBe(400);
    expect(response.body).toMatchObject({ code: 'invalid_input', attr });
  });

  it('has a code name of its own, which stays', async () => {
    const { id, name } = await saved();
    expect((await create({ name, type: 'String' })).body).toMatchObject({ code: 'unique' });
    const { body } = await test.rest('PATCH', `${path}/${id}`, { body: { code_name: 'other' } });
    expect(body).toMatchObject({ code: 'invalid_input', attr: 'code_name' });
  });
});

describe('a query that refers to it by id', () => {
  it('takes code name, type and default from it when it is saved, and keeps them', async () => {
    const variable = await saved({ default_value: 'de' });
    const { id, code_name } = variable;
    const endpoint = await save(test, 'totals', { query: used(id, code_name) });
    expect(endpoint.variables).toEqual([
      { name: code_name, type: 'String', required: false, default: 'de', description: '' },
    ]);
    await test.rest('PATCH', `${path}/${id}`, { body: { default_value: 'at' } });
    const run = () => test.rest('POST', '/endpoints/totals/run', { body: { refresh: 'force' } });
    expect((await run()).body).toMatchObject({ results: [[5]] });
    const again = await change(test, 'totals', { query: used(id, code_name) });
    expect(again).toMatchObject({ current_version: 2 });
    expect((await run()).body).toMatchObject({ results: [[1]] });
    const same = await change(test, 'totals', { query: used(id, code_name) });
    expect(same).toMatchObject({ current_version: 2 });
    await test.rest('DELETE', `${path}/${id}`);
    expect((await run()).body).toMatchObject({ results: [[1]] });
  });

  it('may say more itself', async () => {
    const { id, code_name } = await saved({ default_value: 'de' });
    const query = used(id, code_name, { value: 'at', variableId: id, description: 'Which' });
    const endpoint = await save(test, 'own', { query });
    expect(endpoint.variables).toMatchObject([{ default: 'at', description: 'Which' }]);
  });
  it.each(['00000000-0000-4000-8000-000000000000', 'no-uuid'])(
    'is refused for an unknown variableId, %s, unless it defines the variable itself',
    async (variableId) => {
      const query = 'SELECT {variables.place}';
      const definedBy = (place: object) => ({ kind: 'SQLQuery', query, variables: { place } });
      const body = { name: 'unknown', query: definedBy({ variableId }) };
      const refused = await test.rest('POST', '/endpoints', { body });
      expect([refused.status, refused.body.code, refused.body.attr]).toEqual([
        400,
        'invalid_input',
        'query.variables.place.variableId',
      ]);
      expect(refused.body.detail).toMatch(/no saved variable with this id.*its type/);
      const own = [{ code_name: 'place' }, { type: 'Number' }, { value: 1 }, { value: null }];
      for (const more of [...own, { isNull: true }]) {
        const tried = {
          name: 'defined_here',
          dry_run: true,
          query: definedBy({ variableId, ...more }),
        };
        const { status, text } = await test.rest('POST', '/endpoints', { body: tried });
        expect(status, text).toBe(200);
      }
    },
  );
});
