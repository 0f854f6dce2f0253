/** The whole sign-in by a released OpenID provider in a browser, for which provider and service are different sites. */
import type { Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { buildConsole } from '../../scripts/build-console.ts';
import { hasBrowser, launchBrowser } from '../support/browser.ts';
import {
  openReleasedProvider,
  type ReleasedProvider,
} from '../support/openid/released-provider.ts';
import { openSignInService, type SignInService } from '../support/openid/sign-in-service.ts';
import { accessFaultsEverywhere, type ConsoleService, openTab } from './support/console-page.ts';

describe.skipIf(!hasBrowser())('signing in to the console by an OpenID provider', () => {
  let provider: ReleasedProvider;
  let service: SignInService;
  let inBrowser: ConsoleService;

  beforeAll(async () => {
    await buildConsole();
    provider = await openReleasedProvider();
    service = await openSignInService(
      {
        oidcIssuer: provider.issuer,
        oidcClientSecret: provider.clientSecret,
        oidcScopes: 'openid email profile offline_access',
      },
      (id) => [{ group: 'authors', scopes: ['endpoint:write', 'data:write'], projects: [id] }],
    );
    provider.register(service.origin);
    const verified = { email_verified: true };
    const ada = { email: 'ada@example.test', given_name: '<b>Ada</b>', ...verified };
    provider.accounts.set('ada', { ...ada, groups: ['authors'] });
    provider.accounts.set('eve', { email: 'eve@example.test', ...verified, groups: [] });
    await service.test.rest('POST', '/endpoints', {
      body: { name: 'one', query: 'SELECT 1 AS n' },
    });
    const { origin, test } = service;
    inBrowser = {
      test,
      origin,
      browser: await launchBrowser(),
      setDemoKey: () => undefined,
      at: (view) => `${origin}/project/${test.project.id}/${view}`,
      close: async () => undefined,
    };
  });
  afterAll(async () => {
    await inBrowser?.browser.close();
    await service?.close();
    await provider?.close();
  });

  const bySignIn = (page: Page) => page.getByRole('link', { name: /^Sign in/ });

  async function signInAs(page: Page, account: string): Promise<void> {
    await bySignIn(page).click();
    await page.getByPlaceholder('Enter any login').fill(account);
    await page.getByPlaceholder('and password').fill('any');
    await page.getByRole('button', { name: 'Sign-in' }).click();
    await page.getByRole('button', { name: 'Continue' }).click();
  }

  it('comes back to the view that was opened, holds in a new tab, and ends in both places', async () => {
    const tab = await openTab(inBrowser, null);
    const { page } = tab;
    const view = `${inBrowser.at('endpoints')}?q=on`;
    await page.goto(view);
    await bySignIn(page).waitFor();
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await signInAs(page, 'ada');
    await page.getByRole('link', { name: 'one', exact: true }).waitFor();
    expect(page.url()).toBe(view);
    await page.getByText('<b>Ada</b>', { exact: true }).waitFor();
    expect(await page.evaluate('document.cookie')).toBe('');
    expect(tab.asked.filter((url) => url.includes('qdk_'))).toEqual([]);
    expect(await page.evaluate('JSON.stringify(localStorage)')).not.toContain('qdk_');

    const second = await page.context().newPage();
    await second.goto(inBrowser.at('limits'));
    await second.getByText('Query memory').waitFor();

    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.waitForURL(/\/session\/end/);
    await page.getByRole('button', { name: /Yes/ }).click();
    await bySignIn(page).waitFor();
    await second.getByRole('link', { name: 'Endpoints' }).click();
    await bySignIn(second).waitFor();
    expect(await page.evaluate('JSON.stringify(sessionStorage)')).not.toContain('qdk_');
    // The provider's own pages ask for fonts that are not there.
    expect(tab.errors.filter((error) => !error.startsWith('Failed to load resource'))).toEqual([]);
    await tab.close();
  });

  it('says in words why somebody may not, and lets somebody else try, or a key', async () => {
    const tab = await openTab(inBrowser, null);
    const { page } = tab;
    await signInAs(page, 'eve');
    await page.getByRole('alert').filter({ hasText: 'your account has no access here' }).waitFor();
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await signInAs(page, 'ada');
    await page.getByRole('link', { name: 'one', exact: true }).waitFor();
    await tab.close();
  });

  it('in two tabs is one: the former key ends, the former tab goes on, and signing out ends both', async () => {
    const tab = await openTab(inBrowser, null);
    const { page: first } = tab;
    await bySignIn(first).waitFor();
    const second = await first.context().newPage();
    await second.goto(inBrowser.at('endpoints'));
    await bySignIn(second).waitFor();
    await signInAs(first, 'ada');
    await first.getByRole('link', { name: 'one', exact: true }).waitFor();
    const keyOf = (page: Page) => page.evaluate<string>('sessionStorage.getItem("querydock:key")');
    const former = await keyOf(first);
    const works = async (key: string) =>
      (await service.test.rest('GET', '/endpoints', { key })).status;
    expect(await works(former)).toBe(200);
    await bySignIn(second).click();
    await second.getByRole('button', { name: 'Continue' }).click();
    await second.getByRole('link', { name: 'one', exact: true }).waitFor();
    const key = await keyOf(second);
    expect([await works(former), await works(key)]).toEqual([401, 200]);
    await first.getByRole('link', { name: 'Limits' }).click();
    await first.getByText('Query memory').waitFor();
    expect(await keyOf(first)).toBe(key);
    await second.getByRole('button', { name: 'Sign out' }).click();
    await second.waitForURL(/\/session\/end/);
    expect(await works(key)).toBe(401);
    await tab.close();
  });

  it('goes on, and says so, while signing out fails', async () => {
    const tab = await openTab(inBrowser, null);
    const { page } = tab;
    await signInAs(page, 'ada');
    await page.getByRole('link', { name: 'one', exact: true }).waitFor();
    const key = await page.evaluate('sessionStorage.getItem("querydock:key")');
    let tries = 0;
    await page.route('**/auth/sign-out', (route) => {
      tries += 1;
      return route.fulfill({ status: 503, json: {} });
    });
    const out = page.getByRole('button', { name: 'Sign out' });
    await out.click();
    await page.getByRole('alert').filter({ hasText: 'Signing out failed. Try again.' }).waitFor();
    expect(tries).toBe(3);
    expect(await accessFaultsEverywhere(page)).toEqual([]);
    await page.getByRole('link', { name: 'Limits' }).click();
    await page.getByText('Query memory').waitFor();
    expect(await page.evaluate('sessionStorage.getItem("querydock:key")')).toBe(key);
    await page.unroute('**/auth/sign-out');
    await out.click();
    await page.waitForURL(/\/session\/end/);
    await tab.close();
  });

  it('asks before signing out loses what is not saved', async () => {
    const tab = await openTab(inBrowser, null);
    const { page } = tab;
    await signInAs(page, 'ada');
    await page.getByRole('link', { name: 'one', exact: true }).waitFor();
    await page.goto(inBrowser.at('endpoints/one/edit'));
    const editor = page.locator('.cm-content').filter({ hasText: 'SELECT 1 AS n' });
    await editor.click();
    await page.keyboard.press('ControlOrMeta+End');
    await page.keyboard.type(' + 41');
    const typed = page.locator('.cm-content').filter({ hasText: 'n + 41' });
    await typed.waitFor();
    const out = page.getByRole('button', { name: 'Sign out' });
    const question = page.getByRole('dialog', { name: 'Leave without saving?' });
    await out.click();
    await question.getByRole('button', { name: 'Keep editing' }).click();
    await question.waitFor({ state: 'detached' });
    await typed.waitFor();
    expect(await page.evaluate('sessionStorage.getItem("querydock:key")')).toMatch(/^qdk_/);
    await out.click();
    await question.getByRole('button', { name: 'Leave' }).click();
    await page.waitForURL(/\/session\/end/);
    await page.goto(inBrowser.at('endpoints'));
    await bySignIn(page).waitFor();
    await tab.close();
  });

  it('says so while the provider is away, and takes a key', async () => {
    const tab = await openTab(inBrowser, null);
    const { page } = tab;
    await bySignIn(page).waitFor();
    await page.goto(`${service.origin}/?sign-in=unavailable`);
    await page.getByRole('alert').filter({ hasText: 'not possible at the moment' }).waitFor();
    await page.goto(`${service.origin}/?sign-in=<img src=x onerror=alert(1)>`);
    await page.getByRole('alert').filter({ hasText: 'Signing in failed' }).waitFor();
    await page.getByLabel('API key').fill(service.test.project.readKey);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('link', { name: 'one', exact: true }).waitFor();
    expect(tab.errors).toEqual([]);
    await tab.close();
  });

  it('asks for the key again by itself, and loses nothing by a key that is over', async () => {
    const tab = await openTab(inBrowser, null);
    const { page } = tab;
    await signInAs(page, 'ada');
    await page.getByRole('link', { name: 'one', exact: true }).waitFor();
    service.test.clock.advance(11 * 60_000);
    await page.getByRole('link', { name: 'Limits' }).click();
    await page.getByText('Query memory').waitFor();
    expect(page.url()).toBe(inBrowser.at('limits'));
    service.test.clock.set(new Date().toISOString());
    await tab.close();
  });

  it('does the same for files that are loaded or downloaded, and for documents that people write', async () => {
    const tab = await openTab(inBrowser, null);
    const { page } = tab;
    await signInAs(page, 'ada');
    await page.getByRole('link', { name: 'one', exact: true }).waitFor();
    const endKey = () => service.test.clock.advance(11 * 60_000);

    await page.goto(inBrowser.at('load'));
    const file = { name: 'late.csv', mimeType: 'text/csv', buffer: Buffer.from('a\n1\n2\n') };
    await page.getByLabel('File', { exact: true }).setInputFiles(file);
    await page.getByText('There is no such table yet.').waitFor();
    endKey();
    await page.getByRole('button', { name: 'Load', exact: true }).click();
    await page.getByText('2 rows', { exact: false }).first().waitFor();
    expect(await service.test.sql('SELECT sum(a) FROM late')).toBe('3\n');

    await page.goto(inBrowser.at('endpoints/one'));
    await page.getByText('1 row', { exact: true }).waitFor();
    endKey();
    await page.getByRole('button', { name: 'Download' }).click();
    const [saved] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('menuitem', { name: 'CSV' }).click(),
    ]);
    expect(saved.suggestedFilename()).toBe('one.csv');

    await page.goto(`${inBrowser.at('graphql')}?graph=service`);
    await page.getByRole('grid').or(page.getByText('Valid')).first().waitFor();
    endKey();
    await page.getByRole('button', { name: 'Run', exact: true }).click();
    await page.getByRole('region', { name: 'Result' }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    expect(await page.evaluate('sessionStorage.getItem("querydock:key")')).toMatch(/^qdk_/);
    service.test.clock.set(new Date().toISOString());
    await tab.close();
  });

  it('of another site starts nothing: its post brings no cookie and no key', async () => {
    const tab = await openTab(inBrowser, null);
    const { page } = tab;
    await signInAs(page, 'ada');
    await page.getByRole('link', { name: 'one', exact: true }).waitFor();
    await page.goto(`${provider.issuer}/.well-known/openid-configuration`);
    for (const path of ['/auth/key', '/auth/sign-out', '/graphql']) {
      const code = `fetch('${service.origin}${path}', { method: 'POST', credentials: 'include', mode: 'no-cors', headers: { 'content-type': 'text/plain' }, body: '{"query":"mutation{revokeApiKey(id:1)}"}' }).then((r) => r.type + r.status)`;
      expect(await page.evaluate(code)).toBe('opaque0');
      const cors = `fetch('${service.origin}${path}', { method: 'POST', credentials: 'include', headers: { 'content-type': 'application/json' }, body: '{}' }).then(() => 'answered', () => 'refused')`;
      expect(await page.evaluate(cors)).toBe('refused');
    }
    await page.goto(inBrowser.at('endpoints'));
    await page.getByRole('link', { name: 'one', exact: true }).waitFor();
    await tab.close();
  });
});
