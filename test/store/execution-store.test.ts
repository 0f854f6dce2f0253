import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { uuidv7 } from '../../src/lib/ids.ts';
import {
  type ExecutionRecord,
  type ExecutionStore,
  openExecutionStore,
} from '../../src/store/execution-store.ts';
import { testClock } from '../support/clock.ts';
import { eventually } from '../support/eventually.ts';
import { openTestRecords, type TestRecords } from '../support/postgres.ts';

const clock = testClock();
let db: TestRecords;
let store: ExecutionStore;
let projectId = 0;
let otherProjectId = 0;
let endpointId = '';

beforeAll(async () => {
  db = await openTestRecords();
  store = openExecutionStore({ prisma: db.records.prisma });
});
afterAll(() => db?.close());

beforeEach(async () => {
  const { prisma } = db.records;
  await prisma.project.deleteMany();
  projectId = (await prisma.project.create({ data: { name: 'p' } })).id;
  otherProjectId = (await prisma.project.create({ data: { name: 'o' } })).id;
  endpointId = (
    await prisma.endpoint.create({ data: { projectId, name: 'sales', graphqlName: 'sales' } })
  ).id;
  db.takeStatements();
});

function execution(over: Partial<ExecutionRecord> = {}): ExecutionRecord {
  return {
    id: uuidv7(clock.now()),
    projectId,
    endpointId,
    endpointName: 'sales',
    version: 1,
    clientQueryId: null,
    apiKeyId: null,
    door: 'rest',
    servedFrom: 'inline',
    format: 'json',
    startTime: clock.now(),
    endTime: null,
    errorCode: null,
    errorMessage: null,
    resultRows: 0n,
    resultBytes: 0n,
    rowsRead: 0n,
    bytesRead: 0n,
    rowsTotal: 0n,
    timeElapsed: 0,
    processorMicros: null,
    variables: {},
    inlineReason: null,
    cacheReason: null,
    plan: null,
    ...over,
  };
}

function ended(row: ExecutionRecord): ExecutionRecord {
  return {
    ...row,
    endTime: new Date('2026-03-01T12:00:01.250Z'),
    errorCode: 'query_failed',
    errorMessage: 'it’s, {odd} "words", \\ NULL',
    resultRows: 3n,
    resultBytes: 9_007_199_254_740_993n,
    rowsRead: 1_000_000n,
    bytesRead: 2n ** 62n,
    rowsTotal: 1_000_001n,
    timeElapsed: 0.1234567890123,
  };
}

