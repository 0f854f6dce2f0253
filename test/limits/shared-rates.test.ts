/** Two processes that share their counts through a Redis, which fails in every way it can. */
import { Writable } from 'node:stream';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type App, openApp } from '../../src/app.ts';
import { openLog } from '../../src/lib/log.ts';
import { eventually } from '../support/eventually.ts';
import { hasRedis, openTestRedis, type TestRedis } from '../support/redis.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let redis: TestRedis;
let test: TestApp;
let second: App;

const limit = 6;

beforeAll(async () => {
  if (!hasRedis) return;
  redis = await openTestRedis();
  test = await openTestApp({
    redisUrl: redis.url,
    rateInlinePerKey: limit,
    rateCachedPerKey: 40,
    rateInlinePerProject: 0,
    rateCachedPerProject: 0,
    rateManagementPerKey: 0,
    rateManagementPerProject: 0,
  });
  second = await openApp({
    config: test.app.core.config,
    log: openLog('silent'),
    parts: test.parts,
    clock: test.clock,
    nowMs: () => test.clock.now().getTime(),
  });
  const body = { name: 'n', query: 'SELECT {n:UInt32} AS n', cache_age_seconds: 86_400 };
  await test.rest('POST', '/endpoints', { body });
  for (const app of [test.app, second]) {
    await untilShared(app);
    expect(await cached(app, await ownKey())).toBe(200);
  }
});
afterEach(async () => {
  if (!hasRedis) return;
  redis.thaw();
  await redis.kill();
  await redis.start();
  await untilShared(test.app);
  await untilShared(second);
});
afterAll(async () => {
  if (!hasRedis) return;
  await second.stop();
  await test.close();
  await redis.kill();
});

async function ask(app: App, key: string, body: object): Promise<number> {
  const url = `http://querydock.test/api/projects/${test.project.id}/endpoints/n/run`;
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  const response = await app.fetch(
    new Request(url, { method: 'POST', headers, body: JSON.stringify(body) }),
  );
  await response.arrayBuffer();
  return response.status;
}

let n = 0;
const inline = (app: App, key: string) => {
  n += 1;
  return ask(app, key, { variables: { n }, refresh: 'force' });
};
const cached = (app: App, key: string) => ask(app, key, { variables: { n: 0 } });

const ownKey = async () =>
  (await test.issueKey({ scopes: ['endpoint:read'], projects: [test.project] })).key;

async function fallbacks(app: App): Promise<number> {
  const response = await app.fetch(new Request('http://querydock.test/metrics'));
  const counted = /querydock_rate_fallbacks_total (\d+)/.exec(await response.text());
  return Number(counted?.[1] ?? 0);
}

/** Until the counts of the process go to Redis. */
async function untilShared(app: App): Promise<void> {
  await eventually('Redis takes its counts', async () => {
    const key = await ownKey();
    const before = await fallbacks(app);
    expect(await inline(app, key)).toBe(200);
    return (await fallbacks(app)) === before;
  });
}

async function alternate(times: number, key: string): Promise<readonly number[]> {
  const all: number[] = [];
  for (let at = 0; at < times; at += 1) {
    all.push(await inline(at % 2 === 0 ? test.app : second, key));
  }
  return all;
}

describe.runIf(hasRedis)('two processes with one Redis', () => {
  it('give a key one budget between them', async () => {
    const key = await ownKey();
    const all = await alternate(limit + 2, key);
    expect(all).toEqual([...new Array<number>(limit).fill(200), 429, 429]);
    expect(await inline(second, await ownKey())).toBe(200);
  });

  it('tell each other soon what they took without asking', async () => {
    const key = await ownKey();
    for (let at = 0; at < 40; at += 1) expect(await cached(test.app, key)).toBe(200);
    expect(await cached(test.app, key)).toBe(429);
    let taken = 0;
    await eventually('the other knows', async () => {
      const status = await cached(second, key);
      if (status === 200) taken += 1;
      return status === 429;
    });
    expect(taken).toBeLessThan(40);
  });

  it('count each by itself, from what they knew, while Redis is gone, and together when it is back', async () => {
    const key = await ownKey();
    expect(await alternate(4, key)).toEqual([200, 200, 200, 200]);
    await redis.kill();
    const before = await fallbacks(test.app);
    // Its own last word was that three were taken: the fourth was the other's.
    const alone = [1, 2, 3, 4].map(() => inline(test.app, key));
    expect((await Promise.all(alone)).sort()).toEqual([200, 200, 200, 429]);
    expect(await fallbacks(test.app)).toBeGreaterThan(before);
    expect(await cached(test.app, key)).toBe(200);
    await redis.start();
    await untilShared(test.app);
    await untilShared(second);
    const fresh = await ownKey();
    expect(await alternate(limit + 1, fresh)).toEqual([...new Array<number>(limit).fill(200), 429]);
  });

  it('go on while Redis takes connections and answers nothing', async () => {
    const key = await ownKey();
    redis.freeze();
    const before = await fallbacks(test.app);
    expect(await inline(test.app, key)).toBe(200);
    expect(await cached(test.app, key)).toBe(200);
    expect(await fallbacks(test.app)).toBeGreaterThan(before);
    redis.thaw();
    await untilShared(test.app);
  });
});

describe.runIf(hasRedis)('a process', () => {
  it('starts and answers without its Redis, and says so once', async () => {
    await redis.kill();
    let logged = '';
    const sink = new Writable({
      write(chunk, _encoding, done) {
        logged += String(chunk);
        done();
      },
    });
    const log = openLog('warn', sink);
    const alone = await openApp({ config: test.app.core.config, log, parts: test.parts });
    const key = await ownKey();
    await eventually('it says so', async () => {
      expect(await inline(alone, key)).toBe(200);
      return logged.includes('Redis is away');
    });
    expect(logged.split('Redis is away')).toHaveLength(2);
    await alone.stop();
  });
});
