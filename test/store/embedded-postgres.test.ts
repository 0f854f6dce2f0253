import { spawn, spawnSync } from 'node:child_process';
import { readdirSync, readlinkSync } from 'node:fs';
import {
  chmod,
  chown,
  cp,
  mkdir,
  mkdtemp,
  readdir,
  rm,
  stat,
  symlink,
  writeFile,
} from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openLog } from '../../src/lib/log.ts';
import { DataFolderInUseError } from '../../src/store/data-folder.ts';
import { type EmbeddedPostgres, openEmbeddedPostgres } from '../../src/store/embedded-postgres.ts';
import { findPostgresBinaries } from '../../src/store/postgres-binaries.ts';
import { eventually } from '../support/eventually.ts';
import { isAlive, postmasterPid, startOwner } from '../support/postgres-owner-process.ts';
import { withClient } from '../support/test-server.ts';

const log = openLog('silent');
const isRoot = process.getuid?.() === 0;
/** `daemon`, which every Linux has. */
const someUser = 1;
const namelessUser = 12_345;
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
    let exits = 0;
    const stopListening = postgres.onExit(() => exits++);
    const before = await postmasterPid(dir);
    process.kill(before, 'SIGKILL');
    await eventually('it is noticed', () => exits === 1);
    await eventually('it is back', () => postgres.state() === 'ready');
    expect(await postmasterPid(dir)).not.toBe(before);
    expect(await select(postgres, 'SELECT x FROM kept')).toEqual([{ x: 42 }]);
    stopListening();
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

