import { execFile } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { consoleTypes, consoleTypesFile } from '../../scripts/console-types.ts';
import { hasBrowser } from '../support/browser.ts';
import {
  accessFaultsEverywhere,
  type ConsoleService,
  type ConsoleTab,
  cellsOf,
  openConsoleService,
  openTab,
  scrollTo,
  signIn,
} from './support/console-page.ts';

const built = path.resolve(import.meta.dirname, '../../dist/console');

it('the types of its documents are those of the schema', async () => {
  expect(readFileSync(consoleTypesFile, 'utf8')).toBe(await consoleTypes());
});

describe.skipIf(!hasBrowser())('the console', () => {
  let service: ConsoleService;
  let tab: ConsoleTab;

  beforeAll(async () => {
    service = await openConsoleService();
    await saveEndpoints(service);
    tab = await openTab(service, service.test.project.writeKey);
  });
  afterAll(async () => {
    await tab?.close();
    await service?.close();
  });

  it('is sent with a strict policy, in files that fit into 250 kB before an editor is opened', async () => {
    const page = await fetch(`${service.origin}/`);
    expect(page.headers.get('content-security-policy')).toMatch(/script-src 'self';/);
    const html = await page.text();
    expect(html).not.toMatch(/<script(?![^>]*\bsrc=)/);
    const named = [...html.matchAll(/"\/console\/([\w.-]+\.(?:js|css))"/g)].map(([, n = '']) => n);
    expect(named.length).toBeGreaterThanOrEqual(3);
    const sent = await Promise.all(named.map((name) => fetch(`${service.origin}/console/${name}`)));
    expect(sent.map(({ status }) => status)).toEqual(named.map(() => 200));
    const hashed = sent.filter(({ url }) => /-[\w-]{8}\./.test(url));
    expect(hashed.length).toBeGreaterThanOrEqual(2);
    for (const { headers } of hashed) expect(headers.get('cache-control')).toContain('immutable');
    const gzipped = (names: readonly string[]) =>
      names.reduce((sum, name) => sum + gzipSync(readFileSync(path.join(built, name))).length, 0);
    const all = readdirSync(built).filter((name) => /\.(js|css)$/.test(name));
    // Charts come with the first chart.
    const plot = all.filter((name) => name.startsWith('plot-'));
    expect(gzipped([...named, ...plot])).toBeLessThan(225_000);
    // Every view but the two editors, of SQL and of GraphQL documents.
    const editors = /^(editor-parts|sql-editor|graph-view)-/;
    expect(all.filter((name) => editors.test(name))).toHaveLength(3);
    expect(gzipped(all.filter((name) => !editors.test(name)))).toBeLessThan(250_000);
  });

  it('loads other views when they are opened, also after an upgrade that has other files', async () => {
    const own = await openTab(service, service.test.project.writeKey);
    const views = own.asked.filter((url) => /-view-[\w-]+\.js/.test(url));
    expect(views).toEqual([]);
    await own.page.route(/usage-view-/, (route) => route.abort(), { times: 1 });
    await own.page.getByRole('link', { name: 'Usage' }).click();
    await own.page.getByRole('heading', { name: 'Usage', level: 1 }).waitFor();
    expect(own.asked.filter((url) => /\/usage-view-/.test(url)).length).toBeGreaterThan(1);
    await own.close();
  });

  describe('signing in', () => {
    it('refuses an unknown key in words, and keeps none in the address or beyond the tab', async () => {
      const other = await openTab(service, null);
      const { page } = other;
      await page.getByLabel('API key').fill('qdk_unknown');
      await page.getByRole('button', { name: 'Sign in' }).click();
      await page.getByRole('alert').waitFor();
      expect(await accessFaultsEverywhere(page)).toEqual([]);
      await signIn(page, service.test.project.readKey);
      expect(page.url()).toBe(service.at('endpoints'));
      expect(other.asked.filter((url) => url.includes('qdk_'))).toEqual([]);
      expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('qdk_');
      await page.getByRole('link', { name: 'squares' }).waitFor();
      expect(await page.getByRole('link', { name: 'New endpoint' }).count()).toBe(0);
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByLabel('API key').waitFor();
      expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('qdk_');
      await other.close();
    });

    it('is done by itself in a demo on this machine, until somebody signs out', async () => {
      service.setDemoKey(service.test.project.writeKey);
      const demo = await openTab(service, null);
      await demo.page.getByRole('link', { name: 'squares' }).waitFor();
      await demo.page.getByRole('button', { name: 'Sign out' }).click();
      await demo.page.reload();
      await demo.page.getByLabel('API key').waitFor();
      expect(demo.page.url()).not.toContain('qdk_');
      service.setDemoKey(null);
      await demo.close();
    });
  });

  describe('the endpoints', () => {
    it('are found by name, label and state, which stand in the address', async () => {
      const { page } = tab;
      await page.goto(service.at('endpoints'));
      await page.getByRole('link', { name: 'squares' }).waitFor();
      expect(await accessFaultsEverywhere(page)).toEqual([]);
      await page.getByRole('button', { name: 'numbers' }).first().click();
      await page.getByText('1 endpoint', { exact: true }).waitFor();
      expect(page.url()).toContain('label=numbers');
      await page.getByLabel('State').selectOption('inactive');
      await page.getByRole('heading', { name: 'No endpoint matches' }).waitFor();
      await page.getByRole('button', { name: 'Clear 2 conditions' }).click();
      await page.getByRole('searchbox').fill('row_12');
      await page.getByText('11 endpoints', { exact: true }).waitFor();
      await page.reload();
      await page.getByText('11 endpoints', { exact: true }).waitFor();
    });

    it('are as many as there are, of which only those in sight are in the page', async () => {
      const { page } = tab;
      await page.goto(service.at('endpoints'));
      await page.getByText('307 endpoints', { exact: true }).waitFor();
      await scrollTo(page.getByRole('region', { name: 'Endpoints' }), 1);
      await page.getByRole('link', { name: 'row_0', exact: true }).waitFor();
      expect(await page.locator('.list-rows > [role="row"]').count()).toBeLessThan(60);
    });

    it('and everything else is reached by the keyboard alone', async () => {
      const { page } = tab;
      await page.keyboard.press('ControlOrMeta+K');
      await page.getByRole('combobox', { name: /Go to/ }).waitFor();
      await page.keyboard.type('needs');
      await page.getByRole('option', { name: 'needs_day' }).waitFor();
      expect(await accessFaultsEverywhere(page)).toEqual([]);
      await page.keyboard.press('Enter');
      await page.waitForURL(service.at('endpoints/needs_day'));
      await page.getByRole('heading', { name: 'needs_day', level: 1 }).waitFor();
    });
  });

  describe('one endpoint', () => {
    it('runs by itself, shows every digit with its type, and says what that cost', async () => {
      const { page } = tab;
      await page.goto(service.at('endpoints/squares'));
      await page.getByRole('grid').waitFor();
      const cells = await cellsOf(page);
      expect(cells[2]).toEqual(['2', '18446744073709551613', '2024-01-03', 'b']);
      expect(await page.locator('.cell.cut').count()).toBe(0);
      expect(await page.locator('.column-type').allTextContents()).toEqual([
        'UInt16',
        'UInt64',
        'Date',
        'String',
      ]);
      await page.locator('.run-facts').getByText('Source data', { exact: true }).waitFor();
      await page.getByText(/this version is not materialized/).waitFor();
      expect(await accessFaultsEverywhere(page)).toEqual([]);
      await page.getByRole('button', { name: 'Run' }).click();
      await page.getByText('Result cache').waitFor();
    });

    it('takes typed values, optional ones as they are by default, and puts them into the address', async () => {
      const { page } = tab;
      await page.getByLabel('least').fill('20');
      await page.keyboard.press('Enter');
      await page.waitForURL(/v\.least=20/);
      await page.getByText('10 rows', { exact: true }).waitFor();
      expect((await cellsOf(page))[0]?.[0]).toBe('20');
      await page.reload();
      await page.getByText('10 rows', { exact: true }).waitFor();
      await page.getByRole('button', { name: 'Use default' }).click();
      await page.getByRole('button', { name: 'Run' }).click();
      await page.getByText('30 rows', { exact: true }).waitFor();
      expect(page.url()).not.toContain('v.least');
      await page.goBack();
      await page.getByText('10 rows', { exact: true }).waitFor();
      expect(await page.getByLabel('least').inputValue()).toBe('20');
      await page.goForward();
      await page.getByText('30 rows', { exact: true }).waitFor();
    });

    it('sorts wide numbers by their value, and copies a cell and a program', async () => {
      const { page } = tab;
      await page.getByRole('button', { name: /^big/ }).click();
      await page.locator('[role="columnheader"][aria-sort="ascending"]').waitFor();
      expect((await cellsOf(page))[0]?.[1]).toBe('18446744073709551586');
      await page.getByText('Sorted here, all 30 rows.').waitFor();
      // Narrower than its texts, the column cuts them; as wide as it was, it shows them.
      const edge = await page.locator('.column-edge').nth(1).boundingBox();
      if (edge === null) throw new Error('the column has no edge');
      const [x, y] = [edge.x + edge.width / 2, edge.y + edge.height / 2];
      await page.mouse.move(x, y);
      await page.mouse.down();
      await page.mouse.move(x - 80, y, { steps: 4 });
      await page.mouse.up();
      await page.locator('.cell.cut').first().waitFor();
      await page.locator('.column-edge').nth(1).dblclick();
      await expect.poll(() => page.locator('.cell.cut').count()).toBe(0);
      // The same by the keyboard alone.
      const separator = page.getByRole('separator', { name: 'Width of big' });
      const width = async () => Number(await separator.getAttribute('aria-valuenow'));
      const fitting = await width();
      await separator.focus();
      await page.keyboard.press('ArrowRight');
      await expect.poll(width).toBe(fitting + 10);
      await page.keyboard.press('Shift+ArrowLeft');
      await expect.poll(width).toBe(fitting - 40);
      await page.locator('.cell.cut').first().waitFor();
      expect(await accessFaultsEverywhere(page)).toEqual([]);
      await page.keyboard.press('Enter');
      await expect.poll(width).toBe(fitting);
      await expect.poll(() => page.locator('.cell.cut').count()).toBe(0);
      const other = page.getByRole('separator', { name: 'Width of word' });
      await other.focus();
      for (let pressed = 0; pressed < 5; pressed += 1) await page.keyboard.press('Shift+ArrowLeft');
      const least = await other.getAttribute('aria-valuemin');
      await expect.poll(() => other.getAttribute('aria-valuenow')).toBe(least);
      await page.getByRole('grid').focus();
      await page.keyboard.press('ArrowRight');
      await page.keyboard.press('ControlOrMeta+C');
      await expect.poll(() => clipboard(tab)).toBe('18446744073709551586');
      await page.getByRole('button', { name: 'Copy as' }).click();
      expect(await accessFaultsEverywhere(page)).toEqual([]);
      await page.getByRole('menuitem', { name: 'curl' }).click();
      await page.getByText('curl copied').waitFor();
      const curl = await clipboard(tab);
      expect(curl).toContain(`/api/projects/${service.test.project.id}/endpoints/squares/run`);
      expect(curl).not.toContain(service.test.project.writeKey);
      const env = { ...process.env, QUERYDOCK_KEY: service.test.project.readKey };
      const { stdout } = await promisify(execFile)('sh', ['-c', curl], { env });
      expect(stdout).toContain('"big":18446744073709551614');
    });

    it('downloads the rows in other formats', async () => {
      const { page } = tab;
      await page.getByRole('button', { name: 'Download' }).click();
      const [file] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: 'CSV' }).click(),
      ]);
      expect(file.suggestedFilename()).toBe('squares.csv');
      const text = readFileSync(await file.path(), 'utf8');
      expect(text.split('\n')[1]).toBe('0,18446744073709551615,"2024-01-01","a"\r');
      const others = [
        ['JSON', 'squares.json', '{"results":'],
        ['NDJSON', 'squares.ndjson', '{"n":'],
        ['Parquet', 'squares.parquet', 'PAR1'],
        // The stream format begins with a continuation marker.
        ['Arrow', 'squares.arrow', '\u00ff\u00ff\u00ff\u00ff'],
      ] as const;
      for (const [label, name, head] of others) {
        await page.getByRole('button', { name: 'Download' }).click();
        const [other] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('menuitem', { name: new RegExp(`^${label}`) }).click(),
        ]);
        expect(other.suggestedFilename()).toBe(name);
        expect(readFileSync(await other.path(), 'latin1').slice(0, head.length)).toBe(head);
      }
    });

    it('draws a chart that follows from the columns, and keeps the choice in the address', async () => {
      const { page } = tab;
      await page.getByText('Chart', { exact: true }).click();
      await page.getByRole('img', { name: 'Lines: n by day, 30 rows' }).waitFor();
      expect(await page.getByLabel('Combine').count()).toBe(0);
      await page.getByRole('combobox', { name: 'By', exact: true }).selectOption({ label: 'word' });
      await page
        .getByRole('img', { name: 'Bars: sum of n by word, 15 values from 30 rows' })
        .waitFor();
      expect(page.url()).toContain('view=chart');
      await page.getByLabel('Combine').selectOption({ label: 'Average' });
      const averages = 'Bars: average of n by word, 15 values from 30 rows';
      await page.getByRole('img', { name: averages }).waitFor();
      await page.reload();
      await page.getByRole('img', { name: averages }).waitFor();
      // At rest the names of the series alone, with values where the pointer is.
      const legend = async () =>
        String(await page.evaluate("document.querySelector('.u-legend').innerText")).replace(
          /\s+/g,
          '',
        );
      await expect.poll(legend).toBe('averageofn');
      await page.locator('.u-over').hover();
      await expect.poll(legend).toMatch(/^word[a-o]averageofn[\d.]+$/);
      await page.mouse.move(0, 0);
      await expect.poll(legend).toBe('averageofn');
      expect(await accessFaultsEverywhere(page)).toEqual([]);
      await page.getByText('JSON', { exact: true }).click();
      await page.getByText('{"n": 1, "big": 18446744073709551614, ').waitFor();
    });

    it('asks for what is required, and tells what is wrong with a value', async () => {
      const { page } = tab;
      await page.goto(service.at('endpoints/needs_day'));
      await page.getByRole('heading', { name: 'Enter day to see rows.' }).waitFor();
      await page.goto(`${service.at('endpoints/needs_day')}?v.day=never`);
      await page.getByRole('alert').waitFor();
      expect(await page.getByRole('alert').textContent()).toContain('day');
      await page.goto(service.at('endpoints/nothing'));
      await page.getByRole('heading', { name: 'There is no such endpoint' }).waitFor();
    });

    it('has a picker for times, which gives the value that the service reads', async () => {
      const { page } = tab;
      await page.goto(service.at('endpoints/needs_time'));
      await page.getByRole('heading', { name: 'Enter at to see rows.' }).waitFor();
      const at = page.getByLabel('at', { exact: true });
      expect(await at.getAttribute('type')).toBe('datetime-local');
      await page.getByText('In UTC unless you add an offset.').waitFor();
      await at.fill('2024-05-31T12:00');
      await page.keyboard.press('Enter');
      await page.getByText('1 row', { exact: true }).waitFor();
      expect((await cellsOf(page))[0]).toEqual(['2024-05-31T12:00:00Z']);
      expect(new URL(page.url()).searchParams.get('v.at')).toBe('2024-05-31 12:00:00');
      expect(await accessFaultsEverywhere(page)).toEqual([]);
      // No picker can hold an offset: it stays the text that it is.
      await page.goto(`${service.at('endpoints/needs_time')}?v.at=2024-05-31T14:00:00%2B02:00`);
      await page.getByText('1 row', { exact: true }).waitFor();
      expect((await cellsOf(page))[0]).toEqual(['2024-05-31T12:00:00Z']);
      expect(await at.inputValue()).toBe('2024-05-31T14:00:00+02:00');
    });

    it('scrolls 100,000 rows of which a screenful exists', async () => {
      const { page } = tab;
      await page.goto(`${service.at('endpoints/long')}?limit=100000`);
      await page.getByText('100,000 rows', { exact: true }).waitFor();
      const grid = page.getByRole('grid');
      expect(await grid.getAttribute('aria-rowcount')).toBe('100001');
      for (const share of [0.5, 0.9, 1]) {
        await scrollTo(grid, share);
        await page.locator(`.grid-rows [aria-rowindex="${100_000 * share - 2}"]`).waitFor();
        expect(await page.locator('.grid-rows [role="row"]').count()).toBeLessThan(90);
      }
      expect((await cellsOf(page)).at(-1)?.[0]).toBe('99999');
      // The rows around those in sight follow when nobody scrolls any more.
      await scrollTo(grid, 0.3);
      const around = (await page.locator('.grid-rows [role="row"]').count()) - 1;
      const indexes = async () => {
        const rows = page.locator('.grid-rows [role="row"]');
        const found = await rows.evaluateAll((all) => all.map((row) => row.ariaRowIndex));
        return found.map((index) => Number(index) - Number(found[0]));
      };
      await expect.poll(indexes).toEqual([...Array(around + 1).keys()]);
      await scrollTo(grid, 1);
      await page.locator('.grid-rows [aria-rowindex="100001"]').waitFor();
      // A few rows further up: those that leave below come above.
      await page.mouse.move(700, 600);
      await page.mouse.wheel(0, -480);
      await expect.poll(async () => (await cellsOf(page)).at(-1)?.[0]).not.toBe('99999');
      const shown = (await cellsOf(page)).map(([first]) => Number(first));
      expect(shown).toEqual(shown.map((_, at) => (shown[0] ?? 0) + at));
      await page.getByRole('button', { name: /^h/ }).click();
      await page.getByText('Sorted here, all 100,000 rows.').waitFor();
      await scrollTo(grid, 0);
      await expect.poll(async () => (await cellsOf(page))[0]?.[0]).toBe('99999');
      await page.goto(service.at('endpoints/long'));
      await page.getByText(/^1,000 rows/).waitFor();
    });

    it('sorts all rows by the engine where more than those shown exist, by an order that is sent on', async () => {
      const { page } = tab;
      const firstCell = async () => (await cellsOf(page))[0]?.[0];
      await page.goto(service.at('endpoints/long'));
      await page.getByText(/^1,000 rows/).waitFor();
      await page.getByRole('button', { name: /^h/ }).click();
      await page.getByText('Sorted by the engine: the first 1,000 rows of all.').waitFor();
      await expect.poll(firstCell).toBe('99999');
      expect(new URL(page.url()).searchParams.getAll('order')).toEqual(['h']);
      await page.getByRole('button', { name: /^f/ }).click();
      await expect.poll(firstCell).toBe('0');
      // Beside it, the other way round.
      await page.getByRole('button', { name: /^a/ }).click({ modifiers: ['Shift'] });
      await page.waitForURL(/order=f&order=a/);
      await page.getByRole('button', { name: /^a/ }).click({ modifiers: ['Shift'] });
      await expect.poll(firstCell).toBe('99995');
      expect(await page.locator('[aria-sort="descending"] .column-name').textContent()).toBe('a');
      expect(await accessFaultsEverywhere(page)).toEqual([]);
      await page.reload();
      await expect.poll(firstCell).toBe('99995');
      await page.getByRole('button', { name: 'Copy as' }).click();
      await page.getByRole('menuitem', { name: 'curl' }).click();
      await page.getByText('curl copied').waitFor();
      expect(await clipboard(tab)).toContain('"order_by":["f","-a"]');
      await page.getByRole('button', { name: 'Reset order' }).click();
      await page.getByRole('button', { name: 'Run', exact: true }).click();
      await expect.poll(firstCell).toBe('0');
      expect(page.url()).not.toContain('order=');
    });

    it('sorts all rows of a table by the engine, of which the first are shown', async () => {
      const { page } = tab;
      await service.test.sql('CREATE TABLE many (n UInt32) ENGINE = Memory');
      await service.test.sql('INSERT INTO many SELECT 99 - number FROM numbers(100)');
      await page.goto(service.at('tables/many'));
      await page.getByRole('grid').waitFor();
      expect((await cellsOf(page))[0]).toEqual(['99']);
      await page.getByRole('button', { name: /^n/ }).click();
      await page.getByText('Sorted by the engine: the first 50 rows of all.').waitFor();
      await expect.poll(async () => (await cellsOf(page))[0]).toEqual(['0']);
      expect(page.url()).toBe(`${service.at('tables/many')}?order=n`);
      await page.reload();
      await expect.poll(async () => (await cellsOf(page))[0]).toEqual(['0']);
      await page.goto(`${service.at('tables/many')}?order=gone`);
      await page.getByRole('alert').getByText('gone').waitFor();
    });

    it('shows how far a long run has come, and stops it at the engine', async () => {
      const { page } = tab;
      await page.goto(`${service.at('endpoints/endless')}?v.rows=1000000000000`);
      await page.getByText(/^Read [\d,]+ rows/).waitFor();
      await page.getByRole('button', { name: 'Stop' }).click();
      await page.getByRole('heading', { name: 'Stopped' }).waitFor();
      const running = `SELECT count() FROM system.processes WHERE user = 'project_${service.test.project.id}_reader'`;
      await expect.poll(() => service.test.sql(running), { timeout: 20_000 }).toBe('0\n');
    });

    it('shows what strangers have written without running any of it', async () => {
      const { page } = tab;
      await page.goto(service.at('endpoints/hostile'));
      await page.getByRole('grid').waitFor();
      await page.getByText(hostile, { exact: true }).first().waitFor();
      // What does not fit into its column, or may be written from the right, stays within it.
      expect(await page.locator('.cell.cut').count()).toBe(2);
      const beyond = `[...document.querySelectorAll('.cell')].filter((cell) => cell.scrollWidth > cell.clientWidth && getComputedStyle(cell).overflow !== 'hidden').length`;
      expect(await page.evaluate(beyond)).toBe(0);
      await page.getByText('Chart', { exact: true }).click();
      await page.getByRole('img', { name: /by/ }).waitFor();
      await page.locator('.u-legend').waitFor();
      await page.getByText('JSON', { exact: true }).click();
      await page.getByRole('region', { name: 'Rows as JSON' }).waitFor();
      await page.goto(service.at('endpoints?q=hostile'));
      await page.getByRole('link', { name: 'hostile' }).waitFor();
      expect(await page.evaluate('window.wasRun')).toBeUndefined();
      expect(await page.locator('main img, main b').count()).toBe(0);
      const sticksOut = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
      expect(sticksOut).toBe(false);
    });

    it('shows names, descriptions and cells of 10,000 characters within the screen', async () => {
      const { page } = tab;
      for (const width of [375, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        for (const path of [
          'endpoints/lengthy',
          'endpoints/lengthy?view=chart',
          'endpoints?q=lengthy',
        ]) {
          await page.goto(service.at(path));
          await page
            .getByRole('heading', { name: path.includes('?q') ? 'Endpoints' : 'lengthy' })
            .waitFor();
          const [inside, beyond] = path.includes('?') ? ['main', 0] : ['[role=grid]', 0];
          await page.locator(inside).first().waitFor();
          const sticksOut = 'document.documentElement.scrollWidth - innerWidth';
          expect(Number(await page.evaluate(sticksOut))).toBeLessThanOrEqual(beyond);
        }
      }
    });
  });

  it('asked no other host for anything, and its policy refused nothing that it needs', () => {
    expect(tab.asked.filter((url) => !/^(blob:)?http:\/\/127\.0\.0\.1:/.test(url))).toEqual([]);
    expect(tab.asked.filter((url) => url.includes('sql-editor'))).toEqual([]);
    expect(tab.errors.filter((error) => !error.includes('the server responded with'))).toEqual([]);
  });
});

