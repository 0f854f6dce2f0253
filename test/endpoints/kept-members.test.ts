/** What existing clients send and read: labels, the other spelling of the cadence, and whole objects sent back. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { byCountry, openSalesApp, save } from '../rest/support/sales.ts';
import type { TestApp } from '../support/test-app.ts';

let test: TestApp;
let made = 0;

beforeAll(async () => {
  test = await openSalesApp();
});
afterAll(() => test.close());

type Body = Readonly<Record<string, unknown>>;

/** A new endpoint and its name. */
async function saved(more: Body = {}): Promise<string> {
  made += 1;
  await save(test, `kept_${made}`, more);
  return `kept_${made}`;
}

const read = async (name: string, query = '') =>
  (await test.rest('GET', `/endpoints/${name}${query}`)).body;
const send = (name: string, body: Body, query = '') =>
  test.rest('PATCH', `/endpoints/${name}${query}`, { body });
const namesOf = async (query: string) => {
  const { body } = await test.rest('GET', `/endpoints?${query}`);
  return (body.results as readonly { readonly name: string }[]).map(({ name }) => name).sort();
};

describe('tags', () => {
  it('are stored sorted and once, replaced whole, and told by both interfaces', async () => {
    const name = await saved({ tags: ['weekly', 'finance', 'weekly'] });
    expect(await read(name)).toMatchObject({ tags: ['finance', 'weekly'] });
    expect((await send(name, { tags: null, description: 'x' })).body).toMatchObject({
      tags: ['finance', 'weekly'],
    });
    expect((await send(name, { tags: ['Ops'] })).body).toMatchObject({ tags: ['Ops'] });
    const document = `mutation ($id: ID!, $name: String!) {
      updateEndpoint(projectId: $id, name: $name, input: { tags: ["by graphql"] }) { tags version { tags } } }`;
    const { body } = await test.graphql(document, { id: test.project.id, name });
    expect(body.data).toEqual({
      updateEndpoint: { tags: ['by graphql'], version: { tags: ['by graphql'] } },
    });
    expect(await read(name, '?version=1')).toMatchObject({ tags: ['by graphql'] });
    expect((await send(name, { tags: [] })).body).toMatchObject({ tags: [], current_version: 1 });
  });

  it('filter lists: all of them must be there', async () => {
    const both = await saved({ tags: ['red', 'blue'] });
    const red = await saved({ tags: ['red'] });
    await save(test, 'elsewhere', { tags: ['red'] }, test.other);
    expect(await namesOf('tags=red')).toEqual([both, red].sort());
    expect(await namesOf('tags=blue,red')).toEqual([both]);
    expect(await namesOf('tags=Red')).toEqual([]);
    const document = `query ($id: ID!) {
      endpoints(projectId: $id, filter: { tags: ["blue"] }) { totalCount edges { node { name } } } }`;
    const { body } = await test.graphql(document, { id: test.project.id });
    expect(body.data).toEqual({
      endpoints: { totalCount: 1, edges: [{ node: { name: both } }] },
    });
  });

  it.each([
    ['21 of them', Array.from({ length: 21 }, (_, at) => `t${at}`)],
    ['an empty one', ['']],
    ['one of 256 characters', ['x'.repeat(256)]],
    ['one with a space at its end', ['x ']],
    ['one with a comma', ['a,b']],
    ['a number', [1]],
    ['a text', 'red'],
  ])('are refused: %s', async (_what, tags) => {
    const name = await saved();
    const { status, body } = await send(name, { tags });
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'invalid_input', attr: 'tags' });
  });

  it('are not made of an empty filter', async () => {
    expect((await test.rest('GET', '/endpoints?tags=')).body).toMatchObject({ attr: 'tags' });
  });
});

