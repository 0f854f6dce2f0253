/** A sync that takes long: its progress is shown while it runs, and it is cancelled. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../support/browser.ts';
import {
  accessFaultsEverywhere,
  type ConsoleService,
  type ConsoleTab,
  openConsoleService,
  openTab,
  textOf,
} from './support/console-page.ts';

/** It never ends by itself. */
const query = 'SELECT sum(cityHash64(number)) AS s FROM numbers(200000000000)';

describe.skipIf(!hasBrowser())('a long sync', () => {
  let service: ConsoleService;
  let tab: ConsoleTab;
  let page: Page;
  let measurements = 0;

  beforeAll(async () => {
    service = await openConsoleService();
    service.test.clock.set(new Date().toISOString());
    const body = { name: 'endless', query };
    expect((await service.test.rest('POST', '/endpoints', { body })).status).toBe(201);
    tab = await openTab(service, service.test.project.writeKey);
    page = tab.page;
    page.on('request', (request) => {
      if (request.postData()?.includes('query MaterializationPreview') === true) measurements += 1;
    });
  });
  afterAll(async () => {
    await tab?.close();
    await service?.close();
  });

  const state = () => page.getByRole('region', { name: 'State' });
  const bar = () => page.getByRole('progressbar', { name: 'Sync' });
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const rowsRead = async () => {
    const [, read = ''] = /Read ([\d,]+) rows/.exec(await textOf(state())) ?? [];
    return Number(read.replaceAll(',', ''));
  };

  it('shows how much of the source data it has read, again and again', async () => {
    await page.goto(service.at('endpoints/endless/materialization'));
    await button('Materialize').click();
    await bar().waitFor();
    await state().getByText('Syncing', { exact: true }).waitFor();
    await state()
      .getByText(/^Read [\d,]+ rows of about 200,000,000,000 rows in /)
      .waitFor();
    expect(await bar().getAttribute('max')).toBe('100');
    const before = await rowsRead();
    await expect.poll(rowsRead).toBeGreaterThan(before);
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    expect(await button('Sync now').count()).toBe(0);
  });

  it('ends the measurement of what it would gain', async () => {
    await page.getByText('Measuring on the current data').waitFor({ state: 'detached' });
    expect(measurements).toBe(1);
  });

  it('is shown as under way in the list of endpoints', async () => {
    await page.goto(service.at('endpoints'));
    await page.getByRole('row').getByText('Syncing', { exact: true }).waitFor();
    await page.goBack();
    await bar().waitFor();
    expect(await accessFaultsEverywhere(page)).toEqual([]);
  });

  it('is cancelled, at the engine too, and can be started again', async () => {
    await button('Cancel the sync').click();
    await page.getByRole('region', { name: 'Syncs' }).getByText('cancelled').waitFor();
    await bar().waitFor({ state: 'detached' });
    await page.getByText('Runs read the source data until the stored table is ready.').waitFor();
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    const { id } = service.test.project;
    const running = `SELECT count() FROM system.processes WHERE user LIKE 'project_${id}_%' AND query LIKE '%cityHash64%'`;
    await expect.poll(() => service.test.sql(running)).toBe('0\n');
    await page.getByRole('heading', { name: 'Not measured' }).waitFor();
    await button('Measure').waitFor();
    expect(measurements).toBe(1);
    await button('Sync now').click();
    await bar().waitFor();
  });

  it('ends when the materialization is turned off', async () => {
    await button('Drop the stored table').click();
    await page.getByRole('heading', { name: 'Not materialized' }).waitFor();
    await bar().waitFor({ state: 'detached' });
    await button('Materialize').waitFor();
    const tables = () => service.test.app.core.engine.listStoredTables(service.test.project.id);
    await expect.poll(tables).toEqual([]);
    expect(tab.errors).toEqual([]);
  });
});