const hostile = '<img src=x onerror="window.wasRun=1"><b>\u202etxet</b>';

async function clipboard({ page }: ConsoleTab): Promise<string> {
  return String(await page.evaluate('navigator.clipboard.readText()'));
}

async function saveEndpoints({ test }: ConsoleService): Promise<void> {
  const save = async (body: unknown) => {
    test.clock.advance(1000);
    const { status, text } = await test.rest('POST', '/endpoints', { body });
    if (status !== 201) throw new Error(text);
  };
  const rows = Array.from({ length: 300 }, (_, at) => `row_${at}`);
  for (const name of rows) await save({ name, query: 'SELECT 1 AS one' });
  await save({
    name: 'squares',
    description: 'Numbers and their squares.',
    tags: ['numbers'],
    query: {
      kind: 'SQLQuery',
      query: `SELECT toUInt16(number) AS n, toUInt64(18446744073709551615 - number) AS big,
        toDate('2024-01-01') + number AS day, char(97 + intDiv(number, 2)) AS word
        FROM numbers(30) WHERE number >= {least:UInt16} ORDER BY n`,
      variables: { least: { value: 0, description: 'The first number.' } },
    },
  });
  await save({
    name: 'endless',
    query: 'SELECT sum(cityHash64(number)) AS n FROM numbers({rows:UInt64})',
  });
  await save({ name: 'needs_time', query: 'SELECT {at:DateTime} AS at' });
  await save({ name: 'needs_day', query: 'SELECT {day:Date} AS day' });
  await save({
    name: 'long',
    query:
      'SELECT number AS a, number * 2 AS b, toString(number) AS c, number / 3 AS d, toDate(number % 9999) AS e, number % 7 AS f, hex(number) AS g, -number AS h FROM numbers(100000) ORDER BY a',
  });
  await save({
    name: 'hostile',
    description: `${hostile} ${'x'.repeat(900)}`,
    tags: ['<i>label</i>'],
    query: `SELECT '${hostile}' AS "${hostile.replaceAll('"', '\\"')}", toUInt8(1) AS "<script>wasRun=1</script>", repeat('ab', 5000) AS long`,
  });
  await save({
    name: 'lengthy',
    description: 'x'.repeat(10_000),
    query: `SELECT repeat('ab', 5000) AS "${'c'.repeat(10_000)}", toUInt8(1) AS n`,
  });
}
