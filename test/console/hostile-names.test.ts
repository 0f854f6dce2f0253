/** Hostile and very long texts of tables, keys, usage, queries and versions are shown and do nothing. */
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

const rightToLeft = '\u202etxet\u2066';
const hostile = `<img src=x onerror="window.wasRun=1"><b>${rightToLeft}</b>`;
const script = '<script>window.wasRun=1</script>';
const lengthy = 'x'.repeat(10_000);
const nameOf = (text: string) => `\`${text}\``;

describe.skipIf(!hasBrowser())('hostile names', () => {
  let service: ConsoleService;
  let tab: ConsoleTab;
  let page: Page;

  beforeAll(async () => {
    service = await openConsoleService();
    await saveHostile(service);
    tab = await openTab(service, service.test.adminKey);
    page = tab.page;
  });
  afterAll(async () => {
    await tab?.close();
    await service?.close();
  });

  /** Nothing of it became an element or was run, nothing sticks out, and each text has a direction of its own. */
  async function expectHarmless(): Promise<void> {
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    expect(await page.evaluate('window.wasRun')).toBeUndefined();
    // The editor has images of its own, as places for its cursor.
    const elements = page.locator('main :is(img:not(.cm-widgetBuffer), b, script)');
    expect(await elements.count()).toBe(0);
    expect(await page.evaluate(directionFaults)).toEqual([]);
  }

  it('of tables are shown in the list', async () => {
    await page.goto(service.at('tables'));
    await page.getByRole('link', { name: hostile, exact: true }).waitFor();
    await page.getByText(lengthy, { exact: true }).waitFor();
    await expectHarmless();
  });

  it('of one table, of its columns and cells are shown', async () => {
    await page.getByRole('link', { name: hostile, exact: true }).click();
    await page.getByRole('grid', { name: 'First rows' }).waitFor();
    await page.getByRole('heading', { name: hostile, level: 1 }).waitFor();
    await page.getByRole('region', { name: 'Read by' }).getByRole('link').waitFor();
    await page.getByRole('cell', { name: script }).waitFor();
    await page.getByRole('gridcell', { name: hostile }).waitFor();
    await expectHarmless();
  });

  it('of keys, their owners and projects are shown, also when one is revoked', async () => {
    await page.goto(service.at('keys'));
    await page.getByText(`of ${hostile}@querydock.test`).first().waitFor();
    await page.getByRole('cell').getByText(hostile, { exact: true }).first().waitFor();
    await expectHarmless();
    await page.getByRole('button', { name: `Revoke ${hostile}` }).click();
    await page.getByRole('dialog', { name: `Revoke ${hostile}?` }).waitFor();
    await expectHarmless();
    await page.getByRole('button', { name: 'Keep it' }).click();
  });

  it('of keys and in errors are shown with the usage', async () => {
    await page.goto(`${service.at('usage')}?by=key&executions=failed`);
    const groups = page.getByRole('region', { name: 'Usage by group' });
    await groups.getByText(hostile, { exact: true }).waitFor();
    const executions = page.getByRole('region', { name: 'Single executions' });
    await executions.getByText(hostile).first().waitFor();
    await expectHarmless();
  });

  it('in a query and its description, columns and variables are shown where it is edited', async () => {
    await page.goto(service.at('endpoints/strange/edit'));
    await page.locator('.check-line').getByText('Valid').waitFor();
    await page.locator('.column-list').getByText(script).waitFor();
    await page.locator('.cm-content').filter({ hasText: 'onerror' }).waitFor();
    await page.locator('.cm-specialChar[title$="right-to-left override"]').first().waitFor();
    await page.getByText('Default and description').click();
    await expectHarmless();
    await page.goto(service.at('endpoints/strange'));
    await page.getByRole('grid').waitFor();
    await expectHarmless();
  });

  it('in versions and of their authors are shown', async () => {
    await page.goto(service.at('endpoints/strange/versions'));
    await page.locator('.diff-line.added').first().waitFor();
    await page
      .getByRole('button', { name: /^Version 2/ })
      .filter({ hasText: hostile })
      .waitFor();
    await page.getByText(`Column ${script}`).first().waitFor();
    await expectHarmless();
  });

  it.each([
    ['the list of endpoints', 'endpoints', 'strange'],
    ['a chosen label', `endpoints?label=${encodeURIComponent(hostile)}`, 'strange'],
    ['a materialization', 'endpoints/strange/materialization', 'Stored by each sync'],
    ['the usage of one endpoint', 'endpoints/strange/usage', 'Version 2'],
    ['the data graph', 'graphql', 'Valid'],
    ['the limits of a project', 'limits', 'Query memory'],
    ['a table to load into', `load?table=${encodeURIComponent(hostile)}`, 'The table exists'],
  ])('in %s are shown', async (_what, view, text) => {
    await page.goto(service.at(view));
    await page.locator('main').getByText(text).first().waitFor();
    await expectHarmless();
  });

  it('in what was changed are shown, in lines that can be read on a telephone', async () => {
    await page.goto(service.at('audit'));
    await page.getByText('Before and after').first().click();
    const change = page.locator('.change-json').first();
    await change.waitFor();
    await expectHarmless();
    await page.setViewportSize({ width: 375, height: 760 });
    expect((await change.boundingBox())?.width).toBeGreaterThanOrEqual(280);
    await page.setViewportSize({ width: 1280, height: 860 });
  });

  it('made the browser ask for nothing and refuse nothing', () => {
    expect(tab.errors.filter((error) => !error.includes('the server responded with'))).toEqual([]);
    expect(tab.asked.filter((url) => !/^(blob:)?http:\/\/127\.0\.0\.1:/.test(url))).toEqual([]);
  });
});

