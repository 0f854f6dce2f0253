/** The page of examples/data-graph, built as its users build it and opened in a browser. */
import { cpSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { build } from 'esbuild';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { collectErrors, hasBrowser, launchBrowser } from '../support/browser.ts';
import type { TestApp } from '../support/test-app.ts';
import { openGraphService } from './support/graph-service.ts';
import { openProgramsFolder, type ProgramsFolder } from './support/programs-folder.ts';

let test: TestApp;
let folder: ProgramsFolder;

beforeAll(async () => {
  test = await openGraphService();
  folder = openProgramsFolder();
  cpSync('examples/data-graph', folder.dir, { recursive: true });
  folder.write(
    'connection.ts',
    `export const url = '/api/projects/${test.project.id}/graphql';
    export const headers = { authorization: 'Bearer ${test.project.readKey}' };`,
  );
});
afterAll(async () => {
  folder.remove();
  await test.close();
});

async function bundle(): Promise<string> {
  const { outputFiles } = await build({
    entryPoints: [path.join(folder.dir, 'live-page.tsx')],
    bundle: true,
    format: 'esm',
    jsx: 'automatic',
    write: false,
    define: { 'process.env.NODE_ENV': '"production"' },
  });
  return outputFiles[0]?.text ?? '';
}

describe.skipIf(!hasBrowser())('a page in React', () => {
  let browser: Browser;
  let page: Page;
  let errors: readonly string[];

  beforeAll(async () => {
    browser = await launchBrowser();
    page = await browser.newPage();
    errors = collectErrors(page);
    const script = await bundle();
    const origin = test.app.publicUrl();
    // As if the service's own host served it.
    await page.route(`${origin}/delays/**`, (route) =>
      route.request().url().endsWith('.js')
        ? route.fulfill({ contentType: 'text/javascript', body: script })
        : route.fulfill({
            contentType: 'text/html',
            body: '<!doctype html><title>Delays</title><link rel="icon" href="data:,"><div id="delays"></div><script type="module" src="page.js"></script>',
          }),
    );
    await page.goto(`${origin}/delays/`);
  });
  afterAll(() => browser?.close());

  const cells = () => page.locator('tbody tr').first().locator('td').allTextContents();

  it('shows the rows, and the new ones when they change, without being loaded again', async () => {
    await page.locator('tbody tr').nth(4).waitFor();
    expect(await cells()).toEqual(['2001-01-01', '0', '15', '–']);
    await page.evaluate('document.title = "the same page"');
    const { body } = await test.rest('GET', '/endpoints/airport_delays');
    const { query } = body.query as { readonly query: string };
    const changed = await test.rest('PATCH', '/endpoints/airport_delays', {
      body: { query: { ...(body.query as object), query: query.replace('number * 10', '7') } },
    });
    expect(changed.status).toBe(200);
    await page.locator('tbody td', { hasText: /^7$/ }).first().waitFor();
    expect(await cells()).toEqual(['2001-01-01', '7', '15', '–']);
    expect(await page.title()).toBe('the same page');
  });

  it('says why there are no more when the endpoint is gone', async () => {
    await test.rest('DELETE', '/endpoints/airport_delays');
    await page.getByRole('alert').waitFor();
    expect(errors).toEqual([]);
  });
});

it('is the page of the documentation', () => {
  const page = readFileSync('docs/graphql-data.md', 'utf8');
  const code = readFileSync('examples/data-graph/live-page.tsx', 'utf8');
  expect(page).toContain(`\`\`\`tsx\n${code}\`\`\``);
});
