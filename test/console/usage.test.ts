import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../support/browser.ts';
import {
  accessFaultsEverywhere,
  type ConsoleService,
  type ConsoleTab,
  openConsoleService,
  openTab,
  scrollTo,
} from './support/console-page.ts';

describe.skipIf(!hasBrowser())('usage in the console', () => {
  let service: ConsoleService;
  let tab: ConsoleTab;
  let page: Page;

  beforeAll(async () => {
    service = await openConsoleService();
    await saveAndRun(service);
    tab = await openTab(service, service.test.project.writeKey);
    page = tab.page;
  });
  afterAll(async () => {
    await tab?.close();
    await service?.close();
  });

  it('stands beside the endpoints in sight, read by one request a page', async () => {
    await page.goto(service.at('limits'));
    await page.getByText('Query memory').waitFor();
    const asked: string[] = [];
    page.on('request', (request) => {
      const body = request.postData() ?? '';
      if (body.includes('query UsageOfRows')) asked.push(body);
    });
    await page.goto(service.at('endpoints'));
    const row = (name: string) =>
      page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
    await row('sales').getByText('5 runs, 1 failed').waitFor();
    await row('broken').getByText('2 runs, 2 failed').waitFor();
    expect(await row('sales').locator('.last-day').textContent()).toContain('5');
    expect(await row('sales').locator('.sparkline g').count()).toBe(25);
    expect(await row('row_115').locator('.sparkline').count()).toBe(0);
    expect(asked.length).toBe(1);
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await scrollTo(page.getByRole('region', { name: 'Endpoints' }), 1);
    await row('row_0').waitFor();
    await expect.poll(() => asked.length).toBe(2);
    expect(JSON.parse(asked[1] ?? '{}').variables.endpointIds.length).toBe(22);
  });

  /** The cells of a table, line by line. */
  const linesOf = async (region: string) => {
    const lines = page.getByRole('region', { name: region }).locator('tbody tr');
    await lines.first().waitFor();
    const texts = (await lines.all()).map((line) => line.locator('td').allTextContents());
    return Promise.all(texts);
  };

  it('of a project is shown for the time in the address, by what is chosen', async () => {
    await page.getByRole('link', { name: 'Usage' }).click();
    await page.getByRole('img', { name: 'Runs and failures by hour, 25 steps' }).waitFor();
    await page.getByRole('img', { name: 'p95 in milliseconds by hour, 25 steps' }).waitFor();
    await page.getByText('2 query_failed, 1 missing_variable').waitFor();
    const figures = async () => (await linesOf('Usage by group')).map((line) => line.slice(0, 3));
    expect(await figures()).toEqual([
      ['sales', '5', '1'],
      ['broken', '2', '2'],
    ]);
    await page.getByRole('button', { name: 'Failed' }).click();
    await page.waitForURL(/sort=errors/);
    await expect.poll(async () => (await figures())[0]).toEqual(['broken', '2', '2']);
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await page.getByText('7 days', { exact: true }).click();
    await page.getByRole('img', { name: /^Runs and failures by hour, 1[67]\d steps/ }).waitFor();
    await page.getByText('30 days', { exact: true }).click();
    await page.getByRole('img', { name: /^Runs and failures by day, 3[0-2] steps/ }).waitFor();
    await page
      .getByRole('combobox', { name: 'By', exact: true })
      .selectOption({ label: 'Outcome' });
    await page.waitForURL(/by=outcome/);
    await page.reload();
    await page.getByRole('img', { name: /^Runs and failures by day, 3[0-2] steps/ }).waitFor();
    expect(await figures()).toEqual([
      ['query_failed', '2', '2'],
      ['missing_variable', '1', '1'],
      ['OK', '4', '0'],
    ]);
    for (const [choice, first] of [
      ['Key', /^test/],
      ['Interface', /^REST$/],
      ['Served from', /^(Source data|Result cache)$/],
    ] as const) {
      await page.getByRole('combobox', { name: 'By', exact: true }).selectOption({ label: choice });
      await page.getByRole('columnheader', { name: choice, exact: true }).waitFor();
      expect((await figures())[0]?.[0]).toMatch(first);
    }
  });

  it('lists single executions without values, and gives advice with the place to act on it', async () => {
    const slowest = await linesOf('Single executions');
    // Failed ones, too, because a run that takes too long is one of them.
    expect(slowest.map((line) => String(line[1])).toSorted()).toEqual([
      'broken version 1',
      'broken version 1',
      'sales version 1',
      'sales version 2',
    ]);
    const completed = slowest.find((line) => line[1]?.startsWith('sales'));
    expect(completed?.[3]).toMatch(/^(?:–|.+ s)$/);
    expect(completed?.[5]).toBe('rows: number');
    await page.getByText('Failed', { exact: true }).last().click();
    await page.getByText('It broke').first().waitFor();
    expect((await linesOf('Single executions')).map((line) => line[1])).toEqual([
      'broken version 1',
      'broken version 1',
    ]);
    const advice = page.getByRole('region', { name: 'Advice' });
    await advice.getByText(/still runs version 1 of sales: 3 times/).waitFor();
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await advice.getByRole('link', { name: 'Compare the versions: sales' }).click();
    await page.waitForURL(service.at('endpoints/sales/versions'));
  });

  it('of one endpoint tells who still runs which version', async () => {
    await page.getByRole('button', { name: /^Version 1.*3 runs in 30 days by 1 key$/ }).click();
    await page
      .getByRole('list', { name: 'Keys that ran it' })
      .getByText(/^test.*3$/)
      .waitFor();
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await page
      .getByRole('navigation', { name: 'Endpoint' })
      .getByRole('link', { name: 'Usage' })
      .click();
    await page.getByRole('img', { name: 'Runs and failures by hour, 25 steps' }).waitFor();
    const { readKey, writeKey } = service.test.project;
    const lines = (await linesOf('Usage by group')).map((line) => line.slice(0, 4));
    expect(lines.map(([version, , runs, failed]) => [version, runs, failed])).toEqual([
      ['Version 1', '3', '0'],
      ['Version 2', '2', '1'],
    ]);
    for (const [at, key] of [readKey, writeKey].entries())
      expect(key.startsWith((lines[at]?.[1] ?? '').replace('test ', '').replace('…', ''))).toBe(
        true,
      );
    expect((await linesOf('Single executions'))[0]?.length).toBe(6);
    const size = page.viewportSize();
    await page.setViewportSize({ width: 375, height: 760 });
    const main = "document.querySelector('main')";
    expect(await page.evaluate(`${main}.scrollWidth - ${main}.clientWidth`)).toBe(0);
    await page.reload();
    const tabs = page.getByRole('navigation', { name: 'Endpoint' });
    await tabs.getByRole('link', { name: 'Usage' }).waitFor();
    await expect.poll(() => page.evaluate(isActiveTabInSight)).toBe(true);
    const executions = page.getByRole('region', { name: 'Single executions' });
    await executions.locator('tbody tr').first().waitFor();
    // The shadow stays at the edge while what covers it scrolls away; texts out of sight make no row tall.
    expect(await page.evaluate(attachmentOf)).toBe('local, local, scroll, scroll, scroll');
    for (const line of await executions.locator('tbody tr').all())
      expect((await line.boundingBox())?.height).toBeLessThan(100);
    if (size !== null) await page.setViewportSize(size);
    expect(await accessFaultsEverywhere(page)).toEqual([]);
  });

  it('shows a reader everything but who the others are, and says why', async () => {
    const reader = await openTab(service, service.test.project.readKey);
    await reader.page.goto(`${service.at('usage')}?by=key`);
    await reader.page.getByText(/Only the runs of your own key/).waitFor();
    const lines = reader.page.getByRole('region', { name: 'Usage by group' }).locator('tbody tr');
    await lines.first().waitFor();
    expect(await lines.count()).toBe(1);
    await reader.page.getByText('Advice requires a key with endpoint:write.').waitFor();
    await reader.page.goto(service.at('endpoints/sales/versions'));
    await reader.page.getByText('To see who ran it, use a key with endpoint:write.').waitFor();
    await reader.close();
  });

  it('was refused nothing by its own policy', () => {
    expect(tab.errors.filter((error) => !error.includes('the server responded with'))).toEqual([]);
    expect(tab.asked.filter((url) => !/^(blob:)?http:\/\/127\.0\.0\.1:/.test(url))).toEqual([]);
  });
});

