import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  matchingOptions,
  readDescription,
  toOptions,
} from '../../src/console/run/variable-options.ts';
import { hasBrowser } from '../support/browser.ts';
import {
  accessFaultsEverywhere,
  type ConsoleService,
  type ConsoleTab,
  cellsOf,
  openConsoleService,
  openTab,
} from './support/console-page.ts';

const source = (endpoint: string, column: string | null, label: string | null) => ({
  endpoint,
  column,
  label,
});

describe('the options of a variable', () => {
  it.each([
    ['Where. Options: airports', 'Where.', source('airports', null, null)],
    ['Where. Options: air-ports.iata.', 'Where.', source('air-ports', 'iata', null)],
    ['Options: airports.iata (name)', '', source('airports', 'iata', 'name')],
    ['Options: several, of which one', 'Options: several, of which one', null],
    ['MyOptions: airports', 'MyOptions: airports', null],
    ['Options: airports. More.', 'Options: airports. More.', null],
  ])('are the end of the description %j', (description, about, options) => {
    expect(readDescription(description)).toEqual({ about, options });
  });

  it('are each value once, as one types it, and are found by value or label', () => {
    const rows = [
      ['Oslo', '18446744073709551615'],
      [null, 2],
      ['Rome', 2],
      ['Rimini', null],
    ];
    const options = toOptions(source('e', 'id', 'name'), ['name', 'id'], rows);
    expect(options).toEqual([
      { value: '18446744073709551615', label: 'Oslo' },
      { value: '2', label: '' },
    ]);
    expect(toOptions(source('e', null, null), ['name', 'id'], rows)).toHaveLength(3);
    expect(() => toOptions(source('e', 'nane', null), ['name'], [])).toThrow('nane');
    const named = ['b a', 'a', 'c'].map((value) => ({ value, label: value === 'c' ? 'A' : '' }));
    expect(matchingOptions(named, 'a').map(({ value }) => value)).toEqual(['a', 'b a', 'c']);
  });
});

describe.skipIf(!hasBrowser())('a variable whose options another endpoint gives', () => {
  let service: ConsoleService;
  let tab: ConsoleTab;
  let page: Page;

  beforeAll(async () => {
    service = await openConsoleService();
    await save(
      'cities',
      "SELECT 'c' || toString(number) AS code, upper(code) AS name FROM numbers(30)",
    );
    await save('hostile', `SELECT '<img src=x onerror="window.wasRun=1">' AS code`);
    await save('sales', 'SELECT {city:String} AS city', 'A city. Options: cities.code (name)');
    await save('broken', 'SELECT {city:String} AS city', 'A city. Options: cities.kode');
    await save('strange', 'SELECT {city:String} AS city', 'Options: hostile');
    await save(
      'several',
      'SELECT arrayJoin({city:Array(String)}) AS city',
      'Cities. Options: cities.code (name)',
    );
    await save('endless', 'SELECT sum(sipHash64(number)) AS code FROM numbers(1000000000000)');
    await save('patient', 'SELECT {city:String} AS city', 'A city. Options: endless');
    tab = await openTab(service, service.test.project.readKey);
    page = tab.page;
  });
  afterAll(async () => {
    await tab?.close();
    await service?.close();
  });

  async function save(name: string, query: string, description?: string): Promise<void> {
    const variables = description === undefined ? {} : { city: { description } };
    const body = { name, query: { kind: 'SQLQuery', query, variables } };
    const { status, text } = await service.test.rest('POST', '/endpoints', { body });
    if (status !== 201) throw new Error(text);
  }
  const input = () => page.getByRole('combobox', { name: 'city' });
  const options = () => page.locator('[role="listbox"] [role="option"]').allTextContents();

  it('lists them when it is opened, finds them by typing, and runs with the chosen one', async () => {
    await page.goto(service.at('endpoints/sales'));
    await input().waitFor();
    await page.getByText('A city.', { exact: true }).waitFor();
    const asked: string[] = [];
    page.on('request', (request) => asked.push(request.postData() ?? ''));
    await input().click();
    await page.getByRole('option', { name: 'c29' }).waitFor();
    expect(await options()).toHaveLength(30);
    expect(asked.filter((body) => body.includes('query OptionsOfEndpoint'))).toHaveLength(1);
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await page.keyboard.type('C2');
    await expect.poll(options).toHaveLength(11);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    expect(await input().inputValue()).toBe('c20');
    expect(await options()).toEqual([]);
    await page.keyboard.press('Enter');
    await page.waitForURL(/v\.city=c20/);
    await page.getByRole('gridcell', { name: 'c20' }).waitFor();
    await input().click();
    await page.getByRole('option', { name: 'c7' }).click();
    expect(await input().inputValue()).toBe('c7');
  });

  it('that is a list gets them one after the other', async () => {
    await page.goto(service.at('endpoints/several'));
    const list = page.getByRole('textbox', { name: 'city', exact: true });
    const add = page.getByRole('combobox', { name: 'Add to city' });
    await list.fill('elsewhere');
    await add.click();
    await page.getByRole('option', { name: 'c29' }).waitFor();
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await page.keyboard.type('C29');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await add.click();
    await page.getByRole('option', { name: 'c7' }).click();
    // Each once.
    await add.click();
    await page.getByRole('option', { name: 'c7' }).click();
    expect(await list.inputValue()).toBe('elsewhere\nc29\nc7');
    expect(await add.inputValue()).toBe('');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('gridcell', { name: 'c29' }).waitFor();
    expect(await cellsOf(page)).toEqual([['elsewhere'], ['c29'], ['c7']]);
    await list.fill('["in\\ntwo lines",""]');
    await add.click();
    await page.getByRole('option', { name: 'c7' }).click();
    expect(await list.inputValue()).toBe('["in\\ntwo lines","","c7"]');
  });

  it('takes what is not among them, too', async () => {
    await page.goto(service.at('endpoints/sales'));
    await input().fill('elsewhere');
    await page.keyboard.press('Enter');
    await page.getByRole('gridcell', { name: 'elsewhere' }).waitFor();
    expect(page.url()).toContain('v.city=elsewhere');
  });

  it('shows what an endpoint that takes long has read', async () => {
    await page.goto(service.at('endpoints/patient'));
    await input().click();
    await page.getByText('Looking for options…').waitFor();
    await page.getByText(/^Read [\d,.]+ rows of about 1,000,000,000,000 rows/).waitFor();
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await page.goto(service.at('endpoints/sales'));
  });

  it('says why there are none, and shows what strangers have written harmlessly', async () => {
    await page.goto(service.at('endpoints/broken'));
    await input().click();
    await page.getByText('No options from cities: It has no column kode.').waitFor();
    await page.goto(service.at('endpoints/strange'));
    await input().click();
    await page.getByRole('option', { name: /onerror/ }).waitFor();
    expect(await page.evaluate('window.wasRun')).toBeUndefined();
    expect(await page.locator('main img').count()).toBe(0);
    expect(tab.errors.filter((error) => !error.includes('the server responded with'))).toEqual([]);
  });
});
