import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openLog } from '../../src/config/open-log.ts';
import type { Change } from '../../src/store/change.ts';
import { type ChangeFeed, openChangeFeed } from '../../src/store/change-feed.ts';
import {
  type EndpointDraft,
  type EndpointStore,
  openEndpointStore,
} from '../../src/store/endpoint-store.ts';
import { testClock } from '../support/clock.ts';
import { eventually } from '../support/eventually.ts';
import { openTestRecords, type TestRecords } from '../support/postgres.ts';
import { endpointDraft, everything, nextVersion } from '../support/stored-endpoints.ts';

const clock = testClock();
let db: TestRecords;
let store: EndpointStore;
let feed: ChangeFeed;
let projectId = 0;
let otherProjectId = 0;
const changes: Change[] = [];

beforeAll(async () => {
  db = await openTestRecords();
  store = openEndpointStore({ prisma: db.records.prisma, clock });
  feed = await openChangeFeed({ connection: db.records.connection, log: openLog('silent') });
  feed.onChange((change) => changes.push(change));
});
afterAll(async () => {
  await feed?.close();
  await db?.close();
});

let counter = 0;
beforeEach(async () => {
  clock.set('2026-03-01T12:00:00.000Z');
  counter++;
  const { prisma } = db.records;
  projectId = (await prisma.project.create({ data: { name: `p${counter}` } })).id;
  otherProjectId = (await prisma.project.create({ data: { name: `o${counter}` } })).id;
  db.takeStatements();
});

function draft(over: Partial<EndpointDraft> = {}): EndpointDraft {
  return endpointDraft(projectId, over);
}

