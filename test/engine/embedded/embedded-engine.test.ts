import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import os, { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openClickHouseEngine } from '../../../src/engine/clickhouse/clickhouse-engine.ts';
import { openEmbeddedEngine } from '../../../src/engine/embedded/embedded-engine.ts';
import type { QueryEngine } from '../../../src/engine/query-engine.ts';
import { eventually } from '../../support/eventually.ts';
import { adminRunner } from '../support/admin.ts';
import {
  config,
  type LocalEngine,
  log,
  secret,
  startLocalEngine,
} from '../support/local-engine.ts';

describe('the child', () => {
  let local: LocalEngine;
  let engine: QueryEngine;
  const select = (sql: string, projectId = 1) =>
    engine.query({
      projectId,
      sql,
      params: {},
      queryId: randomUUID(),
      limit: 10,
      offset: 0,
      integers: 'number',
    });

  beforeAll(async () => {
    local = await startLocalEngine();
    const { connection } = local.engine;
    // Queries wait until it is back, however long this machine takes to start it.
    const whenReady = () => local.engine.whenReady(180_000);
    engine = openClickHouseEngine({
      connection,
      config,
      log,
      local: { ...local.engine, whenReady },
    });
    await engine.provision(1);
    const admin = adminRunner(connection);
    await admin('CREATE TABLE project_1.kept ENGINE = MergeTree ORDER BY v AS SELECT 7 AS v');
    await admin('CREATE TABLE project_1.lost (n UInt32) ENGINE = Memory');
  });
  afterAll(async () => {
    await engine?.close();
    await local?.close();
  });

  it('comes back after it was killed, with its rows, on the same port', async () => {
    const { url } = local.engine.connection;
    const killed = killChild(local);
    expect((await select('SELECT v FROM kept')).rows.toString()).toBe('[[7]]');
    expect(local.engine.pid()).not.toBe(killed);
    expect(local.engine.connection.url).toBe(url);
    expect(local.engine.state()).toBe('ready');
  });

  it('completes the queries that were running when it was killed', async () => {
    // Its rows are gone with the child: a query that never ends before is one of no rows after.
    await adminRunner(local.engine.connection)(
      'INSERT INTO project_1.lost SELECT number FROM numbers(10000000)',
    );
    // One fewer than the limit: the engine may still count a statement that has just ended.
    const running = [1, 2].map(() =>
      select('SELECT sum(cityHash64(a.n, b.n)) AS s FROM lost AS a CROSS JOIN lost AS b'),
    );
    await eventually('one runs', async () => {
      const count = await adminRunner(local.engine.connection)(
        "SELECT count() FROM system.processes WHERE user = 'project_1_reader'",
      );
      return Number(count) > 0;
    });
    killChild(local);
    const answers = await Promise.all(running);
    expect(answers.map(({ rows }) => rows.toString())).toEqual(['[[0]]', '[[0]]']);
  });

  it('gets users for a project beyond those it has', async () => {
    await engine.provision(1000);
    expect((await select('SELECT currentUser()', 1000)).rows.toString()).toBe(
      '[["project_1000_reader"]]',
    );
    expect((await select('SELECT v FROM kept')).rows.toString()).toBe('[[7]]');
  });

  async function expectClosed(): Promise<void> {
    for (const user of ['default', 'admin', 'project_1_reader']) {
      const response = await fetch(`${local.engine.connection.url}/?user=${user}`, {
        method: 'POST',
        body: 'SELECT 1',
      });
      expect([user, response.ok]).toEqual([user, false]);
    }
  }

  it('lets nobody in without a password, and after it was started again neither', async () => {
    await expectClosed();
    const killed = killChild(local);
    expect((await select('SELECT 1')).rows.toString()).toBe('[[1]]');
    expect(local.engine.pid()).not.toBe(killed);
    await expectClosed();
  });

  it('keeps its files from other users of the machine', async () => {
    const modes: string[] = [];
    for (const name of ['', 'config', 'data', 'work', 'config/users.xml', 'config/config.xml']) {
      modes.push(((await stat(join(local.dir, name))).mode & 0o777).toString(8));
    }
    expect(modes).toEqual(['700', '700', '700', '700', '600', '600']);
    expect(await readdir(join(local.dir, 'work'))).toEqual([]);
  });

  it.skipIf(process.platform !== 'linux')(
    'gives way to the service with every thread, once it serves',
    async () => {
      let priorities: readonly number[] = [];
      await eventually('all give way', async () => {
        const threads = await readdir(`/proc/${local.engine.pid()}/task`);
        priorities = threads.map((id) => os.getPriority(Number(id)));
        return priorities.every((priority) => priority === 10);
      });
      expect(priorities.length).toBeGreaterThan(10);
    },
  );

  it.skipIf(process.platform !== 'linux')('does not know our environment', async () => {
    const environment = await readFile(`/proc/${local.engine.pid()}/environ`, 'utf8');
    expect([...environment.matchAll(/([A-Z_]+)=/g)].map(([, name]) => name)).toEqual([
      'PATH',
      'TZ',
      'LC_ALL',
    ]);
  });
});

