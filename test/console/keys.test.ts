/** Keys in the console: issued with what they may do and where, and what one that may do little sees. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../support/browser.ts';
import {
  accessFaultsEverywhere,
  type ConsoleService,
  type ConsoleTab,
  openConsoleService,
  openTab,
} from './support/console-page.ts';

describe.skipIf(!hasBrowser())('a key', () => {
  let service: ConsoleService;
  const tabs: ConsoleTab[] = [];

  beforeAll(async () => {
    service = await openConsoleService();
  });
  afterAll(async () => {
    for (const tab of tabs) await tab.close();
    await service?.close();
  });

  /** A tab in which the key was typed. */
  async function open(key: string): Promise<ConsoleTab> {
    const tab = await openTab(service, null);
    tabs.push(tab);
    await tab.page.getByLabel('API key').fill(key);
    await tab.page.getByRole('button', { name: 'Sign in' }).click();
    return tab;
  }
  const keyWith = async (...scopes: readonly string[]) => {
    const { project, other } = service.test;
    const projects = scopes.includes('admin') ? [project, other] : [project];
    return (await service.test.issueKey({ scopes, projects })).key;
  };

  it('is issued with several scopes, for several projects', async () => {
    const { page } = await open(await keyWith('admin'));
    const { project, other } = service.test;
    await page.getByRole('heading', { name: 'Choose a project' }).waitFor();
    await page.goto(service.at('keys'));
    await page.getByRole('button', { name: 'New key' }).click();
    await page.getByLabel('Label').fill('Loads and runs');
    await page.getByRole('checkbox', { name: 'data:write' }).check();
    await page.getByRole('group', { name: 'Projects' }).waitFor();
    await page
      .getByRole('checkbox', { name: String(other.id), exact: false })
      .last()
      .check();
    await page.getByText('It may do the same in each.').waitFor();
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await page.getByRole('checkbox', { name: 'endpoint:read' }).uncheck();
    await page.getByRole('checkbox', { name: 'data:write' }).uncheck();
    expect(await page.getByRole('button', { name: 'Issue' }).isDisabled()).toBe(true);
    await page.getByRole('checkbox', { name: 'endpoint:write' }).check();
    await page.getByRole('checkbox', { name: 'data:write' }).check();
    await page.getByLabel('through the end of this day').fill('2099-12-31');
    await page.getByRole('button', { name: 'Issue' }).click();
    const key = await page.getByRole('textbox', { name: 'Key', exact: true }).inputValue();
    const { body } = await service.test.graphql(
      '{ currentKey { scopes projectIds expiresAt } }',
      {},
      { key },
    );
    expect(body.data?.currentKey).toEqual({
      scopes: ['endpoint:write', 'data:write'],
      projectIds: [String(project.id), String(other.id)],
      expiresAt: '2099-12-31T23:59:59.999Z',
    });
  });

  it('that may load rows and nothing else loads them, and is told so everywhere else', async () => {
    const tab = await open(await keyWith('data:write'));
    const { page } = tab;
    await page.getByRole('heading', { name: 'Load files' }).waitFor();
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await page.getByRole('link', { name: 'Load into the project of this key' }).click();
    await page.waitForURL(/@current\/load|%40current\/load/);
    await page.getByRole('heading', { name: 'Load a file' }).waitFor();
    const places = page.getByRole('navigation', { name: 'Project' });
    expect(await places.getByRole('link').allTextContents()).toEqual(['Load a file']);
    const file = { name: 'orders.csv', mimeType: 'text/csv', buffer: Buffer.from('id\n1\n2\n') };
    await page.getByLabel('File', { exact: true }).setInputFiles(file);
    await page.getByText(/did not say whether the table exists/).waitFor();
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await page.getByRole('button', { name: 'Load', exact: true }).click();
    await page.getByText('2 rows into').waitFor();
    expect(await page.getByRole('link', { name: 'Look at the table' }).count()).toBe(0);
    expect(await service.test.sql('SELECT count() FROM orders')).toBe('2\n');
    await page.goto(service.at('endpoints'));
    await page.getByRole('heading', { name: 'This key may not read endpoints' }).waitFor();
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await page.getByRole('link', { name: 'loads files' }).click();
    await page.getByRole('heading', { name: 'Load a file' }).waitFor();
    expect(tab.errors.filter((error) => !error.includes('the server responded with'))).toEqual([]);
  });
});
