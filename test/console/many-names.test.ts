/** Completion and choice where a project has more tables and endpoints than a list is read with. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../support/browser.ts';
import {
  accessFaultsEverywhere,
  type ConsoleService,
  type ConsoleTab,
  openConsoleService,
  openTab,
} from './support/console-page.ts';

const count = 503;

describe.skipIf(!hasBrowser())('names beyond those of a list', () => {
  let service: ConsoleService;
  let tab: ConsoleTab;

  beforeAll(async () => {
    service = await openConsoleService();
    const numbers = [...Array(count).keys()].map((n) => String(n).padStart(3, '0'));
    for (const n of numbers)
      await service.test.sql(`CREATE TABLE t_${n} (only_of_${n} UInt8) ENGINE = Memory`);
    const save = (n: string) =>
      service.test.rest('POST', '/endpoints', { body: { name: `e_${n}`, query: 'SELECT 1 AS n' } });
    for (let at = 0; at < count; at += 10) await Promise.all(numbers.slice(at, at + 10).map(save));
    tab = await openTab(service, service.test.project.writeKey);
  });
  afterAll(async () => {
    await tab?.close();
    await service?.close();
  });

  it('tables are completed by what is typed, and then their columns', async () => {
    const { page } = tab;
    await page.goto(service.at('new'));
    const editor = page.locator('.cm-content');
    await editor.click();
    await page.keyboard.type('SELECT * FROM t_50');
    const list = page.locator('.cm-tooltip-autocomplete');
    await list.getByRole('option', { name: /t_502/ }).waitFor();
    await page.keyboard.type('2');
    await list.getByRole('option', { name: /t_502/ }).waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.type(' WHERE only_of');
    await list.getByRole('option', { name: /only_of_502/ }).waitFor();
    expect(await accessFaultsEverywhere(page)).toEqual([]);
  });

  it('columns of a table that the query has already are completed, too', async () => {
    const { page } = tab;
    await page.goto(`${service.at('new')}?table=t_501`);
    await page.getByText('Reads t_501').waitFor();
    await page.locator('.cm-content').click();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.type(' + only_of');
    const list = page.locator('.cm-tooltip-autocomplete');
    await list.getByRole('option', { name: /only_of_501/ }).waitFor();
    expect(await list.getByRole('option', { name: /only_of_500/ }).count()).toBe(0);
  });

  it('fields of the data graph are found by a part of their names', async () => {
    const { page } = tab;
    await page.keyboard.press('Escape');
    await page.goto(service.at('graphql'));
    await page.getByText('Valid').waitFor();
    const all = await page.getByRole('status').filter({ hasText: 'fields' }).textContent();
    expect(all).toMatch(/^50\d fields, of which the first 500 are listed$/);
    const choice = page.getByLabel('Begin with');
    expect(await choice.getByRole('option', { name: 'e502' }).count()).toBe(0);
    await page.getByLabel('Only fields with').fill('E502');
    await page.getByText('1 field', { exact: true }).waitFor();
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await choice.selectOption('e502');
    await page.locator('.cm-content').getByText('e502(run').waitFor();
    expect(tab.errors).toEqual([]);
  });
});
