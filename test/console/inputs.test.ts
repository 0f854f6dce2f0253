/** The inputs of variables fit their types, and a run has the values that are chosen in them. */
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { hasBrowser } from '../support/browser.ts';
import {
  accessFaultsEverywhere,
  type ConsoleService,
  type ConsoleTab,
  cellsOf,
  openConsoleService,
  openTab,
} from './support/console-page.ts';

const hostileName = "<b>it's</b> \u202etxet";

describe.skipIf(!hasBrowser())('an input', () => {
  let service: ConsoleService;
  let tab: ConsoleTab;
  let page: Page;

  beforeAll(async () => {
    service = await openConsoleService();
    await save('states', "SELECT {state:Enum8('new' = 1, 'in use' = 2, 'gone' = -3)} AS state");
    const name = hostileName.replaceAll("'", "\\'");
    await save('strange', `SELECT {state:Enum8('${name}' = 1, 'b' = 2)} AS state`);
    await save('flags', 'SELECT if({flag:Bool}, 1, 0) AS n');
    await save('days', 'SELECT {day:Date} + 1 AS next');
    await save('moments', 'SELECT {since:DateTime64(3)} AS at');
    await save('lists', 'SELECT arraySum({ids:Array(UInt8)}) AS sum');
    await save('optional', 'SELECT {flag:Bool} AS flag, {day:Date} AS day', {
      flag: { value: true },
      day: { value: '2024-02-29' },
    });
    const a = "getSubcolumn({data:JSON}, 'a')";
    await save(
      'digits',
      `SELECT toString({ids:Map(String, UInt64)}) AS ids, concat(dynamicType(${a}), ' ', toString(${a})) AS data`,
    );
    const lists = 'SELECT {pairs:Array(Array(UInt8))} AS pairs, {words:Array(String)} AS words';
    await save('defaults', lists, {
      pairs: { value: [[1, 2], [3]] },
      words: { value: ['a', '', 'b'] },
    });
    tab = await openTab(service, service.test.project.readKey);
    page = tab.page;
  });
  afterAll(async () => {
    await tab?.close();
    await service?.close();
  });

  async function save(name: string, query: string, variables: object = {}): Promise<void> {
    const body = { name, query: { kind: 'SQLQuery', query, variables } };
    const { status, text } = await service.test.rest('POST', '/endpoints', { body });
    if (status !== 201) throw new Error(text);
  }
  const input = (name: string) => page.getByLabel(name, { exact: true });
  const choices = (name: string) => input(name).getByRole('option').allTextContents();
  const run = () => page.getByRole('button', { name: 'Run', exact: true }).click();
  const valueInAddress = (name: string) => new URL(page.url()).searchParams.get(`v.${name}`);

  async function openWaiting(endpoint: string, variable: string): Promise<void> {
    await page.goto(service.at(`endpoints/${endpoint}`));
    await page.getByRole('heading', { name: `Enter ${variable} to see rows.` }).waitFor();
  }

  async function expectCells(cells: readonly (readonly string[])[]): Promise<void> {
    await page.getByRole('grid').waitFor();
    await expect.poll(() => cellsOf(page)).toEqual(cells);
  }

  it('of an Enum offers its names, and the run has the one that is chosen', async () => {
    await openWaiting('states', 'state');
    expect(await choices('state')).toEqual(['Choose…', 'new', 'in use', 'gone']);
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await input('state').selectOption({ label: 'in use' });
    expect(await choices('state')).toEqual(['new', 'in use', 'gone']);
    await run();
    await expectCells([['in use']]);
    expect(valueInAddress('state')).toBe('in use');
    await input('state').selectOption({ label: 'gone' });
    await run();
    await expectCells([['gone']]);
    await page.reload();
    await expectCells([['gone']]);
    expect(await input('state').inputValue()).toBe('gone');
  });

  it('of an Enum keeps a value of the address that it does not have, and the service says so', async () => {
    await page.goto(`${service.at('endpoints/states')}?v.state=lost`);
    await page.getByRole('alert').getByText(/state/).waitFor();
    expect(await choices('state')).toEqual(['lost', 'new', 'in use', 'gone']);
    expect(await input('state').inputValue()).toBe('lost');
  });

  it('with a value that the service refuses is marked, until the value is changed', async () => {
    await page.goto(`${service.at('endpoints/days')}?v.day=never`);
    await page
      .getByRole('alert')
      .getByText(/variables\.day must be/)
      .waitFor();
    expect(await input('day').getAttribute('aria-invalid')).toBe('true');
    const message = page.locator('#variable-day-fault');
    expect(await message.textContent()).toMatch(/^day must be/);
    expect(await input('day').getAttribute('aria-describedby')).toBe('variable-day-fault');
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await input('day').fill('2024-02-27');
    await message.waitFor({ state: 'hidden' });
    expect(await input('day').getAttribute('aria-invalid')).toBe('false');
    await page.keyboard.press('ControlOrMeta+Enter');
    await expectCells([['2024-02-28']]);
  });

  it('of several values, one per line, runs by Ctrl-Enter', async () => {
    await openWaiting('lists', 'ids');
    await input('ids').fill('1\n2');
    await page.keyboard.press('ControlOrMeta+Enter');
    await expectCells([['3']]);
    expect(valueInAddress('ids')).toBe('1\n2');
  });

  it('of lists within a list, or of a list with an empty text, shows and sends them as JSON', async () => {
    await page.goto(service.at('endpoints/defaults'));
    await expectCells([['[[1,2],[3]]', '["a","","b"]']]);
    expect(await input('pairs').inputValue()).toBe('[[1,2],[3]]');
    expect(await input('words').inputValue()).toBe('["a","","b"]');
    await input('pairs').fill('[[1,2],[3],[4]]');
    await input('words').fill('["a","","b","c\\nd"]');
    await run();
    await expectCells([['[[1,2],[3],[4]]', '["a","","b","c\\nd"]']]);
    await input('words').fill('a\n\nb');
    await run();
    await expectCells([['[[1,2],[3],[4]]', '["a","b"]']]);
    await input('pairs').fill('1\n2');
    await run();
    await page.locator('#variable-pairs-fault').getByText('pairs must be a list of').waitFor();
  });

  it('of a Map or of JSON keeps the digits of its numbers, also in a download', async () => {
    await openWaiting('digits', 'ids, data');
    await input('ids').fill('{"a": 9007199254740993}');
    await input('data').fill('{"a": 9007199254740993}');
    await run();
    const [ids, data] = ["{'a':9007199254740993}", 'Int64 9007199254740993'];
    await expectCells([[ids, data]]);
    await page.getByRole('button', { name: 'Download' }).click();
    const [file] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'NDJSON' }).click(),
    ]);
    const text = await readFile(await file.path(), 'utf8');
    expect(JSON.parse(text)).toEqual({ ids, data });
  });

  it('of an Enum offers names with quotes, markup and another direction as they are', async () => {
    await openWaiting('strange', 'state');
    expect(await choices('state')).toEqual(['Choose…', hostileName, 'b']);
    await input('state').selectOption({ label: hostileName });
    await run();
    await expectCells([[hostileName]]);
    expect(valueInAddress('state')).toBe(hostileName);
    expect(await page.locator('main b').count()).toBe(0);
    expect(await accessFaultsEverywhere(page)).toEqual([]);
  });

  it('of a Bool offers true and false, and the run has the chosen one', async () => {
    await openWaiting('flags', 'flag');
    expect(await choices('flag')).toEqual(['Choose…', 'true', 'false']);
    await input('flag').selectOption('false');
    await run();
    await expectCells([['0']]);
    expect(valueInAddress('flag')).toBe('false');
    await input('flag').selectOption('true');
    await run();
    await expectCells([['1']]);
    expect(await accessFaultsEverywhere(page)).toEqual([]);
  });

  it('of a Bool takes from an address what the service takes, and refuses anything else', async () => {
    for (const [text, n] of [
      ['1', '1'],
      ['False', '0'],
    ] as const) {
      await page.goto(`${service.at('endpoints/flags')}?v.flag=${text}`);
      await expectCells([[n]]);
    }
    await page.goto(`${service.at('endpoints/flags')}?v.flag=yes`);
    await page.locator('#variable-flag-fault').getByText('flag must be true or false').waitFor();
    expect(await choices('flag')).toEqual(['yes', 'true', 'false']);
  });

  it('of a Date is a picker, and the run has the day that is picked', async () => {
    await openWaiting('days', 'day');
    expect(await input('day').getAttribute('type')).toBe('date');
    await input('day').fill('2024-02-28');
    await run();
    await expectCells([['2024-02-29']]);
    expect(valueInAddress('day')).toBe('2024-02-28');
    await page.reload();
    await expectCells([['2024-02-29']]);
    expect(await input('day').inputValue()).toBe('2024-02-28');
    expect(await accessFaultsEverywhere(page)).toEqual([]);
  });

  it('fits the form beside the rows, and on a telephone', async () => {
    for (const width of [1280, 375]) {
      await page.setViewportSize({ width, height: 860 });
      await openWaiting('moments', 'since');
      expect(await page.evaluate(beyondForm), String(width)).toEqual([]);
    }
    await page.setViewportSize({ width: 1280, height: 860 });
  });

  it('shows its default until another value is chosen, and goes back to it', async () => {
    await page.goto(service.at('endpoints/optional'));
    await expectCells([['true', '2024-02-29']]);
    expect(await input('flag').inputValue()).toBe('true');
    expect(await input('day').inputValue()).toBe('2024-02-29');
    await input('flag').selectOption('false');
    await input('day').fill('2020-01-01');
    await run();
    await expectCells([['false', '2020-01-01']]);
    const useDefault = page.getByRole('button', { name: 'Use default' });
    await useDefault.first().click();
    await useDefault.click();
    await run();
    await expectCells([['true', '2024-02-29']]);
    expect(valueInAddress('flag')).toBeNull();
    expect(tab.errors.filter((error) => !error.includes('the server responded with'))).toEqual([]);
  });
});

/** In the page: what is wider than the form's padding leaves room for. */
const beyondForm = `(() => {
  const form = document.querySelector('.run-form');
  const { left, right } = form.getBoundingClientRect();
  return [...form.querySelectorAll(':not(option)')]
    .filter((one) => one.getBoundingClientRect().left < left + 16 || one.getBoundingClientRect().right > right - 16)
    .map((one) => one.outerHTML.slice(0, 90));
})()`;
