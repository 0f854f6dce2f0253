/** The secret that the passwords of the local engine's users follow from: random, one for each data folder. */
import { mkdtemp, rm, stat } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openBackends } from '../../../src/backends.ts';
import { readConfig } from '../../../src/config/config.ts';
import { type FreshDatabase, freshDatabase } from '../../support/postgres.ts';
import { log } from '../support/local-engine.ts';

let base = '';
let database: FreshDatabase;

beforeAll(async () => {
  base = await mkdtemp(path.join(os.tmpdir(), 'querydock-secret-'));
  database = await freshDatabase();
});
afterAll(async () => {
  await database.drop();
  await rm(base, { recursive: true, force: true });
});

/** The secret of a folder, and the password of one of its users. */
async function secretsOf(name: string) {
  const env = { DATABASE_URL: database.databaseUrl, DATA_DIR: path.join(base, name) };
  const parts = await openBackends(readConfig(env), log);
  const { engineSecret } = parts.local;
  const { password } = parts.engineConnection.credentials(1, 'reader');
  await parts.stop();
  return { engineSecret, password };
}

it('differs from folder to folder, stays with its folder, and is its owner’s alone', async () => {
  const first = await secretsOf('first');
  const second = await secretsOf('second');
  expect(first.engineSecret).toMatch(/^[0-9a-f]{64}$/);
  expect(second.engineSecret).toMatch(/^[0-9a-f]{64}$/);
  expect(second.engineSecret).not.toBe(first.engineSecret);
  expect(second.password).not.toBe(first.password);
  expect(await secretsOf('first')).toEqual(first);
  const { mode } = await stat(path.join(base, 'first', 'engine-secret'));
  expect(mode & 0o777).toBe(0o600);
});
