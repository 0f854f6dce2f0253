/** What administrators are told of the health of the service, with two processes and backends that go away. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, openApp } from '../../src/app.ts';
import { openLog } from '../../src/config/open-log.ts';
import { openMetadataDatabase } from '../../src/store/metadata-database.ts';
import { openEngineRelay } from '../support/engine-relay.ts';
import { eventually } from '../support/eventually.ts';
import { hasRedis, openTestRedis } from '../support/redis.ts';
import { openRelay, type Relay } from '../support/relay.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

const document = `{ health { incomplete syncs { enabled due running failed } processes {
  id isThis isSilent isDraining seenAt startedAt host pid version memoryBytes connections liveStreams
  queues { name running waiting maxRunning maxWaiting }
  cache { entries bytes maxBytes hits misses evictions }
  backends { name isUp latencyMs awaySince }
  engines { address isUp version uptimeSeconds memoryBytes runningQueries }
} } }`;

interface Told {
  readonly incomplete: string | null;
  readonly syncs: Readonly<Record<'enabled' | 'due' | 'running' | 'failed', number>> | null;
  readonly processes: readonly {
    readonly id: string;
    readonly isThis: boolean;
    readonly isSilent: boolean;
    readonly cache: Readonly<Record<string, number>>;
    readonly backends: readonly {
      readonly name: string;
      readonly isUp: boolean;
      readonly latencyMs: number | null;
      readonly awaySince: string | null;
    }[];
    readonly engines: readonly Readonly<Record<string, unknown>>[];
  }[];
}

let test: TestApp;
beforeAll(async () => {
  test = await openTestApp({ maxEngineQueries: 6, maxQueuedInAll: 77 });
});
afterAll(() => test?.close());

async function read(app: App = test.app, key: string = test.adminKey): Promise<Told> {
  const response = await app.fetch(
    new Request('http://querydock.test/graphql', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ query: document }),
    }),
  );
  const { data, errors } = (await response.json()) as {
    readonly data: { readonly health: Told | null };
    readonly errors?: readonly { readonly message: string }[];
  };
  if (data.health === null) throw new Error(errors?.[0]?.message);
  return data.health;
}

/** A second process on the same databases. */
function openSecond(backends = test.backends): Promise<App> {
  const { config } = test.app.core;
  return openApp({ config, log: openLog('silent'), backends, clock: test.clock });
}

