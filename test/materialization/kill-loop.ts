/**
 * Kills the service, and every second time the engine, at a random moment of enabling, syncing, changing and
 * deleting; then starts it and waits until every table that is served is right and no other is left.
 *
 *     node test/materialization/kill-loop.ts [rounds, 50]
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';
import { openLog } from '../../src/config/open-log.ts';
import type { EmbeddedEngine } from '../../src/engine/embedded/embedded-engine.ts';
import type { EmbeddedPostgres } from '../../src/store/embedded-postgres.ts';
import { type MetadataDatabase, openMetadataDatabase } from '../../src/store/metadata-database.ts';
import { openLocalBackends } from '../support/local-backends.ts';

export interface KillLoopResult {
  readonly rounds: number;
  readonly engineKills: number;
  /** Rounds that ended with every served table right and none orphaned. */
  readonly good: number;
  readonly problems: readonly string[];
  /** Rounds that found the work of a dead process: an unfinished table or a claim. */
  readonly foundUnfinished: number;
  readonly tablesMade: number;
  /** From the start of the service to the round's good end, milliseconds. */
  readonly longestRecoveryMs: number;
}

const rowsOfGeneration = 2000;
/** It ends what hangs, and says nothing about speed. */
const recoveryMs = 180_000;
const names = ['e0', 'e1', 'e2', 'e3'];
const query = (rows: number) =>
  `SELECT generation, number FROM generations WHERE generation = (SELECT max(generation) FROM generations) ORDER BY number LIMIT ${rows}`;

interface World {
  readonly engine: EmbeddedEngine;
  readonly postgres: EmbeddedPostgres;
  readonly records: MetadataDatabase;
  readonly env: NodeJS.ProcessEnv;
  generation: number;
  projectId: number;
  key: string;
}

interface Service {
  readonly child: ChildProcess;
  readonly url: string;
}

export async function killLoop(rounds: number): Promise<KillLoopResult> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'querydock-kill-'));
  const world = await openWorld(dir);
  try {
    return await playRounds(world, rounds);
  } finally {
    await world.records.close();
    await world.postgres.stop();
    await world.engine.stop();
    await rm(dir, { recursive: true, force: true });
  }
}

async function openWorld(dir: string): Promise<World> {
  const log = openLog('silent');
  const { postgres, engine, env: found } = await openLocalBackends(dir);
  const env = {
    ...process.env,
    ...found,
    PORT: '0',
    LOG_LEVEL: 'silent',
  };
  const records = await openMetadataDatabase({ log, databaseUrl: postgres.databaseUrl });
  return { engine, postgres, records, env, generation: 0, projectId: 0, key: '' };
}

async function playRounds(world: World, rounds: number): Promise<KillLoopResult> {
  let service = await startService(world, 'set-up');
  await sql(
    world,
    'CREATE TABLE generations (generation UInt32, number UInt32) ENGINE = MergeTree ORDER BY (generation, number)',
  );
  await nextGeneration(world);
  const problems: string[] = [];
  let [good, engineKills, foundUnfinished, longestRecoveryMs] = [0, 0, 0, 0];
  for (let round = 1; round <= rounds; round += 1) {
    const { answered, busy } = keepBusy(world, service);
    // From the first change on, so that a slow machine has something to lose as well.
    await Promise.race([answered, delay(60_000)]);
    await delay(50 + Math.random() * 700);
    const engineToo = round % 2 === 0;
    await kill(service, engineToo ? world.engine.pid() : null);
    if (engineToo) engineKills += 1;
    await busy;
    if (engineToo) await world.engine.whenReady(180_000);
    if (await hasUnfinished(world).catch(() => true)) foundUnfinished += 1;
    const began = performance.now();
    service = await startService(world);
    const problem = await settle(world, service);
    longestRecoveryMs = Math.max(longestRecoveryMs, performance.now() - began);
    if (problem === null) good += 1;
    else problems.push(`round ${round}: ${problem}`);
  }
  const made = await world.records.pool.query('SELECT count(*)::int AS n FROM stored_table');
  await kill(service, null);
  const tablesMade = Number(made.rows[0]?.n ?? 0);
  return { rounds, engineKills, good, problems, foundUnfinished, tablesMade, longestRecoveryMs };
}

