/** What a process says of a Redis that hangs, or that responds and refuses what is shared. */
import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { Writable } from 'node:stream';
import { createClient } from '@redis/client';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openRedis, type Redis } from '../../src/cache/shared/redis.ts';
import { openLog } from '../../src/config/open-log.ts';
import type { Log } from '../../src/lib/log.ts';
import { eventually } from '../support/eventually.ts';
import { hasRedis, openTestRedis, type TestRedis } from '../support/redis.ts';

let server: TestRedis;
let redis: Redis;
let log: Log;
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

/** A way to the server whose present connections stay open, but pass nothing on, once they are cut. */
async function openWay() {
  let cuts = 0;
  const way = createServer((near) => {
    const made = cuts;
    const far = connect(Number(new URL(server.url).port), '127.0.0.1');
    near.on('data', (data) => made === cuts && far.write(data));
    far.on('data', (data) => made === cuts && near.write(data));
    for (const [end, other] of [
      [near, far],
      [far, near],
    ] as const)
      end.on('error', () => undefined).on('close', () => other.destroy());
  }).listen(0, '127.0.0.1');
  await once(way, 'listening');
  return {
    url: `redis://127.0.0.1:${(way.address() as AddressInfo).port}`,
    cut: () => {
      cuts += 1;
    },
    close: () => way.close(),
  };
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
  log = openLog('info', sink);
  redis = openRedis({ url: server.url, log, times });
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

  it('is used again over a new connection when the old one stays open and silent', async () => {
    const way = await openWay();
    const silent = { ...times, responseMs: 100, silentMs: 300 };
    const far = openRedis({ url: way.url, log, times: silent });
    await eventually('it is connected', async () => (await far.check()) === null);
    lines = [];
    way.cut();
    expect(await far.check()).toBe('does not answer');
    await eventually('it responds', async () => (await far.check()) === null);
    expect(messages()).toEqual([
      'Redis does not respond: each process works on its own',
      'Redis is back',
    ]);
    far.close();
    way.close();
  });

  it('that accepts connections and does not respond at the start is logged', async () => {
    server.freeze();
    const far = openRedis({ url: server.url, log, times: { ...times, silentMs: 300 } });
    await eventually('it is logged', async () => messages().length > 0);
    expect(messages()).toEqual(['Redis does not respond: each process works on its own']);
    server.thaw();
    await eventually('it responds', async () => (await far.check()) === null);
    far.close();
  });

  it('that fails for one key is not taken for one that refuses commands', async () => {
    await command('SET', 'text', 'abc');
    expect(await redis.write((client) => client.incr('text'))).toBeNull();
    expect(await redis.check()).toBeNull();
    expect(messages()).toEqual([]);
  });
});
