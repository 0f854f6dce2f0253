/** Three processes that share results through a Redis of the test's own. */
import { createClient, type RedisClientType } from '@redis/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decodeResult, encodeResult } from '../../src/cache/shared/stored-result.ts';
import { eventually } from '../support/eventually.ts';
import { type HeldEngine, openHeldEngine } from '../support/held-engine.ts';
import { hasRedis } from '../support/redis.ts';
import { type Fleet, type FleetRun, type Member, openFleet } from './support/fleet.ts';

let held: HeldEngine;
let fleet: Fleet;
let raw: RedisClientType;
let a: Member;
let b: Member;
let c: Member;
let count = 0;
let name = '';

beforeAll(async () => {
  if (!hasRedis) return;
  held = await openHeldEngine();
  fleet = await openFleet(3, { clickhouseUrl: held.clickhouseUrl });
  const [first, second, third] = fleet.members;
  if (first === undefined || second === undefined || third === undefined) throw new Error('three');
  [a, b, c] = [first, second, third];
  raw = createClient({ url: fleet.redis.url });
  raw.on('error', () => undefined);
  await raw.connect();
});
afterAll(async () => {
  if (!hasRedis) return;
  raw.destroy();
  await fleet.close();
  await held.close();
});

/** No two executions give the same rows. */
async function save(more: object = {}): Promise<void> {
  count += 1;
  name = `shared_${count}`;
  const query = `SELECT {n:UInt32} AS n, '${name}' AS o, generateUUIDv4() AS made`;
  await fleet.save(name, { query, cache_age_seconds: 600, ...more });
}

const one = 'variables[n]=1';
const get = (member: Member, more = '') => member.run(name, `?${one}${more}`);
const keyIn = (key: string) => key.slice(key.indexOf('{') + 1, -1);
const storedValue = async (key: string) => {
  const value = await raw.withTypeMapping({ 36: Buffer }).get(key);
  if (!Buffer.isBuffer(value)) throw new Error('no value');
  return value;
};
const rows = ({ status, body }: FleetRun) => [status, body.results];
const keysOf = async (suffix: string) =>
  (await raw.keys('querydock:result:*')).filter((key) => key.endsWith(suffix));

/** What a process has computed is in Redis. */
async function computedBy(member: Member, more = ''): Promise<FleetRun> {
  await raw.flushAll();
  const run = await get(member, more);
  expect([run.status, run.body.is_cached]).toEqual([200, false]);
  await fleet.settled();
  return run;
}

function expectOther(run: FleetRun, than: FleetRun): void {
  expect([run.status, run.body.is_cached]).toEqual([200, false]);
  expect(run.body.results).not.toEqual(than.body.results);
}

describe.runIf(hasRedis)('three processes with one Redis', () => {
  it('compute each of 100 hot results once, once more each time it expires, and none after a restart', async () => {
    await save({ cache_age_seconds: 20 });
    const keys = Array.from({ length: 100 }, (_, n) => n);
    const everywhere = async (members: readonly Member[]) => {
      const before = await fleet.executions(name);
      for (let at = 0; at < keys.length; at += 20) {
        const chunk = keys.slice(at, at + 20);
        const runs = chunk.flatMap((n) => members.map((m) => m.run(name, `?variables[n]=${n}`)));
        for (const { status } of await Promise.all(runs)) expect(status).toBe(200);
      }
      await fleet.settled();
      return (await fleet.executions(name)) - before;
    };
    const cold = await everywhere(fleet.members);
    let minute = 0;
    for (let round = 0; round < 3; round += 1) {
      for (const { clock } of fleet.members) clock.advance(20_000);
      minute += await everywhere(fleet.members);
    }
    const restarted = await fleet.join();
    restarted.clock.advance(60_000);
    const afterRestart = await everywhere([restarted]);
    await restarted.stop();
    console.info(
      `100 hot results on 3 processes: ${cold} engine queries cold, ${minute} a minute, ${afterRestart} after a restart`,
    );
    expect({ cold, minute, afterRestart }).toEqual({ cold: 100, minute: 300, afterRestart: 0 });
  });

  it('give the same response: rows, time, execution and ETag', async () => {
    await save();
    const own = await computedBy(a);
    const other = await get(b);
    expect(other.body).toMatchObject({
      is_cached: true,
      results: own.body.results,
      last_refresh: own.body.last_refresh,
      execution_id: own.body.execution_id,
    });
    expect(other.etag).toBe((await get(a)).etag);
  });

  it('wait for the one that computes', async () => {
    await save();
    held.hold(name);
    const first = get(a);
    await eventually('the engine has its query', () => held.held() === 1);
    const others = [get(b), get(c), get(b)];
    await eventually(
      'the others wait',
      () => b.app.core.flights.size() + c.app.core.flights.size() === 2,
    );
    expect(held.held()).toBe(1);
    held.release();
    const results = (await Promise.all([first, ...others])).map(({ body }) => body.results);
    expect(new Set(results.map(String)).size).toBe(1);
    expect(await fleet.executions(name)).toBe(1);
  });

  it('do not share what fails or is too large', async () => {
    await raw.flushAll();
    await save({
      query: `SELECT {n:UInt32} AS n, 'large' AS o, concat(repeat('x', 900000), repeat('y', 900000)) AS made`,
    });
    for (const member of [a, b]) expect((await get(member)).body.is_cached).toBe(false);
    await save({ query: `SELECT throwIf({n:UInt32} = 1, 'wanted') AS n, 'failing' AS o` });
    for (const member of [a, b, c]) expect((await get(member)).status).toBe(400);
    expect(await keysOf('}')).toEqual([]);
  });
});

