/** Loads into a local engine that is killed while the table gets its rows. */
import { Readable } from 'node:stream';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { loadTable } from '../../../src/engine/clickhouse/load/load-table.ts';
import type { LoadMode } from '../../../src/engine/table-loader.ts';
import { type HeldEngine, openHeldEngine } from '../../support/held-engine.ts';
import { adminRunner } from '../support/admin.ts';
import { type LocalEngine, log, startLocalEngine } from '../support/local-engine.ts';

let local: LocalEngine;
let held: HeldEngine;
let admin: (sql: string) => Promise<string>;

beforeAll(async () => {
  local = await startLocalEngine();
  held = await openHeldEngine(local.engine.connection.url);
  admin = adminRunner(local.engine.connection);
});
afterAll(async () => {
  await held?.close();
  await local?.close();
});
beforeEach(async () => {
  await admin('DROP DATABASE IF EXISTS project_1 SYNC');
  await admin('CREATE DATABASE project_1');
  await load('create', 'n\n1\n');
});
afterEach(() => held.before(null));

const load = (mode: LoadMode, csv: string) =>
  loadTable({
    connection: { ...local.engine.connection, url: held.clickhouseUrl },
    log,
    projectId: 1,
    table: 't',
    format: 'CSVWithNames',
    source: Readable.from([csv]),
    columns: [{ name: 'n', type: 'Int64' }],
    mode,
  });
const content = () => admin('SELECT n FROM project_1.t ORDER BY n');

/** Instead of the first statement of a kind. */
function killAt(kind: RegExp): void {
  let isKilled = false;
  held.before(async (statement) => {
    if (isKilled || !kind.test(statement)) return;
    isKilled = true;
    process.kill(local.engine.pid() ?? 0, 'SIGKILL');
    throw new Error('the engine is gone');
  });
}

describe('an engine that is killed while a table gets its rows', () => {
  it('has the rows of a replacement when it is back', async () => {
    killAt(/^EXCHANGE TABLES/);
    expect(await load('replace', 'n\n2\n')).toEqual({ rows: 1 });
    expect(await content()).toBe('2\n');
  });

  it('has added rows when it is back, if none had been moved', async () => {
    killAt(/^RENAME TABLE/);
    expect(await load('append', 'n\n2\n')).toEqual({ rows: 1 });
    expect(await content()).toBe('1\n2\n');
  });

  it('may have rows in both tables if it was moving them, so they are not moved again', async () => {
    killAt(/MOVE PARTITION/);
    await expect(load('append', 'n\n2\n')).rejects.toMatchObject({
      code: 'error',
      message: expect.stringContaining('may be in it'),
    });
    expect(await content()).toBe('1\n');
  });
});
