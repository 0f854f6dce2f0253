import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../support/browser.ts';
import {
  accessFaultsEverywhere,
  type ConsoleService,
  type ConsoleTab,
  cellsOf,
  openConsoleService,
  openTab,
} from './support/console-page.ts';

describe.skipIf(!hasBrowser())('the console of somebody who writes endpoints', () => {
  let service: ConsoleService;
  let tab: ConsoleTab;
  let page: Page;

  beforeAll(async () => {
    service = await openConsoleService();
    const { test } = service;
    await test.sql(
      "CREATE TABLE sales (day Date COMMENT 'When it was sold', city String, amount UInt32) ENGINE = MergeTree ORDER BY day COMMENT 'One row a sale'",
    );
    await test.sql(
      "INSERT INTO sales SELECT toDate('2024-01-01') + number % 60, if(number % 2 = 0, 'Oslo', '<b>Rome</b>'), number FROM numbers(600)",
    );
    tab = await openTab(service, test.project.writeKey);
    page = tab.page;
  });
  afterAll(async () => {
    await tab?.close();
    await service?.close();
  });

  const endpoint = async (name: string) =>
    (await service.test.rest('GET', `/endpoints/${name}`)).body;

  /** Over what stands there, as a person types. */
  async function typeSql(text: string): Promise<void> {
    await page.locator('.cm-content').click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.insertText(text);
  }

  const sqlText = async () => (await page.locator('.cm-line').allTextContents()).join('\n');

  it('shows the tables with their columns and first rows', async () => {
    await page.getByRole('link', { name: 'Tables' }).click();
    await page.getByRole('link', { name: 'sales' }).waitFor();
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await page.getByRole('link', { name: 'sales' }).click();
    await page.getByText('When it was sold').waitFor();
    await page.getByRole('grid', { name: 'First rows' }).waitFor();
    expect((await cellsOf(page))[0]).toHaveLength(3);
    expect(await accessFaultsEverywhere(page)).toEqual([]);
  });

  it('completes what may be written, and underlines a fault where it is', async () => {
    await page.keyboard.press('ControlOrMeta+K');
    await page.keyboard.type('new end');
    await page.getByRole('option', { name: 'New endpoint' }).waitFor();
    await page.keyboard.press('Enter');
    await page.locator('.cm-content').click();
    await page.keyboard.type('SELECT sum FROM sal');
    await page.getByRole('option', { name: /sales/ }).waitFor();
    await page.keyboard.press('Escape');
    await typeSql('SELECT uniqEx');
    await page.keyboard.press('Control+Space');
    await page
      .getByRole('option', { name: /uniqExact/ })
      .first()
      .waitFor();
    await page.locator('.cm-completionInfo').getByText('Exact number of different').waitFor();
    await page.keyboard.press('Escape');
    await typeSql('SELECT geohashEnc');
    await page.keyboard.press('Control+Space');
    await page.getByRole('option', { name: /geohashEncode/ }).waitFor();
    // Documented by the engine.
    await page
      .locator('.cm-completionInfo')
      .getByText('longitude and latitude as a geohash')
      .waitFor();
    await page.keyboard.press('Escape');
    await typeSql('SELECT amuont FROM sales');
    await page.locator('.check-line.bad').filter({ hasText: 'amuont' }).waitFor();
    await page.locator('.cm-lintRange-error', { hasText: 'amuont' }).waitFor();
    expect(await page.getByRole('button', { name: 'Create…' }).isDisabled()).toBe(true);
    expect(await accessFaultsEverywhere(page)).toEqual([]);
  });

  it('runs a query that is not saved, and saves it', async () => {
    await typeSql(
      'SELECT day, sum(amount) AS total FROM sales WHERE city = {city:String} GROUP BY day ORDER BY day',
    );
    await page.getByText('Reads sales', { exact: true }).waitFor();
    await page.getByText('Enter city to run.').waitFor();
    await page.getByLabel('city', { exact: true }).fill('Oslo');
    await page.getByText('Reads sales, about 600 rows', { exact: true }).waitFor();
    await page.getByText('Default and description').click();
    await page.getByLabel('Optional').check();
    await page.getByText('Valid').waitFor();
    await page.getByRole('button', { name: 'Run without saving' }).click();
    await page.getByText('30 rows', { exact: true }).waitFor();
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    const create = page.getByRole('button', { name: 'Create…' });
    await page.getByText('Enter a name to create it.').waitFor();
    expect(await create.isDisabled()).toBe(true);
    await page.getByLabel('Name', { exact: true }).fill('sales by day');
    await page.getByText('The name may have only letters, digits, _ and -.').waitFor();
    expect(await create.isDisabled()).toBe(true);
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await page.getByLabel('Name', { exact: true }).fill('sales_by_day');
    await page.getByLabel('Labels, separated by commas').fill('money, daily');
    await create.click();
    const dialog = page.getByRole('dialog', { name: 'Create sales_by_day' });
    const path = `/api/projects/${service.test.project.id}/endpoints/sales_by_day/run`;
    await dialog.getByText(path, { exact: true }).waitFor();
    expect(await dialog.getByRole('listitem').allTextContents()).toEqual([
      'dayDate',
      'totalUInt64',
      'cityString optional',
    ]);
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.waitForURL(service.at('endpoints/sales_by_day'));
    await page.getByText('30 rows', { exact: true }).waitFor();
    const saved = await endpoint('sales_by_day');
    expect(saved).toMatchObject({ tags: ['daily', 'money'], current_version: 1 });
    expect(saved.variables).toMatchObject([{ name: 'city', required: false, default: 'Oslo' }]);
  });

  it('sorts all rows of a query that is not saved by the engine, until it is run again', async () => {
    await page.goto(service.at('new'));
    await typeSql('SELECT 99999 - number AS n, toString(number) AS t FROM numbers(100000)');
    await page.getByText('Valid').waitFor();
    await page.getByRole('button', { name: 'Run without saving' }).click();
    const first = async () => (await cellsOf(page))[0];
    await page.getByText('200 rows').first().waitFor();
    await expect.poll(first).toEqual(['99999', '0']);
    const byText = page.getByRole('button', { name: /^t/ });
    await byText.click();
    await byText.click();
    await page.getByText('Sorted by the engine: the first 200 rows of all.').waitFor();
    await expect.poll(first).toEqual(['0', '99999']);
    await page.getByRole('button', { name: /^n/ }).click({ modifiers: ['Shift'] });
    await expect.poll(first).toEqual(['0', '99999']);
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await page.getByRole('button', { name: 'Run without saving' }).click();
    await expect.poll(first).toEqual(['99999', '0']);
    expect(await page.getByText('Sorted by the engine').count()).toBe(0);
    await typeSql('');
    await page.goto(service.at('endpoints/sales_by_day'));
    await page.getByText('30 rows', { exact: true }).waitFor();
  });

  it('shows how far a long run of a query that is not saved has come, and stops it at the engine', async () => {
    await page.goto(service.at('new'));
    await typeSql('SELECT sum(sipHash64(number)) AS n FROM numbers(1000000000000)');
    await page.getByText('Valid').waitFor();
    await page.getByRole('button', { name: 'Run without saving' }).click();
    await page.getByText(/^Read [\d,]+ rows of about 1,000,000,000,000/).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByRole('heading', { name: 'Stopped' }).waitFor();
    expect(await page.getByRole('button', { name: 'Stop' }).count()).toBe(0);
    const running = `SELECT count() FROM system.processes WHERE user = 'project_${service.test.project.id}_reader'`;
    await expect.poll(() => service.test.sql(running)).toBe('0\n');
    await typeSql('');
    await page.goto(service.at('endpoints/sales_by_day'));
    await page.getByText('30 rows', { exact: true }).waitFor();
  });

  it('explains how a query would be run, with its values and without running it', async () => {
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await page.locator('.cm-content').filter({ hasText: 'FROM sales' }).waitFor();
    await page.getByRole('button', { name: 'Explain' }).click();
    const plan = page.getByRole('region', { name: 'Explanation' });
    await plan.getByText('at most 600 rows').waitFor();
    await plan.getByText('ReadFromMergeTree').waitFor();
    await plan.getByText(/^PrimaryKey leaves 1 of 1 granule/).waitFor();
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await plan.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('link', { name: 'Run', exact: true }).click();
  });

  it('shows which endpoints read a table, and leads there', async () => {
    await page.goto(service.at('tables/sales'));
    const readers = page.getByRole('region', { name: 'Read by' });
    await readers.getByText('amount, city, day').waitFor();
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await readers.getByRole('link', { name: 'sales_by_day' }).click();
    await page.waitForURL(service.at('endpoints/sales_by_day'));
    await page.getByText('30 rows', { exact: true }).waitFor();
  });

  it('says before it saves what a new version changes for callers', async () => {
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await page.locator('.cm-content').filter({ hasText: 'FROM sales' }).waitFor();
    await typeSql(
      'SELECT day, count() AS sold, sum(amount) AS total FROM sales\nWHERE city = {city:String} AND amount >= {least:UInt32}\nGROUP BY day\nORDER BY day',
    );
    const least = page.getByLabel('least', { exact: true });
    await least.fill('-5');
    await page.getByText(/^least must be /).waitFor();
    expect(await least.getAttribute('aria-invalid')).toBe('true');
    await page.getByText('Valid').waitFor();
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await least.fill('7');
    await page.getByText(/^least must be /).waitFor({ state: 'hidden' });
    await page.keyboard.press('ControlOrMeta+Enter');
    await page.getByRole('grid').waitFor();
    await page.getByRole('button', { name: 'Save…' }).click();
    await page.getByText('Column sold (UInt64) is new.').waitFor();
    await page.getByText('Variable least (UInt32, required) is new.').waitFor();
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await page.getByRole('button', { name: 'Save as version 2' }).click();
    // The value that was typed beside the editor is kept.
    await page.waitForURL(`${service.at('endpoints/sales_by_day')}?v.least=7`);
    await page.getByRole('grid').waitFor();
    await page.goto(service.at('endpoints/sales_by_day'));
    await page.getByRole('heading', { name: 'Enter least to see rows.' }).waitFor();
    expect(await endpoint('sales_by_day')).toMatchObject({ current_version: 2 });
  });

  it('overwrites nothing that somebody else has saved meanwhile', async () => {
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await page.getByLabel('Description', { exact: true }).fill('Mine');
    await service.test.rest('PATCH', '/endpoints/sales_by_day', {
      body: { description: 'Theirs' },
    });
    await page.getByText('Valid').waitFor();
    await page.getByRole('button', { name: 'Save…' }).click();
    await page.getByRole('button', { name: 'Save the settings' }).click();
    await page.getByRole('alert').getByText('Not saved').waitFor();
    expect(await endpoint('sales_by_day')).toMatchObject({ description: 'Theirs' });
    await page.getByRole('button', { name: 'Keep editing' }).click();
  });

  it('asks before it loses what is not saved, and keeps it when somebody else saves', async () => {
    await page.goto(service.at('endpoints/sales_by_day/edit'));
    await page.locator('.cm-content').filter({ hasText: 'FROM sales' }).waitFor();
    const saved = await sqlText();
    await typeSql('SELECT 1 AS mine');
    await page.getByRole('link', { name: 'Versions' }).click();
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await question.waitFor();
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await question.getByRole('button', { name: 'Keep editing' }).click();
    await page.locator('.cm-content').filter({ hasText: 'mine' }).waitFor();
    expect(page.url()).toBe(service.at('endpoints/sales_by_day/edit'));
    // Another tab in front and back again reads the endpoint anew.
    const body = { description: 'Theirs, again' };
    await service.test.rest('PATCH', '/endpoints/sales_by_day', { body });
    const told = page.getByText('Someone else has saved this endpoint since you opened it.');
    const lookAgain = async () => {
      await page.evaluate(readAnew);
      return told.count();
    };
    await expect.poll(lookAgain, { timeout: 30_000 }).toBe(1);
    expect(await sqlText()).toBe('SELECT 1 AS mine');
    await page.keyboard.press('ControlOrMeta+K');
    await page.keyboard.type('limits');
    await page.getByRole('option', { name: 'Limits' }).waitFor();
    await page.keyboard.press('Enter');
    await question.waitFor();
    await page.keyboard.press('Escape');
    const asked = page.waitForEvent('dialog');
    const reloaded = page.reload();
    const dialog = await asked;
    expect(dialog.type()).toBe('beforeunload');
    await dialog.accept();
    await reloaded;
    await page.locator('.cm-content').filter({ hasText: 'FROM sales' }).waitFor();
    await typeSql('SELECT 1 AS mine');
    await page.getByRole('link', { name: 'Versions' }).click();
    await question.getByRole('button', { name: 'Leave' }).click();
    await page.waitForURL(service.at('endpoints/sales_by_day/versions'));
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    await page.locator('.cm-content').filter({ hasText: 'FROM sales' }).waitFor();
    expect(await sqlText()).toBe(saved);
    await typeSql('SELECT 2');
    await typeSql(saved);
    await page.getByRole('link', { name: 'Limits' }).click();
    await page.waitForURL(service.at('limits'));
  });

  it('shows what versions changed, runs an old one and saves it again', async () => {
    await page.goto(service.at('endpoints/sales_by_day/versions'));
    await page.locator('.diff-line.added').first().waitFor();
    await page.getByText('Column sold (UInt64) is new.').waitFor();
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await page.getByRole('button', { name: /^Version 1/ }).click();
    await page.getByRole('link', { name: 'Run this version' }).click();
    await page.getByText('30 rows', { exact: true }).waitFor();
    expect(page.url()).toContain('version=1');
    await page.goto(`${service.at('endpoints/sales_by_day')}?version=1&v.city=Rome`);
    await page.getByText('Version 1 of 2').waitFor();
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await page.getByRole('link', { name: 'Current version' }).click();
    await page.waitForURL(`${service.at('endpoints/sales_by_day')}?v.city=Rome`);
    await page.getByRole('heading', { name: 'Enter least to see rows.' }).waitFor();
    expect(await page.getByText('Version 1 of 2').count()).toBe(0);
    await page.goto(service.at('endpoints/sales_by_day/versions?version=1'));
    await page.getByRole('button', { name: 'Save again as version 3' }).click();
    await page.getByRole('button', { name: /^Version 3 Current/ }).waitFor();
    expect(await endpoint('sales_by_day')).toMatchObject({ current_version: 3 });
  });

  it('materializes, syncs and says from where runs are served', async () => {
    await page.getByRole('link', { name: 'Materialization' }).click();
    await page.getByText('If you materialize this version').waitFor();
    await page.getByText('Stored by each sync').click();
    await page.getByText('Expected gain').waitFor();
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await page.getByRole('button', { name: 'Materialize', exact: true }).click();
    await page.getByRole('button', { name: /Sync now|Cancel the sync/ }).waitFor();
    await service.test.app.materialization.runOnce();
    await page.getByText('completed').waitFor();
    await page.getByText(/Runs read the/).waitFor();
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    expect(await endpoint('sales_by_day')).toMatchObject({ is_materialized: true });
    const path = '/endpoints/sales_by_day/materialization_status';
    const status = async () => (await service.test.rest('GET', path)).body;
    const { rows, next_sync_at: due } = await status();
    const facts = page.locator('.facts').first();
    const shown = await facts.locator('dt').allTextContents();
    expect(shown).toEqual(expect.arrayContaining(['Rows', 'On disk', 'Last synced', 'Next sync']));
    await facts.getByText(`${String(rows)} rows`, { exact: true }).waitFor();
    await facts.getByText('a little early, so that syncs are spread').waitFor();
    await facts.getByText('A run takes').waitFor();
    await page.getByRole('heading', { name: 'How it is stored' }).waitFor();
    expect(await page.getByText('Expected gain').count()).toBe(0);
    await page.getByRole('button', { name: 'Sync now' }).click();
    await expect.poll(async () => (await status()).next_sync_at !== due).toBe(true);
    await service.test.app.materialization.runOnce();
    await expect.poll(() => page.getByText('completed', { exact: true }).count()).toBe(2);
  });

  it('changes how often the table is rebuilt', async () => {
    await page.getByLabel('Rebuilt every').selectOption({ label: '6 hours' });
    await expect
      .poll(async () => (await endpoint('sales_by_day')).sync_frequency ?? null)
      .toBe('6hour');
    await page.getByText('Runs read the').waitFor();
  });

  it('tells why a query cannot be materialized', async () => {
    const body = { name: 'dice', query: 'SELECT rand() AS n FROM sales' };
    await service.test.rest('POST', '/endpoints', { body });
    await page.goto(service.at('endpoints/dice/materialization'));
    await page.getByText('It cannot be materialized').waitFor();
    const state = page.getByRole('region', { name: 'State' });
    await state.getByText(/rand.*\(line 1, column 8\)/).waitFor();
    expect(await page.getByRole('button', { name: 'Materialize', exact: true }).isDisabled()).toBe(
      true,
    );
  });

  it('changes the cache age, stops runs and allows them again, and deletes', async () => {
    const body = { name: 'short_lived', query: 'SELECT 1 AS one' };
    await service.test.rest('POST', '/endpoints', { body });
    await page.goto(service.at('endpoints/short_lived/edit'));
    const cacheAge = page.getByLabel('Results stay cached for, in seconds');
    await cacheAge.fill('60');
    const deactivate = page.getByRole('button', { name: 'Deactivate' });
    expect(await deactivate.isDisabled()).toBe(true);
    await page.getByText('Valid').waitFor();
    await page.getByRole('button', { name: 'Save…' }).click();
    await page.getByRole('button', { name: 'Save the settings' }).click();
    await page.waitForURL(service.at('endpoints/short_lived'));
    expect(await endpoint('short_lived')).toMatchObject({
      cache_age_seconds: 60,
      current_version: 1,
    });
    await page.getByRole('link', { name: 'Edit', exact: true }).click();
    expect(await cacheAge.inputValue()).toBe('60');
    await deactivate.click();
    const activate = page.getByRole('button', { name: 'Activate', exact: true });
    await activate.waitFor();
    expect(await endpoint('short_lived')).toMatchObject({ is_active: false });
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await activate.click();
    await deactivate.waitFor();
    expect(await endpoint('short_lived')).toMatchObject({ is_active: true });
    await page.getByRole('button', { name: 'Delete…' }).click();
    const question = page.getByRole('dialog', { name: 'Delete short_lived?' });
    await question.getByText('This deletes 1 version').waitFor();
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await question.getByRole('button', { name: 'Delete' }).click();
    await page.waitForURL(service.at('endpoints'));
    await page.getByRole('link', { name: 'sales_by_day' }).waitFor();
    await page.getByRole('link', { name: 'short_lived' }).waitFor({ state: 'detached' });
    const { status } = await service.test.rest('GET', '/endpoints/short_lived');
    expect(status).toBe(404);
    expect((await service.test.rest('GET', '/endpoints/sales_by_day')).status).toBe(200);
  });

  it('shows who changed what, and the limits', async () => {
    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByText('endpoint.create').first().waitFor();
    await page.getByText('Before and after').first().click();
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await page.getByRole('link', { name: 'Limits' }).click();
    await page.getByText('Query memory').waitFor();
    expect(await accessFaultsEverywhere(page)).toEqual([]);
  });

  it('offers a reader nothing that needs to write, and says so at its address', async () => {
    const reader = await openTab(service, service.test.project.readKey);
    expect(await reader.page.getByRole('link', { name: 'Audit log' }).count()).toBe(0);
    await reader.page.goto(service.at('new'));
    await reader.page.getByText('This key may not change endpoints').waitFor();
    await reader.page.goto(service.at('keys'));
    await reader.page.getByText('This key may not see keys').waitFor();
    await reader.page.goto(service.at('endpoints/sales_by_day'));
    await reader.page.getByRole('grid').waitFor();
    expect(await reader.page.getByRole('link', { name: 'Edit' }).count()).toBe(0);
    await reader.close();
  });

  it('issues a key for an administrator, shows it once and revokes it', async () => {
    const admin = await openTab(service, service.test.adminKey);
    await admin.page.getByRole('link', { name: 'Keys' }).click();
    await admin.page.getByRole('button', { name: 'New key' }).click();
    await admin.page.getByLabel('Label').fill('dashboard');
    expect(await accessFaultsEverywhere(admin.page)).toEqual([]);
    await admin.page.getByRole('button', { name: 'Issue' }).click();
    const key = await admin.page.getByLabel('Key', { exact: true }).inputValue();
    const run = () => service.test.rest('GET', '/endpoints/sales_by_day/run', { key });
    expect((await run()).status).toBe(200);
    await admin.page.getByRole('button', { name: 'Done' }).click();
    await admin.page.getByRole('button', { name: 'Revoke dashboard' }).click();
    await admin.page.getByRole('button', { name: 'Revoke', exact: true }).click();
    await admin.page.getByText('Revoked', { exact: true }).waitFor();
    expect((await run()).status).toBe(401);
    expect(await accessFaultsEverywhere(admin.page)).toEqual([]);
    await admin.close();
  });

  it('was refused nothing by its own policy', () => {
    expect(tab.errors.filter((error) => !error.includes('the server responded with'))).toEqual([]);
    expect(tab.asked.filter((url) => !url.startsWith(service.origin))).toEqual([]);
  });
});

/** As when the window is looked at again. */
const readAnew = `document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`;
