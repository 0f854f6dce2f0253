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
import {
  content,
  endpointDraft,
  everything,
  nextVersion,
  off,
} from '../support/stored-endpoints.ts';

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

describe('createEndpoint', () => {
  test('stores the endpoint with version 1 and gives back what findEndpoint finds', async () => {
    const created = await store.createEndpoint(draft());
    expect(created).toMatchObject({
      projectId,
      name: 'sales',
      isActive: true,
      createdAt: clock.now(),
      updatedAt: clock.now(),
      lastExecutedAt: null,
      currentVersion: {
        version: 1,
        description: 'what was sold',
        ...content,
        isActive: true,
        createdAt: clock.now(),
        materialization: { ...off, nextSyncAt: null, rowCount: null },
      },
    });
    expect(created.currentVersion.endpointId).toBe(created.id);
    expect(await store.findEndpoint(projectId, 'sales')).toEqual(created);
    expect(await store.findVersion(created.id, 1)).toEqual(created.currentVersion);
  });

  test('asks for a first sync at once when it is materialized', async () => {
    const materialization = { enabled: true, syncFrequency: '5min', maxRows: null };
    const created = await store.createEndpoint(draft({ materialization }));
    expect(created.currentVersion.materialization).toMatchObject({
      ...materialization,
      nextSyncAt: clock.now(),
    });
  });

  test('refuses a taken name and stores nothing', async () => {
    await store.createEndpoint(draft());
    const before = await everything(db.records.prisma);
    await expect(store.createEndpoint(draft())).rejects.toMatchObject({
      code: 'unique',
      attr: 'name',
      message: 'An endpoint named "sales" already exists in this project. Choose another name.',
    });
    expect(await everything(db.records.prisma)).toEqual(before);
  });

  test('gives one of many who want the same name at once', async () => {
    const results = await Promise.allSettled(
      Array.from({ length: 16 }, () => store.createEndpoint(draft())),
    );
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused).toHaveLength(15);
    for (const { reason } of refused) expect(reason).toMatchObject({ code: 'unique' });
  });

  test('accepts the same name in another project', async () => {
    const mine = await store.createEndpoint(draft());
    const theirs = await store.createEndpoint(draft({ projectId: otherProjectId }));
    expect(theirs.id).not.toBe(mine.id);
    expect(await store.findEndpoint(projectId, 'sales')).toEqual(mine);
  });

  test('notifies the other processes, and not about what it refused', async () => {
    await store.createEndpoint(draft());
    await store.createEndpoint(draft()).catch(() => {});
    await store.createEndpoint(draft({ name: 'later' }));
    await eventually('the second endpoint is heard of', () =>
      changes.some((change) => change.kind === 'endpoint' && change.name === 'later'),
    );
    const heard = changes.filter((c) => c.kind === 'endpoint' && c.projectId === projectId);
    expect(heard).toEqual([
      { kind: 'endpoint', projectId, name: 'sales', fields: ['sales'] },
      { kind: 'endpoint', projectId, name: 'later', fields: ['later'] },
    ]);
  });
});

describe('reading', () => {
  test('costs one statement, found or not', async () => {
    const { id } = await store.createEndpoint(draft());
    db.takeStatements();
    await store.findEndpoint(projectId, 'sales');
    expect(db.takeStatements()).toHaveLength(1);
    await store.findEndpoint(projectId, 'nothing');
    expect(db.takeStatements()).toHaveLength(1);
    await store.findVersion(id, 1);
    expect(db.takeStatements()).toHaveLength(1);
  });

  test.each([
    ['another project', () => store.findEndpoint(otherProjectId, 'sales')],
    ['another case of letters', () => store.findEndpoint(projectId, 'Sales')],
    ['a name that no column can hold', () => store.findEndpoint(projectId, 'sa\0les')],
    ['a project beyond every id', () => store.findEndpoint(2 ** 40, 'sales')],
  ])('finds nothing for %s', async (_what, find) => {
    await store.createEndpoint(draft());
    expect(await find()).toBeNull();
  });

  test('finds no version that is not there', async () => {
    const { id } = await store.createEndpoint(draft());
    expect(await store.findVersion(id, 2)).toBeNull();
    expect(await store.findVersion(id, 2 ** 40)).toBeNull();
    expect(await store.findVersion(id, 1.5)).toBeNull();
  });
});

