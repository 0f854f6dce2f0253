/** `project rotate --key`: after it, the former CREDENTIALS_KEY is not needed for anything. */
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest';
import { openApp } from '../../src/app.ts';
import { openLog } from '../../src/config/open-log.ts';
import {
  openReleasedProvider,
  type ReleasedProvider,
} from '../support/openid/released-provider.ts';
import {
  credentialsKey,
  openPlainBrowser,
  openSignInService,
  type SignInService,
  signInBy,
} from '../support/openid/sign-in-service.ts';
import { withDatabase } from '../support/test-server.ts';
import { querydock, type TempFolder, tempFolder } from './support/processes.ts';

const newKey = 'e5'.repeat(32);

let provider: ReleasedProvider;
let service: SignInService;
let folder: TempFolder;
let env: Record<string, string>;

beforeAll(async () => {
  provider = await openReleasedProvider();
  const { issuer, clientSecret } = provider;
  service = await openSignInService(
    { oidcIssuer: issuer, oidcClientSecret: clientSecret },
    (projectId) => [{ group: 'readers', scopes: ['endpoint:read'], projects: [projectId] }],
  );
  provider.register(service.origin);
  folder = await tempFolder();
  const { rows } = await service.test.backends.metadata.pool.query<{ readonly name: string }>(
    'SELECT current_database() AS name',
  );
  env = {
    DATA_DIR: path.join(folder.dir, 'data'),
    DATABASE_URL: withDatabase(inject('postgres').databaseUrl, rows[0]?.name ?? ''),
    CLICKHOUSE_URL: inject('engine').clickhouseUrl,
    CLICKHOUSE_USER_SECRET: inject('engine').secret,
    CREDENTIALS_KEY: `${newKey},${credentialsKey}`,
  };
});
afterAll(async () => {
  await service?.close();
  await provider?.close();
  await folder?.remove();
});

async function signedIn(account: string) {
  provider.accounts.set(account, { groups: ['readers'] });
  const browser = openPlainBrowser();
  expect((await signInBy(browser, service, account)).location).toBe(`${service.origin}/`);
  return browser;
}

const rotate = (...args: readonly string[]) => querydock(['project', 'rotate', ...args], env);

describe('querydock project rotate --key', () => {
  it('keeps everybody signed in when the former key is removed', async () => {
    const browser = await signedIn('ada');
    const { prisma } = service.test.backends.metadata;
    // A process that renews a sign-in stores what it has read before: it is not to be disturbed.
    const claimedUntil = new Date(Date.now() + 600_000);
    await prisma.signIn.updateMany({ data: { claimedUntil } });
    expect(await rotate('--key')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('1 sign-in could not be encrypted again'),
    });
    await prisma.signIn.updateMany({ data: { claimedUntil: null } });
    const done = await rotate('--key');
    expect(done).toMatchObject({ code: 0, stdout: expect.stringContaining('and 1 sign-in are') });

    const { app, backends, clock } = service.test;
    const config = { ...app.core.config, credentialsKey: newKey };
    const restarted = await openApp({ config, log: openLog('silent'), backends, clock });
    const { port } = await restarted.start();
    const { text } = await browser.post(`http://127.0.0.1:${port}/auth/key`);
    expect(JSON.parse(text)).toMatchObject({ key: expect.stringMatching(/^qdk_/) });
    await restarted.stop();
  });

  it('does not seem to renew the passwords of a project', async () => {
    expect(await rotate('shop', '--key')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('leave the project out'),
    });
  });
});
