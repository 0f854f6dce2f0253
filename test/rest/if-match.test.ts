/** ETags of endpoints, and changes that must not overwrite another's. */
import CachePolicy from 'http-cache-semantics';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TestApp } from '../support/test-app.ts';
import { byCountry, bystanders, openSalesApp, run, save, saveInBoth } from './support/sales.ts';

let test: TestApp;
let name: string;
let number = 0;

beforeAll(async () => {
  test = await openSalesApp();
});
afterAll(() => test.close());

beforeEach(async () => {
  number += 1;
  name = `matched_${number}`;
  await saveInBoth(test, name);
});

const path = () => `/endpoints/${name}`;
const get = (headers: Readonly<Record<string, string>> = {}, query = '') =>
  test.rest('GET', path() + query, { headers });
const tagOf = async (query = '') => (await get({}, query)).headers.get('etag') ?? '';
/** Time passes between changes. */
const patch = (match: string, body: object = { description: 'new' }, query = '') => {
  test.clock.advance(1);
  return test.rest('PATCH', path() + query, { body, headers: { 'if-match': match } });
};
const remove = (match: string) => test.rest('DELETE', path(), { headers: { 'if-match': match } });

const refusal = {
  status: 412,
  body: {
    type: 'invalid_request',
    code: 'precondition_failed',
    detail: expect.stringContaining('Read it again'),
    attr: 'If-Match',
  },
};

describe('GET of an endpoint', () => {
  it('has a strong tag and is asked about each time', async () => {
    const { headers, body } = await get();
    expect(headers.get('etag')).toMatch(/^"[\w-]{22}\.[\w-]{22}"$/);
    expect(headers.get('cache-control')).toBe('private, no-cache');
    expect(headers.get('vary')).toContain('Authorization');
    expect(body).not.toHaveProperty('revision');
  });

  it('is 304 while nothing changed, and sent in full afterwards', async () => {
    const tag = await tagOf();
    const same = await get({ 'if-none-match': `"x", W/${tag}` });
    expect([same.status, same.text, same.headers.get('etag')]).toEqual([304, '', tag]);
    await patch('*');
    const changed = await get({ 'if-none-match': tag });
    expect([changed.status, changed.body.description]).toEqual([200, 'new']);
  });

  it('has one tag for one body, also of a version', async () => {
    const tag = await tagOf();
    expect(await tagOf('?version=1')).not.toBe(tag);
    await run(test, name);
    await test.app.core.recorder.flush();
    const later = await get();
    expect(later.body.last_executed_at).not.toBeNull();
    expect(later.headers.get('etag')).not.toBe(tag);
  });
});

describe('every other read', () => {
  it.each([
    ['the list', () => '/endpoints'],
    ['the versions', () => `${path()}/versions`],
    ['the status', () => `${path()}/materialization_status`],
    ['the document', () => `${path()}/openapi.json`],
  ])('of %s is never reused unasked, and is 304 when it is the same', async (_what, pathOf) => {
    const first = await test.rest('GET', pathOf());
    const request = { url: '/', method: 'GET', headers: {} };
    const answer = { status: 200, headers: Object.fromEntries(first.headers) };
    const policy = new CachePolicy(request, answer, { shared: false });
    expect(policy.satisfiesWithoutRevalidation(request)).toBe(false);
    const headers = policy.revalidationHeaders(request) as Record<string, string>;
    expect((await test.rest('GET', pathOf(), { headers })).status).toBe(304);
    expect(new CachePolicy(request, answer, { shared: true }).storable()).toBe(false);
  });

  it('by POST or GraphQL, and every error, is not stored', async () => {
    const times = await test.rest('POST', '/endpoints/last_execution_times', {
      body: { names: [name] },
    });
    const missing = await test.rest('GET', '/endpoints/missing');
    const graphql = await test.graphql('{ endpoints(projectId: "@current") { totalCount } }');
    for (const { headers } of [times, missing, graphql])
      expect(headers.get('cache-control')).toBe('no-store');
  });
});

