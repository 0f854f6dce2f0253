/** What a process says of a Redis that hangs, or that responds and refuses what is shared. */
import { Writable } from 'node:stream';
import { createClient } from '@redis/client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openRedis, type Redis } from '../../src/cache/shared/redis.ts';
import { openLog } from '../../src/config/open-log.ts';
import { eventually } from '../support/eventually.ts';
import { hasRedis, openTestRedis, type TestRedis } from '../support/redis.ts';

let server: TestRedis;
let redis: Redis;
let lines: string[] = [];

const times = { responseMs: 2000, pauseMs: 20, refusalMs: 100, warnEveryMs: 0 };

const messages = () => lines.map((line) => (JSON.parse(line) as { readonly msg: string }).msg);

/** As an administrator of the server. */
async function command(...parts: readonly string[]): Promise<void> {
  const client = createClient({ url: server.url });
  await client.connect();
  await client.sendCommand([...parts]);
  client.destroy();
}

beforeAll(async () => {
  if (!hasRedis) return;
  server = await openTestRedis();
  const sink = new Writable({
    write(chunk, _encoding, done) {
      lines.push(...String(chunk).trim().split('\n'));
      done();
    },
  });
  redis = openRedis({ url: server.url, log: openLog('info', sink), times });
  await eventually('it is connected', async () => (await redis.check()) === null);
});
beforeEach(() => {
  lines = [];
});
afterAll(async () => {
  if (!hasRedis) return;
  redis.close();
  server.thaw();
  await server.kill();
});

describe.runIf(hasRedis)('Redis', () => {
  it.each([
    ['is full', ['CONFIG', 'SET', 'maxmemory', '1'], ['CONFIG', 'SET', 'maxmemory', '0']],
    ['is a replica', ['REPLICAOF', '127.0.0.1', '1'], ['REPLICAOF', 'NO', 'ONE']],
    [
      'forbids writes',
      ['ACL', 'SETUSER', 'default', '-set'],
      ['ACL', 'SETUSER', 'default', '+set'],
    ],
  ])(
    'that %s is logged once, and is not ready until it takes writes again',
    async (_name, breaks, mends) => {
      await command(...breaks);
      const write = () => redis.write((client) => client.set('key', 'value'));
      expect([await write(), await write(), await redis.check()]).toEqual([
        null,
        null,
        'refuses commands',
      ]);
      // That it can be read says nothing about writes.
      await redis.request((client) => client.ping());
      expect(messages()).toEqual(['Redis refuses commands: each process works on its own']);
      await command(...mends);
      expect(await write()).toBe('OK');
      await eventually('it is ready', async () => (await redis.check()) === null);
      expect(messages().slice(1)).toEqual(['Redis is back']);
    },
  );

  it('that does not respond is logged once, and is not ready until it does', async () => {
    server.freeze();
    expect(await redis.request((client) => client.ping())).toBeNull();
    for (let at = 0; at < 3; at += 1) expect(await redis.check()).toBe('does not answer');
    expect(messages()).toEqual(['Redis does not respond: each process works on its own']);
    server.thaw();
    await eventually('it is ready', async () => (await redis.check()) === null);
    expect(messages().slice(1)).toEqual(['Redis is back']);
  });

  it('that fails for one key is not taken for one that refuses commands', async () => {
    await command('SET', 'text', 'abc');
    expect(await redis.write((client) => client.incr('text'))).toBeNull();
    expect(await redis.check()).toBeNull();
    expect(messages()).toEqual([]);
  });
});
