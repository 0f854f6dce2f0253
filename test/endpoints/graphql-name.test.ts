/** The name of an endpoint's field in the data graph: given once, chosen by its author, found again. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, openApp } from '../../src/app.ts';
import { openLog } from '../../src/config/open-log.ts';
import { findByField } from '../../src/endpoints/find-by-field.ts';
import { bystanders, change, openSalesApp, retrieve, save } from '../rest/support/sales.ts';
import { eventually } from '../support/eventually.ts';
import { saveByOlderBuild } from '../support/older-build.ts';
import { statementsOf } from '../support/statements.ts';
import type { TestApp } from '../support/test-app.ts';

let test: TestApp;
let second: App;
beforeAll(async () => {
  test = await openSalesApp();
  second = await openApp({
    config: test.app.core.config,
    log: openLog('silent'),
    backends: test.backends,
    clock: test.clock,
  });
});
afterAll(async () => {
  await second.stop();
  await test.close();
});

/** The name of the endpoint that has this field, as a process knows it. */
async function ownerOf(field: string, app = test.app): Promise<string | null> {
  const found = await findByField(app.core, test.project.id, { field, now: test.clock.now() });
  expect(found === null || found.graphqlName === field).toBe(true);
  return found?.name ?? null;
}

function patch(name: string, body: object) {
  return test.rest('PATCH', `/endpoints/${name}`, { body });
}

describe('a new endpoint', () => {
  it.each([
    ['monthly_sales', 'monthlySales'],
    ['Sales-By-Day', 'salesByDay'],
    ['sales_v2', 'salesV2'],
    ['HTTPErrors', 'httpErrors'],
  ])('%s has the field %s', async (name, graphqlName) => {
    expect(await save(test, name)).toMatchObject({ graphql_name: graphqlName });
    expect(await retrieve(test, name)).toMatchObject({ graphql_name: graphqlName });
    expect(await retrieve(test, name, 1)).toMatchObject({ graphql_name: graphqlName });
  });

  it('has another one when that is taken, and keeps it when the first is gone', async () => {
    await save(test, 'a_b');
    expect(await save(test, 'a-b')).toMatchObject({ graphql_name: 'aB_2' });
    expect(await save(test, 'aB', {}, test.other)).toMatchObject({ graphql_name: 'aB' });
    await test.rest('DELETE', '/endpoints/a_b');
    expect(await retrieve(test, 'a-b')).toMatchObject({ graphql_name: 'aB_2' });
    expect(await save(test, 'AB')).toMatchObject({ graphql_name: 'ab' });
    expect(await save(test, 'a__b')).toMatchObject({ graphql_name: 'aB' });
    expect(await save(test, 'a--b')).toMatchObject({ graphql_name: 'aB_3' });
  });

  it('has one of its own however many are made at once', async () => {
    const names = ['x_y', 'x-y', 'x__y', 'x--y', 'x_-y', 'xY'];
    const made = await Promise.all(names.map((name) => save(test, name)));
    const fields = made.map(({ graphql_name: field }) => String(field));
    expect(fields.sort()).toEqual(['xY', 'xY_2', 'xY_3', 'xY_4', 'xY_5', 'xY_6']);
  });

  it('has the one that its author chooses', async () => {
    expect(await save(test, 'chosen', { graphql_name: 'my_Choice2' })).toMatchObject({
      graphql_name: 'my_Choice2',
    });
    expect(await save(test, 'not_chosen', { graphql_name: null })).toMatchObject({
      graphql_name: 'notChosen',
    });
  });

  it.each([
    ['Sales', 'lowercase letter'],
    ['', 'lowercase letter'],
    ['__sales', 'lowercase letter'],
    ['sales-by-day', 'lowercase letter'],
    ['x'.repeat(129), 'lowercase letter'],
    ['sales_v7', 'older versions'],
  ])('cannot have the field %s', async (graphqlName, reason) => {
    const body = { name: 'refused', query: 'SELECT 1', graphql_name: graphqlName };
    const { status, body: error } = await test.rest('POST', '/endpoints', { body });
    expect([status, error]).toMatchObject([400, { code: 'invalid_input', attr: 'graphql_name' }]);
    expect(error.detail).toContain(reason);
    expect((await test.rest('GET', '/endpoints/refused')).status).toBe(404);
  });

  it('cannot have the field of another', async () => {
    await save(test, 'owner', { graphql_name: 'owned' });
    const body = { name: 'other_owner', query: 'SELECT 1', graphql_name: 'owned' };
    const unique = { code: 'unique', attr: 'graphql_name' };
    for (const dry_run of [false, true]) {
      const refused = await test.rest('POST', '/endpoints', { body: { ...body, dry_run } });
      expect([refused.status, refused.body]).toMatchObject([400, unique]);
    }
    expect((await test.rest('GET', '/endpoints/other_owner')).status).toBe(404);
    const sameName = await test.rest('POST', '/endpoints', { body: { ...body, name: 'owner' } });
    expect(sameName.body).toMatchObject({ code: 'unique', attr: 'name' });
  });

  it('of a dry run takes no field from anybody', async () => {
    const body = { name: 'tried', query: 'SELECT 1' };
    const tried = await test.rest('POST', '/endpoints', { body: { ...body, dry_run: true } });
    expect(tried.body).toMatchObject({ graphql_name: 'tried', dry_run: true });
    expect(await save(test, 'Tried')).toMatchObject({ graphql_name: 'tried' });
  });
});