describe('If-Match', () => {
  it('lets the change of what was read happen, once', async () => {
    const tag = await tagOf();
    const first = await patch(tag);
    expect([first.status, first.body.description]).toEqual([200, 'new']);
    expect(await patch(tag, { description: 'lost' })).toMatchObject(refusal);
    expect((await get()).body.description).toBe('new');
  });

  it('takes the tag of the answer to a write', async () => {
    const created = await test.rest('POST', '/endpoints', {
      body: { name: `${name}_b`, query: byCountry },
    });
    name = `${name}_b`;
    const first = await patch(created.headers.get('etag') ?? '');
    expect(first.headers.get('etag')).toBe(await tagOf());
    const second = await patch(first.headers.get('etag') ?? '', { description: 'newer' });
    expect(second.status).toBe(200);
    expect((await remove(second.headers.get('etag') ?? '')).status).toBe(204);
  });

  it('is not failed by a run, nor by what an encoding proxy adds to the tag', async () => {
    const tag = await tagOf();
    await run(test, name);
    await test.app.core.recorder.flush();
    expect((await patch(`${tag.slice(0, -1)}-gzip"`)).status).toBe(200);
  });

  it('is failed by a change at the same instant', async () => {
    const tag = await tagOf();
    const change = (body: object) =>
      test.rest('PATCH', path(), { body, headers: { 'if-match': tag } });
    expect((await change({ cache_age_seconds: 5 })).status).toBe(200);
    expect(await change({ description: 'lost' })).toMatchObject(refusal);
  });

  it('is failed by a change of any version, and by one that was taken back', async () => {
    const tag = await tagOf();
    await patch('*', { query: 'SELECT 2 AS two' });
    expect(await patch(tag)).toMatchObject(refusal);
    const second = await tagOf();
    await patch('*', { cache_age_seconds: 5 }, '?version=1');
    expect(await patch(second)).toMatchObject(refusal);
    const third = await tagOf('?version=1');
    await patch('*', { cache_age_seconds: 6 }, '?version=1');
    await patch('*', { cache_age_seconds: 5 }, '?version=1');
    expect(await patch(third, { description: 'x' }, '?version=1')).toMatchObject(refusal);
  });

  it.each([
    ['a list that has it', (tag: string) => `"a,b", ${tag}`, 200],
    ['a star', () => '*', 200],
    ['another tag', () => '"a"', 412],
    ['its tag as a weak one, which never matches strongly', (tag: string) => `W/${tag}`, 412],
  ] as const)('%s', async (_what, headerOf, status) => {
    const tag = await tagOf();
    expect((await patch(headerOf(tag))).status).toBe(status);
  });

  it.each(['', 'abc', '"a', '*, "a"', 'a, "b"', ','])('%j is refused as no tag', async (match) => {
    const before = await bystanders(test);
    expect(await patch(match)).toMatchObject({
      status: 400,
      body: { code: 'invalid_input', attr: 'If-Match' },
    });
    expect(await bystanders(test)).toEqual(before);
  });

  it('of something that is not there is 404', async () => {
    name = 'nowhere';
    expect([(await patch('*')).status, (await remove('"a"')).status]).toEqual([404, 404]);
  });

  it('guards a deletion, by either spelling', async () => {
    const tag = await tagOf();
    await patch('*');
    const before = await bystanders(test);
    expect(await remove(tag)).toMatchObject(refusal);
    expect(await patch(tag, { deleted: true })).toMatchObject(refusal);
    expect(await bystanders(test)).toEqual(before);
    expect((await remove(await tagOf())).status).toBe(204);
    expect((await test.rest('GET', path(), { project: test.other })).status).toBe(200);
  });

  it('does not match an endpoint that was made anew under the name', async () => {
    const tag = await tagOf();
    await remove('*');
    await save(test, name);
    expect(await patch(tag)).toMatchObject(refusal);
  });

  it('lets one of twenty changes at once happen', async () => {
    const tag = await tagOf();
    const changes = Array.from({ length: 20 }, (_, n) => patch(tag, { description: `by ${n}` }));
    const statuses = (await Promise.all(changes)).map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(1);
    expect(statuses.filter((status) => status === 412)).toHaveLength(19);
  });
});

describe('ifMatch of GraphQL', () => {
  const read = async () => {
    const query =
      'query ($name: String!) { endpoint(projectId: "@current", name: $name) { revision } }';
    const { data } = (await test.graphql(query, { name })).body;
    return (data as { readonly endpoint: { readonly revision: string } }).endpoint.revision;
  };
  const update = `mutation ($name: String!, $ifMatch: [String!]) {
    updateEndpoint(projectId: "@current", name: $name, ifMatch: $ifMatch, input: {description: "g"}) { revision }
  }`;
  const remove = `mutation ($name: String!, $ifMatch: [String!]) {
    deleteEndpoint(projectId: "@current", name: $name, ifMatch: $ifMatch)
  }`;
  const failed = [{ extensions: { code: 'precondition_failed', attr: 'If-Match' } }];

  it('takes the revision that was read, which REST takes, too', async () => {
    const ifMatch = await read();
    expect(await tagOf()).toContain(ifMatch);
    const changed = await test.graphql(update, { name, ifMatch });
    expect(changed.body).toEqual({ data: { updateEndpoint: { revision: await read() } } });
    expect((await test.graphql(update, { name, ifMatch })).body.errors).toMatchObject(failed);
    expect((await test.graphql(remove, { name, ifMatch })).body.errors).toMatchObject(failed);
    expect((await patch(`"${await read()}"`)).status).toBe(200);
    const deleted = await test.graphql(remove, { name, ifMatch: [await read()] });
    expect(deleted.body).toEqual({ data: { deleteEndpoint: true } });
  });
});
