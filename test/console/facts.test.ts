/** Facts beside what they are about: who saved a version and when, how large a table is, and how many rows a query is expected to read. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createKey } from '../../src/access/create-key.ts';
import { formatBytes } from '../../src/console/ui/format.ts';
import { hasBrowser } from '../support/browser.ts';
import {
  accessFaultsEverywhere,
  type ConsoleService,
  type ConsoleTab,
  openConsoleService,
  openTab,
  textOf,
} from './support/console-page.ts';

const rowCount = 100_000;
const hourMs = 3_600_000;
const nameless = 'grace@querydock.test';

describe.skipIf(!hasBrowser())('the console says', () => {
  let service: ConsoleService;
  let tab: ConsoleTab;
  let page: Page;
  const saved = { first: new Date(), second: new Date() };

  beforeAll(async () => {
    service = await openConsoleService();
    const { test } = service;
    await test.sql('CREATE TABLE sales (day Date, amount UInt32) ENGINE = MergeTree ORDER BY day');
    await test.sql(
      `INSERT INTO sales SELECT toDate('2024-01-01') + intDiv(number, 1000), cityHash64(number) FROM numbers(${rowCount})`,
    );
    await test.sql(
      'CREATE VIEW totals AS SELECT day, sum(amount) AS total FROM sales GROUP BY day',
    );
    saved.first = new Date(Date.now() - 50 * hourMs);
    saved.second = new Date(Date.now() - 3 * hourMs);
    test.clock.set(saved.first.toISOString());
    const body = { name: 'sales', query: 'SELECT day FROM sales' };
    expect((await test.rest('POST', '/endpoints', { body })).status).toBe(201);
    test.clock.set(saved.second.toISOString());
    const change = { query: 'SELECT day, amount FROM sales' };
    const options = { body: change, key: await keyOf(nameless) };
    expect((await test.rest('PATCH', '/endpoints/sales', options)).status).toBe(200);
    tab = await openTab(service, test.project.writeKey);
    page = tab.page;
  });
  afterAll(async () => {
    await tab?.close();
    await service?.close();
  });

  async function keyOf(email: string): Promise<string> {
    const { core } = service.test.app;
    const { id } = await core.users.findOrCreateUser({ email, firstName: '' });
    const scopes = ['endpoint:write'];
    const projectIds = [service.test.project.id];
    return (await createKey(core, id, { label: 'theirs', scopes, projectIds, expiresAt: null }))
      .key;
  }

  it('who saved each version of an endpoint, and when', async () => {
    await page.goto(service.at('endpoints/sales/versions'));
    const first = page.getByRole('button', { name: /^Version 1/ });
    const second = page.getByRole('button', { name: /^Version 2/ });
    await first.getByText('2 days ago by Ada', { exact: true }).waitFor();
    await second.getByText(`3 hr. ago by ${nameless}`, { exact: true }).waitFor();
    const instant = (at: Date) => `${at.toISOString().slice(0, 19).replace('T', ' ')} UTC`;
    expect(await first.locator('time').getAttribute('title')).toBe(instant(saved.first));
    expect(await second.locator('time').getAttribute('title')).toBe(instant(saved.second));
    expect(await accessFaultsEverywhere(page)).toEqual([]);
  });

  it('what to do where a key has no access to the project of a link', async () => {
    const other = service.at('endpoints').replace(/project\/\d+/, 'project/2147483647');
    await page.goto(other);
    const said = page.getByRole('alert');
    await said.getByText('Open another project, or sign out to use another key.').waitFor();
    expect(await textOf(said)).toContain('does not have access to project 2147483647');
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    // Not for what the key lacks in its own project.
    await page.goto(service.at('endpoints'));
    await page.getByRole('link', { name: 'sales' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
  });

  it('how many rows and bytes a table has, in the list and beside its rows', async () => {
    const bytes = Number(
      await service.test.sql(
        "SELECT total_bytes FROM system.tables WHERE database = currentDatabase() AND name = 'sales'",
      ),
    );
    const size = formatBytes(bytes);
    expect(size).toMatch(/ KiB$/);
    await page.goto(service.at('tables'));
    const cellsOf = (name: string) =>
      page
        .getByRole('row')
        .filter({ has: page.getByRole('link', { name, exact: true }) })
        .getByRole('cell')
        .allTextContents();
    await page.getByRole('link', { name: 'sales', exact: true }).waitFor();
    expect(await cellsOf('sales')).toEqual(['sales', '100,000', size, '2']);
    expect(await cellsOf('totals')).toEqual(['totals', '–', '–', '2']);
    await page.getByRole('link', { name: 'sales', exact: true }).click();
    await page.getByRole('grid', { name: 'First rows' }).waitFor();
    const facts = page.locator('.facts').first();
    expect(await facts.locator('dt').allTextContents()).toEqual(['Rows', 'On disk', 'Columns']);
    expect(await facts.locator('dd').allTextContents()).toEqual(['100,000 rows', size, '2']);
  });

  it('that an order leaves rows tied under LIMIT, and what would settle it, once', async () => {
    const query = 'SELECT day, amount FROM sales WHERE day > {after:Date} ORDER BY day LIMIT 7';
    const body = { name: 'tied', query };
    expect((await service.test.rest('POST', '/endpoints', { body })).status).toBe(201);
    await page.goto(service.at('endpoints/tied/materialization'));
    const plan = page.getByRole('region', { name: 'Plan' });
    await plan.getByText('Append amount to it.').waitFor();
    expect((await textOf(plan)).match(/Append/g)).toHaveLength(1);
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    const settled = { query: query.replace('ORDER BY day', 'ORDER BY day, amount % 3, amount') };
    const changed = await service.test.rest('PATCH', '/endpoints/tied', { body: settled });
    expect(changed.status).toBe(200);
    await page.reload();
    await plan.getByText('If you materialize this version').waitFor();
    expect(await textOf(plan)).not.toContain('Append');
    const sortedBy = plan.locator('dt', { hasText: 'Sorted by' }).locator('xpath=following::dd[1]');
    expect(await sortedBy.textContent()).toBe(
      'the value compared with after, an expression of ORDER BY, amount',
    );
  });

  it('how many rows a query is expected to read, while it is written', async () => {
    await page.goto(service.at('new'));
    const write = async (text: string) => {
      await page.locator('.cm-content').click();
      await page.keyboard.press('ControlOrMeta+A');
      await page.keyboard.insertText(text);
    };
    const line = page.locator('.check-line');
    await write('SELECT sum(amount) AS total FROM sales');
    await line.getByText('Reads sales, about 100,000 rows', { exact: true }).waitFor();
    await write("SELECT sum(amount) AS total FROM sales WHERE day = '2024-01-01'");
    const expected = async () => {
      const [, rows = '?'] =
        /^ValidReads sales, about ([\d,]+) rows/.exec(await textOf(line)) ?? [];
      return Number(rows.replaceAll(',', ''));
    };
    await expect.poll(expected).toBeLessThan(20_000);
    await write('SELECT 1 AS n');
    await line.getByText('Reads no table', { exact: true }).waitFor();
    expect(tab.errors).toEqual([]);
  });
});