test.skipIf(!isRoot)('a folder below one that only root may enter will do', async () => {
  const closed = path.join(base, 'closed');
  await mkdir(closed, { mode: 0o700 });
  const dir = path.join(closed, 'a', 'records');
  const postgres = await openEmbeddedPostgres({ dir, log });
  try {
    expect(await select(postgres, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    process.kill(await postmasterPid(dir), 'SIGKILL');
    await eventually('it is noticed', () => postgres.state() === 'restarting');
    await eventually('it is back', () => postgres.state() === 'ready');
    expect(await select(postgres, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  } finally {
    await postgres.stop();
  }
  const again = await openEmbeddedPostgres({ dir, log });
  await again.stop();
});

test.skipIf(!isRoot || !othersMayRead())(
  'another user than root owns one the plain way',
  async () => {
    const dir = path.join(base, 'user');
    await mkdir(dir, { mode: 0o700 });
    await chown(dir, someUser, someUser);
    const userTemp = path.join(dir, 't');
    await mkdir(userTemp);
    await chown(userTemp, someUser, someUser);
    const owner = startOwner(dir, { uid: someUser, tempDir: userTemp });
    expect(await owner.said).toBe('ready');
    const pid = await postmasterPid(dir);
    expect((await stat(path.join(dir, 'pg18', 'data'))).uid).toBe(someUser);
    await owner.kill();
    await eventually('PostgreSQL is gone', () => !isAlive(pid));

    // Root opens the same folder afterwards and leaves it to its user.
    const postgres = await openEmbeddedPostgres({ dir, log });
    expect(await select(postgres, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    await postgres.stop();
    const back = startOwner(dir, { uid: someUser, tempDir: userTemp });
    expect(await back.said).toBe('ready');
    await back.stop();
  },
);

test.skipIf(!isRoot || !othersMayRead() || hasName(namelessUser))(
  'a user without a name is told what is missing',
  async () => {
    const dir = path.join(base, 'nameless');
    await mkdir(dir, { mode: 0o700 });
    await chown(dir, namelessUser, namelessUser);
    const owner = startOwner(dir, { uid: namelessUser, tempDir: dir });
    expect(await owner.said).toMatch(/user id 12345 has no name .*DATABASE_URL/);
  },
);

function hasName(uid: number): boolean {
  return spawnSync('id', ['-nu', String(uid)]).status === 0;
}

/** Whether a user of no privilege can run this checkout at all. */
function othersMayRead(): boolean {
  const uid = isRoot ? { uid: someUser, gid: someUser } : {};
  const file = path.join(import.meta.dirname, '../../package.json');
  const script = `require('node:fs').readFileSync(${JSON.stringify(file)})`;
  return spawnSync(process.execPath, ['-e', script], { ...uid, cwd: '/' }).status === 0;
}

describe.skipIf(!isRoot)('programs that another user cannot reach', () => {
  let temp = '';
  let packageRoot = '';
  const savedTemp = process.env.TMPDIR;
  beforeAll(async () => {
    temp = path.join(base, 'temp');
    packageRoot = path.join(base, 'private', 'package');
    await mkdir(temp, { mode: 0o755 });
    await mkdir(path.dirname(packageRoot), { mode: 0o700 });
    const name = `@embedded-postgres/${process.platform}-${process.arch}`;
    const entry = createRequire(import.meta.url).resolve(name);
    await cp(path.resolve(entry, '../..'), packageRoot, {
      recursive: true,
      verbatimSymlinks: true,
    });
    process.env.TMPDIR = temp;
  });
  afterAll(() => {
    if (savedTemp === undefined) delete process.env.TMPDIR;
    else process.env.TMPDIR = savedTemp;
  });

  function runs(binDir: string): boolean {
    const run = spawnSync(path.join(binDir, 'postgres'), ['--version'], {
      uid: 65534,
      gid: 65534,
      cwd: '/',
    });
    return run.status === 0;
  }

  test('are copied, once, to a folder that only root can change', async () => {
    const { binDir } = findPostgresBinaries({ runsAsOther: true, packageRoot });
    expect(binDir.startsWith(temp)).toBe(true);
    expect(runs(binDir)).toBe(true);
    const copy = path.dirname(binDir);
    const before = await stat(copy);
    expect([before.uid, before.mode & 0o777]).toEqual([0, 0o755]);
    expect(findPostgresBinaries({ runsAsOther: true, packageRoot })).toEqual({ binDir });
    expect((await stat(copy)).ino).toBe(before.ino);
    expect(await readdir(temp)).toEqual([path.basename(copy)]);
  });

  test('are used where they are when nobody else has to reach them', () => {
    const { binDir } = findPostgresBinaries({ runsAsOther: false, packageRoot });
    expect(binDir).toBe(path.join(packageRoot, 'native', 'bin'));
  });

  test.each([
    ['that belongs to somebody else', (copy: string) => chown(copy, 65534, 65534)],
    ['that others may write to', (copy: string) => chmod(copy, 0o777)],
    [
      'that is a link',
      async (copy: string) => {
        await rm(copy, { recursive: true });
        await symlink('/', copy);
      },
    ],
  ])('are never run from a folder %s', async (_what, spoil) => {
    await rm(temp, { recursive: true });
    await mkdir(temp, { mode: 0o755 });
    const { binDir } = findPostgresBinaries({ runsAsOther: true, packageRoot });
    await spoil(path.dirname(binDir));
    expect(() => findPostgresBinaries({ runsAsOther: true, packageRoot })).toThrow(
      /not made by this user/,
    );
  });

  test('are not copied to a temp folder where others could replace them', async () => {
    await rm(temp, { recursive: true });
    await mkdir(temp);
    await chmod(temp, 0o777);
    expect(() => findPostgresBinaries({ runsAsOther: true, packageRoot })).toThrow(/TMPDIR/);
    await chmod(temp, 0o1777);
    expect(runs(findPostgresBinaries({ runsAsOther: true, packageRoot }).binDir)).toBe(true);
  });
});

test('a socket folder of somebody else is not used', async () => {
  const dir = path.join(base, 'socket');
  const first = await openEmbeddedPostgres({ dir, log });
  const socketDir = first.connection.host;
  await first.stop();
  await mkdir(socketDir);
  await chmod(socketDir, 0o777);
  await expect(openEmbeddedPostgres({ dir, log })).rejects.toThrow(/open to others/);
  await rm(socketDir, { recursive: true });
  const again = await openEmbeddedPostgres({ dir, log });
  await again.stop();
});