describe('data_freshness_seconds', () => {
  it.each([
    [900, '15min'],
    [1799, '15min'],
    [3600, '1hour'],
    [10_800, '2hour'],
    [604_800, '7day'],
  ])('%i is the cadence %s', async (seconds, cadence) => {
    const name = await saved({ data_freshness_seconds: seconds, is_materialized: true });
    const body = await read(name);
    expect(body).toMatchObject({
      sync_frequency: cadence,
      materialization: { sync_frequency: cadence },
    });
    expect(Number(body.data_freshness_seconds)).toBeLessThanOrEqual(seconds);
    const document = `query ($id: ID!, $name: String!) { endpoint(projectId: $id, name: $name) {
      syncFrequency dataFreshnessSeconds version { syncFrequency dataFreshnessSeconds } } }`;
    const told = await test.graphql(document, { id: test.project.id, name });
    const both = { syncFrequency: cadence, dataFreshnessSeconds: body.data_freshness_seconds };
    expect(told.body.data).toEqual({ endpoint: { ...both, version: both } });
  });

  it('may be given beside the cadence that it is, and may repeat a stored one that is out of range', async () => {
    const name = await saved({ data_freshness_seconds: 3600, sync_frequency: '1hour' });
    await send(name, { sync_frequency: '5min' });
    expect(await read(name)).toMatchObject({ data_freshness_seconds: 300 });
    expect((await send(name, { data_freshness_seconds: 300 })).status).toBe(200);
  });

  it.each([
    ['too small', { data_freshness_seconds: 899 }],
    ['too large', { data_freshness_seconds: 604_801 }],
    ['a text', { data_freshness_seconds: '900' }],
    ['another cadence beside it', { data_freshness_seconds: 3600, sync_frequency: '24hour' }],
  ])('is refused: %s', async (_what, body) => {
    const name = await saved();
    const before = await read(name);
    for (const response of [
      await send(name, body),
      await test.rest('POST', '/endpoints', { body: { name: 'new', query: byCountry, ...body } }),
    ]) {
      expect(response.status).toBe(400);
      expect(response.body).toMatchObject({ attr: 'data_freshness_seconds' });
    }
    expect(await read(name)).toEqual(before);
  });
});

describe('a whole object that was read and is sent back', () => {
  it('changes nothing but the edited member', async () => {
    const name = await saved({ tags: ['a'], cache_age_seconds: 60 });
    await test.rest('GET', `/endpoints/${name}/run`);
    await test.app.core.recorder.flush();
    const before = await read(name);
    const { status, body } = await send(name, { ...before, description: 'edited' });
    expect(status).toBe(200);
    expect(body).toEqual({ ...before, description: 'edited', updated_at: expect.anything() });
  });

  it('makes a new version of an edited query, also beside the current version', async () => {
    const name = await saved();
    const before = await read(name);
    const edited = { ...before, query: 'SELECT 1 AS n', version: 1 };
    const { status, body } = await send(name, edited);
    expect(status).toBe(200);
    expect(body).toMatchObject({ current_version: 2, version: 2, columns: [{ name: 'n' }] });
    expect(await read(name, '?version=1')).toMatchObject({ query: { query: byCountry } });
  });

  it('with version and an unchanged query changes that version alone', async () => {
    const name = await saved();
    await send(name, { query: 'SELECT 2 AS n' });
    const old = await read(name, '?version=1');
    const { status, body } = await send(name, { ...old, is_active: false, description: 'old' });
    expect(status).toBe(200);
    expect(body).toMatchObject({ version: 1, is_active: false, description: 'old' });
    expect(await read(name)).toMatchObject({
      current_version: 2,
      is_active: true,
      description: '',
    });
  });

  it('is refused with an edited query of an older version, or one that would be inactive', async () => {
    const name = await saved();
    const first = await read(name, '?version=1');
    const inactive = await send(name, { ...first, query: 'SELECT 3', is_active: false });
    expect(inactive.body).toMatchObject({ code: 'invalid_input', attr: 'is_active' });
    await send(name, { query: 'SELECT 2 AS n' });
    const old = await read(name, '?version=1');
    const { status, body } = await send(name, { ...old, query: 'SELECT 3' });
    expect(status).toBe(400);
    expect(body).toMatchObject({ attr: 'query' });
    expect(await read(name)).toMatchObject({ current_version: 2 });
  });

  it('may edit one spelling of the cadence, and a materialization that is off', async () => {
    const name = await saved();
    const before = await read(name);
    const fresh = await send(name, { ...before, data_freshness_seconds: 3600 });
    expect(fresh.body).toMatchObject({ sync_frequency: '1hour', data_freshness_seconds: 3600 });
    const named = await send(name, { ...fresh.body, sync_frequency: '7day' });
    expect(named.body).toMatchObject({ sync_frequency: '7day', data_freshness_seconds: 604_800 });
  });

  it('still works when the table that its query reads is gone', async () => {
    await test.sql('CREATE TABLE brief (n UInt8) ENGINE = MergeTree ORDER BY n');
    const name = await saved({ query: 'SELECT n FROM brief' });
    const before = await read(name);
    await test.sql('DROP TABLE brief SYNC');
    expect((await send(name, { ...before, is_active: false })).status).toBe(200);
  });

  it.each([
    ['id', '019ca945-0a00-7b67-a9b7-3ba1e72efaff'],
    ['created_at', '2001-01-01T00:00:00.000Z'],
    ['created_by', { id: 999_999 }],
    ['current_version', 2],
    ['versions_count', 2],
    ['current_version_id', 'x'],
    ['url', 'http://querydock.test/api/projects/1/endpoints/other/run'],
    ['columns', []],
    ['variables', [{ name: 'x' }]],
    ['endpoint_is_active', false],
  ])('is refused when %s differs, which is only read', async (member, value) => {
    const name = await saved();
    const before = await read(name);
    const { status, body } = await send(name, { ...before, description: 'x', [member]: value });
    expect(status).toBe(400);
    expect(body).toMatchObject({ code: 'invalid_input', attr: member });
    expect(await read(name)).toEqual(before);
  });

  it('is refused when a setting within its materialization differs', async () => {
    const name = await saved({ is_materialized: true });
    const body = await read(name);
    const materialization = { ...(body.materialization as object), sync_frequency: '1hour' };
    const refused = await send(name, { ...body, materialization });
    expect(refused.body).toMatchObject({ attr: 'materialization.sync_frequency' });
  });
});

