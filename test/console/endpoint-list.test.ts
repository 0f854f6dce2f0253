/** What the list of endpoints says of each: its runs of the day, how long they took, when the last one was, and whether it is stored. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatSeconds } from '../../src/console/ui/format.ts';
import { latencyAt, latencyBucketOf } from '../../src/model/latency-buckets.ts';
import { hasBrowser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import type { TestApp } from '../support/test-app.ts';
import {
  accessFaultsEverywhere,
  type ConsoleService,
  type ConsoleTab,
  openConsoleService,
  openTab,
} from './support/console-page.ts';

const hourMs = 3_600_000;
const latencies = new Map([
  [latencyBucketOf(10), 9],
  [latencyBucketOf(1500), 1],
]);

describe.skipIf(!hasBrowser())('the list of endpoints', () => {
  let service: ConsoleService;
  let tab: ConsoleTab;
  let page: Page;

  beforeAll(async () => {
    service = await openConsoleService();
    await saveAndRun(service.test);
    tab = await openTab(service, service.test.project.writeKey);
    page = tab.page;
  });
  afterAll(async () => {
    await tab?.close();
    await service?.close();
  });

  const row = (name: string) =>
    page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
  /** Name, labels, runs, p95, state, materialization, last run. */
  const cellsOf = (name: string) => row(name).getByRole('cell').allTextContents();
  const names = () => page.locator('.endpoint-name a').allTextContents();

  it('says how often each ran in a day, by hour, with what failed', async () => {
    await row('sales').getByText('6 runs, 2 failed').waitFor();
    const bars = row('sales').locator('.sparkline-runs');
    const heights = await bars.evaluateAll((all) =>
      all.map((bar) => Number(bar.getAttribute('height'))),
    );
    expect(heights).toHaveLength(25);
    const at = heights.findIndex((height) => height > 0);
    expect(heights.filter((height) => height > 0)).toEqual([22, 11]);
    expect(heights[at + 2]).toBe(11);
    const failed = row('sales').locator('.sparkline-errors');
    const failures = await failed.evaluateAll((all) =>
      all.map((bar) => Number(bar.getAttribute('height'))),
    );
    expect(failures.filter((height) => height > 0)).toEqual([11]);
    expect(failures[at]).toBe(11);
  });

  it('says how long all but the slowest runs took, and when the last one was', async () => {
    const [, , , p95, state, stored, last] = await cellsOf('sales');
    expect(p95).toBe(formatSeconds((latencyAt(0.95, latencies) ?? 0) / 1000));
    expect([state, stored, last]).toEqual(['Active', '–', '3 hr. ago']);
    expect((await cellsOf('unused')).slice(2)).toEqual(['–', '', 'Never run', '–', 'never']);
    expect((await cellsOf('broken')).slice(4)).toEqual(['Last run failed', '–', '3 hr. ago']);
    expect(await accessFaultsEverywhere(page)).toEqual([]);
  });

  it('shows the first label, and how many others there are', async () => {
    const labels = row('unused').getByRole('cell').nth(1);
    await labels.getByText('+2', { exact: true }).waitFor();
    expect(await labels.textContent()).toBe('accounting and controlling+2and daily, money');
    const [cell, chip] = await Promise.all(
      [labels, labels.getByRole('button')].map((one) => one.boundingBox()),
    );
    if (!cell || !chip) throw new Error('the labels are not shown');
    expect(chip.x + chip.width).toBeLessThan(cell.x + cell.width);
    await labels.getByRole('button', { name: 'accounting and controlling' }).click();
    await page.getByText('1 endpoint', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Remove the label' }).click();
    await page.getByText('5 endpoints', { exact: true }).waitFor();
  });

  it('says which are stored, and shows those alone', async () => {
    expect((await cellsOf('stored'))[5]).toBe('Stored');
    expect((await cellsOf('unstored'))[5]).toBe('Sync failed');
    await page.getByLabel('Materialization').selectOption({ label: 'Materialized' });
    await page.getByText('2 endpoints', { exact: true }).waitFor();
    await expect.poll(names).toEqual(['unstored', 'stored']);
    expect(page.url()).toBe(service.at('endpoints?stored=yes'));
    await page.reload();
    await page.getByText('2 endpoints', { exact: true }).waitFor();
    await page.getByLabel('Materialization').selectOption({ label: 'Not materialized' });
    await page.getByText('3 endpoints', { exact: true }).waitFor();
    await expect.poll(names).toEqual(['unused', 'broken', 'sales']);
    await page.getByLabel('Materialization').selectOption({ label: 'Materialized or not' });
    await page.getByText('5 endpoints', { exact: true }).waitFor();
    expect(page.url()).toBe(service.at('endpoints'));
    expect(tab.errors).toEqual([]);
  });
});

/** `sales` ran 4 times five hours ago and twice three hours ago. */
async function saveAndRun(test: TestApp): Promise<void> {
  const nowMs = Date.now();
  const set = (hoursAgo: number) =>
    test.clock.set(new Date(nowMs - hoursAgo * hourMs).toISOString());
  set(48);
  await test.sql('CREATE TABLE cities (name String) ENGINE = MergeTree ORDER BY name');
  await test.sql("INSERT INTO cities VALUES ('Oslo'), ('Rome')");
  const save = async (name: string, query: string, more = {}) => {
    test.clock.advance(1000);
    const { status, text } = await test.rest('POST', '/endpoints', {
      body: { name, query, ...more },
    });
    if (status !== 201) throw new Error(text);
  };
  await save('sales', 'SELECT {rows:UInt8} AS n');
  await save('broken', "SELECT throwIf(number = 0, 'It broke') AS one FROM numbers(3)");
  await save('unused', 'SELECT 1 AS n', {
    tags: ['accounting and controlling', 'daily', 'money'],
  });
  set(0);
  const sync = async (name: string, outcome: string) => {
    await test.app.materialization.runOnce();
    await eventually(`the sync of ${name} is ${outcome}`, async () => {
      const { body } = await test.rest('GET', `/endpoints/${name}/materialization_status`);
      return body.status === outcome;
    });
  };
  await save('stored', 'SELECT name, count() AS n FROM cities GROUP BY name', {
    is_materialized: true,
  });
  await sync('stored', 'Completed');
  await save('unstored', "SELECT name, throwIf(name = 'Rome') AS n FROM cities", {
    is_materialized: true,
  });
  await sync('unstored', 'Failed');
  const run = (path: string) => test.rest('GET', `/endpoints/${path}`);
  set(5);
  const rows = (count: number) => `sales/run?variables={"rows":${count}}`;
  for (const path of ['sales/run', 'sales/run', rows(1), rows(2)]) await run(path);
  set(3);
  for (const path of [rows(3), rows(4), 'broken/run']) await run(path);
  await test.app.core.recorder.flush();
  await test.app.core.usage.flush();
  set(0);
  await test.backends.metadata.prisma.usageCount.updateMany({
    where: { endpointName: 'sales' },
    data: {
      latencyBuckets: [...latencies.keys()],
      latencyRuns: [...latencies.values()].map(BigInt),
    },
  });
}
