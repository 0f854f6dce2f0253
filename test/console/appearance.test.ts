/** Light and dark: as the system, until somebody chooses, which is remembered. And the page for an address that there is not. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../support/browser.ts';
import {
  accessFaults,
  accessFaultsEverywhere,
  type ConsoleService,
  type ConsoleTab,
  openConsoleService,
  openTab,
} from './support/console-page.ts';

const colours = {
  light: { background: 'rgb(255, 255, 255)', text: 'rgb(26, 29, 36)' },
  dark: { background: 'rgb(18, 20, 24)', text: 'rgb(230, 232, 236)' },
} as const;

describe.skipIf(!hasBrowser())('the console', () => {
  let service: ConsoleService;
  let tab: ConsoleTab;
  let page: Page;

  beforeAll(async () => {
    service = await openConsoleService();
    const query = 'SELECT number AS n, number * number AS square FROM numbers(30)';
    const body = { name: 'squares', query };
    expect((await service.test.rest('POST', '/endpoints', { body })).status).toBe(201);
    tab = await openTab(service, service.test.project.writeKey);
    page = tab.page;
  });
  afterAll(async () => {
    await tab?.close();
    await service?.close();
  });

  const shown = (of: Page = page) =>
    of.evaluate(`(() => {
      const { backgroundColor: background, color: text } = getComputedStyle(document.body);
      return { background, text };
    })()`);
  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const drawn = () =>
    page
      .locator('.plot canvas')
      .evaluate((canvas) => (canvas as unknown as { toDataURL(): string }).toDataURL());

  it('has the colours of the system until somebody chooses others', async () => {
    await page.getByRole('link', { name: 'squares' }).waitFor();
    expect(await shown()).toEqual(colours.light);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await shown()).toEqual(colours.dark);
    await page.reload();
    await button('Use light mode').waitFor();
    await page.emulateMedia({ colorScheme: 'light' });
    await page.reload();
    await button('Use dark mode').click();
    await button('Use light mode').waitFor();
    expect(await shown()).toEqual(colours.dark);
    expect(await accessFaults(page)).toEqual([]);
  });

  it('keeps the chosen colours after a reload, on every view and in another tab', async () => {
    await page.reload();
    await button('Use light mode').waitFor();
    expect(await shown()).toEqual(colours.dark);
    await page.goto(service.at('tables'));
    await button('Use light mode').waitFor();
    expect(await shown()).toEqual(colours.dark);
    const other = await page.context().newPage();
    await other.goto(`${service.origin}/`);
    await other.getByLabel('API key').waitFor();
    expect(await shown(other)).toEqual(colours.dark);
    await other.close();
  });

  it('draws a chart again in the chosen colours, whatever the system has', async () => {
    await page.goto(service.at('endpoints/squares?view=chart'));
    await page.getByRole('img', { name: 'Points: square by n, 30 rows' }).waitFor();
    await page.locator('.plot canvas').waitFor();
    const dark = await drawn();
    await button('Use light mode').click();
    await button('Use dark mode').waitFor();
    expect(await shown()).toEqual(colours.light);
    await expect.poll(drawn).not.toBe(dark);
    await page.emulateMedia({ colorScheme: 'dark' });
    expect(await shown()).toEqual(colours.light);
    await page.reload();
    await button('Use dark mode').waitFor();
    expect(await shown()).toEqual(colours.light);
    await page.emulateMedia({ colorScheme: 'light' });
  });

  it('says that there is no such page, table or endpoint, and leads back', async () => {
    await page.evaluate('localStorage.clear()');
    for (const [address, title] of [
      [service.at('nowhere'), 'There is no such page'],
      [service.at('endpoints/squares/nowhere'), 'There is no such page'],
      [service.at('endpoints/nowhere'), 'There is no such endpoint'],
      [service.at('tables/nowhere'), 'There is no such table'],
    ] as const) {
      await page.goto(address);
      await page.getByRole('heading', { name: title }).waitFor();
      expect(await accessFaultsEverywhere(page), address).toEqual([]);
    }
    await page.goto(service.at('nowhere'));
    await page.getByRole('link', { name: 'Go to the endpoints' }).click();
    await page.getByRole('heading', { name: 'Endpoints', level: 1 }).waitFor();
    await page.waitForURL(service.at('endpoints'));
    expect(await page.title()).toContain('Endpoints');
    expect(tab.errors.filter((error) => !error.includes('the server responded with'))).toEqual([]);
  });
});
