/** A run that waits for its turn is found and cancelled as one that runs. Held by blocking queries, not by time. */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { type BusyApp, openBusyApp } from '../support/busy.ts';

let test: BusyApp;
let n = 0;

beforeAll(async () => {
  test = await openBusyApp({ engineCores: 2, maxEngineQueries: 1, queueSeconds: 600 });
});
afterEach(() => test.freeAll());
afterAll(() => test.close());

/** Runs with the same `n` are one. */
const ask = (id: string, format = 'json', key = test.project.writeKey) =>
  test.rest('POST', '/endpoints/quick/run', {
    key,
    body: { variables: { n }, refresh: 'force', client_query_id: id, format },
  });

const isKnown = (id: string) =>
  eventually(
    `${id} is known`,
    () => test.app.core.pendingCallers.find(test.project.id, id) !== null,
  );

interface Status {
  readonly id: string;
  readonly complete: boolean;
}

async function statusOf(id: string): Promise<Status | null> {
  const { body } = await test.graphql(
    'query ($id: ID!) { queryStatus(projectId: "@current", id: $id) { id complete } }',
    { id },
  );
  return (body.data?.queryStatus ?? null) as Status | null;
}

const cancel = (id: string, key = test.project.writeKey) =>
  test.graphql(
    'mutation ($id: ID!) { cancelQuery(projectId: "@current", id: $id) { id complete } }',
    { id },
    { key },
  );

async function executions(): Promise<number> {
  await test.app.core.recorder.flush();
  const where = { projectId: test.project.id, endpointName: 'quick' };
  return test.backends.metadata.prisma.queryStatus.count({ where });
}

describe.each(['json', 'csv'])('a run that waits, in %s', (format) => {
  it('is found by the id of its caller, and the status stays the same once it runs', async () => {
    n += 1;
    const blocker = await test.block();
    const run = ask('asked', format);
    await test.untilWaiting(1);
    const status = await statusOf('asked');
    expect(status).toMatchObject({ complete: false });
    expect(await statusOf(status?.id ?? '')).toEqual(status);
    expect(
      (
        await test.graphql(
          'query ($id: ID!) { queryStatus(projectId: "@current", id: $id) { id } }',
          { id: 'asked' },
          { key: test.other.writeKey },
        )
      ).body.errors?.[0]?.extensions.code,
    ).toBe('not_found');
    await blocker.free();
    expect((await run).status).toBe(200);
    await test.app.core.recorder.flush();
    expect(await statusOf('asked')).toEqual({ id: status?.id, complete: true });
  });

  it('is cancelled by it, and never sent to the engine', async () => {
    n += 1;
    const before = await executions();
    const blocker = await test.block();
    const run = ask('left', format);
    await test.untilWaiting(1);
    expect((await cancel('left')).body.errors).toBeUndefined();
    expect((await run).body).toMatchObject({ code: 'query_cancelled' });
    await test.untilWaiting(0);
    await blocker.free();
    expect(await executions()).toBe(before);
    expect(await statusOf('left')).toBeNull();
  });

  it('goes on for others when one of them is cancelled, and ends for all by the id of the execution', async () => {
    n += 1;
    const blocker = await test.block();
    const [first, second] = [ask('first', format), ask('second', format)];
    for (const id of ['first', 'second']) await isKnown(id);
    await test.untilWaiting(1);
    const id = (await statusOf('first'))?.id ?? '';
    await cancel('first');
    expect((await first).body).toMatchObject({ code: 'query_cancelled' });
    await test.untilWaiting(1);
    expect((await cancel(id)).body.errors).toBeUndefined();
    expect((await second).body).toMatchObject({ code: 'query_cancelled' });
    await test.untilWaiting(0);
    await blocker.free();
  });
});

it('a run of another key that waits is cancelled by who may write, and by nobody else', async () => {
  n += 1;
  const blocker = await test.block();
  const run = ask('theirs');
  await test.untilWaiting(1);
  const refused = await cancel('theirs', test.project.readKey);
  expect(refused.body.errors?.[0]?.extensions.code).toBe('permission_denied');
  expect(test.app.core.admission.waiting()).toBe(1);
  await blocker.free();
  expect((await run).status).toBe(200);
});

it('a cancelled run that waited has an entry in the audit log', async () => {
  n += 1;
  const blocker = await test.block();
  const run = ask('told');
  await test.untilWaiting(1);
  await cancel('told');
  await run;
  await blocker.free();
  const { body } = await test.graphql(
    '{ auditLog(projectId: "@current", first: 1) { edges { node { action endpointName before } } } }',
  );
  expect(body.data).toMatchObject({
    auditLog: {
      edges: [
        {
          node: {
            action: 'query.cancel',
            endpointName: 'quick',
            before: { clientQueryId: 'told' },
          },
        },
      ],
    },
  });
});
