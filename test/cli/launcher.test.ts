/** bin/querydock.mjs, from the Node that runs the tests and from an older one where the machine has one. */
import { execFileSync } from 'node:child_process';
import { accessSync, constants, cpSync, mkdirSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  areGone,
  descendantsOf,
  root,
  start,
  startServer,
  type TempFolder,
  tempFolder,
} from './support/processes.ts';

const launcher = path.join(root, 'bin', 'querydock.mjs');
const olderNode = findOlderNode();

let folder: TempFolder;
beforeAll(async () => {
  folder = await tempFolder();
});
afterAll(() => folder.remove());

/** Null when every Node of the PATH is 24 or newer. */
function findOlderNode(): string | null {
  for (const dir of (process.env.PATH ?? '').split(path.delimiter)) {
    const file = path.join(dir, 'node');
    try {
      accessSync(file, constants.X_OK);
      const version = execFileSync(file, ['-v'], { encoding: 'utf8' });
      if (Number.parseInt(version.slice(1), 10) < 24) return file;
    } catch {
      // none here
    }
  }
  return null;
}

async function run(node: string, file: string, args: readonly string[]) {
  const running = start([node, file, ...args], {}, '/');
  const exit = await running.exited;
  return { ...exit, stdout: running.stdout(), stderr: running.stderr() };
}

it('runs in the process of a Node that is new enough, from any folder', async () => {
  const { code, stdout } = await run(process.execPath, launcher, ['--version']);
  expect({ code, stdout }).toEqual({ code: 0, stdout: expect.stringMatching(/^\d+\.\d+\.\d+\n$/) });
  expect(await run(process.execPath, launcher, ['frob'])).toMatchObject({ code: 1 });
});

describe.skipIf(olderNode === null)('from an older Node', () => {
  const command = [olderNode ?? '', launcher];

  it('hands over to the Node of the package, exit status included', async () => {
    expect(await run(olderNode ?? '', launcher, ['--version'])).toMatchObject({ code: 0 });
    const mistake = await run(olderNode ?? '', launcher, ['frob']);
    expect(mistake).toMatchObject({
      code: 1,
      stderr: "querydock: unknown command 'frob'. querydock --help prints the commands.\n",
    });
  });

  it('names what is missing where the package has none', async () => {
    const alone = path.join(folder.dir, 'alone', 'bin');
    mkdirSync(alone, { recursive: true });
    cpSync(launcher, path.join(alone, 'querydock.mjs'));
    const { code, stderr } = await run(olderNode ?? '', path.join(alone, 'querydock.mjs'), []);
    expect(stderr).toMatch(
      /^querydock: this is Node \d+\.\d+\.\d+, and Querydock needs Node 24\. /,
    );
    expect(code).toBe(1);
  });

  it('passes a signal on, and its own end by kill -9 too', async () => {
    const env = { DATA_DIR: path.join(folder.dir, 'data') };
    for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
      const server = await startServer('start', env, command);
      const started = descendantsOf(server.pid);
      const exit = await server.end(signal);
      expect(exit.code).toBe(signal === 'SIGTERM' ? 0 : null);
      await areGone(started);
    }
  });
});
