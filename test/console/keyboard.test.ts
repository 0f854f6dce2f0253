/** Everything that can be used is reached by the Tab key, in the order in which it is shown, and where one is can be seen. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../support/browser.ts';
import {
  type ConsoleService,
  type ConsoleTab,
  openConsoleService,
  openTab,
} from './support/console-page.ts';

describe.skipIf(!hasBrowser())('the Tab key', () => {
  let service: ConsoleService;
  let tab: ConsoleTab;
  let page: Page;

  beforeAll(async () => {
    service = await openConsoleService();
    const query = `SELECT number AS n, {state:Enum8('new' = 1, 'old' = 2)} AS state, {day:Date} AS day
      FROM numbers({rows:UInt8})`;
    const variables = { state: { value: 'new' }, day: { value: '2024-01-01' }, rows: { value: 3 } };
    for (const name of ['sales', 'returns']) {
      const { status, text } = await service.test.rest('POST', '/endpoints', {
        body: {
          name,
          description: 'What was sold.',
          tags: ['money', 'daily'],
          query: { kind: 'SQLQuery', query, variables },
        },
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

  /** Presses Tab until the focus leaves the page, or begins again. An input with parts is one stop. */
  async function walk(key: 'Tab' | 'Shift+Tab'): Promise<readonly Stop[]> {
    const stops: Stop[] = [];
    for (let pressed = 0; pressed < 200; pressed += 1) {
      await page.keyboard.press(key);
      const stop = (await page.evaluate(focused)) as Stop | null;
      const last = stops.at(-1);
      if (stop !== null && stop.at !== last?.at) {
        if (stop.at === stops[0]?.at) return stops;
        stops.push(stop);
      }
      if (stop === null && last !== undefined) return stops;
    }
    throw new Error('the focus never leaves the page');
  }

  async function expectReachable(): Promise<void> {
    const usable = (await page.evaluate(controls)) as readonly string[];
    expect(usable.length).toBeGreaterThan(15);
    const stops = await walk('Tab');
    expect(stops.map(({ name }) => name)).toEqual(usable);
    expect(stops.filter(({ isSeen }) => !isSeen)).toEqual([]);
    const back = await walk('Shift+Tab');
    expect(back.map(({ name }) => name)).toEqual(usable.toReversed());
  }

  it('goes through the list of endpoints', async () => {
    await page.goto(service.at('endpoints'));
    await page.getByText('2 endpoints', { exact: true }).waitFor();
    await page.getByRole('link', { name: 'sales', exact: true }).waitFor();
    await expectReachable();
  });

  it('goes through one endpoint, its inputs and its rows', async () => {
    await page.goto(service.at('endpoints/sales'));
    await page.getByText('3 rows', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
    await expectReachable();
  });

  it('leaves a menu, whose items the arrows and their first letters choose', async () => {
    const trigger = page.getByRole('button', { name: 'Copy as' });
    const item = (name: string) => page.getByRole('menuitem', { name });
    const isFocused = (name: string) =>
      expect.poll(() => item(name).evaluate((node) => node === document.activeElement)).toBe(true);
    await trigger.focus();
    await page.keyboard.press('ArrowDown');
    await isFocused('Link');
    for (const [key, name] of [
      ['ArrowDown', 'curl'],
      ['ArrowUp', 'Link'],
      ['ArrowUp', 'Rows'],
      ['ArrowDown', 'Link'],
      ['End', 'Rows'],
      ['p', 'Python'],
      ['Home', 'Link'],
    ] as const) {
      await page.keyboard.press(key);
      await isFocused(name);
    }
    await page.keyboard.press('Escape');
    await expect.poll(() => trigger.evaluate((node) => node === document.activeElement)).toBe(true);
    expect(await page.getByRole('menuitem').count()).toBe(0);
    await page.keyboard.press('Enter');
    await isFocused('Link');
    await page.keyboard.press('Tab');
    await page.getByRole('menu', { name: 'Copy as' }).waitFor({ state: 'hidden' });
    await page.keyboard.press('Shift+Tab');
    await trigger.focus();
    await page.keyboard.press('Space');
    await isFocused('Link');
    await page.keyboard.press('c');
    await page.keyboard.press('Enter');
    await page.getByText('curl copied').waitFor();
    await page.reload();
    await page.getByText('3 rows', { exact: true }).waitFor();
  });

  it('skips to the content at once', async () => {
    await page.goto(service.at('endpoints'));
    await page.getByRole('link', { name: 'sales', exact: true }).waitFor();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Skip to the content');
    await page.keyboard.press('Enter');
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('main');
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toContain('New endpoint');
  });

  it('leaves the editor, as it leaves every input', async () => {
    await page.goto(service.at('endpoints/sales/edit'));
    await page.locator('.check-line').getByText('Valid').waitFor();
    await page.locator('.cm-content').focus();
    await page.keyboard.press('Tab');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Run without saving');
    await page.keyboard.press('Shift+Tab');
    expect(await page.evaluate('document.activeElement.className')).toContain('cm-content');
    expect(tab.errors).toEqual([]);
  });
});

interface Stop {
  /** Which element of the page it is. */
  readonly at: number;
  readonly name: string;
  /** Whether it is in sight and has an outline. */
  readonly isSeen: boolean;
}

/** In the page: how an element is named in this test. */
const nameOf = `(element) => element.tagName + ' ' + (element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent).slice(0, 60).trim()`;

/** In the page: the element that has the focus; null when it is not in the page. */
const focused = `(() => {
  const element = document.activeElement;
  if (element === null || element === document.body) return null;
  const { top, bottom, left, right } = element.getBoundingClientRect();
  const isInside = bottom > 0 && top < innerHeight && right > 0 && left < innerWidth;
  const hasOutline = (one) => getComputedStyle(one).outlineStyle !== 'none' && parseFloat(getComputedStyle(one).outlineWidth) >= 1;
  // The grid marks its active cell, a choice the label that it is in.
  const marked = [element, ...element.querySelectorAll('[data-active]'), element.closest('label')];
  const at = [...document.querySelectorAll('*')].indexOf(element);
  return { at, name: (${nameOf})(element), isSeen: isInside && marked.some((one) => one !== null && hasOutline(one)) };
})()`;

/** In the page: everything that can be used, in its order; of several radio buttons the one that is chosen. */
const controls = `[...document.querySelectorAll('a[href], button, input, select, textarea, summary, [tabindex="0"]')]
  .filter((element) => !element.disabled && element.checkVisibility({ visibilityProperty: true }))
  .filter((element) => element.type !== 'radio' || element.checked)
  .map(${nameOf})`;
