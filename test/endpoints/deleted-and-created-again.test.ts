/** Changes of an endpoint whose name is deleted and taken again meanwhile, and changes that PostgreSQL rolls back. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { PrismaClient } from '../../src/generated/prisma/client.ts';
import { type EndpointStore, openEndpointStore } from '../../src/store/endpoint-store.ts';
import { byCountry, bystanders, openSalesApp, save } from '../rest/support/sales.ts';
import { eventually } from '../support/eventually.ts';
import { failOnce } from '../support/fail-once.ts';
import { content, endpointDraft } from '../support/stored-endpoints.ts';
import type { TestApp } from '../support/test-app.ts';

let test: TestApp;
let end: () => Promise<void> = async () => undefined;

beforeAll(async () => {
  test = await openSalesApp();
  await save(test, 'bystander');
});
afterEach(async () => {
  await end();
  end = async () => undefined;
});
afterAll(() => test.close());

/** Does the work in one transaction, which commits once a request waits for it. */
async function whileWaitedFor<T>(
  work: (store: EndpointStore) => Promise<unknown>,
  ask: () => Promise<T>,
): Promise<T> {
  const { prisma, pool } = test.backends.metadata;
  const waiting = async () => {
    const { rows } = await pool.query(
      "SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'",
    );
    return rows.length > 0;
  };
  let asked: Promise<T> | undefined;
  await prisma.$transaction(
    async (tx) => {
      const $transaction = (inner: (client: typeof tx) => Promise<unknown>) => inner(tx);
      const client = { $transaction } as unknown as PrismaClient;
      await work(openEndpointStore({ prisma: client, clock: test.clock }));
      asked = ask();
      await eventually('the request waits', waiting);
    },
    { timeout: 180_000 },
  );
  if (asked === undefined) throw new Error('nothing was asked');
  return asked;
}

describe('a DELETE that waits while the name is deleted and created again', () => {
  it.each([
    ['', {}],
    [' with If-Match', { 'if-match': '"another"' }],
  ])('finds nothing to delete%s, and leaves the new endpoint alone', async (_with, headers) => {
    const projectId = test.project.id;
    const first = await save(test, 'sales');
    const others = await bystanders(test, ['sales']);
    const { status, body } = await whileWaitedFor(
      async (store) => {
        await store.deleteEndpoint({ projectId, name: 'sales' });
        await store.createEndpoint(
          endpointDraft(projectId, {
            description: 'the second',
            version: { ...content, variables: [] },
          }),
        );
      },
      () => test.rest('DELETE', '/endpoints/sales', { headers }),
    );
    expect([status, body]).toMatchObject([
      404,
      { code: 'not_found', detail: 'The project has no endpoint with this name.' },
    ]);
    const next = await test.rest('GET', '/endpoints/sales');
    expect(next.body).toMatchObject({ description: 'the second', current_version: 1 });
    expect(next.body.id).not.toBe(first.id);
    expect(await bystanders(test, ['sales'])).toEqual(others);
    expect((await test.rest('DELETE', '/endpoints/sales')).status).toBe(204);
  });
});

describe('a change that PostgreSQL rolls back to end a deadlock', () => {
  const fail = async (event: string) => {
    end = await failOnce(test.backends.metadata.pool, { table: 'endpoint', event, code: '40P01' });
  };

  it('is made again: POST', async () => {
    await fail('INSERT');
    const body = { name: 'made', query: byCountry };
    expect((await test.rest('POST', '/endpoints', { body })).status).toBe(201);
    expect((await test.rest('GET', '/endpoints/made')).body).toMatchObject({ versions_count: 1 });
  });

  it('is made again: PATCH', async () => {
    await save(test, 'changed');
    await fail('UPDATE OF updated_at');
    const body = { query: 'SELECT 1 AS n' };
    const { status, body: changed } = await test.rest('PATCH', '/endpoints/changed', { body });
    expect([status, changed]).toMatchObject([200, { current_version: 2, versions_count: 2 }]);
  });

  it('is made again: DELETE', async () => {
    await save(test, 'deleted');
    await fail('DELETE');
    expect((await test.rest('DELETE', '/endpoints/deleted')).status).toBe(204);
    expect((await test.rest('GET', '/endpoints/deleted')).status).toBe(404);
  });
});