describe.runIf(hasRedis)('a shared result', () => {
  it('is as fresh as one of the process itself has to be', async () => {
    await save();
    const own = await computedBy(a);
    for (const { clock } of fleet.members) clock.advance(10_000);
    expectOther(await get(b, '&max_age_seconds=5'), own);
    await fleet.settled();
    const second = await get(c, '&max_age_seconds=5');
    expect(second.body.is_cached).toBe(true);
    expect(second.body.results).not.toEqual(own.body.results);
    expectOther(await get(c, '&max_age_seconds=0'), second);
    for (const { clock } of fleet.members) clock.advance(600_000);
    expectOther(await get(b), second);
  });

  it('is not used by refresh=force, which replaces it', async () => {
    await save();
    const own = await computedBy(a);
    const forced = await get(b, '&refresh=force');
    expectOther(forced, own);
    await fleet.settled();
    expect(rows(await get(c))).toEqual(rows(forced));
  });

  it('that is old enough for one of two callers only is given to that one', async () => {
    await save();
    const own = await computedBy(a);
    for (const { clock } of fleet.members) clock.advance(10_000);
    const [patient, strict] = await Promise.all([get(b), get(b, '&max_age_seconds=5')]);
    expect(rows(patient)).toEqual(rows(own));
    expect(patient.body.is_cached).toBe(true);
    expectOther(strict, own);
  });

  it('is of the version and of the rows of now', async () => {
    await fleet.test.sql('CREATE TABLE grown (n UInt32) ENGINE = MergeTree ORDER BY n');
    await save({ query: `SELECT count() AS n, {n:UInt32} AS o FROM grown WHERE '${name}' != ''` });
    expect((await computedBy(a)).body.results).toEqual([[0, 1]]);
    const { key } = await fleet.test.issueKey({
      scopes: ['endpoint:write', 'data:write'],
      projects: [fleet.test.project],
    });
    const body = JSON.stringify([{ n: 1 }]);
    const put = await fleet.test.rest('PUT', '/tables/grown/rows?mode=replace', { body, key });
    expect(`${put.status} ${put.text}`).toMatch(/^200 /);
    await eventually('the rows of now', async () => String((await get(b)).body.results) === '1,1');
    const query = `SELECT 'new' AS n, {n:UInt32} AS o`;
    await fleet.test.rest('PATCH', `/endpoints/${name}`, { body: { query } });
    await eventually(
      'the new version',
      async () => String((await get(c)).body.results) === 'new,1',
    );
  });

  it('of a process whose clock is ahead is not used, since it would be served for too long', async () => {
    await save();
    const own = await computedBy(a);
    const behind = await fleet.join();
    behind.clock.advance(a.clock.now().getTime() - Date.now() - 10_000);
    expectOther(await get(behind), own);
    await behind.stop();
    const ahead = await fleet.join();
    ahead.clock.advance(a.clock.now().getTime() - Date.now() + 601_000);
    expectOther(await get(ahead), own);
    await ahead.stop();
  });

  it('that Redis knows to be older than it says is not used', async () => {
    await save();
    const own = await computedBy(a);
    const [key = ''] = await keysOf('}');
    const stored = decodeResult(keyIn(key), await storedValue(key));
    if (stored === null) throw new Error('no value');
    const olderBy = (ms: number) =>
      raw.set(key, encodeResult(keyIn(key), { ...stored, redisMs: stored.redisMs - ms }));
    await olderBy(10_000);
    expectOther(await get(b), own);
    await olderBy(0);
    expect(rows(await get(c))).toEqual(rows(own));
  });

  it('larger than a key may have is refused for that key', async () => {
    await save({ query: `SELECT {n:UInt32} AS n, repeat('x', 900000) AS made` });
    await computedBy(a);
    const limited = await fleet.join({}, { maxResultBytes: 65_536 });
    limited.clock.advance(a.clock.now().getTime() - Date.now());
    expect((await get(limited)).body).toMatchObject({ code: 'query_too_large' });
    await limited.stop();
  });
});

