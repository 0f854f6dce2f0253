import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  openMaterializationWorker,
  workerTimes,
} from '../../../src/materialization/worker/worker.ts';
import { eventually } from '../../support/eventually.ts';
import { openTestApp, type TestApp } from '../../support/test-app.ts';

const never = 2_000_000_000;
let test: TestApp;

beforeAll(async () => {
  test = await openTestApp();
});
afterAll(() => test.close());

it('while tables cannot be dropped, at most one further pass waits', async () => {
  const { core } = test.app;
  const gate = Promise.withResolvers<readonly []>();
  let passes = 0;
  const materializations = {
    ...core.materializations,
    retireUnserved: () => Promise.reject(new Error('the sweep has no part in this')),
    listDroppable: () => {
      passes += 1;
      return gate.promise;
    },
  };
  const times = { ...workerTimes, pollMs: never, sweepMs: never, completeMs: never };
  const worker = openMaterializationWorker({ ...core, materializations }, times);
  worker.start();
  for (let count = 0; count < 10; count += 1) worker.nudge();
  await eventually('a pass has begun', () => passes === 1);
  gate.resolve([]);
  await worker.stop();
  expect(passes).toBe(2);
  expect(await worker.runOnce()).toMatchObject({ dropped: 0 });
});
