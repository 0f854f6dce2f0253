/** kill -9 in the middle of 200 concurrent writes: what was acknowledged is there, and nothing is half there. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Caller, callRest, type EndpointBody, type ListBody } from './support/calls.ts';
import {
  areGone,
  descendantsOf,
  querydockJson,
  type Server,
  startServer,
  type TempFolder,
  tempFolder,
} from './support/processes.ts';

const existing = 20;
const creates = 100;
const updates = 100;
const killAfter = 70;

let folder: TempFolder;
let env: Readonly<Record<string, string>>;
let server: Server;
let caller: Caller;

beforeAll(async () => {
  folder = await tempFolder();
  env = { DATA_DIR: folder.dir, MAX_CONCURRENT_QUERIES: '200' };
  const { id } = await querydockJson<{ id: number }>(['project', 'create', 'writes'], env);
  const scope = ['--project', String(id), '--scope', 'endpoint:write'];
  const { key } = await querydockJson<{ key: string }>(['key', 'create', ...scope], env);
  server = await startServer('start', env);
  caller = { url: server.url, projectId: id, key };
});

afterAll(async () => {
  await server.end('SIGINT');
  await folder.remove();
});

/** The query tells which write it came with, and so does the description: half a write would show. */
const contentOf = (mark: string) => ({ description: mark, query: `SELECT '${mark}' AS mark` });

interface Write {
  readonly name: string;
  readonly mark: string;
  readonly isNew: boolean;
}

/** True when the service has acknowledged it. Capacity refusals are tried again; a lost connection is not. */
async function send(write: Write): Promise<boolean> {
  for (;;) {
    const body = contentOf(write.mark);
    const response = await callRest(
      caller,
      write.isNew
        ? { method: 'POST', path: '', body: { name: write.name, ...body } }
        : { method: 'PATCH', path: `/${write.name}`, body },
    ).catch(() => null);
    if (response === null) return false;
    if (response.status === 200 || response.status === 201) return true;
    if (response.status !== 429 && response.status !== 503)
      throw new Error(JSON.stringify(response));
  }
}

function planWrites(): readonly Write[] {
  const ofNew = Array.from({ length: creates }, (_, at): Write => {
    return { name: `new_${at}`, mark: `new_${at}`, isNew: true };
  });
  const ofOld = Array.from({ length: updates }, (_, at): Write => {
    return { name: `old_${at % existing}`, mark: `change_${at}`, isNew: false };
  });
  return ofNew.flatMap((write, at) => [write, ofOld[at] ?? write]);
}

/** Kills the server at the n-th acknowledgement, once there is one of each kind, with the other writes under way. */
async function writeUntilKilled(writes: readonly Write[]): Promise<readonly Write[]> {
  const acknowledged: Write[] = [];
  await Promise.all(
    writes.map(async (write) => {
      if (!(await send(write))) return;
      acknowledged.push(write);
      const isMixed = acknowledged.some(isOfNew) && !acknowledged.every(isOfNew);
      if (acknowledged.length >= killAfter && isMixed) server.child.kill('SIGKILL');
    }),
  );
  await server.exited;
  return acknowledged;
}

const isOfNew = ({ isNew }: Write) => isNew;

async function readVersions(name: string): Promise<readonly EndpointBody[]> {
  const { body } = await callRest<ListBody<EndpointBody>>(caller, {
    path: `/${name}/versions?limit=1000`,
  });
  return body.results;
}

function expectWhole(versions: readonly EndpointBody[]): void {
  const numbers = versions.map(({ version }) => version);
  expect(numbers).toEqual(Array.from(numbers, (_, at) => numbers.length - at));
  for (const { description, query, versions_count: count } of versions) {
    expect(query.query).toBe(contentOf(description).query);
    expect(count).toBe(versions.length);
  }
}

it('loses no acknowledged write and keeps none by halves', async () => {
  for (let at = 0; at < existing; at += 1) {
    expect(await send({ name: `old_${at}`, mark: 'first', isNew: true })).toBe(true);
  }
  const children = descendantsOf(server.pid);
  const writes = planWrites();
  const acknowledged = await writeUntilKilled(writes);
  expect(acknowledged.length).toBeGreaterThanOrEqual(killAfter);
  expect(acknowledged.length).toBeLessThan(writes.length);
  expect(acknowledged.some(({ isNew }) => isNew)).toBe(true);
  expect(acknowledged.some(({ isNew }) => !isNew)).toBe(true);
  await areGone(children);

  server = await startServer('start', env);
  caller = { ...caller, url: server.url };
  const { body } = await callRest<ListBody<EndpointBody>>(caller, { path: '?limit=1000' });
  const found = new Map<string, readonly EndpointBody[]>();
  for (const { name } of body.results) found.set(name, await readVersions(name));
  for (const versions of found.values()) expectWhole(versions);

  const marks = (name: string) => (found.get(name) ?? []).map(({ description }) => description);
  for (const { name, mark } of acknowledged) expect(marks(name)).toContain(mark);
  const sent = new Set(['first', ...writes.map(({ mark }) => mark)]);
  expect([...found.keys()].flatMap(marks).filter((mark) => !sent.has(mark))).toEqual([]);
  // What was not acknowledged may be there, whole, and can be written again.
  expect(await send({ name: 'old_0', mark: 'after', isNew: false })).toBe(true);
});
