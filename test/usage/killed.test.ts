/** kill -9 under load: what was written is told once, and nothing that was not run. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Caller, callRest } from '../cli/support/calls.ts';
import {
  querydockJson,
  type Server,
  startServer,
  type TempFolder,
  tempFolder,
} from '../cli/support/processes.ts';

const rounds = 2;
const runsARound = 40;

let folder: TempFolder;
let env: Readonly<Record<string, string>>;
let server: Server;
let caller: Caller;

beforeAll(async () => {
  folder = await tempFolder();
  env = { DATA_DIR: folder.dir };
  const { id } = await querydockJson<{ id: number }>(['project', 'create', 'counted'], env);
  const scope = ['--project', String(id), '--scope', 'endpoint:write'];
  const { key } = await querydockJson<{ key: string }>(['key', 'create', ...scope], env);
  server = await startServer('start', env);
  caller = { url: server.url, projectId: id, key };
  await callRest(caller, { method: 'POST', path: '', body: { name: 'one', query: 'SELECT 1' } });
});

afterAll(async () => {
  await server.end('SIGINT');
  await folder.remove();
});

interface Usage {
  readonly total: { readonly runs: number; readonly rows: number };
}

/** Asking writes what was counted before. */
const ask = async (step = 'all') =>
  (await callRest<Usage>(caller, { path: `/one/usage?step=${step}` })).body.total;

it('tells every run up to the last flush after kill -9, by minute, hour and day alike', async () => {
  let sent = 0;
  let flushed = 0;
  const load = async () => {
    for (let at = 0; at < runsARound; at += 1) {
      sent += 1;
      await callRest(caller, { path: '/one/run' });
      if (at % 10 === 9) flushed = Math.max(flushed, (await ask()).runs);
    }
  };
  for (let round = 0; round < rounds; round += 1) {
    const loads = [load(), load(), load()].map((each) => each.catch(() => undefined));
    await Promise.race(loads);
    server.child.kill('SIGKILL');
    await Promise.all([...loads, server.exited]);
    server = await startServer('start', env);
    caller = { ...caller, url: server.url };
    const { runs, rows } = await ask();
    expect(flushed).toBeGreaterThan(0);
    expect(runs).toBeGreaterThanOrEqual(flushed);
    expect(runs).toBeLessThanOrEqual(sent);
    expect(rows).toBe(runs);
    for (const step of ['minute', 'hour', 'day'])
      expect(await ask(step)).toMatchObject({ runs, rows });
    // What is lost is lost: from here on both are counted from what was told.
    sent = runs;
  }
});