describe('the health of the service', () => {
  it('is for administrators', async () => {
    await expect(read(test.app, test.project.writeKey)).rejects.toThrow(/scope 'admin'/);
  });

  it('tells of this process what it knows, and no secret', async () => {
    await test.rest('POST', '/endpoints', { body: { name: 'one', query: 'SELECT 1 AS n' } });
    const before = (await read()).processes[0]?.cache;
    await test.rest('GET', '/endpoints/one/run');
    await test.rest('GET', '/endpoints/one/run');
    const told = await read();
    expect(told).toMatchObject({
      incomplete: null,
      syncs: { enabled: 0, due: 0, running: 0, failed: 0 },
      processes: [
        {
          isThis: true,
          isSilent: false,
          isDraining: false,
          pid: process.pid,
          version: expect.stringMatching(/^\d+\.\d+\.\d+/),
          memoryBytes: expect.any(Number),
          queues: [
            { name: 'inline', running: 0, waiting: 0, maxRunning: 6, maxWaiting: 77 },
            { name: 'materialized', running: 0, waiting: 0, maxRunning: 6, maxWaiting: 77 },
          ],
          backends: [
            { name: 'postgresql', isUp: true, latencyMs: expect.any(Number), awaySince: null },
            { name: 'clickhouse', isUp: true, latencyMs: expect.any(Number), awaySince: null },
          ],
          engines: [
            {
              isUp: true,
              version: expect.stringMatching(/^26\./),
              uptimeSeconds: expect.any(Number),
              memoryBytes: expect.any(Number),
            },
          ],
        },
      ],
    });
    const cache = told.processes[0]?.cache ?? {};
    expect((cache.hits ?? 0) - (before?.hits ?? 0)).toBeGreaterThan(0);
    expect((cache.misses ?? 0) - (before?.misses ?? 0)).toBeGreaterThan(0);
    expect(cache.bytes).toBeGreaterThan(before?.bytes ?? 0);
    const { clickhouseUrl, clickhouseUserSecret } = test.app.core.config;
    const password = new URL(clickhouseUrl).password;
    const text = JSON.stringify(told);
    for (const secret of [password, clickhouseUserSecret, 'postgresql://'])
      if (secret !== '') expect(text).not.toContain(secret);
  });

  it('counts the syncs of all projects', async () => {
    const body = { name: 'stored', query: 'SELECT 1 AS n', is_materialized: true };
    await test.rest('POST', '/endpoints', { body });
    expect((await read()).syncs).toEqual({ enabled: 1, due: 1, running: 0, failed: 0 });
    await test.app.materialization.runOnce();
    const failing = { name: 'failing', query: 'SELECT throwIf(materialize(1) = 1) AS n' };
    await test.rest('POST', '/endpoints', { body: { ...failing, is_materialized: true } });
    await test.app.materialization.runOnce();
    expect((await read()).syncs).toEqual({ enabled: 2, due: 0, running: 0, failed: 1 });
    await test.rest('DELETE', '/endpoints/failing');
    expect((await read()).syncs).toEqual({ enabled: 1, due: 0, running: 0, failed: 0 });
  });

  it('has the other processes as they told last, until they are gone', async () => {
    const second = await openSecond();
    await second.health.report();
    const [own, other, ...more] = (await read()).processes;
    expect([own?.isThis, other?.isThis, other?.isSilent, more]).toEqual([true, false, false, []]);
    const seenByOther = await read(second);
    expect(seenByOther.processes[0]?.id).toBe(other?.id);
    test.clock.advance(21_000);
    expect((await read()).processes.map(({ isSilent }) => isSilent)).toEqual([false, true]);
    await second.health.report();
    expect((await read()).processes.map(({ isSilent }) => isSilent)).toEqual([false, false]);
    // A third one's report makes what nobody has heard of for ten minutes forgotten.
    test.clock.advance(601_000);
    await test.app.health.report();
    expect((await read()).processes.length).toBe(1);
    await second.stop();
  });

  it('of a process that tells less, from a newer or an older version, is said to be incomplete', async () => {
    const { prisma } = test.backends.metadata;
    const id = '00000000-0000-7000-8000-000000000001';
    const seenAt = test.clock.now();
    await prisma.serviceProcess.create({ data: { id, seenAt, report: { host: 'old' } } });
    const { incomplete, processes } = await read();
    expect(incomplete).toMatch(/^1 more process is running a version/);
    expect(processes.map((told) => told.id)).not.toContain(id);
    await prisma.serviceProcess.delete({ where: { id } });
  });
});

describe('a backend that goes away', () => {
  it('is named with the time since when', async () => {
    const relay = await openEngineRelay();
    const away = await openTestApp({ clickhouseUrl: relay.clickhouseUrl });
    await read(away.app, away.adminKey);
    const since = away.clock.now().toISOString();
    await relay.outage(async () => {
      await read(away.app, away.adminKey);
      away.clock.advance(60_000);
      const { processes } = await read(away.app, away.adminKey);
      expect(processes[0]).toMatchObject({
        backends: [
          { name: 'postgresql', isUp: true },
          { name: 'clickhouse', isUp: false, latencyMs: null, awaySince: since },
        ],
        engines: [{ isUp: false, version: null, runningQueries: null }],
      });
    });
    const [back] = (await read(away.app, away.adminKey)).processes;
    expect(back?.backends[1]).toMatchObject({ isUp: true, awaySince: null });
    await away.close();
    await relay.close();
  });

  it('is PostgreSQL: this process is shown, and why no other', async () => {
    const { connectionString: databaseUrl = '' } = test.backends.metadata.connection;
    const relay: Relay = await openRelay(databaseUrl);
    await relay.listen();
    const log = openLog('silent');
    const metadata = await openMetadataDatabase({ databaseUrl: relay.databaseUrl, log });
    const second = await openSecond({ ...test.backends, metadata });
    expect((await read(second)).incomplete).toBeNull();
    await relay.cut();
    const told = await read(second);
    expect(told.syncs).toBeNull();
    expect(told.incomplete).toMatch(/only the process that served this request is listed/);
    expect(told.processes.map(({ backends }) => backends[0]?.isUp)).toEqual([false]);
    await relay.resume();
    await second.stop();
    await metadata.close();
    await relay.close();
  });

  it.skipIf(!hasRedis)('is Redis, where there is one', async () => {
    const redis = await openTestRedis();
    const shared = await openTestApp({ redisUrl: redis.url });
    const state = async () => {
      const [own] = (await read(shared.app, shared.adminKey)).processes;
      return own?.backends.find(({ name }) => name === 'redis')?.isUp;
    };
    await eventually('Redis answers', async () => (await state()) === true);
    await redis.kill();
    await eventually('Redis is away', async () => (await state()) === false);
    await shared.close();
  });
});
