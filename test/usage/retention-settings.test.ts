/** How long usage by minute, by hour and by day is kept is set by three variables, each of its own step. */
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readConfig } from '../../src/config/config.ts';
import { openLog } from '../../src/config/open-log.ts';
import { openRetention } from '../../src/runs/retention.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

const { usageMinuteDays, usageHourDays, usageDayDays } = readConfig({
  USAGE_MINUTE_DAYS: '2',
  USAGE_HOUR_DAYS: '5',
  USAGE_DAY_DAYS: '9',
});
const dayMs = 86_400_000;

let test: TestApp;

beforeAll(async () => {
  test = await openTestApp({ usageMinuteDays, usageHourDays, usageDayDays });
  const body = { name: 'one', query: 'SELECT 1 AS n' };
  expect((await test.rest('POST', '/endpoints', { body })).status).toBe(201);
});
afterAll(() => test.close());

async function runOnce(): Promise<void> {
  expect((await test.rest('GET', '/endpoints/one/run')).status).toBe(200);
  await test.app.core.usage.flush();
}

/** The steps and ages in days of what is left after the retention has done its work. */
async function leftAfter(days: number): Promise<readonly string[]> {
  test.clock.advance(days * dayMs);
  const { core } = test.app;
  const deps = { ...core, usage: core.usageStore };
  await openRetention({ ...deps, clock: test.clock, log: openLog('silent') }).runOnce();
  const rows = await test.backends.metadata.prisma.usageCount.findMany();
  const ageOf = (at: Date) => Math.floor((test.clock.now().getTime() - at.getTime()) / dayMs);
  return rows.map(({ step, at }) => `${step} ${ageOf(at)}`).sort();
}

const usage = (step: string, daysAgo: number) =>
  test.rest(
    'GET',
    `/usage?step=${step}&from=${new Date(test.clock.now().getTime() - daysAgo * dayMs).toISOString()}`,
  );

it('older usage is deleted, each step by its own setting, and younger usage stays', async () => {
  await runOnce();
  expect(await leftAfter(2)).toEqual(['day 2', 'hour 2', 'minute 2']);
  await runOnce();
  expect(await leftAfter(1)).toEqual(['day 1', 'day 3', 'hour 1', 'hour 3', 'minute 1']);
  expect(await leftAfter(2)).toEqual(['day 3', 'day 5', 'hour 3', 'hour 5']);
  expect(await leftAfter(1)).toEqual(['day 4', 'day 6', 'hour 4']);
  expect(await leftAfter(3)).toEqual(['day 7', 'day 9']);
  expect(await leftAfter(1)).toEqual(['day 8']);
  expect(await leftAfter(2)).toEqual([]);
});

it.each([
  ['minute', 2],
  ['hour', 5],
  ['day', 9],
] as const)('usage by %s of more than %i days ago is refused with the days', async (step, days) => {
  expect((await usage(step, days)).status).toBe(200);
  const { status, text } = await usage(step, days + 1);
  expect(status).toBe(400);
  expect(text).toContain(`Usage by ${step} is retained for ${days} days.`);
});
