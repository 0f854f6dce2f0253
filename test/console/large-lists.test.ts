/** As many endpoints and points as a large project has: a screenful of them exists, and each can be reached. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../support/browser.ts';
import type { TestApp } from '../support/test-app.ts';
import {
  accessFaultsEverywhere,
  type ConsoleService,
  type ConsoleTab,
  openConsoleService,
  openTab,
  scrollTo,
} from './support/console-page.ts';

const count = 10_000;

describe.skipIf(!hasBrowser())('a large project', () => {
  let service: ConsoleService;
  let tab: ConsoleTab;
  let page: Page;

  beforeAll(async () => {
    service = await openConsoleService();
    await insertEndpoints(service.test, count - 1);
    service.test.clock.advance(1000);
    const query =
      'SELECT number AS n, sin(number / 5000) AS wave, cos(number / 9000) AS other FROM numbers(100000)';
    const { status } = await service.test.rest('POST', '/endpoints', {
      body: { name: 'points', query },
    });
    expect(status).toBe(201);
    tab = await openTab(service, service.test.project.writeKey);
    page = tab.page;
  });
  afterAll(async () => {
    await tab?.close();
    await service?.close();
  });

  const link = (name: string) => page.getByRole('link', { name, exact: true });
  const rows = () => page.locator('.list-rows > [role="row"]');

  it('lists 10,000 endpoints, of which those in sight are in the page, down to the last one', async () => {
    await page.getByText('10,000 endpoints', { exact: true }).waitFor();
    await link('points').waitFor();
    const list = page.getByRole('region', { name: 'Endpoints' });
    expect(await page.getByRole('table', { name: 'Endpoints' }).getAttribute('aria-rowcount')).toBe(
      '10001',
    );
    for (const share of [0.4, 0.8, 1]) {
      await scrollTo(list, share);
      await page.locator(`.list-rows > [aria-rowindex="${count * share - 4}"] a`).waitFor();
      expect(await rows().count()).toBeLessThan(60);
    }
    await link('listed_00000').waitFor();
    expect(await rows().last().getAttribute('aria-rowindex')).toBe('10001');
    expect(await accessFaultsEverywhere(page)).toEqual([]);
  });

  it('goes back to the first endpoint by the keyboard', async () => {
    await page.getByRole('region', { name: 'Endpoints' }).focus();
    await page.keyboard.press('Home');
    await link('points').waitFor();
    await page.keyboard.press('End');
    await link('listed_00000').waitFor();
    expect(await link('points').count()).toBe(0);
  });

  it('finds one of 10,000 endpoints by a part of its name, and opens it', async () => {
    await page.getByRole('searchbox').fill('ted_04321');
    await page.getByText('1 endpoint', { exact: true }).waitFor();
    expect(await rows().count()).toBe(1);
    await link('listed_04321').click();
    await page.waitForURL(service.at('endpoints/listed_04321'));
    await page.getByRole('grid').waitFor();
  });

  /** How many pixels of the chart have a colour of their own. */
  const painted = () =>
    page.locator('.plot canvas').evaluate((element) => {
      const canvas = element as unknown as Canvas;
      const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
      return data.reduce((sum, value, at) => sum + (at % 4 === 3 && value > 0 ? 1 : 0), 0);
    });

  it('draws 100,000 points, in the shape that the address has', async () => {
    await page.goto(`${service.at('endpoints/points')}?limit=100000&view=chart`);
    await page.getByRole('img', { name: 'Points: wave by n, 100,000 rows' }).waitFor();
    await expect.poll(painted).toBeGreaterThan(5000);
    await page.getByLabel('other', { exact: true }).click();
    await page.getByRole('img', { name: 'Points: wave, other by n, 100,000 rows' }).waitFor();
    await page.getByLabel('Shape').selectOption({ label: 'Lines' });
    const lines = page.getByRole('img', { name: 'Lines: wave, other by n, 100,000 rows' });
    await lines.waitFor();
    expect(new URL(page.url()).searchParams.get('chart')).toBe('line');
    await page.reload();
    await lines.waitFor();
    await expect.poll(painted).toBeGreaterThan(5000);
    expect(await page.getByLabel('Shape').inputValue()).toBe('line');
    expect(await accessFaultsEverywhere(page)).toEqual([]);
  });

  it('says how many bars a chart leaves out', async () => {
    await page.getByLabel('Shape').selectOption({ label: 'Bars' });
    await page.getByRole('img', { name: 'Bars: wave, other by n, 120 rows' }).waitFor();
    await page.getByText('99,880 rows not shown in this chart.').waitFor();
    expect(tab.errors).toEqual([]);
  });
});

interface Canvas {
  readonly width: number;
  readonly height: number;
  getContext(kind: '2d'): {
    getImageData(x: number, y: number, w: number, h: number): { readonly data: Uint8ClampedArray };
  };
}

/** Straight into the metadata database; the first one is the oldest. */
/** In batches, each of which takes less time than a statement may, also on a busy machine. */
async function insertEndpoints({ backends, project }: TestApp, howMany: number): Promise<void> {
  const { pool } = backends.metadata;
  for (let from = 0; from < howMany; from += 1000) {
    const statements = [
      `INSERT INTO endpoint (id, project_id, name, graphql_name, created_at)
        SELECT overlay(overlay(gen_random_uuid()::text PLACING '7' FROM 15) PLACING
            overlay(lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') PLACING '-' FROM 9 FOR 0) FROM 1)::uuid,
          ${project.id}, 'listed_' || lpad(n::text, 5, '0'), 'listed' || n, at
        FROM generate_series(${from}, ${Math.min(from + 1000, howMany) - 1}) AS n,
          LATERAL (SELECT timestamptz '2024-01-01' + n * interval '1 minute' AS at) AS made`,
      `INSERT INTO endpoint_version (id, endpoint_id, version, query, columns)
        SELECT gen_random_uuid(), id, 1, '{"kind": "SQLQuery", "query": "SELECT 1 AS n", "variables": {}}', '[{"name": "n", "type": "UInt8"}]'
        FROM endpoint WHERE current_version_id IS NULL`,
      `INSERT INTO materialization_status (id, version_id) SELECT gen_random_uuid(), v.id
        FROM endpoint_version AS v JOIN endpoint AS e ON e.id = v.endpoint_id WHERE e.current_version_id IS NULL`,
      `UPDATE endpoint SET current_version_id = v.id FROM endpoint_version AS v
        WHERE v.endpoint_id = endpoint.id AND current_version_id IS NULL`,
    ];
    for (const statement of statements) await pool.query(statement);
  }
}