/** Runs in the page: texts written from the right that share a direction with others, which they would turn. */
const directionFaults = `(() => {
  const sharing = new Map();
  const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
    if (text.data.trim() === '' || text.parentElement.closest('option, textarea') !== null) continue;
    let at = text.parentElement;
    while (at !== document.body && !/isolate|plaintext/.test(getComputedStyle(at).unicodeBidi)) at = at.parentElement;
    sharing.set(at, [...(sharing.get(at) ?? []), text.data]);
  }
  const shared = [...sharing.values()].filter((some) => some.length > 1);
  return shared.filter((some) => some.join('').includes('\\u202e'));
})()`;

async function saveHostile({ test }: ConsoleService): Promise<void> {
  test.clock.set(new Date().toISOString());
  const { prisma } = test.backends.metadata;
  await test.sql(
    `CREATE TABLE ${nameOf(hostile)} (${nameOf(hostile)} String COMMENT '${hostile}', ${nameOf(script)} String COMMENT '${lengthy}', ${nameOf(`c${lengthy}`)} String) ENGINE = Memory COMMENT '${hostile} ${lengthy}'`,
  );
  await test.sql(`INSERT INTO ${nameOf(hostile)} VALUES ('${hostile}', '${script}', '${lengthy}')`);
  await test.sql(`CREATE TABLE plain (n UInt8) ENGINE = Memory COMMENT '${lengthy}'`);
  const call = async (method: 'POST' | 'PATCH', path: string, body: unknown) => {
    test.clock.advance(1000);
    const { status, text } = await test.rest(method, path, { body });
    if (status > 201) throw new Error(text);
  };
  const described = { description: `${hostile} ${lengthy}`, tags: [hostile, script] };
  await call('POST', '/endpoints', { name: 'strange', ...described, query: 'SELECT 1 AS n' });
  const query = `-- ${hostile}
SELECT *, '${lengthy}' AS ${nameOf(lengthy)} FROM ${nameOf(hostile)} WHERE ${nameOf(script)} != {word:String}`;
  const word = { description: `${hostile} ${lengthy}`, value: hostile };
  await call('PATCH', '/endpoints/strange', {
    query: { kind: 'SQLQuery', query, variables: { word } },
  });
  const fails = `SELECT throwIf(number = 0, '${hostile}') AS one FROM numbers(1)`;
  await call('POST', '/endpoints', { name: 'fails', query: fails });
  const scopes = ['endpoint:read'];
  const { id, key } = await test.issueKey({ scopes, projects: [test.project] });
  await prisma.apiKey.update({ where: { id }, data: { label: hostile } });
  await prisma.user.updateMany({
    data: { email: `${hostile}@querydock.test`, firstName: hostile },
  });
  await prisma.project.update({ where: { id: test.project.id }, data: { name: hostile } });
  for (const name of ['strange', 'fails'])
    await test.rest('GET', `/endpoints/${name}/run`, { key });
}