describe('updateEndpoint', () => {
  test('a new version becomes the current one and leaves the old as it was', async () => {
    const created = await store.createEndpoint(draft());
    clock.advance(1000);
    const { endpoint, version } = await store.updateEndpoint({
      projectId,
      name: 'sales',
      change: ({ endpoint: locked }) => {
        expect(locked).toEqual(created);
        return { newVersion: nextVersion('SELECT 2') };
      },
    });
    expect(version).toMatchObject({ version: 2, query: { query: 'SELECT 2' }, isActive: true });
    expect(endpoint).toMatchObject({ currentVersion: version, updatedAt: clock.now() });
    expect(await store.findVersion(created.id, 1)).toEqual(created.currentVersion);
  });

  test('32 at once get 32 different numbers', async () => {
    const { id } = await store.createEndpoint(draft());
    const made = await Promise.all(
      Array.from({ length: 32 }, (_, i) =>
        store.updateEndpoint({
          projectId,
          name: 'sales',
          change: () => ({ newVersion: nextVersion(`SELECT ${i}`) }),
        }),
      ),
    );
    const numbers = made.map(({ version }) => version.version).sort((a, b) => a - b);
    expect(numbers).toEqual(Array.from({ length: 32 }, (_, i) => i + 2));
    const found = await store.findEndpoint(projectId, 'sales');
    expect(found?.id).toBe(id);
    expect(found?.currentVersion.version).toBe(33);
  });

  test('changes what is named and nothing else', async () => {
    const materialization = { enabled: false, syncFrequency: '5min', maxRows: null };
    const created = await store.createEndpoint(draft({ materialization }));
    clock.advance(1000);
    const { endpoint, version } = await store.updateEndpoint({
      projectId,
      name: 'sales',
      change: () => ({
        endpoint: { isActive: false },
        version: { number: 1, cacheAgeSeconds: null, materialization: { enabled: true } },
      }),
    });
    expect(version).toEqual({
      ...created.currentVersion,
      cacheAgeSeconds: null,
      materialization: {
        ...created.currentVersion.materialization,
        enabled: true,
        nextSyncAt: clock.now(),
        settingsChangedAt: clock.now(),
      },
    });
    expect(endpoint).toEqual({
      ...created,
      isActive: false,
      updatedAt: clock.now(),
      currentVersion: version,
    });
  });

  test('switching what is on already does not ask for another sync', async () => {
    await store.createEndpoint(
      draft({ materialization: { enabled: true, syncFrequency: '5min', maxRows: null } }),
    );
    const first = clock.now();
    clock.advance(1000);
    const { version } = await store.updateEndpoint({
      projectId,
      name: 'sales',
      change: () => ({
        version: {
          number: 1,
          materialization: { enabled: true, syncFrequency: '1hour', maxRows: null },
        },
      }),
    });
    expect(version.materialization).toMatchObject({ syncFrequency: '1hour', nextSyncAt: first });
  });

  test('an old version can be changed without touching the current one', async () => {
    await store.createEndpoint(draft());
    const change = { newVersion: nextVersion('SELECT 2') };
    const two = await store.updateEndpoint({ projectId, name: 'sales', change: () => change });
    const { endpoint, version } = await store.updateEndpoint({
      projectId,
      name: 'sales',
      change: async (locked) => {
        expect((await locked.findVersion(1))?.version).toBe(1);
        expect(await locked.findVersion(3)).toBeNull();
        return { version: { number: 1, isActive: false, description: '' } };
      },
    });
    expect(version).toMatchObject({ version: 1, isActive: false, description: '' });
    expect(endpoint.currentVersion).toEqual(two.version);
    expect(endpoint.isActive).toBe(true);
  });

  test('a new version can be changed in the same breath', async () => {
    await store.createEndpoint(draft());
    const { version } = await store.updateEndpoint({
      projectId,
      name: 'sales',
      change: () => ({
        newVersion: nextVersion('SELECT 2'),
        version: { number: 2, isActive: false },
      }),
    });
    expect(version).toMatchObject({ version: 2, isActive: false });
  });

  test('an empty change still moves the time of the update', async () => {
    await store.createEndpoint(draft());
    clock.advance(5000);
    const { endpoint } = await store.updateEndpoint({
      projectId,
      name: 'sales',
      change: () => ({}),
    });
    expect(endpoint.updatedAt).toEqual(clock.now());
  });

  test.each([
    [
      'a decision that throws',
      () => {
        throw new Error('no');
      },
      { message: 'no' },
    ],
    [
      'a version that does not exist, after a new one was made',
      () => ({ newVersion: nextVersion('SELECT 2'), version: { number: 7, isActive: false } }),
      { code: 'version_not_found', attr: 'version', extra: { current_version: 2 } },
    ],
    [
      'a value that the rules refuse, after a new version was made',
      () => ({
        newVersion: nextVersion('SELECT 2'),
        version: { number: 1, materialization: { syncFrequency: 'weekly' } },
      }),
      {},
    ],
  ])('%s changes nothing and tells nobody', async (_what, change, error) => {
    await store.createEndpoint(draft());
    const before = await everything(db.records.prisma);
    const update = store.updateEndpoint({ projectId, name: 'sales', change });
    await expect(update).rejects.toMatchObject(error);
    expect(await everything(db.records.prisma)).toEqual(before);

    await store.createEndpoint(draft({ name: 'after' }));
    await eventually('the next change is heard of', () =>
      changes.some((c) => c.kind === 'endpoint' && c.projectId === projectId && c.name === 'after'),
    );
    const heard = changes.filter((c) => c.kind === 'endpoint' && c.projectId === projectId);
    expect(heard).toHaveLength(2);
  });

  test('throws not_found for an endpoint that does not exist, without asking for a decision', async () => {
    await store.createEndpoint(draft({ projectId: otherProjectId }));
    const change = () => {
      throw new Error('must not be asked');
    };
    await expect(store.updateEndpoint({ projectId, name: 'sales', change })).rejects.toMatchObject({
      code: 'not_found',
    });
  });

  test('waits for the one before it and decides on what that one left', async () => {
    await store.createEndpoint(draft());
    const reached = Promise.withResolvers<void>();
    const go = Promise.withResolvers<void>();
    const first = store.updateEndpoint({
      projectId,
      name: 'sales',
      change: async () => {
        reached.resolve();
        await go.promise;
        return { endpoint: { isActive: false } };
      },
    });
    await reached.promise;
    const seen: boolean[] = [];
    const second = store.updateEndpoint({
      projectId,
      name: 'sales',
      change: ({ endpoint }) => {
        seen.push(endpoint.isActive);
        return {};
      },
    });
    await eventually('the second waits for a lock', async () => {
      const { rows } = await db.records.pool.query(
        "SELECT 1 FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()",
      );
      return rows.length === 1;
    });
    go.resolve();
    await Promise.all([first, second]);
    expect(seen).toEqual([false]);
  });

  test('costs the same number of statements however many versions there are', async () => {
    await store.createEndpoint(draft());
    const update = () =>
      store.updateEndpoint({
        projectId,
        name: 'sales',
        change: () => ({ newVersion: nextVersion('SELECT 2') }),
      });
    db.takeStatements();
    await update();
    const first = db.takeStatements().length;
    for (let i = 0; i < 5; i++) await update();
    db.takeStatements();
    await update();
    expect(db.takeStatements()).toHaveLength(first);
    expect(first).toBeLessThanOrEqual(9);
  });
});
