import { type Browser, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpListener } from '../../src/server/node-server.ts';
import { findProgram, isThere } from '../support/needs.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

const executablePath = findProgram('chromium', 'chromium-browser', 'google-chrome') ?? '';
const available = isThere('Chromium', executablePath !== '');

describe.skipIf(!available)('GraphiQL in a browser without internet', () => {
  let test: TestApp;
  let listener: HttpListener;
  let browser: Browser;
  let page: Page;
  const asked: string[] = [];
  const origin = () => `http://127.0.0.1:${listener.port}`;

  beforeAll(async () => {
    test = await openTestApp({ port: 0, publicUrl: '' });
    listener = await test.app.start();
    await test.rest('POST', '/endpoints', {
      body: { name: 'squares', query: 'SELECT number, number * number AS square FROM numbers(3)' },
    });
    browser = await chromium.launch({
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
    page = await browser.newPage();
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(`${origin()}/graphql`);
    await page.locator('.graphiql-query-editor').waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await test.close();
  });

  /** Types into an editor as a person does, over what stands there. */
  async function type(editor: string, text: string): Promise<void> {
    await page.locator(`${editor} .monaco-editor`).first().click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.press('Delete');
    await page.keyboard.insertText(text);
  }

  it('runs a typed query with a typed key and shows the rows', async () => {
    await page.getByRole('button', { name: 'Headers' }).click();
    await type(
      '.graphiql-editor-tool .graphiql-editor:not(.hidden)',
      JSON.stringify({ Authorization: `Bearer ${test.project.readKey}` }),
    );
    await type(
      '.graphiql-query-editor',
      '{ runEndpoint(projectId: "@current", name: "squares") { columns results } }',
    );
    await page.locator('.graphiql-execute-button').click();
    const result = page.locator('.graphiql-response');
    await result.getByText('square').first().waitFor();
    const shown = ((await result.textContent()) ?? '').replace(/\s+/g, '');
    expect(shown).toContain('"columns":["number","square"]');
    expect(shown).toContain('4]');
  });

  it('shows the documentation of the schema', async () => {
    await page.getByRole('button', { name: /documentation explorer/i }).click();
    await page
      .locator('.graphiql-doc-explorer')
      .getByText('Query', { exact: true })
      .first()
      .click();
    const docs = page.locator('.graphiql-doc-explorer');
    await docs.getByText('runEndpoint').first().waitFor();
    expect(await docs.textContent()).toContain('Runs an endpoint.');
  });

  it('asks no other host for anything', () => {
    const others = asked.filter((url) => !url.startsWith(origin()) && !/^(blob|data):/.test(url));
    expect(others).toEqual([]);
  });
});

it('GraphiQL shows no key to a caller who is not on this machine by name', async () => {
  const { openPages } = await import('../../src/server/pages.ts');
  const { openGraphiQLPage } = await import('../../src/server/graphiql-page.ts');
  const pages = openPages({
    graphiql: openGraphiQLPage([{ query: '{ __typename }' }]),
    demoKey: () => 'qdk_the_demo_key',
    publicUrl: () => 'http://127.0.0.1:1',
    readiness: async () => ({}),
    writeMetrics: () => '',
  });
  const ask = async (host: string, remoteAddress: string) => {
    const response = await pages.respond({
      method: 'GET',
      path: '/graphql',
      search: '',
      headers: new Headers({ accept: 'text/html', host }),
      body: Buffer.alloc(0),
      isTooLarge: false,
      signal: new AbortController().signal,
      remoteAddress,
    });
    const body = response?.response.body ?? [];
    return Buffer.concat(body as readonly Buffer[]).includes('qdk_the_demo_key');
  };
  expect(await ask('127.0.0.1:4000', '127.0.0.1')).toBe(true);
  expect(await ask('localhost:4000', '::1')).toBe(true);
  expect(await ask('rebound.example:4000', '127.0.0.1')).toBe(false);
  expect(await ask('127.0.0.1:4000', '10.0.0.7')).toBe(false);
});
