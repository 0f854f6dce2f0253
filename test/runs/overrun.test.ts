/** A query that looks neither at its time limit nor at KILL costs the others a restart of the engine, once. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { openRelay } from '../support/relay.ts';
import { type OverrunWorld, openOverrunWorld, type Service } from './support/overrun-world.ts';

const refusal = {
  status: 400,
  body: {
    type: 'validation_error',
    code: 'query_timeout',
    detail:
      'This query exceeded its time limit and could not be stopped. It is refused until it is changed: read fewer rows, or remove its slow expressions.',
    attr: null,
  },
};
// Others wait for the engine as long as a busy machine takes to start it.
const times = { graceMs: 2000, writerSeconds: 1, recoveryMs: 60_000 };

let world: OverrunWorld;
let service: Service;

beforeAll(async () => {
  world = await openOverrunWorld();
  service = await world.openService({ isLocal: true, times });
});
afterAll(async () => {
  await service?.close();
  await world?.close();
});

/** The bystander: an endpoint of the same project, computed anew. */
async function expectOthersServed(by: Service): Promise<void> {
  const [status, results] = await runOther(by);
  expect([status, results]).toEqual([200, [[1]]]);
}

async function runOther(by: Service): Promise<readonly unknown[]> {
  const { status, body } = await by.ask('GET', '/other/run');
  return [status, body.results];
}

async function save(name: string, query: string, more: object = {}): Promise<void> {
  const { status, body } = await service.ask('POST', '', { name, query, ...more });
  expect([status, body.detail]).toEqual([201, undefined]);
}

async function refusedAt(by: Service, name: string): Promise<unknown> {
  const query = `{ endpoint(projectId: "@current", name: "${name}") { version { refusedAt } } }`;
  const { body } = await by.ask('POST', '/graphql', { query });
  const data = body.data as { readonly endpoint: { readonly version: { refusedAt: unknown } } };
  return data.endpoint.version.refusedAt;
}

describe('a version that runs past its time and cannot be stopped', () => {
  beforeAll(async () => {
    await save('other', 'SELECT 1 AS one', { cache_age_seconds: 0 });
    await save('endless', 'SELECT v FROM endless');
  });

  it('ends with the engine, is named in the log, and others are served on', async () => {
    const before = world.engine.pid();
    const run = service.ask('GET', '/endless/run');
    await expectOthersServed(service);
    expect(await run).toEqual(refusal);
    await expectOthersServed(service);
    expect([null, before]).not.toContain(world.engine.pid());
    const told = service.errors().filter((line) => 'queryId' in line);
    expect(told).toEqual([
      expect.objectContaining({
        queryId: expect.stringMatching(/^[0-9a-f-]{36}$/),
        projectId: 1,
        endpoint: 'endless',
        version: 1,
      }),
    ]);
  });

  it('is refused from then on without the engine, also by other processes and later ones', async () => {
    const before = world.engine.pid();
    await eventually('it is on record', async () => (await refusedAt(service, 'endless')) !== null);
    expect(await service.ask('GET', '/endless/run')).toEqual(refusal);
    expect(await service.ask('GET', '/endless/run?format=csv')).toEqual(refusal);
    expect(world.engine.pid()).toBe(before);
    const nowhere = await world.openService({ url: 'http://127.0.0.1:9', isLocal: false, times });
    expect(await nowhere.ask('GET', '/endless/run')).toEqual(refusal);
    await nowhere.close();
  });

  it('runs again once it is changed, and keeps refusing the same text', async () => {
    const query = 'SELECT k FROM source';
    expect((await service.ask('PATCH', '/endless', { query })).status).toBe(200);
    expect((await service.ask('GET', '/endless/run')).status).toBe(200);
    expect(await refusedAt(service, 'endless')).toBeNull();
    expect(await service.ask('GET', '/endless/run?version=1')).toEqual(refusal);
    const same = { name: 'same', query: 'SELECT v FROM endless' };
    expect(await service.ask('POST', '', same)).toEqual(refusal);
    expect((await service.ask('GET', '/same')).status).toBe(404);
  });

  it('is found as a stream, too', async () => {
    await save('streamed', 'SELECT v AS w FROM endless');
    const before = world.engine.pid();
    const failed = await service.ask('GET', '/streamed/run?format=csv');
    expect([failed.status, failed.body.code]).toEqual([400, 'query_timeout']);
    await eventually('it is refused', async () => (await refusedAt(service, 'streamed')) !== null);
    await eventually('the engine is another', () => ![null, before].includes(world.engine.pid()));
    await expectOthersServed(service);
  });
});

