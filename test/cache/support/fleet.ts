/** Processes over one metadata database, one engine and one Redis, each with a clock that goes on and can be set. */
import { expect } from 'vitest';
import { type App, type AppOptions, openApp } from '../../../src/app.ts';
import type { Config } from '../../../src/config/config.ts';
import { openLog } from '../../../src/config/open-log.ts';
import type { Clock } from '../../../src/lib/clock.ts';
import { eventually } from '../../support/eventually.ts';
import { openTestRedis, type TestRedis } from '../../support/redis.ts';
import { openTestApp, type TestApp } from '../../support/test-app.ts';

export interface Member {
  readonly app: App;
  readonly clock: MovableClock;
  run(name: string, query?: string): Promise<FleetRun>;
  stop(): Promise<void>;
}

export interface MovableClock extends Clock {
  advance(ms: number): void;
}

export interface FleetRun {
  readonly status: number;
  readonly etag: string | null;
  readonly body: Readonly<Record<string, unknown>> & {
    readonly results?: unknown;
    readonly is_cached?: boolean;
  };
}

export interface Fleet {
  readonly redis: TestRedis;
  readonly test: TestApp;
  readonly members: readonly Member[];
  /** Another process, as after a restart. */
  join(options?: Partial<AppOptions>, settings?: Partial<Config>): Promise<Member>;
  save(name: string, body: object): Promise<void>;
  /** Executions of the endpoint at the engine, in all processes. */
  executions(name: string): Promise<number>;
  /** Until what the processes gave to Redis is there. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

/** On a busy machine everything may take its time. */
const patient = {
  redisTimes: { responseMs: 60_000 },
  sharedTimes: { waitMs: 120_000, leaseMs: 60_000 },
} as const;

export async function openFleet(size: number, settings: Partial<Config> = {}): Promise<Fleet> {
  const redis = await openTestRedis();
  const many = { maxQueuedQueries: 1000, maxQueuedInAll: 1000, queueSeconds: 600 };
  const test = await openTestApp({ ...many, ...settings });
  const config = { ...test.app.core.config, redisUrl: redis.url };
  const opened: Member[] = [];

  async function join(
    options: Partial<AppOptions> = {},
    more: Partial<Config> = {},
  ): Promise<Member> {
    const clock = movableClock();
    const app = await openApp({
      config: { ...config, ...more },
      log: openLog('silent'),
      backends: test.backends,
      clock,
      ...patient,
      ...options,
    });
    const member: Member = {
      app,
      clock,
      run: (name, query = '') => run(test, app, `${name}/run${query}`),
      async stop() {
        opened.splice(opened.indexOf(member), 1);
        await app.stop();
      },
    };
    opened.push(member);
    await eventually('it has its Redis', async () => {
      const ready = await app.fetch(new Request('http://querydock.test/readyz'));
      return (await ready.text()).includes('"redis":"ready"');
    });
    return member;
  }

  const members = await Promise.all(Array.from({ length: size }, () => join()));
  return {
    redis,
    test,
    members,
    join,
    async save(name, body) {
      const { status, text } = await test.rest('POST', '/endpoints', { body: { name, ...body } });
      expect(`${status} ${text}`).toMatch(/^201 /);
    },
    async executions(name) {
      for (const { app } of opened) await app.core.recorder.flush();
      const where = { endpointName: name, projectId: test.project.id };
      return test.backends.metadata.prisma.queryStatus.count({ where });
    },
    async settled() {
      for (const { app } of opened) await app.core.shared?.settled();
    },
    async close() {
      redis.thaw();
      for (const member of [...opened]) await member.stop();
      await test.close();
      await redis.kill();
    },
  };
}

function movableClock(): MovableClock {
  let offset = 0;
  return {
    now: () => new Date(Date.now() + offset),
    advance(ms) {
      offset += ms;
    },
  };
}

async function run(test: TestApp, app: App, path: string): Promise<FleetRun> {
  const url = `http://querydock.test/api/projects/${test.project.id}/endpoints/${path}`;
  const headers = { authorization: `Bearer ${test.project.readKey}` };
  const response = await app.fetch(new Request(url, { headers }));
  const body = (await response.json()) as FleetRun['body'];
  return { status: response.status, etag: response.headers.get('etag'), body };
}
