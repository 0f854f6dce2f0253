/** Batches of usage: added once whatever becomes of their answers, by any number of processes, and deleted in time. */
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openLog } from '../../src/config/open-log.ts';
import type { UsageRow } from '../../src/model/usage.ts';
import { openRetention } from '../../src/runs/retention.ts';
import { openUsageRecorder, type UsageRecorder } from '../../src/usage/usage-recorder.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let test: TestApp;
const keyId = '01a1fd40-6dff-7ed9-af21-681b79938be7';
const writerId = '01a1fd40-6dff-7ed9-af21-681b79938be8';
const log = openLog('silent');

beforeAll(async () => {
  test = await openTestApp();
});
afterAll(() => test.close());

const endpointIds = new Map<string, string>();
const idOf = (name: string) => {
  const id = endpointIds.get(name) ?? randomUUID();
  endpointIds.set(name, id);
  return id;
};

const of = (endpointName: string) => ({
  projectId: test.project.id,
  endpointId: idOf(endpointName),
  endpointName,
  version: 1,
  keyId,
  interface: 'rest' as const,
  path: 'inline' as const,
  outcome: 'ok',
});

async function told(endpoint: string, query = 'step=all') {
  const { body } = await test.rest('GET', `/usage?${query}&endpoint=${endpoint}`);
  return body.total as Readonly<Record<string, number>>;
}

/** The same store, whose answers are lost for as long as `isLost`. */
function recorderWith(state: { isLost: boolean }): UsageRecorder {
  const store = test.app.core.usageStore;
  return openUsageRecorder({
    clock: test.clock,
    log,
    metrics: null,
    store: {
      ...store,
      addUsage: async (batch) => {
        await store.addUsage(batch);
        if (state.isLost) throw new Error('the answer is lost');
      },
    },
  });
}

it('are added once when their answers are lost, and lose nothing that is counted meanwhile', async () => {
  const state = { isLost: true };
  const recorder = recorderWith(state);
  const count = () =>
    recorder.cell(of('lost')).addRun(test.clock.now().getTime(), 5, { rows: 2, bytes: 9 });
  count();
  await recorder.flush();
  count();
  test.clock.advance(60_000);
  await recorder.flush();
  state.isLost = false;
  count();
  await recorder.close();
  expect(await told('lost')).toMatchObject({ runs: 3, rows: 6, bytes: 27 });
  expect(await told('lost', 'step=minute')).toMatchObject({ runs: 3 });
});

it('are added once when they are sent again while they are under way, and by writers at the same time', async () => {
  const at = test.clock.now();
  const latency = new Map([
    [10, 1],
    [20, 2],
  ]);
  const counts = { runs: 3, rows: 1, bytes: 1, executions: 1, rowsRead: 1, bytesRead: 1 };
  const measured = { engineMicros: 1, measuredExecutions: 1, processorMicros: 7 };
  const more = { ...measured, latencyMicros: 1, recomputed: 0, unchanged: 0, latency };
  const rows = (['minute', 'hour', 'day'] as const).flatMap((step): readonly UsageRow[] =>
    ['1', '2', '3'].map((code) => ({
      ...of('again'),
      outcome: code,
      step,
      at: new Date(at.getTime() - (at.getTime() % 60_000)),
      counts: { ...counts, ...more },
    })),
  );
  const { usageStore } = test.app.core;
  const writers = Array.from({ length: 6 }, (_, n) => writerId.slice(0, -1) + String(n));
  await Promise.all(
    writers.flatMap((writer, n) => {
      const batch = {
        writerId: writer,
        batch: 1,
        at,
        rows: n % 2 === 0 ? rows : rows.toReversed(),
      };
      return [usageStore.addUsage(batch), usageStore.addUsage(batch), usageStore.addUsage(batch)];
    }),
  );
  expect(await told('again')).toMatchObject({ runs: 54, executions: 18 });
  const stored = await test.backends.metadata.prisma.usageCount.findFirst({
    where: { endpointName: 'again', step: 'hour', outcome: '2' },
  });
  expect(stored).toMatchObject({ latencyBuckets: [10, 20], latencyRuns: [6n, 12n] });
});

it('are deleted by step when their time has come, and no earlier', async () => {
  const { core } = test.app;
  const recorder = recorderWith({ isLost: false });
  recorder.cell(of('aging')).addRun(test.clock.now().getTime(), 5, { rows: 0, bytes: 0 });
  await recorder.close();
  const retention = openRetention({
    clock: test.clock,
    log,
    executions: core.executions,
    audit: core.audit,
    usage: core.usageStore,
    signIns: core.signIns,
    config: core.config,
  });
  const left = async () => {
    const rows = await test.backends.metadata.prisma.usageCount.findMany({
      where: { endpointName: 'aging' },
      select: { step: true },
    });
    return rows.map(({ step }) => step).sort();
  };
  const afterDays = async (days: number) => {
    test.clock.advance(days * 86_400_000);
    await retention.runOnce();
    return left();
  };
  expect(await afterDays(29)).toEqual(['day', 'hour', 'minute']);
  expect(await afterDays(2)).toEqual(['day', 'hour']);
  expect(await afterDays(364)).toEqual(['day', 'hour']);
  expect(await afterDays(3)).toEqual(['day']);
  expect(await afterDays(1400)).toEqual(['day']);
  expect(await afterDays(40)).toEqual([]);
  expect(await test.backends.metadata.prisma.usageWriter.count()).toBe(0);
});
