/** Two processes that share their counts through a Redis, which fails in every way it can. */
import { Writable } from 'node:stream';
import { createClient } from '@redis/client';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type App, openApp } from '../../../src/app.ts';
import { openLog } from '../../../src/config/open-log.ts';
import { eventually } from '../../support/eventually.ts';
import { hasRedis } from '../../support/redis.ts';
import {
  cachedRun,
  computed,
  fallbacks,
  openSharedPair,
  type SharedPair,
} from '../support/shared-pair.ts';

let pair: SharedPair;

const limit = 40;

beforeAll(async () => {
  if (!hasRedis) return;
  pair = await openSharedPair({
    ratePerKey: limit,
    ratePerProject: 0,
  });
  for (const app of [pair.test.app, pair.second]) {
    await eventually('the result is kept', async () => {
      const { text } = await pair.ask({
        app,
        key: await pair.ownKey(),
        name: 'n',
        body: cachedRun,
      });
      return text.includes('"is_cached":true');
    });
  }
});
afterEach(async () => {
  if (!hasRedis) return;
  pair.redis.thaw();
  await pair.redis.kill();
  await pair.redis.start();
  await pair.untilShared();
});
afterAll(async () => {
  if (hasRedis) await pair.close();
});

const inline = async (app: App, key: string) =>
  (await pair.ask({ app, key, name: 'n', body: computed() })).status;
const cached = async (app: App, key: string) =>
  (await pair.ask({ app, key, name: 'n', body: cachedRun })).status;

async function alternate(times: number, key: string): Promise<readonly number[]> {
  const all: number[] = [];
  for (let at = 0; at < times; at += 1) {
    all.push(await inline(at % 2 === 0 ? pair.test.app : pair.second, key));
  }
  return all;
}

describe.runIf(hasRedis)('two processes with one Redis', () => {
  it('give a key one budget between them', async () => {
    const all = await pair.whileShared(async () => alternate(limit + 2, await pair.ownKey()));
    expect(all).toEqual([...Array.from({ length: limit }, () => 200), 429, 429]);
    expect(await inline(pair.second, await pair.ownKey())).toBe(200);
  });

  it('refuse a key that is past it, whichever way it runs', async () => {
    const all = await pair.whileShared(async () => {
      const key = await pair.ownKey();
      await alternate(limit, key);
      const refused = await alternate(4, key);
      return [...refused, await cached(pair.test.app, key), await cached(pair.second, key)];
    });
    expect(all).toEqual([429, 429, 429, 429, 429, 429]);
  });

  it('tell each other soon what they took without asking', async () => {
    const taken = await pair.whileShared(async () => {
      const key = await pair.ownKey();
      for (let at = 0; at < limit; at += 1) expect(await cached(pair.test.app, key)).toBe(200);
      expect(await cached(pair.test.app, key)).toBe(429);
      let more = 0;
      await eventually('the other knows', async () => {
        const status = await cached(pair.second, key);
        if (status === 200) more += 1;
        return status === 429;
      });
      return more;
    });
    expect(taken).toBeLessThan(limit);
  });

  it('count each by itself, from what they knew, while Redis is gone, and together when it is back', async () => {
    const { redis, test } = pair;
    const key = await pair.whileShared(async () => {
      const fresh = await pair.ownKey();
      expect(new Set(await alternate(limit - 2, fresh))).toEqual(new Set([200]));
      return fresh;
    });
    await redis.kill();
    const before = await fallbacks(test.app);
    // The last count it got leaves three: the run after that was the other's.
    const alone = [1, 2, 3, 4].map(() => inline(test.app, key));
    expect((await Promise.all(alone)).sort((a, b) => a - b)).toEqual([200, 200, 200, 429]);
    expect(await fallbacks(test.app)).toBeGreaterThan(before);
    expect(await cached(test.app, await pair.ownKey())).toBe(200);
    await redis.start();
    await pair.untilShared();
    const all = await pair.whileShared(async () => alternate(limit + 1, await pair.ownKey()));
    expect(all).toEqual([...Array.from({ length: limit }, () => 200), 429]);
  });

  it('refuse a key for a minute at most, however long its counter lives', async () => {
    const key = await pair.ownKey();
    const client = createClient({ url: pair.redis.url });
    await client.connect();
    await client.flushAll();
    expect(await inline(pair.test.app, key)).toBe(200);
    for (const name of await client.keys('querydock:rate:key:*'))
      await client.set(name, '1000000', { PX: 21_600_000 });
    for (const app of [pair.second, pair.second, pair.test.app]) {
      const { status, retryAfter } = await pair.ask({ app, key, name: 'n', body: computed() });
      expect(status).toBe(429);
      expect(Number(retryAfter)).toBeLessThanOrEqual(60);
    }
    await eventually('the counter ends with the minute', async () => {
      const names = await client.keys('querydock:rate:key:*');
      const left = await Promise.all(names.map((name) => client.pTTL(name)));
      return left.length === 1 && left.every((ms) => ms <= 60_000);
    });
    client.destroy();
  });

  it('go on while Redis accepts connections and sends nothing', async () => {
    const { redis, test } = pair;
    const key = await pair.ownKey();
    redis.freeze();
    const before = await fallbacks(test.app);
    expect(await inline(test.app, key)).toBe(200);
    expect(await cached(test.app, key)).toBe(200);
    expect(await fallbacks(test.app)).toBeGreaterThan(before);
  });
});

describe.runIf(hasRedis)('a process', () => {
  it('starts and serves without its Redis, and logs that once', async () => {
    const { redis, test } = pair;
    await redis.kill();
    let logged = '';
    const sink = new Writable({
      write(chunk, _encoding, done) {
        logged += String(chunk);
        done();
      },
    });
    const log = openLog('warn', sink);
    const alone = await openApp({ config: test.app.core.config, log, backends: test.backends });
    const key = await pair.ownKey();
    await eventually('it says so', async () => {
      expect((await pair.ask({ app: alone, key, name: 'n', body: cachedRun })).status).toBe(200);
      return logged.includes('Redis is unreachable');
    });
    expect(logged.split('Redis is unreachable')).toHaveLength(2);
    await alone.stop();
  });
});
