/** The console in a browser, over a service with a project of its own. */
import axe from 'axe-core';
import type { Browser, Locator, Page } from 'playwright-core';
import { buildConsole } from '../../../scripts/build-console.ts';
import type { Config } from '../../../src/config/config.ts';
import type { HttpListener } from '../../../src/server/node-server.ts';
import { collectErrors, launchBrowser } from '../../support/browser.ts';
import { openTestApp, type TestApp } from '../../support/test-app.ts';

export interface ConsoleService {
  readonly test: TestApp;
  readonly origin: string;
  readonly browser: Browser;
  /** What the service shows as the key of a demo. */
  setDemoKey(key: string | null): void;
  /** The address of a view of the project. */
  at(view: string): string;
  close(): Promise<void>;
}

export async function openConsoleService(more: Partial<Config> = {}): Promise<ConsoleService> {
  await buildConsole();
  let demoKey: string | null = null;
  const settings = { port: 0, publicUrl: '', maxRows: 120_000, ...more };
  const test = await openTestApp(settings, undefined, { demoKey: () => demoKey });
  const listener: HttpListener = await test.app.start();
  const origin = `http://127.0.0.1:${listener.port}`;
  const browser = await launchBrowser();
  return {
    test,
    origin,
    browser,
    setDemoKey: (key) => {
      demoKey = key;
    },
    at: (view) => `${origin}/project/${test.project.id}/${view}`,
    async close() {
      await browser.close();
      await test.close();
    },
  };
}

export interface ConsoleTab {
  readonly page: Page;
  /** What the browser reported: failures, missing files, what the policy refuses. */
  readonly errors: readonly string[];
  /** Every address that was asked for. */
  readonly asked: readonly string[];
  close(): Promise<void>;
}

/** For something that hangs; nothing that works comes near it. */
const timeoutMs = Number(process.env.CONSOLE_TIMEOUT_MS ?? 60_000);

/** A tab that has signed in as a person does; null: one that has not. */
export async function openTab(
  { browser, origin }: ConsoleService,
  key: string | null,
): Promise<ConsoleTab> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 860 } });
  await context.grantPermissions(['clipboard-read', 'clipboard-write'], { origin });
  const page = await context.newPage();
  page.setDefaultTimeout(timeoutMs);
  const asked: string[] = [];
  page.on('request', (request) => asked.push(request.url()));
  const errors = collectErrors(page);
  await page.goto(`${origin}/`);
  if (key !== null) await signIn(page, key);
  return { page, errors, asked, close: () => context.close() };
}

export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('API key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('heading', { name: 'Endpoints', level: 1 }).waitFor();
}

interface AxeViolation {
  readonly id: string;
  readonly nodes: readonly { readonly target: unknown; readonly failureSummary?: string }[];
}

const standards = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa'];
/** Rules that can be broken by colors, which are all that another color scheme changes. */
const ofColors = ['color-contrast', 'link-in-text-block'];

/** What axe finds against WCAG 2.2 AA on the page as it stands: rule and place. */
export async function accessFaults(
  page: Page,
  rules: { readonly type: 'tag' | 'rule'; readonly values: readonly string[] } = {
    type: 'tag',
    values: standards,
  },
): Promise<readonly string[]> {
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  const options = JSON.stringify({ runOnly: rules, resultTypes: ['violations'] });
  const run = `axe.run(document, ${options}).then(({ violations }) => violations)`;
  const violations = (await page.evaluate(run)) as readonly AxeViolation[];
  return violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id} at ${String(target)}: ${failureSummary}`),
  );
}

/** In light, in dark, and as wide as a telephone, in which nothing may stick out. */
export async function accessFaultsEverywhere(page: Page): Promise<readonly string[]> {
  const found: string[] = [];
  const note = (where: string, faults: readonly string[]) =>
    found.push(...faults.map((fault) => `${where}: ${fault}`));
  await page.emulateMedia({ colorScheme: 'light', reducedMotion: 'reduce' });
  note('light', await accessFaults(page));
  await page.emulateMedia({ colorScheme: 'dark' });
  note('dark', await accessFaults(page, { type: 'rule', values: ofColors }));
  const size = page.viewportSize();
  await page.setViewportSize({ width: 375, height: 760 });
  note('narrow', await accessFaults(page));
  note('narrow', (await page.evaluate(narrowFaults)) as string[]);
  if (size !== null) await page.setViewportSize(size);
  await page.emulateMedia({ colorScheme: 'light' });
  return found;
}

/** Runs in the page: what sticks out of it, and short words of tables that are broken within, but for those of code. */
const narrowFaults = `(() => {
  const faults = [];
  const main = document.querySelector('main');
  if (document.documentElement.scrollWidth > innerWidth) faults.push('the page is wider than the screen');
  if (main !== null && main.scrollWidth > main.clientWidth) faults.push('the view is wider than the screen');
  for (const cell of document.querySelectorAll('.plain-table :is(th, td)')) {
    const texts = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
      if (text.parentElement.closest('pre') !== null) continue;
      for (const { 0: word, index } of text.data.matchAll(/\\b\\w{2,40}\\b/g)) {
        const range = document.createRange();
        range.setStart(text, index);
        range.setEnd(text, index + word.length);
        if (new Set([...range.getClientRects()].map(({ top }) => top)).size > 1) faults.push(word + ' is broken');
      }
    }
  }
  return faults;
})()`;

/** The texts of the cells that exist, row by row. */
export function cellsOf(page: Page): Promise<string[][]> {
  return page
    .locator('.grid-rows [role="row"]')
    .evaluateAll((rows) =>
      rows.map((row) =>
        [...(row as unknown as CellRow).querySelectorAll('[role="gridcell"]')].map(
          (cell) => cell.textContent,
        ),
      ),
    );
}

/** Scrolls to a share of the whole height. */
export async function scrollTo(target: Locator, share: number): Promise<void> {
  await target.evaluate((element, at) => {
    const scroller = element as unknown as Scroller;
    scroller.scrollTop = scroller.scrollHeight * at;
  }, share);
}

interface Scroller {
  scrollTop: number;
  readonly scrollHeight: number;
}

interface CellRow {
  querySelectorAll(selector: string): Iterable<{ readonly textContent: string }>;
}

export async function textOf(target: Locator): Promise<string> {
  return (await target.textContent()) ?? '';
}
