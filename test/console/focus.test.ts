/** Where the focus is once a dialog, the palette or the menu of a narrow screen is closed: never lost. */
import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../support/browser.ts';
import {
  accessFaultsEverywhere,
  type ConsoleService,
  type ConsoleTab,
  openConsoleService,
  openTab,
} from './support/console-page.ts';

const lengthy = 'v'.repeat(64);

describe.skipIf(!hasBrowser())('the focus', () => {
  let service: ConsoleService;
  let tab: ConsoleTab;
  let page: Page;

  beforeAll(async () => {
    service = await openConsoleService();
    for (const [name, query] of [
      ['sales', 'SELECT 1 AS n'],
      ['lengthy', `SELECT {${lengthy}:UInt8} AS n`],
    ]) {
      const { status, text } = await service.test.rest('POST', '/endpoints', {
        body: { name, query },
      });
      if (status !== 201) throw new Error(text);
    }
    tab = await openTab(service, service.test.adminKey);
    page = tab.page;
  });
  afterAll(async () => {
    await tab?.close();
    await service?.close();
  });

  const button = (name: string) => page.getByRole('button', { name, exact: true });
  const dialog = () => page.getByRole('dialog');
  const closed = () => dialog().waitFor({ state: 'detached' });
  const expectFocus = (target: Locator) =>
    expect.poll(() => target.evaluate((node) => node === document.activeElement)).toBe(true);
  const expectMain = () =>
    expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main');

  it.each([
    ['Escape', () => page.keyboard.press('Escape')],
    ['its cross', () => button('Close').click()],
    ['its button', () => button('Cancel').click()],
  ])('returns to the button that opened a dialog, closed by %s', async (_how, close) => {
    await page.goto(service.at('endpoints/sales/edit'));
    await button('Delete…').click();
    await dialog().waitFor();
    await close();
    await closed();
    await expectFocus(button('Delete…'));
  });

  it('returns to the button that began two steps in one dialog', async () => {
    await page.goto(service.at('keys'));
    await button('New key').click();
    await page.getByLabel('Label').fill('Short-lived');
    await button('Issue').click();
    await page.getByText('it will not be shown again').waitFor();
    await page.keyboard.press('Tab');
    await expectFocus(button('Close'));
    await button('Done').click();
    await closed();
    await expectFocus(button('New key'));
  });

  it('goes to the content when what opened the dialog is gone', async () => {
    await button('Revoke Short-lived').click();
    await button('Revoke').click();
    await closed();
    await page.getByText('Revoked').waitFor();
    await expectMain();
  });

  it('returns to the editor from the palette, and goes to the content that the palette leads to', async () => {
    await page.goto(service.at('endpoints/sales/edit'));
    const editor = page.locator('.cm-content');
    await editor.focus();
    await page.keyboard.press('Control+k');
    await dialog().waitFor();
    await page.keyboard.press('Escape');
    await closed();
    await expectFocus(editor);
    const opener = page.locator('.find');
    for (const place of ['Usage', 'Usage', 'lengthy']) {
      await opener.click();
      await page.keyboard.type(place);
      await page.getByRole('option').filter({ hasText: place }).first().waitFor();
      await page.keyboard.press('Enter');
      await closed();
      await expectMain();
    }
    await page.waitForURL(service.at('endpoints/lengthy'));
    await expectMain();
  });

  describe('on a narrow screen', () => {
    beforeAll(() => page.setViewportSize({ width: 375, height: 760 }));

    it('returns from the menu to its button, and goes to the content that a link leads to', async () => {
      await page.goto(service.at('endpoints'));
      await page.getByRole('link', { name: 'sales', exact: true }).waitFor();
      const place = page.getByRole('navigation', { name: 'Project' }).getByRole('link');
      await button('Menu').click();
      await place.first().focus();
      await page.keyboard.press('Escape');
      await place.first().waitFor({ state: 'hidden' });
      await expectFocus(button('Menu'));
      // To another view, and to the one that is shown.
      for (const name of ['Usage', 'Usage']) {
        await button('Menu').click();
        await place.filter({ hasText: name }).click();
        await page.waitForURL(service.at('usage'));
        await place.first().waitFor({ state: 'hidden' });
        await expectMain();
      }
    });

    it('returns from the palette to the menu, which a place that is chosen closes', async () => {
      const opener = page.locator('.find');
      await button('Menu').click();
      await opener.click();
      await dialog().waitFor();
      await page.keyboard.press('Escape');
      await closed();
      await expectFocus(opener);
      await opener.click();
      await page.keyboard.type('usage');
      await page.keyboard.press('Enter');
      await closed();
      await opener.waitFor({ state: 'hidden' });
      await expectMain();
    });
  });

  it('finds the editor within a narrow screen, however long the name of a variable is', async () => {
    await page.goto(service.at('endpoints/lengthy/edit'));
    await page.getByText(`Enter ${lengthy} to run.`).waitFor();
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    expect(tab.errors).toEqual([]);
  });
});
