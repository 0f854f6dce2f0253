import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openLog } from '../../../src/config/open-log.ts';
import { projectLogins } from '../../../src/engine/clickhouse/http/connection.ts';
import { loadTable } from '../../../src/engine/clickhouse/load/load-table.ts';
import { type DbaServer, startDbaServer } from '../../support/dba-server.ts';

const user = 'loader';
let folder: string;
let server: DbaServer;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'querydock-files-'));
  const profile = '<session_timezone>America/New_York</session_timezone>';
  server = await startDbaServer([{ name: user, grants: null, profile }]);
  await server.sql('CREATE DATABASE project_1');
});
afterAll(async () => {
  await server?.stop();
  await rm(folder, { recursive: true, force: true });
});

it('reads times without an offset as UTC, or in the zone of their column, whatever the zone of the server is', async () => {
  const source = join(folder, 'times.csv');
  const time = '2024-07-01 10:00:00';
  await writeFile(source, `at,exact,berlin,sent\n${time},${time},${time},${time}+01:00\n`);
  await loadTable({
    log: openLog('silent'),
    connection: {
      url: server.url,
      admin: { user, password: user },
      credentials: projectLogins('a secret of the tests'),
    },
    projectId: 1,
    table: 'times',
    format: 'CSVWithNames',
    source,
    columns: [
      { name: 'at', type: 'DateTime' },
      { name: 'exact', type: 'DateTime64(3)' },
      { name: 'berlin', type: "DateTime('Europe/Berlin')" },
      { name: 'sent', type: 'DateTime' },
    ],
    mode: 'create',
  });
  const seconds = ['at', 'exact', 'berlin', 'sent'].map((name) => `toUnixTimestamp(${name})`);
  const ten = Date.UTC(2024, 6, 1, 10) / 1000;
  expect(await server.sql(`SELECT ${seconds.join(', ')} FROM project_1.times FORMAT CSV`)).toBe(
    `${ten},${ten},${ten - 7200},${ten - 3600}\n`,
  );
});
