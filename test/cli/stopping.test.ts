/** What a signal does while a request is in flight. */
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type Caller, callGraphQL, callRest, type RunBody } from './support/calls.ts';
import {
  areGone,
  descendantsOf,
  querydockJson,
  type Server,
  startServer,
  type TempFolder,
  tempFolder,
} from './support/processes.ts';

let folder: TempFolder;
let env: Readonly<Record<string, string>>;
let key: string;
let server: Server;
let caller: Caller;

beforeAll(async () => {
  folder = await tempFolder();
  env = { DATA_DIR: folder.dir, SHUTDOWN_SECONDS: '600', QUERY_TIMEOUT_SECONDS: '60' };
  await querydockJson(['project', 'create', 'slow'], env);
  const scope = ['--project', '1', '--scope', 'endpoint:write'];
  ({ key } = await querydockJson<{ key: string }>(['key', 'create', ...scope], env));
});
afterAll(() => folder.remove());

beforeEach(async () => {
  server = await startServer('start', env);
  caller = { url: server.url, projectId: 1, key };
});

/** Starts a run over so many numbers and comes back when the engine is at it. */
async function startRun(name: string, numbers: string) {
  const query = `SELECT sum(sipHash64(number)) > 0 AS done FROM numbers(${numbers})`;
  await callRest(caller, { method: 'POST', path: '', body: { name, query } });
  const response = callRest<RunBody>(caller, {
    path: `/${name}/run?client_query_id=${name}`,
  }).catch(() => 'cut' as const);
  const status = `{ queryStatus(projectId: 1, id: "${name}") { complete } }`;
  await eventually('the engine is at it', async () => {
    const { data } = await callGraphQL<{ queryStatus: { complete: boolean } | null }>(
      caller,
      status,
    );
    return data?.queryStatus?.complete === false;
  });
  return { answer: response };
}

it('a first signal lets the run finish and ends with status 0', async () => {
  const { answer } = await startRun('finishes', '30000000');
  const exit = server.end('SIGTERM');
  expect(await answer).toMatchObject({ status: 200, body: { results: [[1]] } });
  expect(await exit).toEqual({ code: 0, signal: null });
});

it('a second signal ends it at once, with all it started', async () => {
  const children = descendantsOf(server.pid);
  const { answer } = await startRun('endless', '1000000000000');
  let ended = false;
  void server.exited.then(() => {
    ended = true;
  });
  await eventually('it has ended', () => {
    server.child.kill('SIGINT');
    return ended;
  });
  expect(await server.exited).toEqual({ code: 130, signal: null });
  await areGone(children);
  expect(await answer).toBe('cut');
});
