/** What `npm ci` prints before anything is installed, on the Node of this machine: the packages bring their own. */
import { spawnSync } from 'node:child_process';
import { copyFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { root, type TempFolder, tempFolder } from './support/processes.ts';

let folder: TempFolder;
beforeAll(async () => {
  folder = await tempFolder();
  for (const file of ['package.json', 'package-lock.json', '.npmrc'])
    copyFileSync(path.join(root, file), path.join(folder.dir, file));
});
afterAll(() => folder.remove());

function npmCi(): { readonly status: number | null; readonly stderr: string } {
  const onPath = process.env.PATH?.split(path.delimiter) ?? [];
  const PATH = onPath.filter((dir) => !dir.includes('node_modules')).join(path.delimiter);
  const env = { PATH, HOME: folder.dir };
  const args = ['ci', '--dry-run', '--offline'];
  return spawnSync('npm', args, { cwd: folder.dir, encoding: 'utf8', env });
}

describe('npm ci', () => {
  it('prints no warning and no notice', () => {
    expect(npmCi()).toMatchObject({ status: 0, stderr: '' });
  });

  it('still prints errors', () => {
    copyFileSync(path.join(root, 'tsconfig.json'), path.join(folder.dir, 'package-lock.json'));
    const { status, stderr } = npmCi();
    expect(status).not.toBe(0);
    expect(stderr).toContain('npm error');
  });
});
