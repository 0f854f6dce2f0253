import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DataFolderInUseError, lockDataFolder } from '../../src/store/data-folder.ts';
import { eventually } from '../support/eventually.ts';

let base = '';
beforeAll(async () => {
  base = await mkdtemp(path.join(os.tmpdir(), 'querydock-lock-'));
});
afterAll(() => rm(base, { recursive: true, force: true }));

const module = pathToFileURL(path.resolve(import.meta.dirname, '../../src/store/data-folder.ts'));

/** A process that locks `dir` and stays. */
function startHolder(dir: string) {
  const script = `
    const { lockDataFolder } = await import(${JSON.stringify(module.href)});
    globalThis.lock = lockDataFolder(${JSON.stringify(dir)});
    process.stdout.write('locked');
    setInterval(() => {}, 1000);`;
  return spawn(process.execPath, ['--input-type=module', '-e', script], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
}

test('makes the folder for its owner alone', async () => {
  const dir = path.join(base, 'deep', 'new');
  const lock = lockDataFolder(dir);
  expect(lock.dir).toBe(dir);
  expect((await stat(dir)).mode & 0o777).toBe(0o700);
  lock.release();
});

test('is refused to a second holder in the same process until it is released', () => {
  const dir = path.join(base, 'twice');
  const lock = lockDataFolder(dir);
  expect(() => lockDataFolder(dir)).toThrow(DataFolderInUseError);
  expect(() => lockDataFolder(dir)).toThrow(
    `The data folder ${dir} is in use by another process: ${process.pid} (`,
  );
  lock.release();
  lock.release();
  lockDataFolder(dir).release();
});

test('another folder is another lock', () => {
  const one = lockDataFolder(path.join(base, 'a'));
  const two = lockDataFolder(path.join(base, 'b'));
  expect([one.dir, two.dir].map((dir) => path.basename(dir))).toEqual(['a', 'b']);
  one.release();
  two.release();
});

test('is held against other processes, and freed when its holder is killed', async () => {
  const dir = path.join(base, 'killed');
  const holder = startHolder(dir);
  await once(holder.stdout, 'data');
  expect(() => lockDataFolder(dir)).toThrow(DataFolderInUseError);
  expect(() => lockDataFolder(dir)).toThrow(`in use by another process: ${holder.pid} (`);
  holder.kill('SIGKILL');
  await once(holder, 'exit');
  await eventually('the folder is free', () => {
    lockDataFolder(dir).release();
    return true;
  });
});

test.skipIf(process.platform !== 'linux')(
  'does not take a process for the holder that only has its number',
  async () => {
    const dir = path.join(base, 'recycled');
    const holder = startHolder(dir);
    await once(holder.stdout, 'data');
    const file = path.join(dir, 'lock.json');
    const mark = JSON.parse(await readFile(file, 'utf8')) as { readonly began: string };
    const earlier = mark.began.replace(/\d+$/, '1');
    await writeFile(file, JSON.stringify({ ...mark, pid: process.pid, began: earlier }));
    expect(() => lockDataFolder(dir)).toThrow(
      `is in use by another process whose process id is unknown (the last known one, ${process.pid}, has ended;`,
    );
    holder.kill('SIGKILL');
    await once(holder, 'exit');
  },
);

test('a folder that cannot be made is reported as such, not as in use', async () => {
  const file = path.join(base, 'file');
  await writeFile(file, '');
  expect(() => lockDataFolder(path.join(file, 'below'))).toThrow(`${file} is a file.`);
  expect(() => lockDataFolder('/proc/querydock/below')).toThrow(/is not writable/);
});