describe.runIf(hasRedis)('a Redis that holds what it should not', () => {
  const damages: readonly (readonly [string, (value: Buffer, key: string) => Promise<unknown>])[] =
    [
      [
        'a value with another byte',
        (value, key) => {
          value.writeUInt8(value.readUInt8(value.length - 3) ^ 1, value.length - 3);
          return raw.set(key, value);
        },
      ],
      ['half a value', (value, key) => raw.set(key, value.subarray(0, value.length / 2))],
      ['an empty value', (_value, key) => raw.set(key, '')],
      [
        'a value of another form',
        (value, key) => raw.set(key, Buffer.concat([Buffer.from('QDR0'), value.subarray(4)])),
      ],
      [
        'a list',
        async (_value, key) => {
          await raw.del(key);
          return raw.lPush(key, 'x');
        },
      ],
    ];

  it.each(damages)('%s is a miss', async (_what, damage) => {
    await save();
    const own = await computedBy(a);
    const [key = ''] = await keysOf('}');
    await damage(await storedValue(key), key);
    expectOther(await get(b), own);
  });

  it('the value of another result is a miss', async () => {
    await save();
    const other = await computedBy(a);
    const [otherKey = ''] = await keysOf('}');
    const value = await storedValue(otherKey);
    await get(a, '&limit=5');
    await fleet.settled();
    const key = (await keysOf('}')).find((one) => one !== otherKey) ?? '';
    await raw.set(key, value);
    expectOther(await get(b, '&limit=5'), other);
  });

  it('a lease that nobody has is waited for until it lapses', async () => {
    await save();
    const own = await computedBy(a, '&refresh=force');
    const [key = ''] = await keysOf('}');
    await raw.del(key);
    const limits = await leaseOf(key);
    await raw.set(limits, 'somebody', { expiration: { type: 'PX', value: 300 } });
    expectOther(await get(b), own);
  });

  /** The name of the lease of a value: there is one while a process computes. */
  async function leaseOf(key: string): Promise<string> {
    held.hold(name);
    const running = get(c);
    let found = '';
    await eventually('a lease', async () => {
      [found = ''] = (await raw.keys('querydock:result:*')).filter((one) =>
        one.startsWith(`${key}:lease`),
      );
      return found !== '';
    });
    held.release();
    await running;
    await fleet.settled();
    await raw.del(key);
    return found;
  }
});

describe.runIf(hasRedis)('without its Redis', () => {
  it.each([
    ['gone', () => fleet.redis.kill(), () => fleet.redis.start()],
    ['frozen', async () => fleet.redis.freeze(), async () => fleet.redis.thaw()],
  ] as const)(
    '%s, a process computes by itself, and shares again when it is back',
    async (_how, strike, heal) => {
      const hasty = await fleet.join({ redisTimes: {}, sharedTimes: {} });
      const other = await fleet.join({ redisTimes: {}, sharedTimes: {} });
      await save();
      await strike();
      const [first, second] = await Promise.all([get(hasty), get(other)]);
      expectOther(first, second);
      expect((await get(hasty)).body.is_cached).toBe(true);
      await heal();
      await eventually('they share again', async () => {
        await save();
        const own = await get(hasty);
        await hasty.app.core.shared?.settled();
        const shared = await get(other);
        return own.status === 200 && shared.body.is_cached === true;
      });
      await hasty.stop();
      await other.stop();
    },
  );
});
