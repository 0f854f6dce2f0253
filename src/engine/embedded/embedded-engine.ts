/**
 * The local ClickHouse: one child process with its own folder, supervised until it is stopped.
 *
 * A child that exits unexpectedly is restarted at once, on the same port, with the same users; after repeated failures
 * the delay grows to five seconds. The child ends with this process, however this process ends.
 */
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '../../errors/service-error.ts';
import type { Log } from '../../lib/log.ts';
import { cpuSecondsOf } from '../../lib/process-facts.ts';
import { unavailable } from '../clickhouse/errors/failures.ts';
import { type EngineConnection, projectLogins } from '../clickhouse/http/connection.ts';
import { type ChildUser, prepareFolder, writePrivateFiles } from './child-user.ts';
import { configXml, type LocalEngineLimits, usersXml } from './config-files.ts';
import {
  type EngineProcess,
  lowerPriorities,
  startEngineProcess,
  waitUntilServing,
} from './engine-process.ts';
import { httpPortOf, type LocalCluster, newSecret, nodePorts } from './local-cluster.ts';
import { endPredecessor, markChild } from './predecessor.ts';
import { hasUsers, hasWriter, openUserSlots, slotsFor, type UserSlots } from './user-slots.ts';
import { watchEngine } from './watchdog.ts';

type EmbeddedState = 'ready' | 'restarting' | 'stopped';

export interface EmbeddedEngine {
  readonly connection: EngineConnection;
  /** Ensures that the project's reader exists; restarts the child with more users when it does not. */
  ensureSlot(projectId: number): Promise<void>;
  /** The same for its writer. */
  ensureWriter(projectId: number): Promise<void>;
  state(): EmbeddedState;
  /** Resolves with true as soon as the child serves, with false after the timeout or once the engine is stopped. */
  whenReady(timeoutMs: number): Promise<boolean>;
  /** Of the current child; null while none is running. */
  pid(): number | null;
  /** Processor seconds of that child; null where the system does not report it. */
  cpuSeconds(): number | null;
  /** Kills the child, which is then restarted. Does nothing while it is not serving. */
  restart(): void;
  /** Idempotent; resolves when the child has ended. */
  stop(): Promise<void>;
}

export interface EmbeddedEngineOptions {
  /** Exclusive to this engine; created when missing, readable only by its user. */
  readonly dir: string;
  readonly config: LocalEngineLimits;
  readonly log: Log;
  /** The project users' passwords are derived from it. */
  readonly secret: string;
  readonly highestProjectId: number;
  /**
   * `all`: each project has a writer from the start. Absent: a writer is added when something is stored for the
   * project.
   */
  readonly writers?: 'all';
  /** `self`: the child keeps the user of this process, even root, and may read any of its files. */
  readonly runAs?: 'self';
  /** Set for one of several nodes, whose ports are given; absent for the only node. */
  readonly cluster?: LocalCluster;
}

const START_TIMEOUT_MS = 60_000;
const FIRST_START_TRIES = 5;
const MAX_BACKOFF_MS = 5000;
/** A child that served this long did not fail because of its startup. */
const STEADY_MS = 10_000;
const ADMIN = 'admin';

interface Supervisor {
  readonly options: EmbeddedEngineOptions;
  readonly root: string;
  readonly adminPassword: string;
  readonly dirs: { readonly config: string; readonly data: string; readonly work: string };
  readonly user: ChildUser | null;
  port: number;
  readonly slots: UserSlots;
  current: EngineProcess | null;
  state: EmbeddedState;
  failures: number;
  /** Called once at the next state change. */
  listeners: (() => void)[];
  growth: Promise<void>;
  /** The service is about to end the child itself. */
  endsOnPurpose: boolean;
  supervision: Promise<void>;
}

/** @throws ServiceError `engine_unavailable`, with the reason in `internal`, when the child does not start. */
export async function openEmbeddedEngine(options: EmbeddedEngineOptions): Promise<EmbeddedEngine> {
  const root = resolve(options.dir);
  const { highestProjectId, writers } = options;
  const dirs = { config: join(root, 'config'), data: join(root, 'data'), work: join(root, 'work') };
  const folder = { root, dirs: Object.values(dirs) };
  const { user, warning } = await prepareFolder(folder, options.runAs ?? 'other');
  if (warning !== null) options.log.warn(warning);
  await endPredecessor(root, user);
  const self: Supervisor = {
    options,
    root,
    adminPassword: options.cluster?.adminPassword ?? newSecret(),
    dirs,
    user,
    port: await httpPortOf(options.cluster),
    slots: await openUserSlots(dirs.config, { highestProjectId, allWriters: writers === 'all' }),
    current: null,
    state: 'restarting',
    failures: 0,
    listeners: [],
    growth: Promise.resolve(),
    endsOnPurpose: false,
    supervision: Promise.resolve(),
  };
  await writeConfig(self);
  await firstStart(self);
  self.supervision = supervise(self);
  return toEmbeddedEngine(self);
}

function toEmbeddedEngine(self: Supervisor): EmbeddedEngine {
  const pid = () => (self.current?.hasExited() === false ? self.current.pid : null);
  return {
    connection: {
      url: `http://127.0.0.1:${self.port}`,
      admin: { user: ADMIN, password: self.adminPassword },
      credentials: projectLogins(self.options.secret),
    },
    ensureSlot: (projectId) => ensureUsers(self, projectId, false),
    ensureWriter: (projectId) => ensureUsers(self, projectId, true),
    state: () => self.state,
    whenReady: (timeoutMs) => whenReady(self, timeoutMs),
    pid,
    cpuSeconds: () => cpuSecondsOf(pid()),
    restart: () => restart(self),
    stop: () => stop(self),
  };
}

