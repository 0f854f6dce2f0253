/** Defaults of variables, which are written beside the query. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../support/browser.ts';
import {
  accessFaultsEverywhere,
  type ConsoleService,
  type ConsoleTab,
  openConsoleService,
  openTab,
} from './support/console-page.ts';

const query = `SELECT {ids:Array(UInt8)} AS ids, {tuple:Tuple(UInt8, String)} AS tuple, {flag:Bool} AS flag`;

describe.skipIf(!hasBrowser())('the default of a variable', () => {
  let service: ConsoleService;
  let tab: ConsoleTab;

  beforeAll(async () => {
    service = await openConsoleService();
    const variables = { ids: { value: [1, 2] }, tuple: { value: [1, 'a'] } };
    const body = { name: 'lists', query: { kind: 'SQLQuery', query, variables } };
    const { status, text } = await service.test.rest('POST', '/endpoints', { body });
    if (status !== 201) throw new Error(text);
    tab = await openTab(service, service.test.project.writeKey);
  });
  afterAll(async () => {
    await tab?.close();
    await service?.close();
  });

  it('stays as it is typed, and is saved as the value that it means', async () => {
    const { page } = tab;
    await page.goto(service.at('endpoints/lists/edit'));
    await page.getByText('Valid').waitFor();
    const summaries = page.getByText('Default and description');
    for (const at of [0, 1, 2]) await summaries.nth(at).click();
    const ids = page.getByLabel('Default of ids');
    expect(await ids.inputValue()).toBe('1\n2');
    await ids.press('ControlOrMeta+End');
    await ids.pressSequentially('\n\n30');
    expect(await ids.inputValue()).toBe('1\n2\n\n30');
    const tuple = page.getByLabel('Default of tuple');
    expect(await tuple.inputValue()).toBe('[1,"a"]');
    await tuple.fill('');
    await tuple.pressSequentially('[2, "b"]');
    expect(await tuple.inputValue()).toBe('[2, "b"]');
    await page.getByLabel('Optional').nth(2).check();
    expect(await page.getByLabel('Default of flag').inputValue()).toBe('false');
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await page.getByText('Valid').waitFor();
    await page.getByRole('button', { name: 'Save…' }).click();
    await page.getByRole('button', { name: 'Save as version 2' }).click();
    await page.waitForURL(service.at('endpoints/lists'));
    const { body } = await service.test.rest('GET', '/endpoints/lists');
    expect(body.variables).toMatchObject([
      { name: 'ids', default: [1, 2, 30] },
      { name: 'tuple', default: [2, 'b'] },
      { name: 'flag', default: false },
    ]);
  });
});
