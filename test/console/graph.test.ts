/** The page for GraphQL documents, in a browser: the project's data graph, and the API by which the service is managed. */
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
  textOf,
} from './support/console-page.ts';

const hostile = '<img src=x onerror="window.wasRun=1">\u202etxet';

describe.skipIf(!hasBrowser())('the GraphQL page', () => {
  let service: ConsoleService;
  let tab: ConsoleTab;
  let page: Page;

  beforeAll(async () => {
    service = await openConsoleService();
    await save({
      name: 'big_numbers',
      description: 'Numbers that a double does not hold.',
      query: {
        kind: 'SQLQuery',
        query:
          'SELECT toUInt64(18446744073709551615 - number) AS big, number AS n FROM numbers(30) WHERE n >= {least:UInt16} ORDER BY n',
        variables: { least: { value: 0, description: `The first number. ${hostile}` } },
      },
    });
    await save({ name: 'needs_word', query: 'SELECT {word:String} AS word' });
    tab = await openTab(service, service.test.project.writeKey);
    page = tab.page;
  });
  afterAll(async () => {
    await tab?.close();
    await service?.close();
  });

  async function save(body: unknown): Promise<void> {
    const { status, text } = await service.test.rest('POST', '/endpoints', { body });
    if (status !== 201) throw new Error(text);
  }
  const editor = () => page.getByRole('textbox', { name: 'GraphQL document' });
  const check = () => page.locator('.check-line');
  /** Replaces the document as a person does. */
  async function write(text: string): Promise<void> {
    await editor().click();
    await page.keyboard.press('ControlOrMeta+A');
    await page.keyboard.insertText(text);
  }
  const open = (hash: string | Record<string, string>, search = '') =>
    page.goto(`${service.at(`graphql${search}`)}#${new URLSearchParams(hash)}`);

  it('loads its editor when it is opened, and begins with a document that runs', async () => {
    expect(tab.asked.filter((url) => /graph-view/.test(url))).toEqual([]);
    await page.getByRole('link', { name: 'GraphQL', exact: true }).click();
    await page.waitForURL(service.at('graphql'));
    await check().filter({ hasText: 'Valid' }).waitFor();
    expect(tab.asked.filter((url) => /graph-view/.test(url)).length).toBeGreaterThan(0);
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('30 rows', { exact: true }).waitFor();
    expect((await cellsOf(page))[2]).toEqual(['18446744073709551613', '2']);
    // No digit is cut off.
    const cut = `[...document.querySelectorAll('.cell')].filter((cell) => cell.scrollWidth > cell.clientWidth).length`;
    expect(await page.evaluate(cut)).toBe(0);
    expect(await page.locator('.column-type').allTextContents()).toEqual(['BigInt!', 'BigInt!']);
    expect(await accessFaultsEverywhere(page)).toEqual([]);
  });

  it('shows all of the answer as JSON with every digit, and its rows as a chart', async () => {
    await page.getByText('JSON', { exact: true }).click();
    await page.getByText('"big": 18446744073709551614').waitFor();
    await page.getByText('Chart', { exact: true }).click();
    await page.getByRole('img', { name: /by big|by n/ }).waitFor();
    await page.getByText('Table', { exact: true }).click();
    await page.getByRole('grid').waitFor();
    expect(page.url()).toContain('view=table');
  });

  it('sorts all rows by the argument of the field where it has one, in the document that is sent on', async () => {
    await open({
      query: '{ bigNumbers(least: 10, run: {limit: 5}) { rows { n big } hasMore } }',
      variables: '',
    });
    const first = async () => (await cellsOf(page))[0]?.[0];
    await expect.poll(first).toBe('10');
    const byNumber = page.getByRole('button', { name: /^n/ });
    await byNumber.click();
    await byNumber.click();
    await expect.poll(first).toBe('29');
    await page.getByText('Sorted by the engine: the first 5 rows of all.').waitFor();
    await editor().getByText('orderBy: [{desc: n}], least: 10').waitFor();
    await page.waitForURL(/orderBy/);
    await page.reload();
    await expect.poll(first).toBe('29');
    expect(await page.locator('[aria-sort="descending"] .column-name').textContent()).toBe('n');
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    // What is written meanwhile stays as it is.
    await write('{ bigNumbers { hasMore } }');
    await page.getByRole('button', { name: /^n/ }).click();
    await expect.poll(first).toBe('10');
    await editor().getByText('{ bigNumbers { hasMore } }').waitFor();
  });

  it('says where the rows that are shown alone are sorted', async () => {
    await open(
      {
        query: `{ endpoints(projectId: "${service.test.project.id}", first: 1) { edges { node { name } } pageInfo { hasNextPage } } }`,
        variables: '',
      },
      '?graph=service',
    );
    await page.getByRole('grid').waitFor();
    await page.getByRole('button', { name: /^node/ }).click();
    const note = page.getByText(/^Sorted among/);
    await note.waitFor();
    expect(await textOf(note)).toContain('Sorted among the 1 row shown; there are more.');
    await page.goto(service.at('graphql'));
    await check().filter({ hasText: 'Valid' }).waitFor();
  });

  it('completes fields, arguments and types from the schema, with what is written about them', async () => {
    await write('{ b');
    await page.keyboard.press('Control+Space');
    const offered = page.locator('.cm-tooltip-autocomplete .cm-completionLabel');
    await offered.filter({ hasText: 'bigNumbers' }).waitFor();
    await page
      .locator('.cm-completionInfo')
      .getByText(/that a double does not hold/)
      .waitFor();
    await offered.filter({ hasText: 'bigNumbers' }).click();
    await page.keyboard.type('(le');
    await offered.filter({ hasText: 'least' }).waitFor();
    expect(await editor().textContent()).toBe('{ bigNumbers(le)');
    await page.keyboard.press('Escape');
  });

  it('underlines what does not fit while it is written, and says what it is', async () => {
    await write('{ bigNumbers { rows { bick } } }');
    await check().filter({ hasText: 'Cannot query field "bick"' }).waitFor();
    await page.locator('.cm-lintRange-error').filter({ hasText: 'bick' }).waitFor();
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await write('{ bigNumbers { rows { big ');
    await check().filter({ hasText: 'Syntax Error' }).waitFor();
  });

  it('shows what the schema says of the place under the pointer and at the cursor', async () => {
    await write('{ bigNumbers(least: 3) { rows { big } } }');
    await page.locator('.cm-line').getByText('least').hover();
    const note = page.locator('.cm-tooltip .schema-note');
    await note.getByText('The first number.').waitFor();
    expect(await note.locator('code').textContent()).toContain('least: Int!');
    // From the end of the document back into the name of the field.
    await editor().click();
    await page.keyboard.press('ControlOrMeta+Home');
    for (const _ of 'abcdef') await page.keyboard.press('ArrowRight');
    const atCursor = page.getByRole('complementary').locator('.schema-note');
    await atCursor.getByText('Numbers that a double does not hold.').waitFor();
    expect(await page.evaluate('window.wasRun')).toBeUndefined();
    expect(await page.locator('img[src="x"]').count()).toBe(0);
  });

  it('runs with variables, of which it tells what is missing, and has all of it in the address', async () => {
    await write('query Words($word: String!) { needsWord(word: $word) { rows { word } } }');
    await page.getByText('Variable "$word" of required type').waitFor();
    await page.getByLabel('Variables, as JSON').fill('{"word": "sent"}');
    await page.getByText('Variable "$word" of required type').waitFor({ state: 'detached' });
    await editor().click();
    await page.keyboard.press('ControlOrMeta+Enter');
    await page.getByRole('gridcell', { name: 'sent' }).waitFor();
    await page.waitForURL(/#query=query\+Words.*variables=/);
    // Another tab with the address runs it by itself.
    const other = await openTab(service, service.test.project.readKey);
    await other.page.goto(page.url());
    await other.page.getByRole('gridcell', { name: 'sent' }).waitFor();
    expect(await other.page.getByLabel('Variables, as JSON').inputValue()).toBe('{"word": "sent"}');
    await other.close();
  });

  it('keeps the document when the shape of the result is chosen, and goes back', async () => {
    await page.getByText('JSON', { exact: true }).click();
    await page
      .getByRole('region', { name: 'Answer as JSON' })
      .getByText('"word": "sent"')
      .waitFor();
    expect(page.url()).toContain('view=json');
    expect(page.url()).toContain('#query=query+Words');
    await page.getByText('Management', { exact: true }).click();
    await page.waitForURL(/graph=service/);
    await page.goBack();
    await page.waitForURL(/#query=query\+Words/);
    await editor().getByText('needsWord(word').waitFor();
    await page.getByText('Table', { exact: true }).click();
  });

  it('shows errors beside what was answered', async () => {
    await open(
      'query={ bad: bigNumbers(run: {limit: 0}) { rows { n } } good: needsWord(word: "w") { rows { word } } }',
    );
    await page
      .getByRole('alert')
      .filter({ hasText: 'limit must be an integer, 1 or more.' })
      .waitFor();
    await page.getByRole('alert').getByText('bad · invalid_input').waitFor();
    await page.getByRole('gridcell', { name: 'w', exact: true }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(1);
  });

  it('runs the operation that is chosen of several', async () => {
    await open(
      'query=query A { bigNumbers(least: 29) { rows { n } } } query B { needsWord(word: "of B") { rows { word } } }',
    );
    await page.getByRole('gridcell', { name: '29' }).waitFor();
    await page.getByLabel('Operation').selectOption('B');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('gridcell', { name: 'of B' }).waitFor();
    expect(await cellsOf(page)).toEqual([['of B']]);
  });

  it('writes a document for a field that is chosen', async () => {
    await page.getByLabel('Begin with').selectOption('needsWord');
    await editor().getByText('needsWord(word').waitFor();
    await page.getByLabel('Variables, as JSON').fill('{"word": "begun"}');
    await check().filter({ hasText: 'Valid' }).waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('gridcell', { name: 'begun' }).waitFor();
    expect(await cellsOf(page)).toEqual([['begun']]);
  });

  it('manages the service as well, and never changes anything because an address was opened', async () => {
    const project = service.test.project.id;
    await page.goto(service.at('graphql?graph=service'));
    await editor().getByText('endpoints(projectId').waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('gridcell', { name: 'big_numbers' }).waitFor();
    const change = `mutation { updateEndpoint(projectId: "${project}", name: "needs_word", input: {description: "Changed"}) { description } }`;
    const sent: string[] = [];
    page.on('request', (request) => sent.push(request.postData() ?? ''));
    await open(`query=${change}`, '?graph=service');
    await editor().getByText('updateEndpoint').waitFor();
    await check().filter({ hasText: 'Valid' }).waitFor();
    await page.evaluate(
      'new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))',
    );
    expect(sent.filter((body) => body.includes('updateEndpoint'))).toEqual([]);
    const description = async () =>
      (await service.test.rest('GET', '/endpoints/needs_word')).body.description;
    expect(await description()).toBe('');
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('"description": "Changed"').waitFor();
    expect(await description()).toBe('Changed');
  });

  it('follows a subscription until it is stopped', async () => {
    await page.goto(service.at('graphql'));
    await editor().waitFor();
    await write('subscription { bigNumbers(least: 28) { rows { n } } }');
    await check().filter({ hasText: 'Valid' }).waitFor();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByText('1 result', { exact: true }).waitFor();
    await page.getByRole('gridcell', { name: '28' }).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText('Ended', { exact: true }).waitFor();
    expect(await cellsOf(page)).toEqual([['28'], ['29']]);
  });

  it('asked no other host for anything, and its policy refused nothing that it needs', () => {
    expect(tab.asked.filter((url) => !/^(blob:)?http:\/\/127\.0\.0\.1:/.test(url))).toEqual([]);
    expect(tab.errors.filter((error) => !error.includes('the server responded with'))).toEqual([]);
  });
});
