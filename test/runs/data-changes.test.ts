/** Cached results after a load: by this process, by another, and by a load in the middle of a run. */
import { Readable } from 'node:stream';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type App, openApp } from '../../src/app.ts';
import { openLog } from '../../src/config/open-log.ts';
import { loadTable } from '../../src/engine/clickhouse/load/load-table.ts';
import { commandLineActor } from '../../src/model/actor.ts';
import { run, save } from '../rest/support/sales.ts';
import { eventually } from '../support/eventually.ts';
import { type HeldEngine, openHeldEngine } from '../support/held-engine.ts';
import { openTestApp, type TestApp } from '../support/test-app.ts';

let held: HeldEngine;
let test: TestApp;
let second: App;

/** As `querydock data load --replace` does, in a process of its own. */
async function replaceRows(...numbers: readonly number[]): Promise<void> {
  const projectId = test.project.id;
  const rows = await loadTable({
    connection: test.backends.engineConnection,
    log: openLog('silent'),
    projectId,
    table: 'numbers_in',
    format: 'CSVWithNames',
    source: Readable.from([Buffer.from(`n\n${numbers.join('\n')}\n`)]),
    columns: [{ name: 'n', type: 'Int64' }],
    mode: 'replace',
  });
  await test.app.core.projects.recordDataChange({
    projectId,
    table: 'numbers_in',
    by: commandLineActor,
    action: 'data.loaded',
    after: rows,
  });
}

async function secondRun(name: string): Promise<{ results: unknown; is_cached: boolean }> {
  const response = await second.fetch(
    new Request(`http://querydock.test/api/projects/${test.project.id}/endpoints/${name}/run`, {
      headers: { authorization: `Bearer ${test.project.readKey}` },
    }),
  );
  return (await response.json()) as { results: unknown; is_cached: boolean };
}

beforeAll(async () => {
  held = await openHeldEngine();
  test = await openTestApp({ clickhouseUrl: held.clickhouseUrl });
  second = await openApp({
    config: test.app.core.config,
    log: openLog('silent'),
    backends: test.backends,
    clock: test.clock,
  });
  await replaceRows(1);
  for (const name of ['summed', 'held_up', 'stored'])
    await save(test, name, { query: `SELECT sum(n) AS total, '${name}' AS o FROM numbers_in` });
});
afterAll(async () => {
  await second.stop();
  await test.close();
  await held.close();
});

/** The clock stands still, so nothing ages. */
describe('a load', () => {
  it('is seen by the next run in every process, with another ETag', async () => {
    const path = '/endpoints/summed/run';
    const before = await test.rest('GET', path);
    expect((await test.rest('GET', path)).body).toMatchObject({ is_cached: true });
    expect(await secondRun('summed')).toMatchObject({ results: [[1, 'summed']] });
    await replaceRows(2, 3);
    await eventually(
      'both see it',
      async () =>
        JSON.stringify((await run(test, 'summed')).results) === '[[5,"summed"]]' &&
        JSON.stringify((await secondRun('summed')).results) === '[[5,"summed"]]',
    );
    const etag = before.headers.get('etag') ?? '';
    const after = await test.rest('GET', path, { headers: { 'if-none-match': etag } });
    expect(after.status).toBe(200);
    expect(after.headers.get('etag')).not.toBe(etag);
    expect(await run(test, 'summed')).toMatchObject({ is_cached: true });
  });

  it('is seen by runs that begin after it, although one from before is still under way', async () => {
    await replaceRows(10);
    const now = () => test.app.core.endpoints.findEndpoint(test.project.id, 'held_up');
    const revision = (await now())?.dataRevision;
    await eventually('the load before is known', async () => {
      await run(test, 'summed');
      const { lookups, endpoints } = test.app.core;
      const known = await lookups.endpoints.get(`${test.project.id}/held_up`, () =>
        endpoints.findEndpoint(test.project.id, 'held_up'),
      );
      return known?.dataRevision === revision;
    });
    held.hold("'held_up'");
    const early = test.rest('GET', '/endpoints/held_up/run');
    await eventually('the run waits', () => Promise.resolve(held.held() === 1));
    await replaceRows(20);
    const { lookups } = test.app.core;
    await eventually('the load is known', async () => {
      const known = await lookups.endpoints.get(`${test.project.id}/held_up`, now);
      return known?.dataRevision === (revision ?? 0) + 1;
    });
    const late = test.rest('GET', '/endpoints/held_up/run');
    await eventually('the second one does not wait for the first', () =>
      Promise.resolve(held.held() === 2),
    );
    held.release();
    expect((await early).status).toBe(200);
    expect((await late).body).toMatchObject({ results: [[20, 'held_up']], is_cached: false });
    expect((await late).body.execution_id).not.toBe((await early).body.execution_id);
    expect(await run(test, 'held_up')).toMatchObject({
      results: [[20, 'held_up']],
      execution_id: (await late).body.execution_id,
    });
  });

  it('of other columns has texts that ran before checked by them, in every process', async () => {
    const { key } = await test.issueKey({ scopes: ['data:write'], projects: [test.project] });
    const headers = { 'content-type': 'text/csv' };
    const put = async (body: string) =>
      (await test.rest('PUT', '/tables/typed/rows', { body, key, headers })).status;
    const query = 'SELECT sum(v) AS total FROM typed';
    const total = async () => (await test.rest('POST', '/query', { body: { query } })).body;
    const refused = (type: string) => ({
      code: 'invalid_query',
      detail: expect.stringContaining(`Illegal type ${type} of argument`),
    });
    expect(await put('v\n1\n')).toBe(200);
    expect(await total()).toMatchObject({ results: [[1]] });
    expect(await put('v\none\n')).toBe(200);
    expect(await total()).toMatchObject(refused('String'));
    expect(await put('v\n2\n')).toBe(200);
    expect(await total()).toMatchObject({ results: [[2]] });
    const database = `project_${test.project.id}`;
    await test.sql(
      `CREATE OR REPLACE TABLE ${database}.typed (v Date) ENGINE = MergeTree ORDER BY v`,
    );
    await test.app.core.projects.recordDataChange({
      projectId: test.project.id,
      table: 'typed',
      hasNewColumns: true,
      by: commandLineActor,
      action: 'data.loaded',
    });
    await eventually('the change is known', async () => (await total()).code === 'invalid_query');
    expect(await total()).toMatchObject(refused('Date'));
  });

  it('makes the sync of what is stored of the table due', async () => {
    await test.rest('PATCH', '/endpoints/stored', { body: { is_materialized: true } });
    await test.app.materialization.runOnce();
    await save(test, 'elsewhere', { query: 'SELECT 1 AS n', is_materialized: true });
    await test.app.materialization.runOnce();
    const stored = await run(test, 'stored');
    expect(stored).toMatchObject({ endpoint_materialized: true, results: [[20, 'stored']] });
    const dueAt = async (name: string) =>
      (await test.app.core.endpoints.findEndpoint(test.project.id, name))?.currentVersion
        .materialization.nextSyncAt;
    const elsewhere = await dueAt('elsewhere');
    test.clock.advance(1000);
    await replaceRows(30);
    expect(await dueAt('stored')).toEqual(test.clock.now());
    expect(await dueAt('elsewhere')).toEqual(elsewhere);
    await test.app.materialization.runOnce();
    await eventually(
      'the new rows are served',
      async () => JSON.stringify((await run(test, 'stored')).results) === '[[30,"stored"]]',
    );
    expect(await run(test, 'stored')).toMatchObject({ endpoint_materialized: true });
  });
});
