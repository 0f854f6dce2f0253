/** Two processes over one metadata database that share their counts through a Redis of the test's own. */
import { expect } from 'vitest';
import { type App, openApp } from '../../../src/app.ts';
import type { Config } from '../../../src/config/config.ts';
import { openLog } from '../../../src/config/open-log.ts';
import { eventually } from '../../support/eventually.ts';
import { openTestRedis, type TestRedis } from '../../support/redis.ts';
import { openTestApp, type TestApp, type TestProject } from '../../support/test-app.ts';

export interface SharedPair {
  readonly redis: TestRedis;
  readonly test: TestApp;
  readonly second: App;
  ask(call: RunCall): Promise<ReportedRun>;
  ownKey(project?: Pick<TestProject, 'id'>): Promise<string>;
  /** Until the counts of both processes go to Redis. */
  untilShared(): Promise<void>;
  /**
   * What the work answers once Redis took every count of both processes meanwhile. On a busy machine it may answer too
   * late for one, which is a case of its own; the work then begins anew, with holders of its own.
   */
  whileShared<T>(work: () => Promise<T>): Promise<T>;
  close(): Promise<void>;
}

export interface RunCall {
  readonly app: App;
  readonly key: string;
  readonly name: string;
  readonly body: object;
}

export interface ReportedRun {
  readonly status: number;
  readonly retryAfter: string | null;
  readonly text: string;
}

/** @param projects how many there may be in all. */
export async function openSharedPair(settings: Partial<Config>, projects = 2): Promise<SharedPair> {
  const redis = await openTestRedis();
  const test = await openTestApp({ redisUrl: redis.url, ...settings }, openLog('silent'), {
    projects,
  });
  const second = await openApp({
    config: test.app.core.config,
    log: openLog('silent'),
    backends: test.backends,
    clock: test.clock,
    nowMs: () => test.clock.now().getTime(),
  });
  const both = [test.app, second];
  const allFallbacks = async () => Promise.all(both.map(fallbacks));

  async function whileShared<T>(work: () => Promise<T>): Promise<T> {
    const before = await allFallbacks();
    const result = await work();
    return String(await allFallbacks()) === String(before) ? result : whileShared(work);
  }

  const pair: SharedPair = {
    redis,
    test,
    second,
    ask,
    ownKey: async (project = test.project) =>
      (
        await test.issueKey({
          scopes: ['endpoint:read'],
          projects: [{ ...test.project, ...project }],
        })
      ).key,
    async untilShared() {
      for (const app of both) {
        await eventually('Redis takes its counts', async () => {
          const before = await fallbacks(app);
          const key = await pair.ownKey();
          expect((await ask({ app, key, name: 'n', body: computed() })).status).toBe(200);
          return (await fallbacks(app)) === before;
        });
      }
    },
    whileShared,
    async close() {
      redis.thaw();
      await second.stop();
      await test.close();
      await redis.kill();
    },
  };
  await save(test, { name: 'n', query: 'SELECT {n:UInt32} AS n', cache_age_seconds: 86_400 });
  await pair.untilShared();
  return pair;
}

/** With a project of the test's own, or one that was made for it. */
export async function save(test: TestApp, body: object, project = test.project): Promise<void> {
  expect((await test.rest('POST', '/endpoints', { body, project })).status).toBe(201);
}

let n = 0;
/** The body of a run of `n` that ignores cached results. */
export function computed(): object {
  n += 1;
  return { variables: { n }, refresh: 'force' };
}

/** The body of a run of `n` whose result is cached. */
export const cachedRun: object = { variables: { n: 0 } };

async function ask({ app, key, name, body }: RunCall): Promise<ReportedRun> {
  const url = `http://querydock.test/api/projects/@current/endpoints/${name}/run`;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await app.fetch(
    new Request(url, { method: 'POST', headers, body: JSON.stringify(body) }),
  );
  const text = await response.text();
  return { status: response.status, retryAfter: response.headers.get('retry-after'), text };
}

/** Counts that Redis did not take. */
export async function fallbacks(app: App): Promise<number> {
  const response = await app.fetch(new Request('http://querydock.test/metrics'));
  const counted = /querydock_rate_fallbacks_total (\d+)/.exec(await response.text());
  return Number(counted?.[1] ?? 0);
}
