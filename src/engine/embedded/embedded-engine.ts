/**
 * The local ClickHouse: one child process with its own folder, kept running until it is stopped.
 *
 * A child that ends unexpectedly is started again at once, on the same port, with the same users; when it keeps
 * ending, the wait grows to five seconds. The child ends with this process, however this process ends.
 */
import { randomBytes } from 'node:crypto';
import { chmod, chown, readFile, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { ServiceError } from '../../errors/service-error.ts';
import type { Log } from '../../lib/log.ts';
import { cpuSecondsOf } from '../../lib/process-facts.ts';
import { type EngineConnection, projectLogins } from '../clickhouse/http/connection.ts';
import { type ChildUser, takeFolder } from './child-user.ts';
import { configXml, type LocalEngineLimits, slotsOf, usersXml } from './config-files.ts';
import {
  type EngineProcess,
  findFreePort,
  makeWay,
  startEngineProcess,
  waitUntilServing,
} from './engine-process.ts';
import { endPredecessor, markChild } from './predecessor.ts';
import { watchEngine } from './watchdog.ts';

export type EmbeddedState = 'ready' | 'restarting' | 'stopped';

export interface EmbeddedEngine {
  readonly connection: EngineConnection;
  /** Makes sure the project's users exist; restarts the child with more of them when they do not. */
  ensureSlot(projectId: number): Promise<void>;
  state(): EmbeddedState;
  /** True as soon as the child serves; false when the time is over or the engine was stopped. */
  whenReady(timeoutMs: number): Promise<boolean>;
  /** Of the child that runs now; null between two. */
  pid(): number | null;
  /** Seconds of processor time of that child; null where the system does not tell. */
  cpuSeconds(): number | null;
  /** Ends the child, which is started again at once. Nothing while it is not serving anyway. */
  restart(): void;
  /** Idempotent; resolves when the child is gone. */
  stop(): Promise<void>;
}

export interface EmbeddedEngineOptions {
  /** Of this engine alone; made when missing, readable by this user only. */
  readonly dir: string;
  readonly config: LocalEngineLimits;
  readonly log: Log;
  /** What the project users' passwords are derived from. */
  readonly secret: string;
  readonly highestProjectId: number;
  /** `self`: the child runs as this process does even when that is root, to read what its caller may read. */
  readonly runAs?: 'self';
}

const MIN_SLOTS = 64;
const SPARE_SLOTS = 32;
const START_TIMEOUT_MS = 60_000;
const FIRST_START_TRIES = 5;
const MAX_BACKOFF_MS = 5000;
/** A child that served this long had not ended because of how it was started. */
const STEADY_MS = 10_000;
const ADMIN = 'admin';

interface Supervisor {
  readonly options: EmbeddedEngineOptions;
  readonly root: string;
  readonly adminPassword: string;
  readonly dirs: { readonly config: string; readonly data: string; readonly work: string };
  readonly user: ChildUser | null;
  port: number;
  slots: number;
  current: EngineProcess | null;
  state: EmbeddedState;
  failures: number;
  /** Called once at the next change of state. */
  waiting: (() => void)[];
  growth: Promise<void>;
  /** The next end of the child is our own doing. */
  endsOnPurpose: boolean;
  supervision: Promise<void>;
}

/** @throws ServiceError `engine_unavailable` with the reason in `internal` when the child does not start. */
export async function openEmbeddedEngine(options: EmbeddedEngineOptions): Promise<EmbeddedEngine> {
  const root = resolve(options.dir);
  const dirs = { config: join(root, 'config'), data: join(root, 'data'), work: join(root, 'work') };
  const folder = { root, dirs: Object.values(dirs) };
  const { user, warning } = await takeFolder(folder, options.runAs ?? 'other');
  if (warning !== null) options.log.warn(warning);
  await endPredecessor(root, user);
  const self: Supervisor = {
    options,
    root,
    adminPassword: randomBytes(24).toString('hex'),
    dirs,
    user,
    port: await findFreePort(),
    slots: Math.max(slotsFor(options.highestProjectId), await slotsBefore(dirs.config)),
    current: null,
    state: 'restarting',
    failures: 0,
    waiting: [],
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
    ensureSlot: (projectId) => ensureSlot(self, projectId),
    state: () => self.state,
    whenReady: (timeoutMs) => whenReady(self, timeoutMs),
    pid,
    cpuSeconds: () => cpuSecondsOf(pid()),
    restart: () => restart(self),
    stop: () => stop(self),
  };
}

function slotsFor(projectId: number): number {
  return Math.max(MIN_SLOTS, projectId + SPARE_SLOTS);
}

/** As many as it had when it ran last, so that it need not start twice to have them again. */
async function slotsBefore(configDir: string): Promise<number> {
  return slotsOf(await readFile(join(configDir, 'users.xml'), 'utf8').catch(() => ''));
}

async function writeConfig(self: Supervisor): Promise<void> {
  const users = usersXml({
    limits: self.options.config,
    adminUser: ADMIN,
    adminPassword: self.adminPassword,
    secret: self.options.secret,
    slots: self.slots,
  });
  await writePrivate(self, 'users.xml', users);
  await writePrivate(self, 'config.xml', configXml(self.options.config));
}

async function writePrivate(self: Supervisor, name: string, text: string): Promise<void> {
  const path = join(self.dirs.config, name);
  await writeFile(path, text, { mode: 0o600 });
  await chmod(path, 0o600);
  if (self.user !== null) await chown(path, self.user.uid, self.user.gid);
}

/** One try: true when it serves. A child that does not is killed and waited for. */
async function startOnce(self: Supervisor): Promise<boolean> {
  const engine = startEngineProcess({
    configFile: join(self.dirs.config, 'config.xml'),
    dataDir: self.dirs.data,
    workDir: self.dirs.work,
    port: self.port,
    user: self.user,
    readsAnyFile: self.options.runAs === 'self',
    log: self.options.log,
  });
  self.current = engine;
  await markChild(self.root, engine.pid, self.user).catch(() => undefined);
  if (await waitUntilServing(engine, self.port, START_TIMEOUT_MS)) {
    // `stop` may have come meanwhile; it killed this child, and its word is the last one.
    if (self.state !== 'stopped') setState(self, 'ready');
    makeWay(engine.pid);
    void watchEngine(engine, self.port, self.options.log);
    return true;
  }
  engine.kill();
  await engine.exited;
  return false;
}

/** The folder may still be held for a moment by the child of a process that has just been killed. */
async function firstStart(self: Supervisor): Promise<void> {
  for (let attempt = 1; attempt <= FIRST_START_TRIES; attempt += 1) {
    if (await startOnce(self)) return;
    await delay(100 * attempt);
    self.port = await findFreePort();
  }
  const reason = self.current === null ? '' : await self.current.exited;
  throw new ServiceError('engine_unavailable', 'The local engine did not start.', {
    internal: reason,
    retryAfterSeconds: 1,
  });
}

/** Ends when the engine was stopped. */
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

/** Nothing before the first restart, then 100 ms doubling to five seconds; cut short by `stop`. */
async function backOff(self: Supervisor): Promise<void> {
  if (self.failures <= 1) return;
  const wait = Math.min(MAX_BACKOFF_MS, 100 * 2 ** (self.failures - 2));
  await Promise.race([delay(wait), nextChange(self)]);
}

function setState(self: Supervisor, state: EmbeddedState): void {
  self.state = state;
  const waiting = self.waiting;
  self.waiting = [];
  for (const wake of waiting) wake();
}

function nextChange(self: Supervisor): Promise<void> {
  return new Promise((wake) => self.waiting.push(wake));
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

/** One growth at a time; a project that fits by then costs nothing. */
function ensureSlot(self: Supervisor, projectId: number): Promise<void> {
  if (projectId <= self.slots) return Promise.resolve();
  self.growth = self.growth.catch(() => undefined).then(() => grow(self, projectId));
  return self.growth;
}

async function grow(self: Supervisor, projectId: number): Promise<void> {
  if (projectId <= self.slots || isStopped(self)) return;
  self.slots = slotsFor(projectId);
  await writeConfig(self);
  restart(self);
  if (!(await whenReady(self, START_TIMEOUT_MS))) {
    throw new ServiceError('engine_unavailable', 'The engine is not available at the moment.', {
      retryAfterSeconds: 1,
      internal: 'the local engine did not come back with more project users',
    });
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
  // Safe at any moment: what the engine acknowledged is on disk, what it did not leaves no part behind.
  self.current?.kill();
  await self.current?.exited;
  await self.supervision;
  self.current?.kill();
  await self.current?.exited;
}
