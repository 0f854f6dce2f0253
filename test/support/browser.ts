/** A browser without internet that is used as a person does: by its pointer and its keyboard. */
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { findProgram, isThere } from './needs.ts';

const executablePath = findProgram('chromium', 'chromium-browser', 'google-chrome') ?? '';

export function hasBrowser(): boolean {
  return isThere('Chromium', executablePath !== '');
}

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
}

/**
 * Presses and releases the pointer at one place of the page, as a mouse does. Playwright's own click waits until the
 * element stands still, which a person does not.
 */
export async function clickAt(page: Page, target: Locator): Promise<void> {
  await target.waitFor();
  await target.scrollIntoViewIfNeeded();
  const box = await target.boundingBox();
  if (box === null) throw new Error('the target is not on the page');
  const [x, y] = [box.x + Math.min(box.width / 2, 20), box.y + box.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.down();
  // What the page does about the press comes before the release: a frame later a held tab would have moved.
  await page.evaluate(
    'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
  );
  await page.mouse.up();
}

/** The errors of the page's console: scripts that fail, files that are missing, what its policy refuses. */
export function collectErrors(page: Page): readonly string[] {
  const errors: string[] = [];
  page.on('pageerror', (error) => errors.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') errors.push(message.text());
  });
  return errors;
}

/** The value that a Monaco editor shows, in one line without spaces. */
export async function shownIn(target: Locator): Promise<string> {
  return ((await target.textContent()) ?? '').replace(/\s+/g, '');
}

/** Waits until the target contains the text. */
export async function expectText(target: Locator, text: string): Promise<void> {
  await target.filter({ hasText: text }).first().waitFor();
}
