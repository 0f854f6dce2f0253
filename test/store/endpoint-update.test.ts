import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { openLog } from '../../src/config/open-log.ts';
import type { Change } from '../../src/store/change.ts';
import { type ChangeFeed, openChangeFeed } from '../../src/store/change-feed.ts';
import type { VersionOfEndpoint } from '../../src/store/endpoint-record.ts';
import {
  type EndpointDraft,
  type EndpointStore,
  openEndpointStore,
} from '../../src/store/endpoint-store.ts';
import type { EndpointChange } from '../../src/store/endpoint-write.ts';
import { testClock } from '../support/clock.ts';
import { eventually } from '../support/eventually.ts';
import { openTestRecords, type TestRecords } from '../support/postgres.ts';
import { endpointDraft, everything, nextVersion } from '../support/stored-endpoints.ts';

const clock = testClock();
let db: TestRecords;
let store: EndpointStore;
let feed: ChangeFeed;
let projectId = 0;
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
  db.takeStatements();
});

function draft(over: Partial<EndpointDraft> = {}): EndpointDraft {
  return endpointDraft(projectId, over);
}

/** What a use case reads before it decides; the current version unless one is named. */
async function read(number?: number): Promise<VersionOfEndpoint> {
  const endpoint = await store.findEndpoint(projectId, 'sales');
  if (endpoint === null) throw new Error('there is no endpoint');
  const version =
    number === undefined ? endpoint.currentVersion : await store.findVersion(endpoint.id, number);
  if (version === null) throw new Error('there is no such version');
  return { endpoint, version };
}

async function update(change: EndpointChange, version?: number): Promise<VersionOfEndpoint> {
  const updated = await store.applyUpdate({ expected: await read(version), change });
  if (updated === null) throw new Error('there was a conflict');
  return updated;
}

describe('applyUpdate', () => {
  test('makes a new version the current one and leaves the old as it was', async () => {
    const created = await store.createEndpoint(draft());
    clock.advance(1000);
    const { endpoint, version } = await update({ newVersion: nextVersion('SELECT 2') });
    expect(version).toMatchObject({ version: 2, query: { query: 'SELECT 2' }, isActive: true });
    expect(endpoint).toMatchObject({ currentVersion: version, updatedAt: clock.now() });
    expect(await store.findVersion(created.id, 1)).toEqual(created.currentVersion);
  });

  test('changes what is named and nothing else', async () => {
    const materialization = { enabled: false, syncFrequency: '5min', maxRows: null };
    const created = await store.createEndpoint(draft({ materialization }));
    clock.advance(1000);
    const { endpoint, version } = await update({
      isActive: false,
      version: { cacheAgeSeconds: null, materialization: { enabled: true } },
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

  test('does not ask for another sync of what is on already', async () => {
    await store.createEndpoint(
      draft({ materialization: { enabled: true, syncFrequency: '5min', maxRows: null } }),
    );
    const first = clock.now();
    clock.advance(1000);
    const { version } = await update({
      version: { materialization: { enabled: true, syncFrequency: '1hour', maxRows: null } },
    });
    expect(version.materialization).toMatchObject({ syncFrequency: '1hour', nextSyncAt: first });
  });

  test('changes an old version without touching the current one', async () => {
    await store.createEndpoint(draft());
    const two = await update({ newVersion: nextVersion('SELECT 2') });
    const change = { version: { isActive: false, description: '' } };
    const { endpoint, version } = await update(change, 1);
    expect(version).toMatchObject({ version: 1, isActive: false, description: '' });
    expect(endpoint.currentVersion).toEqual(two.version);
    expect(endpoint.isActive).toBe(true);
  });

  test('moves the time of the update also for an empty change', async () => {
    await store.createEndpoint(draft());
    clock.advance(5000);
    const { endpoint } = await update({});
    expect(endpoint.updatedAt).toEqual(clock.now());
  });

  test('changes nothing and notifies nobody when the database refuses a part', async () => {
    await store.createEndpoint(draft());
    const before = await everything(db.records.prisma);
    await expect(
      update({
        newVersion: nextVersion('SELECT 2'),
        version: { materialization: { syncFrequency: 'weekly' } },
      }),
    ).rejects.toThrow();
    expect(await everything(db.records.prisma)).toEqual(before);
    await expectChangesOnlyOf('after');
  });

  test('costs the same number of statements however many versions there are', async () => {
    await store.createEndpoint(draft());
    const apply = async () => {
      const expected = await read();
      db.takeStatements();
      await store.applyUpdate({ expected, change: { newVersion: nextVersion('SELECT 2') } });
      return db.takeStatements().length;
    };
    const first = await apply();
    for (let i = 0; i < 5; i++) await apply();
    expect(await apply()).toBe(first);
    expect(first).toBeLessThanOrEqual(9);
  });
});

/** The endpoint of this test was made, and nothing was heard of it since. */
async function expectChangesOnlyOf(next: string): Promise<void> {
  await store.createEndpoint(draft({ name: next }));
  await eventually('the next change is heard of', () =>
    changes.some((c) => c.kind === 'endpoint' && c.projectId === projectId && c.name === next),
  );
  const heard = changes.filter((c) => c.kind === 'endpoint' && c.projectId === projectId);
  expect(heard).toHaveLength(2);
}

describe('a conflict', () => {
  const note: EndpointChange = { version: { description: 'mine' } };

  test.each<[string, EndpointChange]>([
    ['a new version', { newVersion: nextVersion('SELECT 2') }],
    ['the flag of the endpoint', { isActive: false }],
    ['the flag of the version', { version: { isActive: false } }],
    ['a description', { version: { description: 'theirs' } }],
    ['a cache age', { version: { cacheAgeSeconds: 1 } }],
    ['a cadence', { version: { materialization: { syncFrequency: '5min' } } }],
    ['a row limit', { version: { materialization: { maxRows: 5 } } }],
    ['materialization', { version: { materialization: { enabled: true } } }],
  ])('is %s that changed since, in the same millisecond', async (_what, theirs) => {
    await store.createEndpoint(draft());
    const expected = await read();
    await update(theirs);
    const before = await everything(db.records.prisma);
    expect(await store.applyUpdate({ expected, change: note })).toBeNull();
    expect(await everything(db.records.prisma)).toEqual(before);
  });

  test('is an endpoint that was deleted, or replaced by another of its name', async () => {
    await store.createEndpoint(draft());
    const expected = await read();
    await store.deleteEndpoint({ projectId, name: 'sales' });
    expect(await store.applyUpdate({ expected, change: note })).toBeNull();
    await store.createEndpoint(draft());
    expect(await store.applyUpdate({ expected, change: note })).toBeNull();
  });

  test('is no execution that was recorded meanwhile', async () => {
    const { id } = await store.createEndpoint(draft());
    const expected = await read();
    await store.updateLastExecuted(new Map([[id, clock.now()]]));
    expect(await store.applyUpdate({ expected, change: note })).not.toBeNull();
  });

  test('is met by all but one of 32 that were decided on the same facts', async () => {
    await store.createEndpoint(draft());
    const expected = await read();
    const made = await Promise.all(
      Array.from({ length: 32 }, (_, i) =>
        store.applyUpdate({ expected, change: { newVersion: nextVersion(`SELECT ${i}`) } }),
      ),
    );
    expect(made.filter((updated) => updated !== null)).toHaveLength(1);
    expect((await read()).version.version).toBe(2);
  });
});
