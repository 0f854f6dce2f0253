/** A first start of the demo that is killed on the way is completed by the next one. */
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { callRest, type EndpointBody, type ListBody } from './support/calls.ts';
import {
  areGone,
  descendantsOf,
  querydockJson,
  readDemo,
  root,
  saysUntilEnd,
  start,
  startServer,
  type TempFolder,
  tempFolder,
} from './support/processes.ts';

let folder: TempFolder;
const main = path.join(root, 'src', 'main.ts');

beforeAll(async () => {
  folder = await tempFolder();
});
afterAll(() => folder.remove());

it('is whole after a kill -9 and after a Ctrl-C during the load', async () => {
  const env = { DATA_DIR: path.join(folder.dir, 'data') };
  for (const signal of ['SIGKILL', 'SIGINT'] as const) {
    const first = start([process.execPath, main, 'demo'], { ...env, PORT: '0' });
    await saysUntilEnd(first, 'Loading flights');
    const children = descendantsOf(first.pid);
    const exit = await first.end(signal);
    expect(exit.code).toBe(signal === 'SIGINT' ? 0 : null);
    expect(first.stdout()).not.toContain('is ready');
    await areGone(children);
  }

  const server = await startServer('demo', env);
  const demo = await readDemo(env.DATA_DIR);
  expect(demo.project_id).toBe(1);
  const { body } = await callRest<ListBody<EndpointBody>>(
    { url: demo.url, projectId: 1, key: demo.api_key },
    { path: '' },
  );
  expect(body.count).toBe(7);
  const { tables } = await querydockJson<{ tables: readonly Record<string, unknown>[] }>(
    ['data', 'tables', '--project', '1'],
    env,
  );
  expect(tables).toMatchObject([
    { name: 'airports', rows: 3376 },
    { name: 'flights', rows: 3_000_000 },
  ]);
  expect(await server.end('SIGINT')).toEqual({ code: 0, signal: null });
});
