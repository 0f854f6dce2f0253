/** The local PostgreSQL as root, as another user, and against other users. */
import { spawnSync } from 'node:child_process';
import { chmod, chown, mkdir, mkdtemp, readdir, rm, stat, utimes } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openLog } from '../../src/config/open-log.ts';
import { markTempFolder } from '../../src/lib/temp-folders.ts';
import { type EmbeddedPostgres, openEmbeddedPostgres } from '../../src/store/embedded-postgres.ts';
import { eventually } from '../support/eventually.ts';
import { isAlive, postmasterPid, startOwner } from '../support/postgres-owner-process.ts';
import { withClient } from '../support/test-server.ts';

const log = openLog('silent');
/** `daemon`, which every Linux has. */
const someUser = 1;
const namelessUser = 12_345;
const isRoot = process.getuid?.() === 0;
let base = '';

beforeAll(async () => {
  base = await mkdtemp(path.join(os.tmpdir(), 'querydock-users-'));
  await chmod(base, 0o755);
});
afterAll(() => rm(base, { recursive: true, force: true }));

function select(postgres: EmbeddedPostgres, sql: string) {
  return withClient(postgres.databaseUrl, async (client) => (await client.query(sql)).rows);
}

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

test('a start after a kill has another socket folder, so that whoever removes the old one harms nobody', async () => {
  const dir = path.join(base, 'socket');
  const killed = startOwner(dir, { tempDir: base });
  expect(await killed.said).toBe('ready');
  const left = await socketFolders();
  expect(left).toHaveLength(1);
  await killed.kill();
  expect(await socketFolders()).toEqual(left);
  const again = startOwner(dir, { tempDir: base });
  expect(await again.said).toBe('ready');
  const used = await socketFolders();
  expect(used).toContainEqual(expect.stringMatching(/^querydock-socket-/));
  expect(used.filter((name) => !left.includes(name))).toHaveLength(1);
  await again.stop();
  expect((await socketFolders()).filter((name) => !left.includes(name))).toEqual([]);
});

test('a start removes the socket folders of killed services of version 0.1.0, and none in use', async () => {
  const temp = await mkdtemp(path.join(base, 'old-'));
  await chmod(temp, 0o755);
  const [dead, used] = ['querydock-0123456789abcdef', 'querydock-fedcba9876543210'];
  const other = 'querydock-of-somebody';
  for (const name of [dead, used, other]) await mkdir(path.join(temp, name));
  markTempFolder(path.join(temp, used));
  for (const name of [dead, other]) await utimes(path.join(temp, name), 0, 0);
  const owner = startOwner(path.join(temp, 'records'), { tempDir: temp });
  expect(await owner.said).toBe('ready');
  await owner.stop();
  expect((await readdir(temp)).sort()).toEqual([used, other, 'records']);
});

async function socketFolders(): Promise<readonly string[]> {
  return (await readdir(base)).filter((name) => name.startsWith('querydock-socket-'));
}
