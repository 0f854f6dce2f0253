import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../support/browser.ts';
import {
  type ConsoleService,
  type ConsoleTab,
  openConsoleService,
  openTab,
} from './support/console-page.ts';

describe.skipIf(!hasBrowser())('quick navigation', () => {
  let service: ConsoleService;
  let tab: ConsoleTab;
  let page: Page;

  beforeAll(async () => {
    service = await openConsoleService();
    for (const name of ['alpha', 'beta', 'usage_of_day']) {
      const { status } = await service.test.rest('POST', '/endpoints', {
        body: { name, query: 'SELECT 1 AS n' },
      });
      expect(status).toBe(201);
    }
    tab = await openTab(service, service.test.adminKey);
    page = tab.page;
    await page.route('**/graphql', async (route) => {
      await held;
      await route.continue().catch(() => undefined);
    });
  });
  afterAll(async () => {
    await tab?.close();
    await service?.close();
  });

  const options = () => page.getByRole('option');

  let held: Promise<void> | undefined;
  /** Holds the GraphQL responses that are sent from now on, until the returned function is called. */
  function holdResponses(): () => void {
    const { promise, resolve } = Promise.withResolvers<void>();
    held = promise;
    return () => {
      held = undefined;
      resolve();
    };
  }

  it('goes where the typed text leads, however soon Enter is pressed', async () => {
    await page.keyboard.press('Control+k');
    await options().filter({ hasText: 'alpha' }).waitFor();
    const release = holdResponses();
    await page.keyboard.type('bet');
    await page.keyboard.press('Enter');
    expect(page.url()).toBe(service.at('endpoints'));
    release();
    await page.waitForURL(service.at('endpoints/beta'));
    await page.getByRole('dialog').waitFor({ state: 'detached' });
  });

  it('does not wait for a response to open a page of the console', async () => {
    const release = holdResponses();
    await page.keyboard.press('Control+k');
    await page.keyboard.type('usage');
    await page.keyboard.press('Enter');
    await page.waitForURL(service.at('usage'));
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(page.url()).toBe(service.at('usage'));
    release();
  });

  it('forgets an Enter when more is typed', async () => {
    await page.keyboard.press('Control+k');
    const release = holdResponses();
    await page.keyboard.type('alph');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Backspace');
    release();
    await options().filter({ hasText: 'alpha' }).waitFor();
    expect(page.url()).toBe(service.at('usage'));
    await page.keyboard.type('nothing like this');
    await page.getByText('Nothing matches.').waitFor();
    await page.keyboard.press('Enter');
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(page.url()).toBe(service.at('usage'));
    expect(tab.errors).toEqual([]);
  });
});
