/** Whom the local engine's child runs as when root starts it, and what a query then still sees of the machine. */
import {
  chmod,
  chown,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openClickHouseEngine } from '../../../src/engine/clickhouse/clickhouse-engine.ts';
import { engineUser } from '../../../src/engine/embedded/child-user.ts';
import {
  type EmbeddedEngine,
  type EmbeddedEngineOptions,
  openEmbeddedEngine,
} from '../../../src/engine/embedded/embedded-engine.ts';
import type { Log } from '../../../src/lib/log.ts';
import { eventually } from '../../support/eventually.ts';
import { isThere } from '../../support/needs.ts';
import { adminRunner } from '../support/admin.ts';
import { config, log, secret } from '../support/local-engine.ts';

const isRoot = process.platform === 'linux' && process.getuid?.() === 0;

describe.runIf(isThere('root on Linux', isRoot))('the child of a service that root started', () => {
  let outer: string;
  let dataDir: string;
  let warnings: string[];
  let running: EmbeddedEngine[];

  beforeEach(async () => {
    outer = await mkdtemp(join(tmpdir(), 'querydock-user-'));
    await chmod(outer, 0o755);
    dataDir = join(outer, 'data');
    await mkdir(dataDir, { mode: 0o700 });
    warnings = [];
    running = [];
  });
  afterEach(async () => {
    for (const engine of running) await engine.stop();
    await rm(outer, { recursive: true, force: true });
  });

  async function start(runAs?: EmbeddedEngineOptions['runAs']): Promise<EmbeddedEngine> {
    const warn = (text: unknown) => warnings.push(String(text));
    const engine = await openEmbeddedEngine({
      dir: join(dataDir, 'clickhouse'),
      config,
      log: { ...log, warn } as Log,
      secret,
      highestProjectId: 0,
      ...(runAs === undefined ? {} : { runAs }),
    });
    running.push(engine);
    return engine;
  }

  async function identity(engine: EmbeddedEngine) {
    const status = await readFile(`/proc/${engine.pid()}/status`, 'utf8');
    const field = (name: string) => new RegExp(`^${name}:\\s*(.*?)\\s*$`, 'm').exec(status)?.[1];
    return {
      uid: field('Uid')?.split('\t'),
      gid: field('Gid')?.split('\t'),
      groups: field('Groups'),
      capabilities: field('CapEff'),
    };
  }
  const four = (id: number) => Array.from({ length: 4 }, () => String(id));

  const owners = async (dir: string) => {
    const files = await readdir(dir, { recursive: true });
    const found = await Promise.all(['', ...files].map((file) => stat(join(dir, file))));
    return new Set(found.map(({ uid }) => uid));
  };

  it('has a user of its own, without a right of root', async () => {
    const engine = await start();
    expect(await identity(engine)).toEqual({
      uid: four(engineUser.uid),
      gid: four(engineUser.gid),
      groups: String(engineUser.gid),
      capabilities: '0000000000000000',
    });
    expect(warnings).toEqual([]);
    expect(await owners(join(dataDir, 'clickhouse'))).toEqual(new Set([engineUser.uid]));
  });

  it('reads no secret even for a query that no guard has seen', async () => {
    const secretFile = join(dataDir, 'engine-secret');
    await writeFile(secretFile, 'CANARY-SECRET', { mode: 0o600 });
    const engine = await start();
    const driver = openClickHouseEngine({
      connection: engine.connection,
      config,
      log,
      local: engine,
    });
    await driver.provision(1);
    const { user, password } = engine.connection.credentials(1, 'reader');
    const paths = ['self', String(engine.pid()), String(process.pid), '1'].flatMap((pid) => [
      `/proc/${pid}/environ`,
      `/proc/${pid}/mem`,
      `/proc/${pid}/fd/0`,
    ]);
    for (const path of [...paths, secretFile, '/etc/shadow', dataDir]) {
      const response = await fetch(`${engine.connection.url}/?wait_end_of_query=1`, {
        method: 'POST',
        body: `SELECT file('${path}')`,
        headers: { 'x-clickhouse-user': user, 'x-clickhouse-key': password },
      });
      expect({ path, ok: response.ok }).toEqual({ path, ok: false });
      expect(await response.text()).not.toMatch(/CANARY|LC_ALL=/);
    }
    await driver.close();
  });

  it('comes back as the same after it was killed', async () => {
    const engine = await start();
    const before = engine.pid() ?? 0;
    process.kill(before, 'SIGKILL');
    await eventually('another child serves', async () => {
      return engine.state() === 'ready' && engine.pid() !== null && engine.pid() !== before;
    });
    expect((await identity(engine)).uid).toEqual(four(engineUser.uid));
  });

  it('gets the rows of an earlier start as root, and keeps them through another', async () => {
    const older = await start('self');
    expect((await identity(older)).uid).toEqual(four(0));
    const admin = (engine: EmbeddedEngine) => adminRunner(engine.connection);
    await admin(older)('CREATE DATABASE d');
    await admin(older)('CREATE TABLE d.t ENGINE = MergeTree ORDER BY v AS SELECT 7 AS v');
    await older.stop();
    expect(await owners(join(dataDir, 'clickhouse/data'))).toEqual(new Set([0]));
    for (const [runAs, uid] of [
      [undefined, engineUser.uid],
      ['self', 0],
      [undefined, engineUser.uid],
    ] as const) {
      const engine = await start(runAs);
      expect((await identity(engine)).uid).toEqual(four(uid));
      await admin(engine)('INSERT INTO d.t VALUES (8)');
      expect((await admin(engine)('SELECT min(v) FROM d.t')).trim()).toBe('7');
      await engine.stop();
    }
    expect(await owners(join(dataDir, 'clickhouse/data'))).toEqual(new Set([engineUser.uid]));
  });

  it('is the owner of a folder that somebody else made', async () => {
    const dir = join(dataDir, 'clickhouse');
    await mkdir(dir);
    await chown(dir, 65_200, 65_201);
    const engine = await start();
    expect(await identity(engine)).toMatchObject({ uid: four(65_200), gid: four(65_201) });
  });

  it('passes through the data folder, which shows nothing else', async () => {
    await start();
    expect((await stat(dataDir)).mode & 0o777).toBe(0o711);
    expect((await stat(join(dataDir, 'clickhouse'))).mode & 0o777).toBe(0o700);
  });

  it('stays root behind a folder that is closed, and logs it', async () => {
    await chmod(outer, 0o700);
    const engine = await start();
    expect((await identity(engine)).uid).toEqual(four(0));
    expect(warnings).toEqual([expect.stringMatching(/runs as root: .* cannot access/)]);
    expect(warnings[0]).toContain(outer);
    expect((await adminRunner(engine.connection)('SELECT 1')).trim()).toBe('1');
  });
});
