/** What the local engine's process can open of the machine, asked as its administrator: no guard, no grants. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, readlinkSync } from 'node:fs';
import { chmod, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { hasLandlock } from '../../support/landlock.ts';
import { isThere } from '../../support/needs.ts';
import { adminRunner } from '../support/admin.ts';
import { type LocalEngine, startLocalEngine } from '../support/local-engine.ts';

const isLinux = process.platform === 'linux';
const isRoot = process.getuid?.() === 0;

describe.runIf(isThere('Landlock', hasLandlock))('the process of the local engine', () => {
  let local: LocalEngine;
  let admin: (sql: string) => Promise<string>;
  /** Open to everybody, as is what is in it. */
  let outside: string;

  beforeAll(async () => {
    outside = await mkdtemp(join(tmpdir(), 'querydock-outside-'));
    await chmod(outside, 0o777);
    await writeFile(join(outside, 'open.txt'), 'a secret of the machine');
    await chmod(join(outside, 'open.txt'), 0o666);
    execFileSync('mkfifo', ['-m', '666', join(outside, 'fifo')]);
    local = await startLocalEngine();
    admin = adminRunner(local.engine.connection);
  });
  afterAll(async () => {
    await local?.close();
    await rm(outside, { recursive: true, force: true });
  });

  const refused = /Permission denied|No such file|Cannot load time zone|No such device/;

  it.each([
    ['a file of the system', () => `SELECT file('/etc/passwd')`],
    ['a file that is open to all', () => `SELECT file('${join(outside, 'open.txt')}')`],
    ['a FIFO', () => `SELECT file('${join(outside, 'fifo')}')`],
    ['its environment', () => `SELECT file('/proc/self/environ')`],
    ['its memory map', () => `SELECT file('/proc/self/maps')`],
    ['another process', () => `SELECT file('/proc/${process.pid}/cmdline')`],
    ['the connections of the machine', () => `SELECT file('/proc/net/tcp')`],
    ['a file, as a time zone', () => `SELECT toTimeZone(now(), 'file:/etc/hostname')`],
    ['a FIFO, as a time zone', () => `SELECT toTimeZone(now(), 'file:${join(outside, 'fifo')}')`],
    ['its own users file by way of its data', () => `SELECT file('../../../../etc/passwd')`],
  ])('does not open %s', async (_what, sql) => {
    await expect(admin(sql())).rejects.toThrow(refused);
  });

  it('writes nothing outside its folder', async () => {
    const target = join(outside, 'written.csv');
    await expect(admin(`INSERT INTO FUNCTION file('${target}', CSV) SELECT 1`)).rejects.toThrow();
    expect(readdirSync(outside).sort()).toEqual(['fifo', 'open.txt']);
  });

  it('connects to nothing', async () => {
    let calls = 0;
    const server = createServer((_request, response) => {
      calls += 1;
      response.end('1\n');
    });
    await once(server.listen(0, '127.0.0.1'), 'listening');
    const { port } = server.address() as AddressInfo;
    const sql = `SELECT * FROM url('http://127.0.0.1:${port}/', CSV, 'a String') SETTINGS http_max_tries = 1`;
    await expect(admin(sql)).rejects.toThrow();
    expect(calls).toBe(0);
    server.close();
  });

  // Who is not root may not give it a view of its own; its pipes can then be opened by their descriptors.
  it.runIf(isThere('root', isRoot))('does not open its own descriptors', async () => {
    const pid = local.engine.pid();
    const descriptors = readdirSync(`/proc/${pid}/fd`);
    expect(descriptors.length).toBeGreaterThan(10);
    for (const fd of descriptors) {
      await expect(admin(`SELECT file('/proc/self/fd/${fd}')`)).rejects.toThrow(refused);
    }
  });

  it('works on its own tables, and knows how much memory it has', async () => {
    await admin('CREATE DATABASE own');
    await admin(
      'CREATE TABLE own.t ENGINE = MergeTree ORDER BY n AS SELECT number AS n FROM numbers(5)',
    );
    await admin('RENAME TABLE own.t TO own.u');
    expect(await admin('SELECT sum(n) FROM own.u')).toBe('10\n');
    await admin('DROP DATABASE own');
    const used = "SELECT value > 1000000 FROM system.metrics WHERE metric = 'MemoryTracking'";
    // It counts every now and then.
    await eventually('it has counted', async () => (await admin(used)) === '1\n');
    expect(await admin("SELECT toTimeZone(toDateTime(0), 'Asia/Tokyo')")).toContain('09:00:00');
  });

  it('may gain no rights, in any thread', async () => {
    const pid = local.engine.pid();
    for (const thread of readdirSync(`/proc/${pid}/task`)) {
      const status = await readFile(`/proc/${pid}/task/${thread}/status`, 'utf8').catch(() => null);
      if (status !== null) expect(status).toMatch(/^NoNewPrivs:\s+1$/m);
    }
  });
});

const bash = '/bin/bash';
const hasBash = isLinux && existsSync(bash);

it.runIf(isThere('bash on Linux', hasBash))('inherits no descriptor of the service', async () => {
  const dir = await mkdtemp(join(tmpdir(), 'querydock-inherit-'));
  const file = join(dir, 'held.txt');
  await writeFile(file, '');
  const owner = join(import.meta.dirname, '../support/engine-owner.ts');
  // A high number: the first few are closed by Node itself.
  const command = ['-c', 'exec 40<"$0"; exec "$@"', file, process.execPath, owner];
  const parent = spawn(bash, [...command, join(dir, 'engine')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [text] = (await once(parent.stdout, 'data')) as [Buffer];
  const pid = Number(text.toString());
  const held = (id: number) =>
    readdirSync(`/proc/${id}/fd`).filter((fd) => linkOf(`/proc/${id}/fd/${fd}`) === file);
  const found = [held(parent.pid ?? 0).length, held(pid).length];
  parent.kill('SIGKILL');
  await eventually('the child is gone', () => linkOf(`/proc/${pid}/exe`) === null);
  await rm(dir, { recursive: true, force: true });
  expect(found).toEqual([1, 0]);
});

function linkOf(file: string): string | null {
  try {
    return readlinkSync(file);
  } catch {
    return null;
  }
}
