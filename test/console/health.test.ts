import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../support/browser.ts';
import {
  accessFaultsEverywhere,
  type ConsoleService,
  type ConsoleTab,
  openConsoleService,
  openTab,
} from './support/console-page.ts';

describe.skipIf(!hasBrowser())('the health of the service in the console', () => {
  let service: ConsoleService;
  let tab: ConsoleTab;
  let page: Page;

  beforeAll(async () => {
    service = await openConsoleService();
    service.test.clock.set(new Date().toISOString());
    tab = await openTab(service, service.test.adminKey);
    page = tab.page;
  });
  afterAll(async () => {
    await tab?.close();
    await service?.close();
  });

  const lines = (name: string) =>
    page.getByRole('region', { name: `${name}, table` }).locator('tbody tr');

  it('shows processes, engine nodes, backends, queues, caches and syncs, by the keyboard too', async () => {
    await page.keyboard.press('Control+k');
    await page.keyboard.type('Health');
    await page.keyboard.press('Enter');
    await page.waitForURL(service.at('health'));
    await page.getByText('Everything is up, and nothing has failed.').waitFor();
    await lines('Processes').filter({ hasText: 'Serving this page' }).waitFor();
    expect(await lines('Engine nodes').count()).toBe(1);
    expect(await lines('Backends').locator('td:first-child').allTextContents()).toEqual([
      'PostgreSQL',
      'ClickHouse',
    ]);
    expect(await lines('Queues').count()).toBe(2);
    expect(await lines('Result cache').count()).toBe(1);
    await page.getByRole('region', { name: 'Materializations' }).getByText('Syncs due').waitFor();
    expect(await accessFaultsEverywhere(page)).toEqual([]);
  });

  it('says what needs a look, and a hostile name does nothing', async () => {
    const { prisma } = service.test.backends.metadata;
    const [own] = await prisma.serviceProcess.findMany();
    const told = own?.report as Readonly<Record<string, unknown>>;
    const host = '<img src=x onerror=alert(1)>\u202Egnp.exe';
    const id = '00000000-0000-7000-8000-000000000001';
    const seenAt = service.test.clock.now();
    const away = { isUp: false, latencyMs: null, awaySince: seenAt.toISOString() };
    const backends = [{ name: 'redis', ...away }];
    const report = { ...told, host, isDraining: true, backends };
    await prisma.serviceProcess.create({ data: { id, seenAt, report } });
    await page.reload();
    const needs = page.getByRole('status').getByRole('listitem');
    await needs.filter({ hasText: 'is shutting down.' }).waitFor();
    await needs.filter({ hasText: 'Redis does not answer for <img src=x' }).waitFor();
    await lines('Backends').filter({ hasText: 'Away' }).waitFor();
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    service.test.clock.advance(25_000);
    await lines('Processes').filter({ hasText: 'Silent' }).waitFor();
    await needs.filter({ hasText: 'has not reported for at least' }).waitFor();
  });

  it('names a node that is behind, and the tables that it has yet to get', async () => {
    const { prisma } = service.test.backends.metadata;
    const { id: projectId } = service.test.project;
    const node = 'http://engine-2:8123';
    const change = { changeId: '00000000-0000-7000-8000-000000000002', kind: 'replace' };
    const waiting = { projectId, node, ...change, isMissed: true };
    const claimedUntil = new Date(Date.now() + 60_000);
    await prisma.nodeTable.createMany({
      data: [
        { ...waiting, table: 'sales' },
        { ...waiting, table: 'shops', claimedUntil },
        { ...waiting, table: 'under_way', isMissed: false, claimedUntil },
      ],
    });
    await page.reload();
    const missed = lines('Tables to be copied');
    await missed.first().waitFor();
    expect(await missed.allTextContents()).toEqual([
      `${node}flightssalesWaiting`,
      `${node}flightsshopsCopying`,
    ]);
    const needs = page.getByRole('status').getByRole('listitem');
    await needs.filter({ hasText: `The engine node ${node} is behind with 2 tables` }).waitFor();
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await prisma.nodeTable.deleteMany({});
    await missed.first().waitFor({ state: 'detached' });
  });

  it('is not offered to other keys, which are told why', async () => {
    const other = await openTab(service, service.test.project.writeKey);
    expect(await other.page.getByRole('link', { name: 'Health' }).count()).toBe(0);
    await other.page.goto(service.at('health'));
    await other.page.getByText('It is about all projects, so it needs the scope admin.').waitFor();
    expect(await accessFaultsEverywhere(other.page)).toEqual([]);
    await other.close();
  });

  it('asks no other host', () => {
    expect(tab.errors).toEqual([]);
    expect(tab.asked.filter((url) => !url.startsWith(service.origin))).toEqual([]);
  });
});