describe('upsertExecutions', () => {
  test('stores a batch whole, every digit of it, in one statement', async () => {
    const rows = Array.from({ length: 500 }, (_, i) =>
      i % 2 === 0
        ? execution({ clientQueryId: `c${i}`, apiKeyId: endpointId, door: 'graphql' })
        : ended(execution({ servedFrom: 'materialized' })),
    );
    await store.upsertExecutions(rows);
    expect(db.takeStatements()).toHaveLength(1);
    for (const row of [rows[0], rows[1], rows[499]]) {
      expect(await store.findExecution(projectId, row?.id ?? '')).toEqual(row);
    }
    expect(await db.records.prisma.queryStatus.count()).toBe(500);
    await store.upsertExecutions([]);
  });

  test('updates what is there and leaves other rows alone', async () => {
    const running = execution();
    const bystander = execution();
    await store.upsertExecutions([running, bystander]);
    await store.upsertExecutions([ended(running)]);
    expect(await store.findExecution(projectId, running.id)).toEqual(ended(running));
    expect(await store.findExecution(projectId, bystander.id)).toEqual(bystander);
  });

  test('waits for a delete of their endpoint that has begun, and then stores them without it', async () => {
    const { prisma } = db.records;
    const running = execution();
    await store.upsertExecutions([running]);
    let recorded: Promise<void> = Promise.resolve();
    await prisma.$transaction(async (tx) => {
      await tx.$queryRaw`SELECT 1 FROM endpoint WHERE id = ${endpointId}::uuid FOR UPDATE`;
      recorded = store.upsertExecutions([ended(running), execution()]);
      await eventually('the batch waits for the endpoint', async () => {
        const waiting = await prisma.$queryRaw<unknown[]>`
          SELECT 1 FROM pg_stat_activity WHERE datname = current_database()
            AND wait_event_type = 'Lock' AND query LIKE '%INSERT INTO query_status%'`;
        return waiting.length === 1;
      });
      await tx.endpoint.delete({ where: { id: endpointId } });
    });
    await recorded;
    const expected = { ...ended(running), endpointId: null };
    expect(await store.findExecution(projectId, running.id)).toEqual(expected);
    expect(await prisma.queryStatus.count({ where: { endpointId: null } })).toBe(2);
  });

  test('takes the last of several rows with one id, and never reopens what has ended', async () => {
    const running = execution();
    await store.upsertExecutions([running, ended(running)]);
    expect(await store.findExecution(projectId, running.id)).toEqual(ended(running));
    await store.upsertExecutions([{ ...running, rowsRead: 5n }]);
    expect(await store.findExecution(projectId, running.id)).toEqual(ended(running));
  });

  test('keeps the batch when an endpoint or a project of it is gone', async () => {
    const orphan = execution({ endpointId: uuidv7(clock.now()) });
    const lost = execution({ projectId: 2_000_000 });
    const fine = execution();
    await store.upsertExecutions([orphan, lost, fine]);
    expect(await store.findExecution(projectId, orphan.id)).toEqual({
      ...orphan,
      endpointId: null,
    });
    expect(await store.findExecution(projectId, fine.id)).toEqual(fine);
    expect(await db.records.prisma.queryStatus.count()).toBe(2);
  });

  test('keeps the batch when endpoints are deleted under it', async () => {
    const { prisma } = db.records;
    const ids = await Promise.all(
      Array.from({ length: 20 }, async (_, i) => {
        const made = await prisma.endpoint.create({
          data: { projectId, name: `gone${i}`, graphqlName: `gone${i}` },
        });
        return made.id;
      }),
    );
    const rows = ids.flatMap((id) =>
      Array.from({ length: 50 }, () => execution({ endpointId: id })),
    );
    await Promise.all([
      store.upsertExecutions(rows),
      ...ids.map((id) => prisma.endpoint.delete({ where: { id } })),
    ]);
    expect(await prisma.queryStatus.count()).toBe(rows.length);
  });

  test('drops the one character that PostgreSQL cannot hold', async () => {
    const row = execution({ errorMessage: 'a\0b' });
    await store.upsertExecutions([row]);
    expect((await store.findExecution(projectId, row.id))?.errorMessage).toBe('ab');
  });
});

describe('findExecution', () => {
  test('by client_query_id gives the newest, also when it looks like an id', async () => {
    const clientQueryId = uuidv7(clock.now());
    const older = execution({ clientQueryId, startTime: new Date('2026-03-01T11:00:00.000Z') });
    const newer = execution({ clientQueryId });
    await store.upsertExecutions([newer, older]);
    expect(await store.findExecution(projectId, clientQueryId)).toEqual(newer);
    expect(await store.findExecution(projectId, older.id)).toEqual(older);
  });

  test('finds nothing of another project, and nothing for odd input', async () => {
    const row = execution({ clientQueryId: 'mine' });
    await store.upsertExecutions([row]);
    expect(await store.findExecution(otherProjectId, row.id)).toBeNull();
    expect(await store.findExecution(otherProjectId, 'mine')).toBeNull();
    for (const id of ['', 'unknown', 'a\0b']) {
      expect(await store.findExecution(projectId, id)).toBeNull();
    }
  });
});

describe('deleteExecutionsBefore', () => {
  const limit = new Date('2026-01-01T00:00:00.000Z');
  const before = new Date(limit.getTime() - 1);

  test('deletes in chunks what began before, and nothing else', async () => {
    const old = Array.from({ length: 25 }, () => execution({ startTime: before }));
    const kept = [
      execution({ startTime: limit }),
      execution(),
      execution({ projectId: otherProjectId, endpointId: null }),
    ];
    await store.upsertExecutions([...old, ...kept]);
    db.takeStatements();
    expect(await store.deleteExecutionsBefore(limit, 10)).toBe(25);
    expect(db.takeStatements()).toHaveLength(3);
    const left = await db.records.prisma.queryStatus.findMany({ select: { id: true } });
    expect(left.map(({ id }) => id).sort()).toEqual(kept.map(({ id }) => id).sort());
    expect(await store.deleteExecutionsBefore(limit, 10)).toBe(0);
  });

  test('stops when the last chunk was full but nothing is left', async () => {
    await store.upsertExecutions(
      Array.from({ length: 20 }, () => execution({ startTime: before })),
    );
    expect(await store.deleteExecutionsBefore(limit, 10)).toBe(20);
  });
});