describe('bystanders', () => {
  test('neither update nor delete touches another endpoint or another project', async () => {
    await store.createEndpoint(draft());
    await store.createEndpoint(draft({ name: 'bystander' }));
    await store.createEndpoint(draft({ projectId: otherProjectId }));
    const find = async () => [
      await store.findEndpoint(projectId, 'bystander'),
      await store.findEndpoint(otherProjectId, 'sales'),
    ];
    const before = await find();
    clock.advance(1000);
    const endpoint = await store.findEndpoint(projectId, 'sales');
    if (endpoint === null) throw new Error('there is no endpoint');
    const updated = await store.applyUpdate({
      expected: { endpoint, version: endpoint.currentVersion },
      change: {
        newVersion: nextVersion('SELECT 2'),
        isActive: false,
        version: { isActive: false, materialization: { enabled: true } },
      },
    });
    expect(updated).not.toBeNull();
    expect(await find()).toEqual(before);
    expect(await store.deleteEndpoint({ projectId, name: 'sales' })).toBe(true);
    expect(await find()).toEqual(before);
  });
});

describe('deleteEndpoint', () => {
  test('deletes the versions too, leaves the query statuses, frees the name', async () => {
    const { id } = await store.createEndpoint(draft());
    const { prisma } = db.records;
    const status = await prisma.queryStatus.create({
      data: {
        id,
        projectId,
        endpointId: id,
        endpointName: 'sales',
        version: 1,
        door: 'rest',
        servedFrom: 'inline',
        startTime: clock.now(),
      },
    });
    expect(await store.deleteEndpoint({ projectId, name: 'sales' })).toBe(true);
    expect(await store.findEndpoint(projectId, 'sales')).toBeNull();
    expect(await prisma.endpointVersion.count({ where: { endpointId: id } })).toBe(0);
    const left = await prisma.queryStatus.findUniqueOrThrow({ where: { id: status.id } });
    expect(left).toMatchObject({ endpointId: null, endpointName: 'sales' });
    await store.createEndpoint(draft());
  });

  test('returns whether it happened, and only one of two at once did it', async () => {
    await store.createEndpoint(draft());
    const done = await Promise.all([
      store.deleteEndpoint({ projectId, name: 'sales' }),
      store.deleteEndpoint({ projectId, name: 'sales' }),
    ]);
    expect(done.filter(Boolean)).toHaveLength(1);
    expect(await store.deleteEndpoint({ projectId: otherProjectId, name: 'sales' })).toBe(false);
  });
});

describe('last executions', () => {
  const early = new Date('2026-03-01T10:00:00.000Z');
  const late = new Date('2026-03-01T11:00:00.000Z');

  test('move forward only, in one statement, and leave the rest of the endpoint alone', async () => {
    const a = await store.createEndpoint(draft({ name: 'a' }));
    const b = await store.createEndpoint(draft({ name: 'b' }));
    const c = await store.createEndpoint(draft({ name: 'c' }));
    await store.updateLastExecuted(new Map([[a.id, late]]));
    db.takeStatements();
    await store.updateLastExecuted(
      new Map([
        [a.id, early],
        [b.id, early],
        ['00000000-0000-7000-8000-000000000000', late],
      ]),
    );
    expect(db.takeStatements()).toHaveLength(1);
    expect(await store.findEndpoint(projectId, 'a')).toEqual({ ...a, lastExecutedAt: late });
    expect(await store.findEndpoint(projectId, 'b')).toEqual({ ...b, lastExecutedAt: early });
    expect(await store.findEndpoint(projectId, 'c')).toEqual(c);
    await store.updateLastExecuted(new Map());
  });

  test('are found by name since a time, of one project, in one statement', async () => {
    const a = await store.createEndpoint(draft({ name: 'a' }));
    const b = await store.createEndpoint(draft({ name: 'b' }));
    await store.createEndpoint(draft({ name: 'never' }));
    const theirs = await store.createEndpoint(draft({ projectId: otherProjectId, name: 'b2' }));
    await store.updateLastExecuted(
      new Map([
        [a.id, early],
        [b.id, late],
        [theirs.id, late],
      ]),
    );
    db.takeStatements();
    const names = ['a', 'b', 'b', 'b2', 'never', 'unknown'];
    expect(await store.lastExecutionTimes({ projectId, names, since: early })).toEqual(
      new Map([
        ['a', early],
        ['b', late],
      ]),
    );
    expect(db.takeStatements()).toHaveLength(1);
    expect(await store.lastExecutionTimes({ projectId, names, since: late })).toEqual(
      new Map([['b', late]]),
    );
    expect(await store.lastExecutionTimes({ projectId, names: [], since: early })).toEqual(
      new Map(),
    );
  });

  test('two batches that overlap in opposite orders do not block each other for good', async () => {
    const made = await Promise.all(
      Array.from({ length: 20 }, (_, i) => store.createEndpoint(draft({ name: `e${i}` }))),
    );
    const times = made.map(({ id }, i) => [id, new Date(late.getTime() + i)] as const);
    await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        store.updateLastExecuted(new Map(i % 2 === 0 ? times : times.toReversed())),
      ),
    );
    const found = await store.findEndpoint(projectId, 'e19');
    expect(found?.lastExecutedAt).toEqual(new Date(late.getTime() + 19));
  });
});
