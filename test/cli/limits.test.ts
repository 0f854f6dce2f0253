/** Limits of projects and of keys, and settings of projects, by the command line: set, shown, taken back, refused. */
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  querydock,
  querydockJson,
  type Server,
  startServer,
  type TempFolder,
  tempFolder,
} from './support/processes.ts';

interface Limits {
  readonly id: number;
  readonly limits: Readonly<Record<string, number>>;
  readonly own: Readonly<Record<string, number>>;
}

let folder: TempFolder;
let env: { readonly DATA_DIR: string };
let server: Server;

const json = <Answer>(...args: readonly string[]) => querydockJson<Answer>(args, env);
const limits = (...more: readonly string[]) => json<Limits>('project', 'limits', 'first', ...more);

beforeAll(async () => {
  folder = await tempFolder();
  env = { DATA_DIR: path.join(folder.dir, 'data') };
  // Beside a server a command starts no backends of its own.
  server = await startServer('start', env);
  await json('project', 'create', 'first');
});
afterAll(async () => {
  await server?.end('SIGTERM');
  await folder.remove();
});

it('a project gets limits of its own, shows what holds, and gives them back', async () => {
  const before = await limits();
  expect(before).toMatchObject({ id: 1, own: {} });
  expect(Object.keys(before.limits)).toHaveLength(6);
  const own = { execution_seconds: 5, result_rows: 10 };
  const given = ['--set', 'execution_seconds=5', '--set', 'result_rows=10'];
  expect(await limits(...given)).toEqual({ id: 1, own, limits: { ...before.limits, ...own } });
  const kept = { result_rows: 10 };
  expect(await limits('--set', 'execution_seconds=none')).toEqual({
    id: 1,
    own: kept,
    limits: { ...before.limits, ...kept },
  });
  const table = await querydock(['project', 'limits', 'first'], env);
  expect(table.stdout).toMatch(/^result_rows +10 +10 +Maximum number of rows in a result\.$/m);

  const key = (limit: string) =>
    querydock(['key', 'create', '--project', 'first', '--limit', limit, '--json'], env);
  const above = await key('result_rows=11');
  expect(above).toMatchObject({ code: 1, stdout: '' });
  expect(above.stderr).toMatch(/from 1 to 10/);
  expect((await key('result_rows=4')).code).toBe(0);
});

it.each([
  ['seconds=5', /is not a limit.*execution_seconds/],
  ['execution_seconds', /is not a limit/],
  ['execution_seconds=soon', /not an integer/],
  ['result_rows=-1', /not an integer/],
])('%s is refused before anything is opened', async (given, says) => {
  for (const words of [
    ['project', 'limits', 'first', '--set', given],
    ['key', 'create', '--project', 'first', '--limit', given],
  ]) {
    const { code, stdout, stderr } = await querydock(words, env);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(says);
  }
});

it('a project records values of variables from when it is told to', async () => {
  const settings = (...more: readonly string[]) =>
    json<object>('project', 'settings', 'first', ...more);
  expect(await settings()).toEqual({ id: 1, records_values: false });
  expect(await settings('--record-values', 'on')).toEqual({ id: 1, records_values: true });
  const table = await querydock(['project', 'settings', 'first'], env);
  expect(table.stdout).toMatch(/^record-values +on +Executions are recorded with the values/m);
  expect(await settings('--record-values', 'off')).toEqual({ id: 1, records_values: false });
  const wrong = await querydock(['project', 'settings', 'first', '--record-values', 'maybe'], env);
  expect(wrong).toMatchObject({ code: 1, stdout: '' });
  expect(wrong.stderr).toMatch(/on, off/);
});
