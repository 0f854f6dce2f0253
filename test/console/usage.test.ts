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
    await page.getByText('Memory of a query').waitFor();
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

  it('was refused nothing by its own policy', () => {
    expect(tab.errors.filter((error) => !error.includes('the server responded with'))).toEqual([]);
    expect(tab.asked.filter((url) => !/^(blob:)?http:\/\/127\.0\.0\.1:/.test(url))).toEqual([]);
  });
});

/** 122 endpoints, of which two are run by two keys: `sales` in both of its versions. */
async function saveAndRun({ test }: ConsoleService): Promise<void> {
  // The console asks for times by the clock of the browser.
  test.clock.set(new Date().toISOString());
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
  await run(rows(3), reader);
  await run(rows(3), reader);
  await run('broken/run');
  await run('broken/run');
  await call('PATCH', '/endpoints/sales', {
    query: 'SELECT number AS n, number AS m FROM numbers({rows:UInt8})',
  });
  await run(rows(4));
  await run('sales/run');
  await run(`${rows(3)}&version=1`, reader);
}