it('members without a value that existing clients send are left out', async () => {
  const nothing = { bucket_overrides: null, optional_breakdown_properties: [], deleted: null };
  const name = await saved({ ...nothing, derived_from_insight: null, version: null });
  expect((await send(name, { ...nothing, description: 'x' })).status).toBe(200);
  const preview = await test.rest('POST', `/endpoints/${name}/materialization_preview`, {
    body: { bucket_overrides: null },
  });
  expect(preview.status).toBe(200);
  const { status, body } = await send(name, { bucket_overrides: { day: 'hour' } });
  expect(status).toBe(400);
  expect(body).toMatchObject({ attr: 'bucket_overrides' });
});

it('True and False are booleans of a query string', async () => {
  const name = await saved({ is_active: false });
  expect(await namesOf('is_active=False&limit=1000')).toContain(name);
  expect(await namesOf('is_active=True&limit=1000')).not.toContain(name);
  await save(test, 'flag', { query: 'SELECT {on:Bool} AS isOn' });
  const run = await test.rest('GET', '/endpoints/flag/run?variables[on]=True&debug=False');
  expect(run.body).toMatchObject({ results: [[true]] });
});

it('versions are filtered by author and by whether they may run', async () => {
  const name = await saved();
  await send(name, { query: 'SELECT 2' });
  await send(name, { is_active: false }, '?version=1');
  const author = (await read(name)).created_by as { readonly id: number };
  const versionsOf = async (query: string) => {
    const { body } = await test.rest('GET', `/endpoints/${name}/versions?${query}`);
    const results = body.results as readonly { readonly version: number }[];
    return [body.count, results.map(({ version }) => version)];
  };
  expect(await versionsOf('is_active=true')).toEqual([1, [2]]);
  expect(await versionsOf('is_active=False')).toEqual([1, [1]]);
  expect(await versionsOf(`created_by=${author.id}`)).toEqual([2, [2, 1]]);
  expect(await versionsOf('created_by=999999')).toEqual([0, []]);
  const document = `query ($id: ID!, $name: String!) {
    endpointVersions(projectId: $id, name: $name, filter: { isActive: false }) {
      totalCount edges { node { version } } } }`;
  const { body } = await test.graphql(document, { id: test.project.id, name });
  expect(body.data).toEqual({
    endpointVersions: { totalCount: 1, edges: [{ node: { version: 1 } }] },
  });
});
