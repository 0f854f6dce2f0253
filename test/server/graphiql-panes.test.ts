import type { Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { formatBytes } from '../../src/console/ui/format.ts';
import {
  accessFaults,
  type ConsoleService,
  openConsoleService,
} from '../console/support/console-page.ts';
import { clickAt, collectErrors, hasBrowser, shownIn } from '../support/browser.ts';

const hostile = '<img src=x onerror="document.title=1">\u202e';
const sales = {
  name: 'sales_by_city',
  description: `Sales. ${hostile}`,
  query: {
    kind: 'SQLQuery',
    query: `SELECT if(number = 0, '<img src=x onerror="document.title=1">\u202e', concat({prefix:String}, toString(number))) AS city,
      number + {least:UInt64} AS amount, toUInt64(18446744073709551615 - number) AS \`<b>exact</b>\` FROM numbers({rows:UInt16})`,
    variables: {
      prefix: { value: 'Oslo ', description: hostile },
      least: { value: 3 },
      rows: { description: 'How many.' },
    },
  },
};

describe.skipIf(!hasBrowser())('the panes of GraphiQL', () => {
  let service: ConsoleService;
  let page: Page;
  let errors: readonly string[];
  const asked: string[] = [];

  beforeAll(async () => {
    service = await openConsoleService();
    const { test } = service;
    const { status } = await test.rest('POST', '/endpoints', { body: sales });
    if (status !== 201) throw new Error('the endpoint was not saved');
    service.setDemoKey(test.project.writeKey);
    page = await service.browser.newPage({ viewport: { width: 1400, height: 860 } });
    errors = collectErrors(page);
    page.on('request', (request) => asked.push(request.url()));
  });
  afterAll(() => service?.close());

  const pane = (name: string) => page.getByRole('region', { name, exact: true });
  const openPane = async (name: string): Promise<Locator> => {
    if (!(await pane(name).isVisible()))
      await page.getByRole('button', { name: `Show ${name}` }).click();
    await pane(name).waitFor();
    return pane(name);
  };
  const address = (more: string) =>
    `${service.origin}/graphql?project=${service.test.project.id}&endpoint=sales_by_city${more}`;

  async function openAt(url: string): Promise<void> {
    await page.goto(url);
    await page.locator('.graphiql-query-editor .monaco-editor').waitFor();
  }

  async function typeQuery(text: string): Promise<void> {
    await page.locator('.graphiql-query-editor .monaco-editor').first().click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.press('Delete');
    await page.keyboard.insertText(text);
  }

  const run = () => clickAt(page, page.locator('.graphiql-execute-button'));
  const cells = async () => {
    const rows = await pane('Result').locator('tr').all();
    return Promise.all(rows.map((row) => row.locator('th bdi, td').allTextContents()));
  };

  it('show the rows of a run with every digit, and hostile text as text', async () => {
    await openAt(address('&v.rows=3&v.least=9007199254740993&version=1&refresh=force&limit=7'));
    const result = await openPane('Result');
    await result.getByText('Run an endpoint').waitFor();
    await run();
    await result.locator('td').first().waitFor();
    expect(await cells()).toEqual([
      ['city', 'amount', '<b>exact</b>'],
      [hostile, '9007199254740993', '18446744073709551615'],
      ['Oslo 1', '9007199254740994', '18446744073709551614'],
      ['Oslo 2', '9007199254740995', '18446744073709551613'],
    ]);
    const shown = () => shownIn(page.locator('.graphiql-response'));
    await expect.poll(shown).toContain('9007199254740993,');
    const response = await shown();
    expect(response).toContain('18446744073709551615');
    expect(await page.locator('#root img[src="x"], #root th b').count()).toBe(0);
  });

  it('draw them, by other columns too', async () => {
    const result = pane('Result');
    await result.getByRole('button', { name: 'Chart' }).click();
    expect(await result.locator('svg rect').count()).toBe(3);
    await result.getByRole('combobox', { name: 'By' }).selectOption({ label: 'amount' });
    await result.getByRole('combobox', { name: 'Show' }).selectOption({ label: '<b>exact</b>' });
    expect(await result.locator('svg circle').count()).toBe(3);
    await result.getByRole('img', { name: '<b>exact</b> by amount, 3 rows' }).waitFor();
    expect((await accessFaults(page)).filter((fault) => fault.includes('qd-'))).toEqual([]);
  });

  it('document the endpoint and open the same call in the console, from where the key comes back', async () => {
    const docs = await openPane('Endpoint');
    await docs.getByRole('heading', { name: 'sales_by_city' }).waitFor();
    const said = (await docs.textContent()) ?? '';
    expect(said).toContain(`Sales. ${hostile}`);
    expect(said).toContain('1 of 1; this call runs 1');
    expect(said).toMatch(/least UInt64Optional; default 3\./);
    expect(said).toMatch(/rows UInt16Required\. How many\./);
    const href = (await docs.getByRole('link').getAttribute('href')) ?? '';
    const there = new URL(href, service.origin);
    expect(there.pathname).toBe(`/project/${service.test.project.id}/endpoints/sales_by_city`);
    expect(Object.fromEntries(there.searchParams)).toEqual({
      'v.prefix': 'Oslo ',
      'v.least': '9007199254740993',
      'v.rows': '3',
      version: '1',
      refresh: 'force',
      limit: '7',
    });
    await page.locator('.graphiql-query-editor .monaco-editor').first().click();
    await page.keyboard.press('Alt+g');
    await page.waitForURL(there.href);
    await page.getByRole('gridcell', { name: '9007199254740995' }).waitFor();
    await page.keyboard.press('Alt+g');
    await page.locator('.graphiql-query-editor .monaco-editor').waitFor();
    expect(new URL(page.url()).pathname).toBe('/graphql');
    await run();
    await openPane('Result');
    await pane('Result').locator('td').first().waitFor();
    expect((await cells())[3]?.[1]).toBe('9007199254740995');
  });

  it('have a form that opens the call with other values, and the plan of the call', async () => {
    const docs = await openPane('Endpoint');
    const plan = async () => {
      await docs.getByRole('button', { name: 'Explain' }).click();
      await docs.getByRole('region', { name: 'Plan' }).waitFor();
      return (await docs.getByRole('region', { name: 'Plan' }).textContent()) ?? '';
    };
    expect(await plan()).toMatch(/Expression.*ReadFromSystemNumbers|ReadFrom/);
    expect(await docs.getByLabel('least', { exact: false }).inputValue()).toBe('9007199254740993');
    await docs.getByLabel('rows', { exact: false }).fill('2');
    await docs.getByLabel('prefix', { exact: false }).fill('Rome ');
    expect((await accessFaults(page)).filter((fault) => fault.includes('qd-'))).toEqual([]);
    const loaded = page.waitForEvent('load');
    await docs.getByRole('button', { name: 'Open a tab with these values' }).click();
    await loaded;
    await page.locator('.graphiql-query-editor .monaco-editor').waitFor();
    await run();
    await openPane('Result');
    await pane('Result').locator('td').first().waitFor();
    expect((await cells()).slice(1).map(([city, amount]) => [city, amount])).toEqual([
      [hostile, '9007199254740993'],
      ['Rome 1', '9007199254740994'],
    ]);
  });

  it('show the call of an endpoint with lists, which GraphiQL does not mark as invalid', async () => {
    const query =
      'SELECT number AS n FROM numbers(10) WHERE number IN {chosen:Array(UInt64)} ORDER BY n';
    await service.test.rest('POST', '/endpoints', { body: { name: 'chosen', query } });
    await openAt(
      `${service.origin}/graphql?project=${service.test.project.id}&endpoint=chosen&v.chosen=3%0A7`,
    );
    const declared = page.locator('.graphiql-query-editor .view-line', { hasText: '$chosen:' });
    expect(await shownIn(declared.first())).toBe('$chosen:[JSON]');
    await run();
    await openPane('Result');
    await pane('Result').locator('td').first().waitFor();
    expect((await cells()).slice(1)).toEqual([['3'], ['7']]);
    const docs = await openPane('Endpoint');
    expect(await docs.getByLabel('chosen', { exact: false }).inputValue()).toBe('3\n7');
    expect(await page.locator('.graphiql-variable-editor .squiggly-error').count()).toBe(0);
  });

  it('tell in words what is stored, and when', async () => {
    const { test } = service;
    const body = { name: 'stored', query: 'SELECT number AS n FROM numbers(10)' };
    await test.rest('POST', '/endpoints', { body: { ...body, is_materialized: true } });
    await test.app.materialization.runOnce();
    const status = async () =>
      (await test.rest('GET', '/endpoints/stored/materialization_status')).body;
    await expect.poll(async () => (await status()).last_materialized_at ?? null).not.toBeNull();
    const { last_materialized_at: synced, next_sync_at: due } = await status();
    await openAt(`${service.origin}/graphql?project=${test.project.id}&endpoint=stored`);
    const docs = await openPane('Endpoint');
    await docs.getByText('State: stored').waitFor();
    const said = (await docs.textContent()) ?? '';
    expect(said).toMatch(/Runs read: the stored tableStored rows: 10On disk: \d+ B/);
    expect(said).toContain('Rebuilt: every 24 hours');
    const times = docs.locator('time');
    const titles = await times.evaluateAll((all) =>
      all.map((one) => one.getAttribute('title') ?? ''),
    );
    expect(titles.map(Date.parse)).toEqual([synced, due].map((iso) => Date.parse(String(iso))));
    expect(await times.first().textContent()).not.toContain('T');
    expect((await accessFaults(page)).filter((fault) => fault.includes('qd-'))).toEqual([]);
  });

  it('fit a screen of 375 pixels, below each other', async () => {
    await page.setViewportSize({ width: 375, height: 760 });
    await openAt(address('&v.rows=3&limit=7'));
    await run();
    const result = await openPane('Result');
    await result.locator('td').first().waitFor();
    const boxOf = async (selector: string) => {
      const box = await page.locator(selector).boundingBox();
      if (box === null) throw new Error(`${selector} is not shown`);
      return { left: box.x, right: box.x + box.width, top: box.y, bottom: box.y + box.height };
    };
    const parts = ['.graphiql-plugin', '.graphiql-editors', '.graphiql-response'];
    const boxes = await Promise.all(parts.map(boxOf));
    for (const [at, { left, right, top }] of boxes.entries()) {
      expect(right - left).toBeGreaterThan(250);
      expect(right).toBeLessThanOrEqual(375);
      expect(top).toBeGreaterThanOrEqual(boxes[at - 1]?.bottom ?? 0);
    }
    const [tabs, add] = [await boxOf('.graphiql-tabs'), await boxOf('.graphiql-tab-add')];
    expect(tabs.right).toBeLessThanOrEqual(add.left);
    expect(add.right).toBeLessThanOrEqual(375);
    expect(await page.locator('.graphiql-logo').isVisible()).toBe(false);
    await page.setViewportSize({ width: 1400, height: 860 });
  });

  it('say it where the tab calls no endpoint', async () => {
    await typeQuery('{ __typename }');
    const docs = await openPane('Endpoint');
    await docs.getByText('calls no endpoint').waitFor();
    await page.keyboard.press('Alt+g');
    await page.locator('#notice').filter({ hasText: 'calls no endpoint' }).waitFor();
    expect(new URL(page.url()).pathname).toBe('/graphql');
  });

  it('stand beside the explorer, which writes a document', async () => {
    await page.getByRole('button', { name: /GraphiQL Explorer/ }).click();
    const explorer = page.locator('.graphiql-explorer-root, .docExplorerWrap').first();
    await explorer.getByText('endpoints', { exact: true }).first().click();
    await page.locator('.graphiql-query-editor').getByText('endpoints').first().waitFor();
    expect(await shownIn(page.locator('.graphiql-query-editor'))).toContain('endpoints');
  });

  it('follow a subscription until it is stopped', async () => {
    const { test } = service;
    await test.rest('POST', '/endpoints', { body: { name: 'live', query: 'SELECT 1 AS one' } });
    await typeQuery(
      'subscription { runEndpoint(projectId: "@current", name: "live") { types results } }',
    );
    const result = await openPane('Result');
    await run();
    await result.getByRole('cell', { name: '1', exact: true }).waitFor();
    await test.rest('PATCH', '/endpoints/live', { body: { query: 'SELECT 2 AS one' } });
    await result.getByRole('cell', { name: '2', exact: true }).waitFor();
    await page.getByRole('button', { name: /stop/i }).click();
    await page
      .getByRole('button', { name: /execute|run/i })
      .first()
      .waitFor();
    expect(await cells()).toEqual([['one'], ['2']]);
  });

  it('show what the engine has read for a query, and stop it there', async () => {
    const { test } = service;
    const query = 'SELECT count() AS n FROM numbers(1000000000000) WHERE sipHash64(number) % 7 = 0';
    await test.rest('POST', '/endpoints', { body: { name: 'slow', query } });
    await typeQuery(
      '{ runEndpoint(projectId: "@current", name: "slow", input: {clientQueryId: "stopped"}) { results } }',
    );
    const ask =
      '{ queryStatus(projectId: "@current", id: "stopped") { errorCode queryProgress { rowsRead } } }';
    const status = async () => (await test.graphql(ask)).body.data?.queryStatus as Status | null;
    const isRunning = async () => Number((await status())?.queryProgress.rowsRead ?? 0) > 0;
    await run();
    await expect.poll(isRunning, { timeout: 60_000 }).toBe(true);
    const progress = pane('Result').getByRole('status');
    await progress.filter({ hasText: /^Read [\d,]+ of about [\d,]+ rows/ }).waitFor();
    expect((await accessFaults(page)).filter((fault) => fault.includes('qd-'))).toEqual([]);
    await page.getByRole('button', { name: /stop/i }).click();
    const code = async () => (await status())?.errorCode;
    await expect.poll(code, { timeout: 60_000 }).toBe('query_cancelled');
    expect(await progress.count()).toBe(0);
  });

  it('show typed rows of a data graph, and its endpoint', async () => {
    await openAt(`${service.origin}/api/projects/${service.test.project.id}/graphql`);
    await typeQuery(
      'query Q($n: Int! = 2) { first: salesByCity(rows: $n, prefix: "Rome ", least: "9007199254740993") { rows { city amount } } }',
    );
    await run();
    await openPane('Result');
    await pane('Result').locator('td').first().waitFor();
    expect(await cells()).toEqual([
      ['city', 'amount'],
      [hostile, '9007199254740993'],
      ['Rome 1', '9007199254740994'],
    ]);
    const docs = await openPane('Endpoint');
    const href = (await docs.getByRole('link').getAttribute('href')) ?? '';
    expect(Object.fromEntries(new URL(href, service.origin).searchParams)).toEqual({
      'v.prefix': 'Rome ',
      'v.least': '9007199254740993',
      'v.rows': '2',
    });
    await typeQuery(
      '{ salesByCity(rows: 2, orderBy: [{desc: amount}, {asc: city}]) { rows { city } } }',
    );
    const order = async () => {
      const link = (await docs.getByRole('link').getAttribute('href')) ?? '';
      return new URL(link, service.origin).searchParams.getAll('order');
    };
    await expect.poll(order).toEqual(['-amount', 'city']);
  });

  it('draw a single day as a point, and several as a line', async () => {
    for (const [days, drawn] of [
      [1, 'svg circle'],
      [2, 'svg polyline'],
    ] as const) {
      await openAt(`${service.origin}/graphql`);
      const query = `SELECT toDate('2026-03-01') + number AS day, 5 AS n FROM numbers(${days})`;
      await typeQuery(
        `{ runQuery(projectId: "${service.test.project.id}", query: "${query}") { results columns types } }`,
      );
      await run();
      const result = await openPane('Result');
      await result.getByRole('button', { name: 'Chart' }).click();
      await result.getByRole('img', { name: `n by day, ${days} rows` }).waitFor();
      expect(await result.locator('svg circle, svg polyline').count()).toBe(1);
      expect(await result.locator(drawn).count()).toBe(1);
    }
  });

  it('ask no other host for anything, and the policy refuses nothing that they need', () => {
    const others = asked.filter(
      (url) => !url.startsWith(service.origin) && !/^(blob|data):/.test(url),
    );
    expect(others).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('keep the order of the rows on the way to the console and back', async () => {
    await openAt(address('&v.rows=3&v.least=1&order=-amount&order=city'));
    const amounts = async () => (await cells()).slice(1).map(([, amount]) => amount);
    await run();
    await openPane('Result');
    await expect.poll(amounts).toEqual(['3', '2', '1']);
    const docs = await openPane('Endpoint');
    const href = (await docs.getByRole('link').getAttribute('href')) ?? '';
    const there = new URL(href, service.origin);
    expect(there.searchParams.getAll('order')).toEqual(['-amount', 'city']);
    await page.locator('.graphiql-query-editor .monaco-editor').first().click();
    await page.keyboard.press('Alt+g');
    await page.waitForURL(there.href);
    await page.getByRole('gridcell', { name: '3', exact: true }).first().waitFor();
    await page.keyboard.press('Alt+g');
    await page.locator('.graphiql-query-editor .monaco-editor').waitFor();
    const document = () => shownIn(page.locator('.graphiql-query-editor'));
    await expect.poll(document).toContain('orderBy:["-amount","city"]');
  });
});

/** A file of the page, which is no module of the service. */
const browserFile = (name: string) =>
  import(new URL(`../../src/server/browser/${name}`, import.meta.url).href);

it('sizes and cadences are written as in the console', async () => {
  const { readableBytes, readableCadence, readableState } = await browserFile('readable.js');
  const sizes = [0, 722, 1023, 1024, 5_000_000, '200000000000'];
  expect(sizes.map(readableBytes)).toEqual(sizes.map((size) => formatBytes(Number(size))));
  expect(['5min', '1hour', '24hour', '30day', 'odd'].map(readableCadence)).toEqual([
    'every 5 minutes',
    'every hour',
    'every 24 hours',
    'every 30 days',
    'odd',
  ]);
  expect(readableState({ status: 'Failed', ready: true })).toBe('the last sync failed');
  expect(readableState({ status: 'Completed', ready: true })).toBe('stored');
  expect(readableState({ status: 'Modified', ready: false })).toBe('due');
});

it('calls are read from a document as it stands, also while somebody writes it', async () => {
  const { rootFields } = await browserFile('document-fields.js');
  const document = `# { comment(a: 1) }
    query A($n: [Int!]! = [1, 2], $o: In = {a: "}"} $gone: Int) @live { x: run(n: $n, o: $o, gone: $gone,
      word: force, wide: 18446744073709551615, text: "a # \\" b", block: """c } d""") { deep(id: 1) } }
    fragment F on Query { other(id: 2) } query B { second unfinished(a: {b: [true, null`;
  const fields = rootFields(document, '{"n": 9007199254740993}');
  expect(fields.map(({ name }: { readonly name: string }) => name)).toEqual([
    'run',
    'second',
    'unfinished',
  ]);
  expect(JSON.stringify(fields[0].args)).toBe(
    JSON.stringify({ n: 0, o: { a: '}' }, word: 'force', wide: 1, text: 'a # " b', block: 'c } d' })
      .replace('"n":0', '"n":9007199254740993')
      .replace('"wide":1', '"wide":18446744073709551615'),
  );
  expect(fields[2].args).toEqual({ a: { b: [true, null] } });
  expect(rootFields('', '{')).toEqual([]);
});

it('rows are found wherever a run gives them, and drawn as their columns suggest', async () => {
  const { tablesIn, guessChart, chartPoints } = await browserFile('result-tables.js');
  const data = {
    perDay: {
      types: [
        ['day', 'Date'],
        ['late', 'Nullable(UInt64)'],
      ],
      results: [
        ['2024-01-02', 4],
        ['2024-01-01', null],
        ['2024-01-01', 3],
      ],
    },
    endpoint: { run: { columns: ['n', 'sq'], results: [[1, '18446744073709551616']] } },
    airport: { rows: [{ name: '__proto__', ['__proto__']: 1 }] },
    nothing: null,
  };
  const tables = tablesIn({ data });
  expect(tables.map(({ title }: { readonly title: string }) => title)).toEqual([
    'perDay',
    'endpoint › run',
    'airport',
  ]);
  const guesses = tables.map(guessChart);
  expect(guesses.map((one: { readonly shape: string } | null) => one?.shape)).toEqual([
    'line',
    'points',
    'bar',
  ]);
  const { points, leftOut } = chartPoints(tables[0], guesses[0]);
  expect(points.map(({ y }: { readonly y: number }) => y)).toEqual([3, 4]);
  expect(leftOut).toBe(1);
  expect(tablesIn(null)).toEqual([]);
});

interface Status {
  readonly errorCode: string | null;
  readonly queryProgress: { readonly rowsRead: number };
}