async function startService(world: World, ...args: readonly string[]): Promise<Service> {
  const script = path.join(import.meta.dirname, 'support/kill-loop-service.ts');
  const child = spawn(process.execPath, [script, ...args], {
    env: world.env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const { port, made } = JSON.parse(line) as {
      readonly port: number;
      readonly made: { readonly projectId: number; readonly key: string } | null;
    };
    if (made !== null) Object.assign(world, made);
    const url = `http://127.0.0.1:${port}/api/projects/${world.projectId}/endpoints`;
    return { child, url };
  }
  throw new Error('the service did not start');
}

async function kill({ child }: Service, enginePid: number | null): Promise<void> {
  const gone = child.exitCode === null && child.signalCode === null ? once(child, 'exit') : null;
  child.kill('SIGKILL');
  if (enginePid !== null) process.kill(enginePid, 'SIGKILL');
  await gone;
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly body?: object;
}

async function ask(world: World, service: Service, { method, path: at, body }: Call) {
  const response = await fetch(`${service.url}${at}`, {
    method,
    headers: { authorization: `Bearer ${world.key}`, 'content-type': 'application/json' },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
  };
}

/** Random changes until the service is gone; what fails because it is, fails. `answered`: one was made. */
function keepBusy(world: World, service: Service) {
  const { promise: answered, resolve } = Promise.withResolvers<void>();
  const isGone = () => service.child.signalCode !== null || service.child.exitCode !== null;
  const work = async (name: string): Promise<void> => {
    while (!isGone()) {
      const response = await ask(world, service, anyChange(name)).catch(() => null);
      if ((response?.status ?? 500) < 300) resolve();
      await delay(Math.random() * 60);
    }
  };
  const fill = async (): Promise<void> => {
    while (!isGone()) {
      await nextGeneration(world).catch(() => undefined);
      await delay(100);
    }
  };
  return { answered, busy: Promise.all([...names.map(work), fill()]) };
}

function anyChange(name: string): Call {
  const at = `/${name}`;
  const fresh = { name, query: query(rowsOfGeneration), is_materialized: true };
  const changes: readonly Call[] = [
    { method: 'POST', path: '', body: fresh },
    { method: 'POST', path: '', body: fresh },
    { method: 'PATCH', path: at, body: { is_materialized: true } },
    { method: 'PATCH', path: at, body: { is_materialized: true, is_active: true } },
    {
      method: 'PATCH',
      path: at,
      body: { query: query(rowsOfGeneration + Math.floor(Math.random() * 5)) },
    },
    { method: 'PATCH', path: at, body: { is_materialized: false } },
    { method: 'PATCH', path: at, body: { is_active: false } },
    { method: 'DELETE', path: at },
  ];
  return changes[Math.floor(Math.random() * changes.length)] ?? { method: 'GET', path: at };
}

async function nextGeneration(world: World): Promise<void> {
  world.generation += 1;
  await sql(
    world,
    `INSERT INTO generations SELECT ${world.generation}, number FROM numbers(${rowsOfGeneration})`,
  );
}

async function sql(world: World, statement: string): Promise<string> {
  const url = new URL(world.engine.connection.url);
  url.searchParams.set('database', `project_${world.projectId}`);
  const { user, password } = world.engine.connection.admin;
  const headers = { 'x-clickhouse-user': user, 'x-clickhouse-key': password };
  const response = await fetch(url, { method: 'POST', body: statement, headers });
  const text = await response.text();
  if (!response.ok) throw new Error(text);
  return text;
}

async function hasUnfinished(world: World): Promise<boolean> {
  const { rows } = await world.records.pool.query(
    'SELECT FROM materialization_status WHERE sync_id IS NOT NULL',
  );
  const [made, served] = await Promise.all([madeTables(world), servedTables(world)]);
  return rows.length > 0 || made.join() !== served.join();
}

async function madeTables(world: World): Promise<readonly string[]> {
  const text = await sql(
    world,
    "SELECT name FROM system.tables WHERE database = currentDatabase() AND startsWith(name, '_materialized_') ORDER BY name",
  );
  return text.split('\n').filter((name) => name !== '');
}

async function servedTables(world: World): Promise<readonly string[]> {
  const { rows } = await world.records.pool.query<{ readonly table_name: string }>(
    'SELECT table_name FROM materialization_status WHERE table_name IS NOT NULL ORDER BY table_name COLLATE "C"',
  );
  return rows.map((row) => row.table_name);
}

/** Null when all is well; else what is not, when it has not become so in time. */
async function settle(world: World, service: Service): Promise<string | null> {
  let problem: string | null = 'not looked at';
  for (const began = performance.now(); performance.now() - began < recoveryMs; ) {
    problem = await findProblem(world, service).catch((error: unknown) => String(error));
    if (problem === null) return null;
    await delay(100);
  }
  return problem;
}

async function findProblem(world: World, service: Service): Promise<string | null> {
  const { rows } = await world.records.pool.query(
    'SELECT id, error FROM materialization_status WHERE sync_id IS NOT NULL OR (enabled AND table_name IS NULL)',
  );
  if (rows.length > 0) return `not synced: ${JSON.stringify(rows)}`;
  const [made, served] = [await madeTables(world), await servedTables(world)];
  if (made.join() !== served.join()) {
    return `tables ${made.join()} are there, ${served.join()} are served`;
  }
  return findWrongTable(world, service);
}

async function findWrongTable(world: World, service: Service): Promise<string | null> {
  const list = await ask(world, service, { method: 'GET', path: '?is_materialized=true' });
  for (const { name } of list.body.results as readonly { readonly name: string }[]) {
    const run = { method: 'POST', path: `/${name}/run`, body: { refresh: 'force' } };
    const { body } = await ask(world, service, run);
    if (body.served_from !== 'materialized')
      return `${name} is ${JSON.stringify(body).slice(0, 300)}`;
    const results = body.results as readonly (readonly [number, number])[];
    const generations = new Set(results.map(([generation]) => generation));
    const isWhole = results.length === rowsOfGeneration && generations.size === 1;
    if (!isWhole) return `${name} has ${results.length} rows of ${generations.size} generations`;
  }
  return null;
}

if (process.argv[1] === import.meta.filename) {
  const result = await killLoop(Number(process.argv[2] ?? 50));
  process.stdout.write(`${JSON.stringify(result, null, 2)}\n`);
  process.exitCode = result.good === result.rounds ? 0 : 1;
}
