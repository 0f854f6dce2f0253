/** A load that is applied counts as such, whatever fails afterwards. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { openLog } from '../../src/config/open-log.ts';
import { ServiceError } from '../../src/errors/service-error.ts';
import { commandLineActor } from '../../src/model/actor.ts';
import { recordLoad } from '../../src/tables/record-load.ts';
import { run, save } from '../rest/support/sales.ts';
import { eventually } from '../support/eventually.ts';
import { failOnce } from '../support/fail-once.ts';
import { type HeldEngine, openHeldEngine } from '../support/held-engine.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let held: HeldEngine;
let test: TestApp;
let dataDir: string;
let key: string;

const put = (csv: string, { mode = 'replace', signal = new AbortController().signal } = {}) =>
  test.rest('PUT', `/tables/numbers_in/rows?mode=${mode}`, {
    body: csv,
    key,
    headers: { 'content-type': 'text/csv' },
    signal,
  });

beforeAll(async () => {
  held = await openHeldEngine();
  dataDir = await mkdtemp(join(tmpdir(), 'querydock-test-applied-'));
  test = await openTestApp({ clickhouseUrl: held.clickhouseUrl, dataDir });
  ({ key } = await test.issueKey({ scopes: ['data:write'], projects: [test.project] }));
  await put('n\n1\n');
  await save(test, 'summed', { query: 'SELECT sum(n) AS total FROM numbers_in' });
  await save(test, 'bystander', { query: 'SELECT 7 AS n' });
});
afterEach(() => {
  held.before(null);
  held.release();
});
afterAll(async () => {
  await test.close();
  await held.close();
  await rm(dataDir, { recursive: true, force: true });
});

const isCleanup = (statement: string) =>
  statement.startsWith('DROP TABLE IF EXISTS') && statement.endsWith('SYNC');

/** The clock stands still, so nothing expires. */
describe('a load', () => {
  it('has succeeded when the hidden table that it leaves cannot be dropped', async () => {
    await run(test, 'summed');
    let broken = 0;
    held.before(async (statement) => {
      if (!isCleanup(statement)) return;
      broken += 1;
      throw new Error('the connection breaks off');
    });
    expect(await put('n\n2\n', { mode: 'append' })).toMatchObject({
      status: 200,
      body: { rows: 1 },
    });
    expect(broken).toBeGreaterThan(0);
    expect(await run(test, 'summed')).toMatchObject({ results: [[3]], is_cached: false });
  });

  it('is seen by later runs when its caller leaves while the hidden table is dropped', async () => {
    await run(test, 'summed');
    const leaving = new AbortController();
    const left = Promise.withResolvers<void>();
    held.before(async (statement) => {
      if (!isCleanup(statement)) return;
      leaving.abort();
      left.resolve();
    });
    const response = put('n\n5\n', { signal: leaving.signal }).catch(() => null);
    await left.promise;
    await response;
    await eventually(
      'the new rows are served',
      async () => JSON.stringify((await run(test, 'summed')).results) === '[[5]]',
    );
  });

  it('is recorded after the metadata database failed once, so that no result of the former rows is served', async () => {
    await run(test, 'summed');
    await run(test, 'bystander');
    const { pool } = test.backends.metadata;
    const end = await failOnce(pool, { table: 'project', event: 'UPDATE OF data_revision' });
    expect(await put('n\n11\n')).toMatchObject({ status: 200, body: { rows: 1 } });
    await end();
    expect(await run(test, 'summed')).toMatchObject({ results: [[11]], is_cached: false });
    expect(await run(test, 'bystander')).toMatchObject({ results: [[7]] });
  });
});

describe('a load that cannot be recorded', () => {
  const load = (failure: Error) => {
    let attempts = 0;
    const recorded = recordLoad(
      {
        audit: { append: async () => undefined } as never,
        projects: {
          async recordDataChange() {
            attempts += 1;
            throw failure;
          },
        } as never,
        clock: test.clock,
        log: openLog('silent'),
      },
      { projectId: 1, table: 'numbers_in', by: commandLineActor, existing: null, about: {} },
      async () => ({ rows: 1, columns: [] }),
      [0, 0],
    );
    return { recorded, attempts: () => attempts };
  };

  it.each([
    ['an outage', new ServiceError('service_unavailable', 'away'), 3],
    ['anything else', new Error('the project is gone'), 1],
  ])('because of %s is no reason to send the rows again', async (_what, failure, expected) => {
    const { recorded, attempts } = load(failure);
    await expect(recorded).rejects.toMatchObject({
      code: 'error',
      message: expect.stringMatching(/rows are in the table numbers_in: do not append them again/),
    });
    expect(attempts()).toBe(expected);
  });
});
