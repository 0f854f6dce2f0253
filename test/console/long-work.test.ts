import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../support/browser.ts';
import { eventually } from '../support/eventually.ts';
import {
  accessFaultsEverywhere,
  type ConsoleService,
  type ConsoleTab,
  cellsOf,
  openConsoleService,
  openTab,
} from './support/console-page.ts';

describe.skipIf(!hasBrowser())('long work in the console', () => {
  let service: ConsoleService;
  let tab: ConsoleTab;
  let page: Page;

  beforeAll(async () => {
    service = await openConsoleService();
    const { test } = service;
    await test.sql('CREATE TABLE bounds (rows UInt64) ENGINE = MergeTree ORDER BY rows');
    await test.sql('INSERT INTO bounds VALUES (10)');
    const queries = {
      // Takes as long as the table says.
      bounded: `SELECT sum(cityHash64(number)) AS n FROM numbers(200000000000)
        WHERE number < (SELECT max(rows) FROM bounds)`,
      sorted: 'SELECT number AS a, toString(9 - number) AS b FROM numbers(10) ORDER BY a',
    };
    for (const [name, query] of Object.entries(queries)) {
      const { status, text } = await test.rest('POST', '/endpoints', { body: { name, query } });
      if (status !== 201) throw new Error(text);
    }
    tab = await openTab(service, test.project.writeKey);
    page = tab.page;
  });
  afterAll(async () => {
    await tab?.close();
    await service?.close();
  });

  it('shows what a download has read, and can stop it at the engine', async () => {
    const { test } = service;
    await page.goto(service.at('endpoints/bounded'));
    await page.getByText('1 row', { exact: true }).first().waitFor();
    await test.sql('INSERT INTO bounds VALUES (200000000000)');
    // Of two executions in one instant none is the newest.
    test.clock.advance(1000);
    await page.getByRole('button', { name: 'Download' }).click();
    await page.getByRole('menuitem', { name: 'CSV' }).click();
    await page
      .getByRole('status')
      .filter({ hasText: /^Read [\d,.]+ rows/ })
      .waitFor();
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByRole('status').filter({ hasText: 'Stopped' }).waitFor();
    expect(await page.getByRole('button', { name: 'Stop', exact: true }).count()).toBe(0);
    await eventually('the engine has ended it', async () => {
      const { body } = await test.rest('GET', '/endpoints/bounded/logs');
      const [newest] = body.results as readonly { readonly error_code: string | null }[];
      return newest?.error_code === 'query_cancelled';
    });
  });

  it('can stop the measurement of a materialization, and begin again', async () => {
    const held = Promise.withResolvers<void>();
    await page.route('**/graphql', async (route) => {
      if (route.request().postData()?.includes('materializationPreview')) await held.promise;
      await route.continue().catch(() => undefined);
    });
    await page.goto(service.at('endpoints/sorted/materialization'));
    await page.getByText('Measuring on the current data').waitFor();
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByRole('heading', { name: 'Stopped' }).waitFor();
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    held.resolve();
    await page.getByRole('button', { name: 'Measure again' }).click();
    await page.getByRole('heading', { name: 'If you materialize this version' }).waitFor();
    const plan = page.getByRole('region', { name: 'Plan' });
    await plan.getByText('the order of the result', { exact: true }).waitFor();
    expect(await plan.locator('.facts').textContent()).not.toContain('__');
    await page.unroute('**/graphql');
  });

  it('does not recommend a materialization that would slow runs down', async () => {
    await page.route('**/graphql', async (route) => {
      if (!route.request().postData()?.includes('query MaterializationPreview'))
        return route.continue();
      const response = await route.fetch();
      const body = (await response.json()) as Preview;
      const gain = { inlineMs: 0.25, expectedReadMs: 1, expectedGain: 0.25, advice: null };
      body.data.materializationPreview.gain = { ...gain, alternative: null };
      return route.fulfill({ response, json: body });
    });
    await page.goto(service.at('endpoints/sorted/materialization'));
    await page.getByText('about 4 times slower').waitFor();
    const button = page.getByRole('button', { name: 'Materialize', exact: true });
    expect(await button.getAttribute('class')).not.toContain('primary');
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await page.unroute('**/graphql');
  });

  it('shows what the measurement of a materialization is reading', async () => {
    const { test } = service;
    const query =
      'SELECT number % 10 AS k, sum(sipHash64(number)) AS n FROM numbers(1000000000000) GROUP BY k';
    await test.rest('POST', '/endpoints', { body: { name: 'large', query } });
    await page.goto(service.at('endpoints/large/materialization'));
    await page
      .getByRole('status')
      .filter({ hasText: /^Read [\d,.]+ rows of about 1,000,000,000,000 rows/ })
      .waitFor();
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByRole('heading', { name: 'Stopped' }).waitFor();
  });

  it('shows what a GraphQL document is reading, of all its queries, and stops them', async () => {
    const { test } = service;
    await test.sql('INSERT INTO bounds VALUES (200000000000)');
    const document = `{
      a: runEndpoint(projectId: "@current", name: "bounded", input: {refresh: force}) { results }
      b: runEndpoint(projectId: "@current", name: "large", input: {refresh: force}) { results }
    }`;
    await page.goto(
      `${service.at('graphql?graph=service')}#${new URLSearchParams({ query: document })}`,
    );
    await page
      .getByRole('status')
      // With the three rows of the subquery.
      .filter({ hasText: /^Read [\d,.]+ rows of about 1,200,000,000,003 rows/ })
      .waitFor();
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await page.getByRole('button', { name: 'Run', exact: true }).waitFor();
    await eventually('the engine has ended them', async () => {
      const running = `SELECT count() AS n FROM system.processes WHERE query LIKE '%numbers(%000000000)%' AND query NOT LIKE '%system.processes%'`;
      return (await test.sql(running)).trim() === '0';
    });
  });

  it('keeps the local order of the rows in the address', async () => {
    await page.goto(service.at('endpoints/sorted'));
    await page.getByText('10 rows', { exact: true }).waitFor();
    await page.getByRole('button', { name: /^b/ }).click();
    await page.getByText('Sorted here, all 10 rows.').waitFor();
    expect(new URL(page.url()).searchParams.get('sort')).toBe('2');
    await page.reload();
    await page.getByText('Sorted here, all 10 rows.').waitFor();
    expect((await cellsOf(page))[0]).toEqual(['9', '0']);
    await page.getByRole('button', { name: /^b/ }).click();
    await page.locator('[aria-sort="descending"]').waitFor();
    expect(new URL(page.url()).searchParams.get('sort')).toBe('-2');
    await page.getByRole('button', { name: /^b/ }).click();
    await page.locator('[aria-sort="descending"]').waitFor({ state: 'detached' });
    expect(new URL(page.url()).searchParams.has('sort')).toBe(false);
    expect(tab.errors).toEqual([]);
  });
});

interface Preview {
  readonly data: { readonly materializationPreview: { gain: unknown } };
}
