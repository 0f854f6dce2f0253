import { afterAll, beforeAll, expect, it } from 'vitest';
import { openLog } from '../../src/config/open-log.ts';
import { openRetention } from '../../src/runs/retention.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;

beforeAll(async () => {
  test = await openTestApp({ retentionDays: 10, queryTimeoutSeconds: 30 });
  await test.rest('POST', '/endpoints', {
    body: { name: 'one', query: 'SELECT 1', cache_age_seconds: 0 },
  });
});
afterAll(() => test.close());

const retention = () =>
  openRetention({
    clock: test.clock,
    log: openLog('silent'),
    executions: test.app.core.executions,
    audit: test.app.core.audit,
    usage: test.app.core.usageStore,
    signIns: test.app.core.signIns,
    config: test.app.core.config,
  });

async function runOnce(): Promise<string> {
  const { body } = await test.rest('GET', '/endpoints/one/run');
  await test.app.core.recorder.flush();
  return String(body.execution_id);
}

async function statusOf(id: string) {
  const { body } = await test.graphql(
    'query ($id: ID!) { queryStatus(projectId: "@current", id: $id) { complete errorCode errorMessage } }',
    { id },
  );
  return body.data?.queryStatus;
}

it('deletes statuses past their time and no younger one', async () => {
  const old = await runOnce();
  test.clock.advance(9 * 86_400_000);
  const young = await runOnce();
  test.clock.advance(2 * 86_400_000);
  expect((await retention().runOnce()).deleted).toBe(1);
  expect(await statusOf(old)).toBeNull();
  expect(await statusOf(young)).toMatchObject({ complete: true, errorCode: null });
});

it('ends as failed what a process that is gone had begun, and leaves what may still run', async () => {
  const [lost, running] = [await runOnce(), await runOnce()];
  await test.backends.metadata.prisma.queryStatus.updateMany({
    where: { id: { in: [lost, running] } },
    data: { endTime: null },
  });
  const startTime = new Date(test.clock.now().getTime() - 91_000);
  await test.backends.metadata.prisma.queryStatus.update({
    where: { id: lost },
    data: { startTime },
  });
  expect((await retention().runOnce()).ended).toBe(1);
  expect(await statusOf(lost)).toMatchObject({
    complete: true,
    errorCode: 'error',
    errorMessage: expect.stringContaining('ended before'),
  });
  expect(await statusOf(running)).toMatchObject({ complete: false });
});
