import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../support/browser.ts';
import {
  type ConsoleService,
  type ConsoleTab,
  openConsoleService,
  openTab,
} from './support/console-page.ts';

const documentation = path.resolve(import.meta.dirname, '../../docs/console.md');

/** A year of sales in two cities. */
const csv = `day,city,amount\n${Array.from({ length: 730 }, (_, at) => {
  const day = new Date(Date.UTC(2023, 0, 1 + Math.floor(at / 2))).toISOString().slice(0, 10);
  return `${day},${at % 2 === 0 ? 'Oslo' : 'Rome'},${100 + ((at * 37) % 90)}`;
}).join('\n')}\n`;

const sql = 'SELECT day, sum(amount) AS total FROM sales GROUP BY day ORDER BY day';

describe.skipIf(!hasBrowser())('a first visit', () => {
  let service: ConsoleService;
  let tab: ConsoleTab;
  let page: Page;
  const done = { clicks: 0, keys: 0 };

  beforeAll(async () => {
    service = await openConsoleService();
    const scopes = ['endpoint:write', 'data:write'];
    const { key } = await service.test.issueKey({ scopes, projects: [service.test.project] });
    tab = await openTab(service, key);
    page = tab.page;
  });
  afterAll(async () => {
    await tab?.close();
    await service?.close();
  });

  const click = async (target: Locator) => {
    done.clicks += 1;
    await target.click();
  };
  const press = async (key: string) => {
    done.keys += 1;
    await page.keyboard.press(key);
  };
  const type = async (text: string) => {
    done.keys += text.length;
    await page.keyboard.type(text);
  };
  const link = (name: string) => page.getByRole('link', { name, exact: true });
  const button = (name: string) => page.getByRole('button', { name, exact: true });

  it('leads from a file of one’s own to a chart that can be sent', async () => {
    await page.goto(`${service.origin}/`);
    await click(link('Load a file'));
    const asked = page.waitForEvent('filechooser');
    await click(page.locator('.file-drop'));
    // The chooser of the operating system: one click on the file.
    done.clicks += 1;
    const file = { name: 'sales.csv', mimeType: 'text/csv', buffer: Buffer.from(csv) };
    await (await asked).setFiles(file);
    await click(button('Load'));
    await page.getByText('730 rows into sales').waitFor();

    await click(link('Write a query'));
    await page.locator('.cm-content').filter({ hasText: 'FROM sales' }).waitFor();
    await click(page.locator('.cm-content'));
    await press('ControlOrMeta+A');
    await type(sql);
    await page.locator('.check-line').getByText('Reads sales').waitFor();
    await press('ControlOrMeta+Enter');
    await page.getByText(/^200 rows/).waitFor();

    await click(page.getByLabel('Name', { exact: true }));
    await type('sales_by_day');
    await click(button('Create…'));
    await click(button('Create'));
    await page.getByText('365 rows', { exact: true }).waitFor();

    await click(link('Materialization'));
    await click(button('Materialize'));
    await page.getByRole('button', { name: /Sync now|Cancel the sync/ }).waitFor();
    await service.test.app.materialization.runOnce();
    await page.getByText('completed').waitFor();

    await click(link('Run'));
    await click(page.getByText('Chart', { exact: true }));
    await page.getByRole('img', { name: 'Lines: total by day, 365 rows' }).waitFor();
    await page.locator('.run-facts').getByText('Stored table', { exact: true }).waitFor();
    await click(button('Copy as'));
    await click(page.getByRole('menuitem', { name: /^Link/ }));
    await page.getByText('Link copied').waitFor();
    expect(page.url()).toBe(service.at('endpoints/sales_by_day?view=chart'));
  });

  it('has as many clicks and keystrokes as the documentation says', () => {
    const text = readFileSync(documentation, 'utf8');
    expect(text).toContain(`${done.clicks} clicks and ${done.keys} keystrokes`);
  });

  it('ends with an address that shows the chart to somebody with a key of their own', async () => {
    const address = String(await page.evaluate('navigator.clipboard.readText()'));
    const other = await openTab(service, null);
    await other.page.goto(address);
    await other.page.getByLabel('API key').fill(service.test.project.readKey);
    await other.page.getByRole('button', { name: 'Sign in' }).click();
    await other.page.getByRole('img', { name: 'Lines: total by day, 365 rows' }).waitFor();
    await other.close();
    expect(tab.errors.filter((error) => !error.includes('the server responded with'))).toEqual([]);
  });
});
