import { afterAll, afterEach, beforeAll, expect, test } from 'vitest';
import { openLog } from '../../src/config/open-log.ts';
import { type Change, notifyChange, parseChange } from '../../src/store/change.ts';
import { type ChangeFeed, openChangeFeed } from '../../src/store/change-feed.ts';
import { openKeyStore } from '../../src/store/key-store.ts';
import { testClock } from '../support/clock.ts';
import { eventually } from '../support/eventually.ts';
import { openTestRecords, type TestRecords } from '../support/postgres.ts';
import { openRelay } from '../support/relay.ts';

const log = openLog('silent');
let db: TestRecords;
const feeds: ChangeFeed[] = [];

beforeAll(async () => {
  db = await openTestRecords();
});
afterEach(async () => {
  await Promise.all(feeds.splice(0).map((feed) => feed.close()));
});
afterAll(() => db?.close());

async function listenTo() {
  const feed = await openChangeFeed({ connection: db.records.connection, log });
  feeds.push(feed);
  const changes: Change[] = [];
  let gaps = 0;
  feed.onChange((change) => changes.push(change));
  feed.onGap(() => gaps++);
  return { feed, changes, gaps: () => gaps };
}

/** Cuts every listening connection of the database, as a restart of the server does. */
async function cutListeners() {
  await db.records.pool.query(
    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND application_name = 'querydock change feed'",
  );
}

test('a revoke is heard by every connection, and only when it happened', async () => {
  const { prisma } = db.records;
  const user = await prisma.user.create({ data: { email: 'a@example.com' } });
  const keys = openKeyStore({ prisma, clock: testClock() });
  const draft = { label: 'l', projectIds: [], expiresAt: null };
  const { id } = await keys.createKey({ ...draft, userId: user.id, scopes: ['admin'] });
  const one = await listenTo();
  const two = await listenTo();
  await keys.revokeKey(id);
  await keys.revokeKey(id);
  await notifyChange(prisma, { kind: 'project', id: 1 });
  const expected = [
    { kind: 'key', id },
    { kind: 'project', id: 1 },
  ];
  for (const { changes, gaps } of [one, two]) {
    await eventually('the changes arrive', () => changes.length >= 2);
    expect(changes).toEqual(expected);
    expect(gaps()).toBe(0);
  }
});

test('what a transaction took back is not heard of', async () => {
  const { prisma } = db.records;
  const { changes } = await listenTo();
  const failing = prisma.$transaction(async (tx) => {
    await notifyChange(tx, { kind: 'project', id: 2 });
    throw new Error('no');
  });
  await expect(failing).rejects.toThrow('no');
  await notifyChange(prisma, { kind: 'endpoint', projectId: 3, name: 'sales', fields: [] });
  await eventually('the change arrives', () => changes.length > 0);
  expect(changes).toEqual([{ kind: 'endpoint', projectId: 3, name: 'sales', fields: [] }]);
});

test('a lost connection is a gap, is made again, and hears again', async () => {
  const { feed, changes, gaps } = await listenTo();
  const connectedAtGap: boolean[] = [];
  feed.onGap(() => connectedAtGap.push(feed.isConnected()));
  expect(feed.isConnected()).toBe(true);
  await cutListeners();
  await eventually('it is back', () => gaps() === 2 && feed.isConnected());
  expect(connectedAtGap).toEqual([false, true]);
  await notifyChange(db.records.prisma, { kind: 'project', id: 4 });
  await eventually('the change arrives', () => changes.length > 0);
  expect(changes).toEqual([{ kind: 'project', id: 4 }]);
});

test('a connection that broke silently is noticed and made again', async () => {
  const relay = await openRelay(db.database.databaseUrl);
  await relay.listen();
  const connection = { connectionString: relay.databaseUrl };
  const feed = await openChangeFeed({ connection, log, heartbeatMs: 50 });
  feeds.push(feed);
  const changes: Change[] = [];
  let gaps = 0;
  feed.onChange((change) => changes.push(change));
  feed.onGap(() => gaps++);
  relay.freeze();
  await eventually('it is back', () => gaps === 2 && feed.isConnected());
  await notifyChange(db.records.prisma, { kind: 'project', id: 7 });
  await eventually('the change arrives', () => changes.length > 0);
  await feed.close();
  await relay.close();
});

test('a change of a kind that this build does not know is a gap', async () => {
  const { changes, gaps } = await listenTo();
  await db.records.pool.query(`SELECT pg_notify('querydock_changes', '{"kind":"tag","id":1}')`);
  await eventually('it is noticed', () => gaps() === 1);
  expect(changes).toEqual([]);
});

test('one listener’s failure does not keep a change from the others', async () => {
  const { feed } = await listenTo();
  const heard: Change[] = [];
  feed.onChange(() => {
    throw new Error('no');
  });
  const stop = feed.onChange((change) => heard.push(change));
  await notifyChange(db.records.prisma, { kind: 'project', id: 5 });
  await eventually('it is heard', () => heard.length === 1);
  stop();
  const after = await listenTo();
  await notifyChange(db.records.prisma, { kind: 'project', id: 6 });
  await eventually('it is heard by the other', () => after.changes.length === 1);
  expect(heard).toHaveLength(1);
});

test('a closed feed is not connected and emits nothing more', async () => {
  const { feed, gaps } = await listenTo();
  await feed.close();
  expect(feed.isConnected()).toBe(false);
  expect(gaps()).toBe(0);
  await feed.close();
});

test('the first connection must succeed', async () => {
  const connection = { host: '127.0.0.1', port: 1 };
  await expect(openChangeFeed({ connection, log })).rejects.toThrow(/ECONNREFUSED/);
});

test.each([
  '',
  'null',
  '[]',
  '{"kind":"key"}',
  '{"kind":"project","id":"1"}',
  '{"kind":"endpoint","name":"a"}',
])('%j is no change', (payload) => {
  expect(parseChange(payload)).toBeNull();
});
