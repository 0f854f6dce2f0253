/** When a change makes a version, what a version inherits, and changes of one version. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestApp } from '../../support/test-app.ts';
import { byCountry, bystanders, change, openSalesApp, retrieve, save } from '../support/sales.ts';

let test: TestApp;
let created: Record<string, unknown>;
const second = 'SELECT country FROM sales';

beforeAll(async () => {
  test = await openSalesApp();
  await save(test, 'bystander');
  await save(test, 'sales', {}, test.other);
});
afterAll(() => test.close());

beforeEach(async () => {
  await test.rest('DELETE', '/endpoints/sales');
  test.clock.set('2026-03-01T12:00:00.000Z');
  created = await save(test, 'sales', { description: 'kept', cache_age_seconds: 60 });
  test.clock.set('2026-03-01T13:00:00.000Z');
});

async function versionsOf(name: string) {
  const { body } = await test.rest('GET', `/endpoints/${name}/versions`);
  return body.results as readonly Record<string, unknown>[];
}

const patch = (body: Record<string, unknown>, query = '') =>
  test.rest('PATCH', `/endpoints/sales${query}`, { body });

describe('a changed query', () => {
  it('makes the next version, which inherits description and cache age and is active', async () => {
    const before = await bystanders(test, ['sales']);
    const changed = await change(test, 'sales', { query: second });
    expect(await bystanders(test, ['sales'])).toEqual(before);
    expect(changed).toEqual({
      ...created,
      graph_changes: [expect.objectContaining({ place: 'sales.rows.total' })],
      query: { kind: 'SQLQuery', query: second, variables: {} },
      columns: [{ name: 'country', type: 'String' }],
      updated_at: '2026-03-01T13:00:00.000Z',
      current_version: 2,
      current_version_id: expect.any(String),
      versions_count: 2,
    });
    expect(await versionsOf('sales')).toMatchObject([
      { version: 2, description: 'kept', cache_age_seconds: 60, is_active: true },
      { version: 1, description: 'kept', cache_age_seconds: 60, is_active: true },
    ]);
  });

  it('gives its own settings to the new version and leaves the old one’s', async () => {
    await change(test, 'sales', { query: second, description: 'new', cache_age_seconds: null });
    expect(await versionsOf('sales')).toMatchObject([
      { version: 2, description: 'new', cache_age_seconds: null },
      { version: 1, description: 'kept', cache_age_seconds: 60, query: { query: byCountry } },
    ]);
  });

  it('inherits the sync cadence', async () => {
    await change(test, 'sales', { sync_frequency: '7day' });
    const { current_version_id } = await change(test, 'sales', { query: second });
    const row = await test.backends.metadata.prisma.materializationStatus.findFirst({
      where: { versionId: String(current_version_id) },
    });
    expect(row).toMatchObject({ enabled: false, syncFrequency: '7day' });
  });

  it('makes an active version after an inactive one', async () => {
    await change(test, 'sales', { version: 1, is_active: false });
    await change(test, 'sales', { query: second });
    expect(await versionsOf('sales')).toMatchObject([
      { version: 2, is_active: true },
      { version: 1, is_active: false },
    ]);
  });

  it('turns the endpoint off and makes a version in one request', async () => {
    const changed = await change(test, 'sales', { query: second, is_active: false });
    expect(changed).toMatchObject({ is_active: false, current_version: 2 });
    expect(await versionsOf('sales')).toMatchObject([
      { version: 2, is_active: true, endpoint_is_active: false },
      { version: 1, is_active: true, endpoint_is_active: false },
    ]);
  });

  it.each([
    ['another kind', { kind: 'HogQLQuery', query: byCountry, variables: {} }],
    ['another blank in the text', `${byCountry} `],
    [
      'a definition more',
      { kind: 'SQLQuery', query: byCountry, variables: { a: { code_name: 'a' } } },
    ],
  ])('is one with %s', async (_what, query) => {
    expect(await change(test, 'sales', { query })).toMatchObject({ current_version: 2 });
  });

  it('is one that goes back to an older text', async () => {
    await change(test, 'sales', { query: second });
    expect(await change(test, 'sales', { query: byCountry })).toMatchObject({ current_version: 3 });
  });
});

describe('an unchanged query', () => {
  const variables = {
    x: { code_name: 'a', type: 'Number', value: 1 },
    y: { code_name: 'b', value: 'c' },
  };
  const text = 'SELECT {variables.a} AS a, {variables.b} AS b';

  it.each([
    ['the bare text', byCountry, byCountry],
    ['the canonical form', byCountry, { kind: 'SQLQuery', query: byCountry, variables: {} }],
    ['the form without variables', byCountry, { kind: 'SQLQuery', query: byCountry }],
    [
      'other orders of members',
      { kind: 'SQLQuery', query: text, variables },
      {
        variables: {
          y: { value: 'c', code_name: 'b' },
          x: { value: 1, type: 'Number', code_name: 'a' },
        },
        query: text,
        kind: 'SQLQuery',
      },
    ],
  ])('makes no version when it is sent as %s', async (_what, saved, sent) => {
    await save(test, 'unchanged', { query: saved });
    const { current_version_id } = await retrieve(test, 'unchanged');
    expect(await change(test, 'unchanged', { query: sent, description: 'new' })).toMatchObject({
      current_version: 1,
      versions_count: 1,
      current_version_id,
      description: 'new',
    });
    await test.rest('DELETE', '/endpoints/unchanged');
  });

  it('is none that a change of every other member makes', async () => {
    for (const body of [
      { description: 'a' },
      { cache_age_seconds: 1 },
      { is_active: false },
      { is_active: true },
      { sync_frequency: '1hour' },
      { is_materialized: false },
      { version: 1, description: 'b' },
    ]) {
      await change(test, 'sales', body);
    }
    expect(await versionsOf('sales')).toHaveLength(1);
  });
});

describe('a change of one version', () => {
  beforeEach(async () => {
    await change(test, 'sales', { query: second, description: 'two' });
  });

  it.each(['body', 'query string'])('changes only that version, named in the %s', async (place) => {
    const before = await bystanders(test, ['sales']);
    const [latest] = await versionsOf('sales');
    const body = { description: 'one', cache_age_seconds: 1, is_active: false };
    const response =
      place === 'body' ? await patch({ ...body, version: 1 }) : await patch(body, '?version=1');
    expect(response.status).toBe(200);
    expect(response.body).toMatchObject({
      ...body,
      version: 1,
      endpoint_is_active: true,
      current_version: 2,
      query: { query: byCountry },
    });
    expect(await versionsOf('sales')).toEqual([latest, response.body]);
    expect(await retrieve(test, 'sales')).toMatchObject({ is_active: true, description: 'two' });
    expect(await bystanders(test, ['sales'])).toEqual(before);
  });

  it('prefers the version of the body over that of the query string', async () => {
    const { body } = await patch({ version: 1, description: 'one' }, '?version=2');
    expect(body).toMatchObject({ version: 1, description: 'one' });
    expect(await retrieve(test, 'sales', 2)).toMatchObject({ description: 'two' });
  });

  it('leaves the endpoint’s own flag when the latest version is named', async () => {
    await change(test, 'sales', { version: 2, is_active: false });
    expect(await retrieve(test, 'sales')).toMatchObject({ is_active: true });
    expect(await retrieve(test, 'sales', 2)).toMatchObject({
      is_active: false,
      endpoint_is_active: true,
    });
  });

  it('leaves the versions’ flags when none is named', async () => {
    await change(test, 'sales', { is_active: false });
    expect(await versionsOf('sales')).toMatchObject([
      { is_active: true, endpoint_is_active: false },
      { is_active: true, endpoint_is_active: false },
    ]);
  });

  it('changes the latest version when none is named', async () => {
    await change(test, 'sales', { description: 'latest', cache_age_seconds: 9 });
    expect(await versionsOf('sales')).toMatchObject([
      { version: 2, description: 'latest', cache_age_seconds: 9 },
      { version: 1, description: 'kept', cache_age_seconds: 60 },
    ]);
  });
});

describe('changes at the same time', () => {
  it('give every query a version of its own', async () => {
    const before = await bystanders(test, ['sales']);
    const responses = await Promise.all(
      Array.from({ length: 20 }, (_, at) => patch({ query: `SELECT ${at} AS a` })),
    );
    expect(responses.map(({ status }) => status)).toEqual(Array(20).fill(200));
    const numbers = responses.map(({ body }) => Number(body.current_version));
    expect(numbers.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, i) => i + 2));
    const versions = await versionsOf('sales');
    expect(versions.map(({ version }) => version)).toEqual(
      Array.from({ length: 21 }, (_, i) => 21 - i),
    );
    for (const { body } of responses) {
      expect(await retrieve(test, 'sales', Number(body.current_version))).toMatchObject({
        query: body.query,
      });
    }
    expect(await bystanders(test, ['sales'])).toEqual(before);
  });

  it('lose none of two members', async () => {
    await Promise.all([patch({ description: 'both' }), patch({ cache_age_seconds: 3 })]);
    expect(await retrieve(test, 'sales')).toMatchObject({
      description: 'both',
      cache_age_seconds: 3,
    });
  });
});