describe('an update', () => {
  it('renames the field, in the log of changes too, and leaves all else as it is', async () => {
    await save(test, 'renamed');
    const others = await bystanders(test, ['renamed']);
    const before = await retrieve(test, 'renamed');
    expect(await change(test, 'renamed', { graphql_name: 'better_Name' })).toEqual({
      ...before,
      graphql_name: 'better_Name',
      updated_at: expect.any(String),
      graph_changes: [expect.objectContaining({ kind: 'field_renamed' })],
    });
    const { body } = await test.graphql(
      `query ($id: ID!) { auditLog(projectId: $id, first: 1) { edges { node { before after } } } }`,
      { id: test.project.id },
      { key: test.adminKey },
    );
    expect(body.data).toMatchObject({
      auditLog: {
        edges: [
          { node: { before: { graphqlName: 'renamed' }, after: { graphqlName: 'better_Name' } } },
        ],
      },
    });
    expect(await bystanders(test, ['renamed'])).toEqual(others);
    expect(await save(test, 'Renamed')).toMatchObject({ graphql_name: 'renamed' });
  });

  it('without a name, with null and with the same changes nothing', async () => {
    await save(test, 'steady');
    for (const body of [{}, { graphql_name: null }, { graphql_name: 'steady' }]) {
      expect(await change(test, 'steady', body)).toMatchObject({ graphql_name: 'steady' });
    }
    expect(await change(test, 'steady', { query: 'SELECT 5 AS five' })).toMatchObject({
      graphql_name: 'steady',
      current_version: 2,
    });
  });

  it('takes an endpoint as it was read, whatever its field is called', async () => {
    const long = `l${'x'.repeat(127)}`;
    await save(test, long);
    const last = await save(test, `L${'x'.repeat(127)}`);
    expect(last.graphql_name).toBe(`${long}_2`);
    const path = `L${'x'.repeat(127)}`;
    const read = await retrieve(test, path);
    expect(await change(test, path, { ...read, description: 'Long.' })).toMatchObject({
      graphql_name: `${long}_2`,
      description: 'Long.',
    });
    const version = await retrieve(test, path, 1);
    expect(await change(test, path, version)).toMatchObject({ graphql_name: `${long}_2` });
  });

  it.each([
    ['Sales', 'invalid_input'],
    ['sales_v2', 'invalid_input'],
    ['taken', 'unique'],
  ])('is refused for the field %s', async (graphqlName, code) => {
    if (code === 'unique') await save(test, 'takes', { graphql_name: graphqlName });
    await save(test, `keeps_${graphqlName}`);
    const { graphql_name: field } = await retrieve(test, `keeps_${graphqlName}`);
    for (const dry_run of [false, true]) {
      const body = { graphql_name: graphqlName, description: 'lost', dry_run };
      const refused = await patch(`keeps_${graphqlName}`, body);
      expect([refused.status, refused.body]).toMatchObject([400, { code, attr: 'graphql_name' }]);
    }
    expect(await retrieve(test, `keeps_${graphqlName}`)).toMatchObject({
      graphql_name: field,
      description: '',
    });
  });

  it('lets endpoints exchange their names at the same time without waiting for each other', async () => {
    await save(test, 'left');
    await save(test, 'right');
    const answers = await Promise.all([
      patch('left', { graphql_name: 'right' }),
      patch('right', { graphql_name: 'left' }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([400, 400]);
  });

  it('has a twin in GraphQL', async () => {
    const { body } = await test.graphql(
      `mutation ($id: ID!) {
        createEndpoint(projectId: $id, input: {name: "twin", query: "SELECT 1", graphqlName: "twinA"}) { graphqlName }
        updateEndpoint(projectId: $id, name: "twin", input: {graphqlName: "twinB"}) { graphqlName version(version: 1) { graphqlName } }
      }`,
      { id: test.project.id },
    );
    expect(body).toMatchObject({
      data: {
        createEndpoint: { graphqlName: 'twinA' },
        updateEndpoint: { graphqlName: 'twinB', version: { graphqlName: 'twinB' } },
      },
    });
    const refused = await test.graphql(
      'mutation ($id: ID!) { updateEndpoint(projectId: $id, name: "twin", input: {graphqlName: "T"}) { id } }',
      { id: test.project.id },
    );
    expect(refused.body).toMatchObject({
      errors: [{ extensions: { code: 'invalid_input', attr: 'graphql_name' } }],
    });
  });
});

/** The clock stands still, so no look-up ages out: what is seen was told by the change feed. */
describe('a field is found', () => {
  it('by its own process at once after each change', async () => {
    expect(await ownerOf('found')).toBeNull();
    await save(test, 'found');
    expect(await ownerOf('found')).toBe('found');
    expect(await ownerOf('foundNow')).toBeNull();
    await change(test, 'found', { graphql_name: 'foundNow' });
    expect(await ownerOf('foundNow')).toBe('found');
    expect(await ownerOf('found')).toBeNull();
    await save(test, 'Found');
    expect(await ownerOf('found')).toBe('Found');
    await test.rest('DELETE', '/endpoints/Found');
    expect(await ownerOf('found')).toBeNull();
    expect(await ownerOf('')).toBeNull();
    expect(await ownerOf('a\u0000b')).toBeNull();
  });

  it('by another process when it hears of the change', async () => {
    expect(await ownerOf('far', second)).toBeNull();
    await save(test, 'far');
    await eventually('it is there', async () => (await ownerOf('far', second)) === 'far');
    expect(await ownerOf('farther', second)).toBeNull();
    await change(test, 'far', { graphql_name: 'farther' });
    await eventually('it is renamed', async () => (await ownerOf('farther', second)) === 'far');
    expect(await ownerOf('far', second)).toBeNull();
    await test.rest('DELETE', '/endpoints/far');
    await eventually('it is gone', async () => (await ownerOf('farther', second)) === null);
  });

  it('without a statement the second time', async () => {
    await save(test, 'cheap');
    const ask = async () => {
      expect(await ownerOf('cheap')).toBe('cheap');
    };
    // Its own change reaches the process after the response.
    await eventually('it is free', async () => (await statementsOf(test, ask)).length === 0);
    const askTwice = async () => [await ownerOf('nothingHere'), await ownerOf('nothingHere')];
    expect(await statementsOf(test, askTwice)).toHaveLength(1);
  });
});

describe('an endpoint that a process of the version before saves during an upgrade', () => {
  const older = (name: string) =>
    saveByOlderBuild(test.backends.metadata.pool, {
      projectId: test.project.id,
      name,
      query: 'SELECT 1 AS one_column',
      columns: [{ name: 'one_column', type: 'UInt8' }],
    });

  it('has a field of the same name as a new one would, found by others when they hear of it', async () => {
    const listed = async () => {
      const query = '{ __schema { queryType { fields { name } } } }';
      return JSON.stringify((await test.rest('POST', '/graphql', { body: { query } })).body);
    };
    expect(await ownerOf('byOlder')).toBeNull();
    expect(await listed()).not.toContain('"byOlder"');
    await older('by_older');
    expect(await listed()).toContain('"byOlder"');
    await eventually('it is there', async () => (await ownerOf('byOlder')) === 'by_older');
    expect(await retrieve(test, 'by_older')).toMatchObject({ graphql_name: 'byOlder' });
    const { body } = await test.rest('POST', '/graphql', {
      body: { query: '{ byOlder { rows { oneColumn } } }' },
    });
    expect(body).toEqual({ data: { byOlder: { rows: [{ oneColumn: 1 }] } } });
    expect(await change(test, 'by_older', { graphql_name: 'renamedLater' })).toMatchObject({
      graphql_name: 'renamedLater',
    });
  });

  it('takes no name of another, however many are saved at once by both versions', async () => {
    const names = ['p_q', 'p-q', 'p__q', 'p--q', 'p_-q', 'pQ'];
    await Promise.all(names.map((name, at) => (at % 2 === 0 ? older(name) : save(test, name))));
    const made = await Promise.all(names.map((name) => retrieve(test, name)));
    const fields = made.map(({ graphql_name: field }) => String(field));
    expect(fields.sort()).toEqual(['pQ', 'pQ_2', 'pQ_3', 'pQ_4', 'pQ_5', 'pQ_6']);
  });
});