const attachmentOf = `getComputedStyle(document.querySelector('.table-scroll')).backgroundAttachment`;

const isActiveTabInSight = `(() => {
  const { left, right } = document.querySelector('.tabs .active').getBoundingClientRect();
  return left >= 0 && right <= innerWidth;
})()`;

/** 122 endpoints, of which two are run by two keys: `sales` in both of its versions. */
async function saveAndRun({ test }: ConsoleService): Promise<void> {
  // The console asks for times by the clock of the browser.
  const now = new Date();
  test.clock.set(new Date(now.getTime() - 2 * 86_400_000).toISOString());
  const call = async (method: 'POST' | 'PATCH', path: string, body: unknown) => {
    test.clock.advance(1);
    const { status, text } = await test.rest(method, path, { body });
    if (status > 201) throw new Error(text);
  };
  for (let at = 0; at < 120; at += 1)
    await call('POST', '/endpoints', { name: `row_${at}`, query: 'SELECT 1 AS one' });
  await call('POST', '/endpoints', {
    name: 'broken',
    query: "SELECT throwIf(number = 0, 'It broke') AS one FROM numbers(3)",
  });
  await call('POST', '/endpoints', {
    name: 'sales',
    query: 'SELECT number AS n FROM numbers({rows:UInt8})',
  });
  const { readKey: reader, writeKey } = test.project;
  const run = (path: string, key = writeKey) => test.rest('GET', `/endpoints/${path}`, { key });
  const rows = (count: number) => `sales/run?variables={"rows":${count}}`;
  await call('PATCH', '/endpoints/sales', {
    query: 'SELECT number AS n, number AS m FROM numbers({rows:UInt8})',
  });
  test.clock.set(now.toISOString());
  const old = `${rows(3)}&version=1`;
  for (const path of [old, old, old]) await run(path, reader);
  for (const path of ['broken/run', 'broken/run', rows(4), 'sales/run']) await run(path);
}
