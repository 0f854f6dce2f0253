import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import {
  accessFaultsEverywhere,
  type ConsoleService,
  type ConsoleTab,
  openConsoleService,
  openTab,
  textOf,
} from './support/console-page.ts';

const maxLoadBytes = 1_000_000;

const tablesNamed = (name: string) =>
  `SELECT count() FROM system.tables WHERE database = currentDatabase() AND name = '${name}'`;

describe.skipIf(!hasBrowser())('loading a file in the console', () => {
  let service: ConsoleService;
  let tab: ConsoleTab;
  let page: Page;
  let dataDir: string;

  beforeAll(async () => {
    dataDir = await mkdtemp(path.join(tmpdir(), 'querydock-test-console-'));
    service = await openConsoleService({ dataDir, maxLoadBytes });
    tab = await openTab(service, await keyWith('endpoint:write', 'data:write'));
    page = tab.page;
  });
  afterAll(async () => {
    await tab?.close();
    await service?.close();
    await rm(dataDir, { recursive: true, force: true });
  });

  const keyWith = async (...scopes: readonly string[]) =>
    (await service.test.issueKey({ scopes, projects: [service.test.project] })).key;
  const rowsOf = async (table: string) =>
    (await service.test.sql(`SELECT * FROM ${table} ORDER BY ALL FORMAT CSV`)).replaceAll('"', '');
  const choose = (name: string, content: string | Uint8Array, of: Page = page) =>
    of.getByLabel('File', { exact: true }).setInputFiles({
      name,
      mimeType: 'application/octet-stream',
      buffer: Buffer.from(content),
    });
  const load = (of: Page = page) => of.getByRole('button', { name: 'Load', exact: true }).click();

  it('makes a table of it, with the types that its data has', async () => {
    await page.getByRole('link', { name: 'Tables' }).click();
    await page.getByRole('heading', { name: 'No tables yet' }).waitFor();
    await page.getByRole('link', { name: 'Load a file' }).click();
    await page.waitForURL(service.at('load'));
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await choose('Orders 2024.csv', 'id,price,day\n1,2.5,2024-01-01\n2,3.5,2024-01-02\n');
    expect(await page.getByLabel('Table', { exact: true }).inputValue()).toBe('orders_2024');
    expect(await page.getByLabel('Format').inputValue()).toBe('csv');
    await page.getByText('There is no such table yet.').waitFor();
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await load();
    await page.getByText('2 rows into orders_2024').waitFor();
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    const columns = await page.locator('.column-list li').allTextContents();
    expect(columns).toEqual(['idInt64', 'priceFloat64', 'dayDate']);
    expect(await rowsOf('orders_2024')).toBe('1,2.5,2024-01-01\n2,3.5,2024-01-02\n');
    const { rows } = await service.test.backends.metadata.pool.query<{ readonly action: string }>(
      "SELECT action, api_key_id FROM audit_entry WHERE action LIKE 'data.%' ORDER BY sequence",
    );
    expect(rows).toMatchObject([
      { action: 'data.load', api_key_id: expect.any(String) },
      { action: 'data.loaded', api_key_id: expect.any(String) },
    ]);
    await page.getByRole('link', { name: 'Look at the table' }).click();
    await page.getByRole('grid', { name: 'First rows' }).waitFor();
  });

  it('takes a CSV with semicolons when it is told so', async () => {
    const own = await openTab(service, await keyWith('endpoint:write', 'data:write'));
    await own.page.goto(service.at('load'));
    await choose('prices.csv', 'id;price\n1;2,5\n', own.page);
    await load(own.page);
    await own.page.getByText('has one column by commas, and 2 by semicolons').waitFor();
    await own.page.getByLabel('Format').selectOption('CSV with semicolons');
    await load(own.page);
    await own.page.getByText('1 row into prices').waitFor();
    expect(await rowsOf('prices')).toBe('1,2,5\n');
    await own.close();
  });

  it('adds the rows of a dropped file to a table, or puts them in place of its own', async () => {
    await page.getByRole('link', { name: 'Load rows' }).click();
    await page.waitForURL(service.at('load?table=orders_2024'));
    await page.getByText('The table exists and has 2 rows.').waitFor();
    await drop('more.tsv.gz', gzipSync('id\tprice\tday\n3\t4.5\t2024-01-03\n'));
    expect(await page.getByLabel('Table', { exact: true }).inputValue()).toBe('orders_2024');
    expect(await page.getByLabel('Format').inputValue()).toBe('tsv');
    await load();
    await page.getByText('1 row into orders_2024').waitFor();
    expect((await rowsOf('orders_2024')).split('\n')).toHaveLength(4);
    await page.getByRole('button', { name: 'Load another file' }).click();
    await choose('all.ndjson', '{"id":9,"price":1.5,"day":"2024-02-01"}\n');
    await page.getByLabel('Table', { exact: true }).fill('orders_2024');
    await page.getByLabel('Replace all rows').check();
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await load();
    await page.getByText('1 row into orders_2024').waitFor();
    expect(await rowsOf('orders_2024')).toBe('9,1.5,2024-02-01\n');
  });

  it('loads what runs of the service gave as Parquet and Arrow', async () => {
    const body = { name: 'orders', query: 'SELECT id, price FROM orders_2024' };
    await service.test.rest('POST', '/endpoints', { body });
    for (const format of ['parquet', 'arrow']) {
      const address = `${service.origin}/api/projects/${service.test.project.id}/endpoints/orders/run?format=${format}`;
      const headers = { authorization: `Bearer ${service.test.project.readKey}` };
      const run = await fetch(address, { headers });
      await page.goto(service.at('load'));
      await choose(`copy_${format}.${format}`, new Uint8Array(await run.arrayBuffer()));
      await load();
      await page.getByText(`1 row into copy_${format}`).waitFor();
      expect(await rowsOf(`copy_${format}`)).toBe('9,1.5\n');
    }
  });

  it('shows why a file is refused beside the line that it is about, and changes nothing', async () => {
    await page.goto(service.at('load?table=orders_2024'));
    await choose('bad.csv', 'id,price,day\n1,2,2024-01-01\nx,<b>3</b>,2024-01-01\n');
    await load();
    await page.getByRole('alert').filter({ hasText: 'line 3' }).waitFor();
    const lines = page.getByRole('region', { name: 'Line 3 of the file' });
    expect(await textOf(lines.locator('[data-bad]'))).toBe('3x,<b>3</b>,2024-01-01');
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    expect(await rowsOf('orders_2024')).toBe('9,1.5,2024-02-01\n');
    await choose('good.csv', 'id,price,day\n8,2,2024-01-01\n');
    expect(await page.getByRole('alert').count()).toBe(0);
    await load();
    await page.getByText('1 row into orders_2024').waitFor();
  });

  it('names the endpoints that a replacement would break, and does it when it is told to', async () => {
    await page.goto(service.at('load?table=orders_2024'));
    await choose('narrow.csv', 'id\n1\n');
    await page.getByLabel('Replace all rows').check();
    await load();
    await page.getByRole('alert').filter({ hasText: 'orders (version 1)' }).waitFor();
    expect((await rowsOf('orders_2024')).split('\n')).toHaveLength(3);
    await page.getByRole('button', { name: 'Replace it anyway' }).click();
    await page.getByText('1 row into orders_2024').waitFor();
    expect(await rowsOf('orders_2024')).toBe('1\n');
  });

  it('refuses what is larger than the service takes, in its words', async () => {
    await page.goto(service.at('load'));
    await choose('large.csv', `a\n${'1234567\n'.repeat(maxLoadBytes / 8)}`);
    await load();
    await page
      .getByRole('alert')
      .filter({ hasText: `${maxLoadBytes} bytes` })
      .waitFor();
    expect(await service.test.sql(tablesNamed('large'))).toBe('0\n');
  });

  it('shows the bytes that are sent of those of the file, and stops', async () => {
    await page.goto(service.at('load'));
    await choose('slow.csv', `a\n${'1234567\n'.repeat(110_000)}`);
    await page.getByText('There is no such table yet.').waitFor();
    const network = await page.context().newCDPSession(page);
    const throttle = (uploadThroughput: number) =>
      network.send('Network.emulateNetworkConditions', {
        offline: false,
        latency: 0,
        downloadThroughput: -1,
        uploadThroughput,
      });
    await throttle(60_000);
    await load();
    const bar = page.getByRole('progressbar', { name: 'Bytes sent' });
    await bar.waitFor();
    expect(await bar.getAttribute('max')).toBe('880002');
    await expect.poll(async () => Number(await bar.getAttribute('value'))).toBeGreaterThan(0);
    expect(Number(await bar.getAttribute('value'))).toBeLessThan(880_002);
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Stopped. No rows were loaded.').waitFor();
    await throttle(-1);
    await eventually('nothing waits on disk', async () => (await spooled()).length === 0);
    expect(await service.test.sql(tablesNamed('slow'))).toBe('0\n');
  });

  it('shows the rows that have been read when all bytes are sent', async () => {
    const ids: unknown[] = [];
    await page.route('**/graphql', async (route) => {
      const { query, variables } = JSON.parse(route.request().postData() ?? '{}') as Posted;
      if (!query.includes('query RequestProgress')) return route.continue();
      ids.push(variables.requestId);
      const read = { rowsRead: 1234, estimatedRowsTotal: 0, bytesRead: 9872, timeElapsed: 2 };
      return route.fulfill({ json: { data: { requestProgress: read } } });
    });
    await page.goto(service.at('load'));
    await choose('waiting.csv', 'a\n1\n');
    await page.getByText('There is no such table yet.').waitFor();
    const client = await service.test.backends.metadata.pool.connect();
    try {
      // The load waits at its entry in the audit log.
      await client.query('BEGIN');
      await client.query('LOCK TABLE audit_entry');
      const sent = page.waitForRequest(/\/tables\/waiting\/rows/);
      await load();
      await page.getByText('The service has read 1,234 rows so far.').waitFor();
      expect(await accessFaultsEverywhere(page)).toEqual([]);
      expect(new Set(ids)).toEqual(new Set([(await sent).headers()['x-request-id']]));
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
    await page.getByText('1 row into waiting').waitFor();
    await page.unroute('**/graphql');
  });

  it('is for keys that may load rows, and says so to others', async () => {
    const writer = await openTab(service, service.test.project.writeKey);
    await writer.page.getByRole('link', { name: 'Tables' }).click();
    await writer.page.getByRole('link', { name: 'orders_2024' }).click();
    await writer.page.getByRole('link', { name: 'Write a query' }).waitFor();
    expect(await writer.page.getByRole('link', { name: 'Load rows' }).count()).toBe(0);
    await writer.page.goto(service.at('load'));
    await writer.page.getByText('This requires the scope data:write.').waitFor();
    await writer.close();
  });

  it('was refused nothing by its own policy, and asked no other host', () => {
    expect(tab.errors.filter((error) => !error.includes('the server responded with'))).toEqual([]);
    expect(tab.asked.filter((url) => !url.startsWith(service.origin))).toEqual([]);
  });

  const spooled = () => readdir(path.join(dataDir, 'tmp')).catch(() => []);

  /** As from another window. */
  async function drop(name: string, content: Uint8Array): Promise<void> {
    const dropped = `(() => {
      const bytes = Uint8Array.from(atob('${Buffer.from(content).toString('base64')}'), (c) => c.charCodeAt(0));
      const dataTransfer = new DataTransfer();
      dataTransfer.items.add(new File([bytes], ${JSON.stringify(name)}));
      return dataTransfer;
    })()`;
    const dataTransfer = await page.evaluateHandle(dropped);
    await page.dispatchEvent('.file-drop', 'dragover', { dataTransfer });
    await page.locator('.file-drop[data-over]').waitFor();
    await page.dispatchEvent('.file-drop', 'drop', { dataTransfer });
  }
});

interface Posted {
  readonly query: string;
  readonly variables: { readonly requestId?: string };
}