describe('stopping', () => {
  it('ends the child, for good, as often as requested', async () => {
    const local = await startLocalEngine();
    const pid = local.engine.pid();
    const { connection } = local.engine;
    const engine = openClickHouseEngine({ connection, config, log, local: local.engine });
    await local.engine.stop();
    await local.engine.stop();
    expect(local.engine.state()).toBe('stopped');
    expect(isAlive(pid)).toBe(false);
    expect(await local.engine.whenReady(1000)).toBe(false);
    await expect(engine.ping()).rejects.toMatchObject({
      code: 'engine_unavailable',
      retryAfterSeconds: 1,
    });
    await engine.close();
    await local.close();
  });

  it('ends a child that is being restarted', async () => {
    const local = await startLocalEngine();
    killChild(local);
    await eventually('the end is noticed', () => local.engine.state() === 'restarting');
    await local.close();
    expect(local.engine.pid()).toBeNull();
  });

  it('has the users of its last run from its start on', async () => {
    const local = await startLocalEngine();
    await local.engine.ensureSlot(1000);
    await local.engine.ensureWriter(900);
    await local.engine.stop();
    const options = { dir: local.dir, config, log, secret, highestProjectId: 0 };
    const again = await openEmbeddedEngine(options);
    const started = again.pid();
    const driver = openClickHouseEngine({
      connection: again.connection,
      config,
      log,
      local: again,
    });
    await driver.provision(1000);
    expect(again.pid()).toBe(started);
    expect(await driver.tables(1000)).toEqual([]);
    // A writer is made where something is stored first, and is there at the next start.
    await driver.provision(900);
    const stored = (table: string, projectId: number) => ({
      projectId,
      table: `_materialized_${table}`,
      sql: 'SELECT 1 AS one',
      params: {},
      orderBy: [],
      maxRows: 10,
      queryId: randomUUID(),
    });
    expect(await driver.createTableFrom(stored('a', 900))).toMatchObject({ rows: 1 });
    expect(again.pid()).toBe(started);
    expect(await driver.createTableFrom(stored('b', 1000))).toMatchObject({ rows: 1 });
    expect(again.pid()).not.toBe(started);
    await driver.close();
    await again.stop();
    await local.close();
  });

  it('refuses a folder that another engine has', async () => {
    const local = await startLocalEngine();
    const second = openEmbeddedEngine({
      dir: local.dir,
      config,
      log,
      secret,
      highestProjectId: 0,
    });
    await expect(second).rejects.toMatchObject({
      code: 'engine_unavailable',
      internal: expect.stringContaining('Another server instance'),
    });
    await local.close();
  });
});

describe('the end of the process that started it', () => {
  it('ends the child too, even by kill -9', async () => {
    const { dir, parent, pid } = await startOwner();
    expect(isAlive(pid)).toBe(true);
    parent.kill('SIGKILL');
    await eventually('the child is gone', () => !isAlive(pid));
    await rm(dir, { recursive: true, force: true });
  });

  it.runIf(process.platform === 'linux')(
    'leaves a child that is too slow to notice to the next start, which ends it',
    async () => {
      const { dir, parent, pid } = await startOwner();
      process.kill(pid, 'SIGSTOP');
      parent.kill('SIGKILL');
      await once(parent, 'exit');
      const next = await openEmbeddedEngine({ dir, config, log, secret, highestProjectId: 0 });
      expect(next.state()).toBe('ready');
      await eventually('the earlier child is gone', () => !isAlive(pid));
      await next.stop();
      await rm(dir, { recursive: true, force: true });
    },
  );
});

/** A process with an engine of its own, and the id of that engine's child. */
async function startOwner() {
  const dir = await mkdtemp(join(tmpdir(), 'querydock-orphan-'));
  const owner = join(import.meta.dirname, '../support/engine-owner.ts');
  const parent = spawn(process.execPath, [owner, dir], { stdio: ['ignore', 'pipe', 'inherit'] });
  const pid = await new Promise<number>((resolve) => {
    parent.stdout.once('data', (text: Buffer) => resolve(Number(text.toString())));
  });
  return { dir, parent, pid };
}

function killChild(local: LocalEngine): number {
  const pid = local.engine.pid();
  if (pid === null) throw new Error('no child runs');
  process.kill(pid, 'SIGKILL');
  return pid;
}

function isAlive(pid: number | null): boolean {
  if (pid === null) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
