import { spawn } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openLog } from '../../src/config/open-log.ts';
import { DataFolderInUseError } from '../../src/store/data-folder.ts';
import { type EmbeddedPostgres, openEmbeddedPostgres } from '../../src/store/embedded-postgres.ts';
import { eventually } from '../support/eventually.ts';
import { isAlive, postmasterPid, startOwner } from '../support/postgres-owner-process.ts';
import { withClient } from '../support/test-server.ts';

const log = openLog('silent');
const isRoot = process.getuid?.() === 0;
let base = '';

beforeAll(async () => {
  base = await mkdtemp(path.join(os.tmpdir(), 'querydock-embedded-'));
  await chmod(base, 0o755);
});
afterAll(() => rm(base, { recursive: true, force: true }));

function select(postgres: EmbeddedPostgres, sql: string) {
  return withClient(postgres.databaseUrl, async (client) => (await client.query(sql)).rows);
}

describe('one owner', () => {
  let dir = '';
  let postgres: EmbeddedPostgres;
  beforeAll(async () => {
    dir = path.join(base, 'one');
    postgres = await openEmbeddedPostgres({ dir, log });
  });
  afterAll(() => postgres?.stop());

  test('is PostgreSQL 18 that syncs to disk, behind a socket of its user alone', async () => {
    const settings = await select(
      postgres,
      "SELECT name, setting FROM pg_settings WHERE name IN ('fsync', 'full_page_writes', 'listen_addresses', 'max_connections', 'data_checksums', 'TimeZone', 'server_encoding') ORDER BY 1",
    );
    expect(Object.fromEntries(settings.map(({ name, setting }) => [name, setting]))).toEqual({
      data_checksums: 'on',
      fsync: 'on',
      full_page_writes: 'on',
      listen_addresses: '',
      max_connections: '60',
      server_encoding: 'UTF8',
      TimeZone: 'UTC',
    });
    expect((await select(postgres, 'SHOW server_version_num'))[0]?.server_version_num).toMatch(
      /^18/,
    );
    expect((await stat(postgres.connection.host)).mode & 0o777).toBe(0o700);
    expect((await stat(dir)).mode & 0o777).toBe(0o700);
  });

  test('a second open is refused, here and in another process, and does the first no harm', async () => {
    await expect(openEmbeddedPostgres({ dir, log })).rejects.toBeInstanceOf(DataFolderInUseError);
    const other = startOwner(dir, { tempDir: base });
    expect(await other.said).toMatch(/^DataFolderInUseError: The data folder .* is in use/);
    expect(await select(postgres, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  test('is restarted when it is killed, and keeps what was committed', async () => {
    await select(postgres, 'CREATE TABLE kept AS SELECT 42 AS x');
    const before = await postmasterPid(dir);
    process.kill(before, 'SIGKILL');
    await eventually('another one runs', async () => (await postmasterPid(dir)) !== before);
    await eventually('it is back', () => postgres.state() === 'ready');
    expect(await select(postgres, 'SELECT x FROM kept')).toEqual([{ x: 42 }]);
  });

  test('is stopped in order, once, and opens again with its rows', async () => {
    const pid = await postmasterPid(dir);
    await Promise.all([postgres.stop(), postgres.stop()]);
    expect(postgres.state()).toBe('stopped');
    expect(isAlive(pid)).toBe(false);
    postgres = await openEmbeddedPostgres({ dir, log });
    expect(await select(postgres, 'SELECT x FROM kept')).toEqual([{ x: 42 }]);
  });

  test('can be stopped while it is being restarted', async () => {
    process.kill(await postmasterPid(dir), 'SIGKILL');
    await eventually('it is noticed', () => postgres.state() === 'restarting');
    await postgres.stop();
    expect(postgres.state()).toBe('stopped');
    postgres = await openEmbeddedPostgres({ dir, log });
    expect(await select(postgres, 'SELECT x FROM kept')).toEqual([{ x: 42 }]);
  });
});

describe('an owner that is killed', () => {
  test('leaves no PostgreSQL and no lock behind', async () => {
    const dir = path.join(base, 'killed');
    const owner = startOwner(dir, { tempDir: base });
    expect(await owner.said).toBe('ready');
    const pid = await postmasterPid(dir);
    expect(isAlive(pid)).toBe(true);
    await owner.kill();
    const next = startOwner(dir, { tempDir: base });
    expect(await next.said).toBe('ready');
    await eventually('the old one is gone', () => !isAlive(pid));
    const nextPid = await postmasterPid(dir);
    await next.kill();
    await eventually('the next one is gone', () => !isAlive(nextPid));
  });

  test('leaves one that is slow to end, and the next start waits for it', async () => {
    const dir = path.join(base, 'slow');
    const owner = startOwner(dir, { tempDir: base });
    expect(await owner.said).toBe('ready');
    const pid = await postmasterPid(dir);
    process.kill(pid, 'SIGSTOP');
    await owner.kill();
    const waits = Promise.withResolvers<void>();
    const watching = pino(
      { level: 'info' },
      { write: (line) => void (line.includes('waiting for') && waits.resolve()) },
    );
    const opening = openEmbeddedPostgres({ dir, log: watching });
    await Promise.race([waits.promise, opening]);
    expect(isAlive(pid)).toBe(true);
    process.kill(pid, 'SIGCONT');
    const next = await opening;
    expect(await postmasterPid(dir)).not.toBe(pid);
    await next.stop();
  });

  test('during the first start leaves nothing half-made, and nothing that still writes', async () => {
    const dir = path.join(base, 'half');
    const folder = path.join(dir, 'pg18');
    const owner = startOwner(dir, { tempDir: base });
    await eventually('initdb has begun', async () =>
      (await readdir(path.join(folder, 'data.init'))).includes('base'),
    );
    await owner.kill();
    expect(await readdir(folder)).toEqual(['data.init']);
    await eventually('initdb is gone', () => processesOf(folder).length === 0);
    // The last database that initdb makes: it was killed and did not just finish.
    expect(await readdir(path.join(folder, 'data.init', 'base'))).not.toContain('5');

    const next = startOwner(dir, { tempDir: base });
    expect(await next.said).toBe('ready');
    await next.stop();
    expect(await readdir(folder)).toEqual(['data']);
  });
});

/** The ids of the processes that have `folder`, or something below it, open or as their current folder; Linux only. */
function processesOf(folder: string): readonly string[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const fds = readdirSync(`/proc/${pid}/fd`).map((fd) => `/proc/${pid}/fd/${fd}`);
      return [...fds, `/proc/${pid}/cwd`].some((link) => readlinkSync(link).startsWith(folder));
    } catch {
      return false;
    }
  });
}

describe.runIf(process.platform === 'linux')('what a killed service left', () => {
  test('a server that does not end by itself is ended', async () => {
    const dir = path.join(base, 'stuck');
    const owner = startOwner(dir);
    expect(await owner.said).toBe('ready');
    const stuck = await postmasterPid(dir);
    process.kill(stuck, 'SIGSTOP');
    await owner.kill();
    const next = await openEmbeddedPostgres({ dir, log });
    expect(await select(next, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(isAlive(stuck)).toBe(false);
    await next.stop();
  });

  test('a process id that now belongs to another PostgreSQL does not keep it from starting', async () => {
    const [dir, other] = [path.join(base, 'mine'), path.join(base, 'other')];
    await (await openEmbeddedPostgres({ dir, log })).stop();
    const bystander = await openEmbeddedPostgres({ dir: other, log });
    const taken = await postmasterPid(other);
    const file = path.join(dir, 'pg18', 'data', 'postmaster.pid');
    await writeFile(file, `${taken}\n`, { mode: 0o600 });
    if (isRoot) await chown(file, 65534, 65534);
    const next = await openEmbeddedPostgres({ dir, log });
    expect(await select(next, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await next.stop();
    expect(await select(bystander, 'SELECT 2 AS two')).toEqual([{ two: 2 }]);
    await bystander.stop();
  });

  test('its folder for the socket is removed by the next start of any service', async () => {
    const tempDir = path.join(base, 'temp');
    await mkdir(tempDir, { mode: 0o755 });
    const lives = startOwner(path.join(base, 'lives'), { tempDir });
    expect(await lives.said).toBe('ready');
    const [kept] = await readdir(tempDir);
    const dies = startOwner(path.join(base, 'dies'), { tempDir });
    expect(await dies.said).toBe('ready');
    const server = await postmasterPid(path.join(base, 'dies'));
    await dies.kill();
    await eventually('its server is gone', () => !isAlive(server));
    expect(await readdir(tempDir)).toHaveLength(2);
    const next = startOwner(path.join(base, 'next'), { tempDir });
    expect(await next.said).toBe('ready');
    const found = await readdir(tempDir);
    expect(found).toHaveLength(2);
    expect(found).toContain(kept);
    await next.stop();
    expect(await readdir(tempDir)).toEqual([kept]);
    await lives.stop();
    expect(await readdir(tempDir)).toEqual([]);
  });
});

test.skipIf(process.platform !== 'linux')(
  'a process id of before that is somebody else’s now does not keep it from starting',
  async () => {
    const dir = path.join(base, 'stale');
    const first = await openEmbeddedPostgres({ dir, log });
    await first.stop();
    // Of the user that runs PostgreSQL: others’ processes it passes over by itself.
    const user = isRoot ? { uid: 65534, gid: 65534 } : {};
    const stranger = spawn('sleep', ['600'], { ...user, stdio: 'ignore' });
    try {
      const file = path.join(dir, 'pg18', 'data', 'postmaster.pid');
      await writeFile(file, `${stranger.pid}\n`, { mode: 0o600 });
      if (isRoot) await chown(file, 65534, 65534);
      const next = await openEmbeddedPostgres({ dir, log });
      expect(await select(next, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
      await next.stop();
    } finally {
      stranger.kill('SIGKILL');
    }
  },
);
