/** An update is decided on what it read; when another one comes in between, it is decided anew on what that one left. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Principal } from '../../src/access/principal.ts';
import type { EndpointDeps } from '../../src/endpoints/deps.ts';
import type { EndpointInput } from '../../src/endpoints/endpoint-input.ts';
import { updateEndpoint } from '../../src/endpoints/update-endpoint.ts';
import type { VersionOfEndpoint } from '../../src/store/endpoint-record.ts';
import { byCountry, change, ofCountry, openSalesApp, save } from '../rest/support/sales.ts';
import type { TestApp } from '../support/test-app.ts';

let test: TestApp;
let principal: Principal;
let name = '';
let count = 0;

beforeAll(async () => {
  test = await openSalesApp();
  principal = {
    keyId: '01900000-0000-7000-8000-000000000001',
    userId: 1,
    scopes: ['endpoint:write'],
    projectIds: [test.project.id],
    limits: {},
    via: 'rest',
  };
});
afterAll(() => test.close());
beforeEach(async () => {
  name = `e${++count}`;
  await save(test, name, { description: 'first' });
});

interface Watched {
  readonly deps: EndpointDeps;
  /** How often the update was applied, and how often the engine was asked for it. */
  readonly calls: { applied: number; planned: number; counted: number };
}

/** The service, in which each of `others` is done just before one attempt is applied. */
function disturbed(others: readonly (() => Promise<unknown>)[]): Watched {
  const { core } = test.app;
  const calls = { applied: 0, planned: 0, counted: 0 };
  const deps: EndpointDeps = {
    ...core,
    endpoints: {
      ...core.endpoints,
      async applyUpdate(update) {
        await others[calls.applied++]?.();
        return core.endpoints.applyUpdate(update);
      },
    },
    eligibility: {
      ...core.eligibility,
      plan(projectId, query) {
        calls.planned++;
        return core.eligibility.plan(projectId, query);
      },
      checkRowLimit(request) {
        calls.counted++;
        return core.eligibility.checkRowLimit(request);
      },
    },
  };
  return { deps, calls };
}

const update = (deps: EndpointDeps, input: EndpointInput): Promise<VersionOfEndpoint> =>
  updateEndpoint(deps, principal, { projectId: '@current', name, input });

async function newestEntry() {
  const { body } = await test.graphql(
    'query ($name: String!) { auditLog(projectId: "@current", first: 1, filter: { endpoint: $name }) { edges { node { version before after } } } }',
    { name },
  );
  const log = body.data?.auditLog as { readonly edges: readonly { readonly node: unknown }[] };
  return log.edges[0]?.node;
}

describe('a change that comes between reading and applying', () => {
  it('of a setting is kept, and the audit log has what the update changed of it', async () => {
    const { deps, calls } = disturbed([
      () => change(test, name, { description: 'theirs', cache_age_seconds: 5 }),
    ]);
    const { version } = await update(deps, { description: 'mine' });
    expect(calls.applied).toBe(2);
    expect(version).toMatchObject({ description: 'mine', cacheAgeSeconds: 5 });
    expect(await newestEntry()).toEqual({
      version: 1,
      before: { description: 'theirs' },
      after: { description: 'mine' },
    });
  });

  it('of the query is followed: the next version inherits from the one in between', async () => {
    const { deps } = disturbed([
      () => change(test, name, { query: 'SELECT 1 AS n', description: 'second' }),
    ]);
    const { endpoint, version } = await update(deps, { query: ofCountry });
    expect(version).toMatchObject({ version: 3, description: 'second' });
    expect(endpoint.currentVersion).toEqual(version);
  });

  it('to the same query leaves nothing to change', async () => {
    const { deps } = disturbed([() => change(test, name, { query: ofCountry })]);
    const { version } = await update(deps, { query: ofCountry, description: 'mine' });
    expect(version).toMatchObject({ version: 2, description: 'mine' });
  });

  it('that makes the update wrong refuses it', async () => {
    const { deps, calls } = disturbed([() => change(test, name, { is_active: false })]);
    await expect(update(deps, { isMaterialized: true })).rejects.toMatchObject({
      code: 'cannot_materialize',
      message: expect.stringContaining('The endpoint is inactive'),
    });
    expect(calls.applied).toBe(1);
  });

  it('that deletes the endpoint makes it not_found', async () => {
    const { deps } = disturbed([() => test.rest('DELETE', `/endpoints/${name}`)]);
    await expect(update(deps, { description: 'mine' })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  it('and comes again and again is survived', async () => {
    const others = Array.from(
      { length: 6 },
      (_, i) => () => change(test, name, { description: `theirs ${i}` }),
    );
    const { deps, calls } = disturbed(others);
    const { version } = await update(deps, { cacheAgeSeconds: 7 });
    expect(calls.applied).toBe(7);
    expect(version).toMatchObject({ description: 'theirs 5', cacheAgeSeconds: 7 });
  });
});

describe('the engine', () => {
  it('plans and counts once, however often the update is tried', async () => {
    const { deps, calls } = disturbed([
      () => change(test, name, { description: 'a' }),
      () => change(test, name, { description: 'b' }),
    ]);
    await update(deps, { isMaterialized: true });
    expect(calls).toEqual({ applied: 3, planned: 1, counted: 1 });
  });

  it('plans again for another version', async () => {
    const { deps, calls } = disturbed([
      () => change(test, name, { query: `${byCountry} LIMIT 5` }),
    ]);
    const { version } = await update(deps, { isMaterialized: true });
    expect(version).toMatchObject({ version: 2, materialization: { enabled: true } });
    expect(calls).toEqual({ applied: 2, planned: 2, counted: 2 });
  });

  it('is asked nothing for what turns nothing on', async () => {
    const { deps, calls } = disturbed([]);
    await update(deps, { description: 'mine', maxStoredRows: 5, isActive: true });
    expect(calls).toEqual({ applied: 1, planned: 0, counted: 0 });
  });
});