async function writeConfig(self: Supervisor): Promise<void> {
  const { config, secret, cluster } = self.options;
  const users = usersXml({
    limits: config,
    adminUser: ADMIN,
    adminPassword: self.adminPassword,
    secret,
    slots: self.slots.projects,
    hasWriter: (projectId) => hasWriter(self.slots, projectId),
  });
  const files = { 'users.xml': users, 'config.xml': configXml(config, cluster) };
  await writePrivateFiles(self.dirs.config, files, self.user);
}

/** One attempt: true when the child serves; otherwise it has been killed and has ended. */
async function startOnce(self: Supervisor): Promise<boolean> {
  const { cluster } = self.options;
  const engine = startEngineProcess({
    configFile: join(self.dirs.config, 'config.xml'),
    dataDir: self.dirs.data,
    workDir: self.dirs.work,
    port: self.port,
    ...(cluster === undefined ? {} : { tcp: nodePorts(cluster) }),
    user: self.user,
    readsAnyFile: self.options.runAs === 'self',
    log: self.options.log,
  });
  self.current = engine;
  await markChild(self.root, engine.pid, self.user).catch(() => undefined);
  if (await waitUntilServing(engine, self.port, START_TIMEOUT_MS)) {
    // `stop` may have been called and killed this child meanwhile.
    if (self.state !== 'stopped') setState(self, 'ready');
    lowerPriorities(engine.pid);
    void watchEngine(engine, self.port, self.options.log);
    return true;
  }
  engine.kill();
  await engine.exited;
  return false;
}

/** The child of a process that was just killed may still lock the folder for a moment. */
async function firstStart(self: Supervisor): Promise<void> {
  for (let attempt = 1; attempt <= FIRST_START_TRIES; attempt += 1) {
    if (await startOnce(self)) return;
    await delay(100 * attempt);
    self.port = await httpPortOf(self.options.cluster);
  }
  const reason = self.current === null ? '' : await self.current.exited;
  throw new ServiceError('engine_unavailable', 'The local engine did not start.', {
    internal: reason,
    retryAfterSeconds: 1,
  });
}

/** Restarts the child until the engine is stopped. */
async function supervise(self: Supervisor): Promise<void> {
  while (self.state !== 'stopped' && self.current !== null) {
    const readySince = performance.now();
    const how = await self.current.exited;
    if (isStopped(self)) return;
    setState(self, 'restarting');
    noteEnd(self, how, performance.now() - readySince);
    await backOff(self);
    while (!isStopped(self) && !(await startOnce(self))) {
      self.failures += 1;
      await backOff(self);
    }
  }
}

function noteEnd(self: Supervisor, how: string, servedMs: number): void {
  if (self.endsOnPurpose) {
    self.endsOnPurpose = false;
    self.failures = 0;
    return;
  }
  self.failures = servedMs > STEADY_MS ? 0 : self.failures + 1;
  self.options.log.warn({ reason: how }, 'the local engine ended; starting it again');
}

function isStopped(self: Supervisor): boolean {
  return self.state === 'stopped';
}

/** No delay before the first restart, then 100 ms doubling to five seconds; `stop` ends it. */
async function backOff(self: Supervisor): Promise<void> {
  if (self.failures <= 1) return;
  const wait = Math.min(MAX_BACKOFF_MS, 100 * 2 ** (self.failures - 2));
  await Promise.race([delay(wait), nextChange(self)]);
}

function setState(self: Supervisor, state: EmbeddedState): void {
  self.state = state;
  const { listeners } = self;
  self.listeners = [];
  for (const wake of listeners) wake();
}

function nextChange(self: Supervisor): Promise<void> {
  return new Promise((wake) => self.listeners.push(wake));
}

async function whenReady(self: Supervisor, timeoutMs: number): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (self.state !== 'stopped') {
    if (self.state === 'ready' && self.current?.hasExited() === false) return true;
    const left = deadline - performance.now();
    if (left <= 0) return false;
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((wake) => {
      timer = setTimeout(wake, left);
    });
    await Promise.race([nextChange(self), timeout]);
    clearTimeout(timer);
  }
  return false;
}

/** Adds users one project at a time; a project that already has its users causes no restart. */
function ensureUsers(self: Supervisor, projectId: number, writes: boolean): Promise<void> {
  if (hasUsers(self.slots, projectId, writes)) return Promise.resolve();
  self.growth = self.growth.catch(() => undefined).then(() => grow(self, projectId, writes));
  return self.growth;
}

async function grow(self: Supervisor, projectId: number, writes: boolean): Promise<void> {
  if (hasUsers(self.slots, projectId, writes) || isStopped(self)) return;
  const { slots } = self;
  if (projectId > slots.projects) slots.projects = slotsFor(projectId);
  if (writes) slots.writers.add(projectId);
  await writeConfig(self);
  restart(self);
  if (!(await whenReady(self, START_TIMEOUT_MS))) {
    throw unavailable('the local engine did not restart with more project users');
  }
}

function restart(self: Supervisor): void {
  if (self.state !== 'ready') return;
  self.endsOnPurpose = true;
  setState(self, 'restarting');
  self.current?.kill();
}

async function stop(self: Supervisor): Promise<void> {
  setState(self, 'stopped');
  // Safe at any moment: acknowledged writes are on disk, and anything else leaves no part behind.
  self.current?.kill();
  await self.current?.exited;
  await self.supervision;
  self.current?.kill();
  await self.current?.exited;
}
