/**
 * Whether limits that were changed since reach the users of a server that exist, by their shared profiles. Replacing a profile takes a
 * server that keeps them by SQL; here they are in its files, so the attempt is what can be seen.
 */
import { Writable } from 'node:stream';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { Config } from '../../../src/config/config.ts';
import { openLog } from '../../../src/config/open-log.ts';
import { openClickHouseEngine } from '../../../src/engine/clickhouse/clickhouse-engine.ts';
import { remoteConnection } from '../../../src/engine/clickhouse/http/connection.ts';
import {
  readerSettings,
  writerSettings,
} from '../../../src/engine/clickhouse/provision/project-users.ts';
import type { QueryEngine } from '../../../src/engine/query-engine.ts';
import { type DbaServer, dba, profileOf, startDbaServer } from '../../support/dba-server.ts';
import { config } from '../support/local-engine.ts';

let server: DbaServer;
let engine: QueryEngine;
let logged = '';

beforeAll(async () => {
  const reader = { profile: profileOf(readerSettings(config)), profileName: 'querydock_reader' };
  const writer = { profile: profileOf(writerSettings(config)), profileName: 'querydock_writer' };
  const grants = ['SELECT ON project_1.*'];
  server = await startDbaServer([
    { name: 'project_1_reader', grants, ...reader },
    { name: 'project_1_writer', grants, ...writer },
  ]);
  await server.sql('CREATE DATABASE project_1');
});
afterEach(async () => {
  await engine.close();
  logged = '';
});
afterAll(() => server?.stop());

function open(limits: Partial<Config>): QueryEngine {
  const sink = new Writable({
    write(chunk, _encoding, done) {
      logged += String(chunk);
      done();
    },
  });
  const credentials = (projectId: number, role: string) => {
    const user = `project_${projectId}_${role}`;
    return { user, password: user, database: `project_${projectId}` };
  };
  const connection = { ...remoteConnection(server.urlOf(dba), 'a secret'), credentials };
  engine = openClickHouseEngine({
    connection,
    config: { ...config, ...limits },
    log: openLog('info', sink),
  });
  return engine;
}

it('leaves profiles alone that are as its settings say', async () => {
  await open({}).provision(1);
  expect(logged).toBe('');
});

it.each([
  { queryTimeoutSeconds: config.queryTimeoutSeconds - 1 },
  { queryMemoryBytes: config.queryMemoryBytes - 1 },
  { maxConcurrentQueries: config.maxConcurrentQueries + 1 },
])('renews them for %o, once, and warns where it may not', async (changed) => {
  const opened = open(changed);
  await opened.provision(1);
  await opened.provision(1);
  const warnings = logged.split('\n').filter((line) => line !== '');
  expect(warnings).toHaveLength(1);
  const [warning = ''] = warnings;
  expect(JSON.parse(warning)).toMatchObject({
    profiles: ['querydock_reader', 'querydock_writer'],
    reason: expect.stringContaining('CREATE SETTINGS PROFILE'),
    msg: 'the limits of the projects’ engine users could not be updated to the settings',
  });
});