describe('a text that never becomes a version', () => {
  const draft = { name: 'draft', query: 'SELECT (SELECT v FROM endless) AS v' };

  it('is refused while it is saved, and again without the engine', async () => {
    const before = world.engine.pid();
    expect(await service.ask('POST', '', draft)).toEqual(refusal);
    await eventually('the engine is another', () => ![null, before].includes(world.engine.pid()));
    const after = world.engine.pid();
    expect(await service.ask('POST', '', draft)).toEqual(refusal);
    expect((await service.ask('GET', '/draft')).status).toBe(404);
    await expectOthersServed(service);
    expect(world.engine.pid()).toBe(after);
  });
});

describe('a sync that does so', () => {
  it('fails for good, with the reason', async () => {
    await save('stored', 'SELECT k, v FROM derived', { is_materialized: true });
    await world.admin('INSERT INTO project_1.source SELECT 1, range(400000)');
    const before = world.engine.pid();
    const { syncs } = await service.app.materialization.runOnce();
    expect(syncs).toEqual(['failed']);
    await eventually('the engine is another', () => ![null, before].includes(world.engine.pid()));
    await eventually('it is refused', async () => (await refusedAt(service, 'stored')) !== null);
    const status = await service.ask('GET', '/stored/materialization_status');
    expect(status.body).toMatchObject({ status: 'Failed', error: refusal.body.detail });
    await world.admin('TRUNCATE TABLE project_1.source');
    const query =
      'mutation { syncMaterialization(projectId: "@current", name: "stored") { status } }';
    expect((await service.ask('POST', '/graphql', { query })).body).toMatchObject({
      errors: [{ extensions: { code: 'query_timeout' } }],
    });
    await service.makeSyncsDue();
    expect((await service.app.materialization.runOnce()).syncs).toEqual([]);
    expect(await service.ask('GET', '/stored/run')).toEqual(refusal);
    await expectOthersServed(service);
  });
});

describe('an engine that does not respond to the service’s own checks', () => {
  it('is started again when it works for what is past its time', async () => {
    const url = new URL(world.engine.connection.url);
    const relay = await openRelay(url.href, (chunk) => chunk.includes('FROM system.processes'));
    await relay.listen();
    url.port = String(relay.port);
    // An engine at work, however little of its processors the machine leaves to it.
    const cpuSeconds = () => performance.now() / 1000;
    const deaf = await world.openService({ url: url.origin, isLocal: true, times, cpuSeconds });
    await save('unheard', 'SELECT v AS x FROM endless');
    const before = world.engine.pid();
    expect(await deaf.ask('GET', '/unheard/run')).toEqual(refusal);
    await eventually('the engine is another', () => ![null, before].includes(world.engine.pid()));
    await deaf.close();
    await relay.close();
  });

  it('blames nobody when it stands still as a whole', async () => {
    const patient = await world.openService({ isLocal: true, times: { graceMs: 9000 } });
    await save('innocent', 'SELECT v FROM slow', { cache_age_seconds: 0 });
    const pid = world.engine.pid() ?? 0;
    const run = patient.ask('GET', '/innocent/run');
    await eventually('it runs', async () => (await runningQueries()) === 1);
    process.kill(pid, 'SIGSTOP');
    const { status, body } = await run;
    // Twice as long as a request is waited for, and so past the time of the first by more than the watch allows.
    expect(await runOther(patient)).toEqual([503, undefined]);
    process.kill(pid, 'SIGCONT');
    expect([status, body.code]).toEqual([503, 'engine_unavailable']);
    await eventually('it has ended', async () => (await runningQueries()) === 0);
    expect(await refusedAt(patient, 'innocent')).toBeNull();
    expect(patient.errors().filter((line) => 'queryId' in line)).toEqual([]);
    expect(world.engine.pid()).toBe(pid);
    await patient.close();
  });

  const runningQueries = async (): Promise<number> => {
    const listed = "SELECT count() FROM system.processes WHERE user LIKE 'project_%'";
    return Number(await world.admin(listed));
  };
});

describe('an engine by URL', () => {
  it('is not started again; the query is reported as too slow, and the version is refused all the same', async () => {
    const remote = await world.openService({ isLocal: false, times: { graceMs: 6000 } });
    await save('remote', 'SELECT v AS y FROM endless');
    const before = world.engine.pid();
    const first = await remote.ask('GET', '/remote/run');
    expect([first.status, first.body.detail]).toEqual([
      400,
      'The query exceeded its time limit. Read fewer rows.',
    ]);
    await eventually('it is refused', async () => (await refusedAt(remote, 'remote')) !== null);
    expect(await remote.ask('GET', '/remote/run')).toEqual(refusal);
    expect(world.engine.pid()).toBe(before);
    expect(remote.errors()).toContainEqual(
      expect.objectContaining({
        endpoint: 'remote',
        msg: expect.stringContaining('stop it at the engine'),
      }),
    );
    await expectOthersServed(remote);
    await remote.close();
  });
});
