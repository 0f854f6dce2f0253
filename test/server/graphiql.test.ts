import type { Browser, BrowserContext, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { HttpListener } from '../../src/server/node-server.ts';
import type { Pages } from '../../src/server/pages.ts';
import { clickAt, collectErrors, hasBrowser, launchBrowser, shownIn } from '../support/browser.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

const available = hasBrowser();
let test: TestApp;
let listener: HttpListener;
/** Null as in production; set by the tests that are about a demo. */
let demoKey: string | null = null;
const origin = () => `http://127.0.0.1:${listener.port}`;

beforeAll(async () => {
  test = await openTestApp({ port: 0, publicUrl: '' }, undefined, { demoKey: () => demoKey });
  listener = await test.app.start();
  await test.rest('POST', '/endpoints', {
    body: { name: 'squares', query: 'SELECT number, number * number AS square FROM numbers(3)' },
  });
});
afterAll(() => test.close());

describe.skipIf(!available)('GraphiQL in a browser without internet', () => {
  let browser: Browser;
  let page: Page;
  let errors: readonly string[];
  const asked: string[] = [];

  beforeAll(async () => {
    browser = await launchBrowser();
    page = await browser.newPage();
    errors = collectErrors(page);
    page.on('request', (request) => asked.push(request.url()));
    await page.goto(`${origin()}/graphql`);
    await page.locator('.graphiql-query-editor').waitFor();
  });
  afterAll(() => browser?.close());

  /** Types into an editor as a person does, over what stands there. */
  async function type(editor: string, text: string): Promise<void> {
    await page.locator(`${editor} .monaco-editor`).first().click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.press('Delete');
    await page.keyboard.insertText(text);
  }

  it('explains where there is no demo how to begin, in words of its own', async () => {
    const editor = page.locator('.graphiql-query-editor');
    await editor.getByText('Querydock').first().waitFor();
    expect(await editor.textContent()).not.toContain('Welcome');
    await expectTools(page, 'Variables');
  });

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
    await clickAt(page, page.locator('.graphiql-execute-button'));
    const result = page.locator('.graphiql-response');
    await result.getByText('square').first().waitFor();
    const shown = await shownIn(result);
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

  it('asks no other host for anything, and its policy refuses nothing that it needs', () => {
    const others = asked.filter((url) => !url.startsWith(origin()) && !/^(blob|data):/.test(url));
    expect(others).toEqual([]);
    expect(errors).toEqual([]);
  });

  describe('for an endpoint that the address names', () => {
    let context: BrowserContext;
    let own: Page;
    beforeAll(async () => {
      demoKey = test.project.readKey;
      await test.rest('POST', '/endpoints', { body: sinceEndpoint });
      context = await browser.newContext();
      own = await context.newPage();
    });
    afterAll(async () => {
      demoKey = null;
      await context?.close();
    });

    async function openPage(): Promise<void> {
      await own.goto(`${origin()}/graphql?project=${test.project.id}&endpoint=since_day`);
      await own.locator('.graphiql-query-editor').waitFor();
    }

    it('opens a tab with its variables filled in, which runs as it is', async () => {
      await openPage();
      expect(await own.locator('.graphiql-tab-active').textContent()).toContain('since_day');
      await expectTools(own, 'Variables');
      await clickAt(own, own.locator('.graphiql-execute-button'));
      const result = own.locator('.graphiql-response');
      await result.getByText('results').first().waitFor();
      expect(await shownIn(result)).toContain('["2024-01-01",7,"SFO"');
    });

    it('opens it beside the tabs that the browser remembers', async () => {
      await own.goto(`${origin()}/graphql`);
      await own.locator('.graphiql-query-editor').waitFor();
      await openPage();
      const tabs = await own.locator('.graphiql-tab').allTextContents();
      expect(tabs.some((tab) => tab.includes('since_day'))).toBe(true);
      expect(await own.locator('.graphiql-tab-active').textContent()).toContain('since_day');
    });

    it('takes the key of a new demo into the tabs that the browser remembers', async () => {
      demoKey = test.project.writeKey;
      await openPage();
      const remembered = await own.evaluate('JSON.stringify(localStorage)');
      expect(remembered).toContain(test.project.writeKey);
      expect(remembered).not.toContain(test.project.readKey);
    });
  });
});

const sinceEndpoint = {
  name: 'since_day',
  query: {
    kind: 'SQLQuery',
    query:
      'SELECT {day:Date} AS day, {at_least:UInt8} AS at_least, {airport:String} AS airport, {codes:Array(String)} AS codes',
    variables: {
      at_least: { value: 7 },
      airport: { description: 'Its code, such as SFO.' },
    },
  },
};

async function expectTools(page: Page, name: string): Promise<void> {
  const active = page.locator('.graphiql-editor-tools button.active');
  await active.waitFor();
  expect(await active.textContent()).toBe(name);
}

describe('the page and its files', () => {
  const ask = (path: string, headers: Readonly<Record<string, string>> = {}) =>
    fetch(origin() + path, { headers: { accept: 'text/html', ...headers } });

  it.each(['/graphql', '/graphql/graphiql.js', '/graphql/start.js', '/graphql/graphiql.css'])(
    'are sent once: %s',
    async (path) => {
      const first = await ask(path);
      expect(first.status).toBe(200);
      expect((await first.text()).length).toBeGreaterThan(100);
      const etag = first.headers.get('etag') ?? '';
      // The page itself is too small to be compressed here.
      expect(etag).toMatch(path === '/graphql' ? /^"[\w-]+"$/ : /^"[\w-]+-gzip"$/);
      const again = await ask(path, { 'if-none-match': etag });
      expect([again.status, again.headers.get('etag')]).toEqual([304, etag]);
      const plain = await ask(path, { 'accept-encoding': 'identity' });
      expect(plain.headers.get('etag')).toBe(etag.replace('-gzip', ''));
    },
  );

  it('are another page with another key', async () => {
    const without = (await ask('/graphql')).headers.get('etag') ?? '';
    demoKey = test.project.readKey;
    const shown = await ask('/graphql', { 'if-none-match': without });
    demoKey = null;
    expect(shown.status).toBe(200);
    expect(await shown.text()).toContain(test.project.readKey);
  });

  it('are nothing else below the path', async () => {
    expect((await ask('/graphql/nothing.js')).status).toBe(404);
  });
});

async function locationOf(pages: Pages, path: string): Promise<string | undefined> {
  const found = await pages.respond({
    method: 'GET',
    path,
    search: '',
    headers: new Headers(),
    body: Buffer.alloc(0),
    isTooLarge: false,
    signal: new AbortController().signal,
    remoteAddress: '10.0.0.7',
  });
  return found?.response.headers.location;
}

it('GraphiQL shows no key to a caller who is not on this machine by name', async () => {
  const { openPages } = await import('../../src/server/pages.ts');
  const { openConsolePage } = await import('../../src/server/console-page.ts');
  const { noExamples, openGraphiQLPage } = await import('../../src/server/graphiql-page.ts');
  const pages = openPages({
    console: openConsolePage('/nowhere'),
    graphiql: openGraphiQLPage({ ...noExamples, service: [{ query: '{ __typename }' }] }),
    signIn: null,
    demoKey: () => 'qdk_the_demo_key',
    publicUrl: () => 'http://127.0.0.1:1',
    readiness: { dependencies: async () => ({}), isDraining: () => false },
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
  // Where the console is not built, GraphiQL is in its place.
  expect(await locationOf(pages, '/')).toBe('/graphql');
  expect(await locationOf(pages, '/project/7/endpoints/airport')).toBe(
    '/graphql?project=7&endpoint=airport',
  );
  expect(await ask('127.0.0.1:4000', '127.0.0.1')).toBe(true);
  expect(await ask('localhost:4000', '::1')).toBe(true);
  expect(await ask('rebound.example:4000', '127.0.0.1')).toBe(false);
  expect(await ask('127.0.0.1:4000', '10.0.0.7')).toBe(false);
});
