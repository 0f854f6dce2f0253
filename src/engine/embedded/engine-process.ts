/** One run of the local engine's process: start, readiness, end. No restarts here. */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { get } from 'node:http';
import { createServer } from 'node:net';
import os from 'node:os';
import { dirname, extname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Log } from '../../lib/log.ts';
import { threadsOf } from '../../lib/process-facts.ts';
import { type ChildPlan, notConfined } from './child/child-plan.ts';
import type { ChildUser } from './child-user.ts';

export interface EngineProcess {
  readonly pid: number;
  /** Resolves when the process has ended, with how it ended and the last lines of its output. */
  readonly exited: Promise<string>;
  hasExited(): boolean;
  kill(): void;
}

export interface EngineProcessOptions {
  readonly configFile: string;
  readonly dataDir: string;
  /** An empty folder, because the engine reads any `config.xml` in its working directory. */
  readonly workDir: string;
  readonly port: number;
  /** Set for one of several nodes; when absent it only listens for HTTP and connects to nothing. */
  readonly tcp?: NodePorts;
  /** The child's user; null for that of this process. */
  readonly user: ChildUser | null;
  /** Whether it may read files other than its own. */
  readonly readsAnyFile: boolean;
  readonly log: Log;
}

/** Ports of the native protocol, which connects the nodes. */
export interface NodePorts {
  /** Also named in the configuration. */
  readonly own: number;
  readonly others: readonly number[];
}

/** Opens the HTTP port and then idles forever: the engine serves while a query runs. */
const SERVE =
  'SYSTEM START LISTEN HTTP; SELECT sleepEachRow(3) FROM system.numbers SETTINGS max_block_size = 1, max_threads = 1 FORMAT Null';
/** HTTP last, so that a node that answers a ping is reachable by other nodes. */
const SERVE_NODES = `SYSTEM START LISTEN TCP; ${SERVE}`;

/** A .ts file in the sources, a .js file in a build. */
const childFile = fileURLToPath(
  new URL(`./child/child${extname(import.meta.url)}`, import.meta.url),
);

const MAX_LINES = 20;

export function startEngineProcess(options: EngineProcessOptions): EngineProcess {
  const child = spawnChild(options);
  const lines = lastLines(child, options.log);
  let hasExited = false;
  const exited = new Promise<string>((resolve) => {
    const finish = (how: string) => {
      hasExited = true;
      resolve([how, ...lines].join('\n'));
    };
    child.once('error', (error) => finish(error.message));
    child.once('exit', () => {
      hasExited = true;
    });
    child.once('close', (code, signal) => finish(`exit code ${code}, signal ${signal}`));
  });
  child.stdin?.on('error', () => undefined);
  return {
    pid: child.pid ?? 0,
    exited,
    hasExited: () => hasExited,
    kill: () => {
      child.kill('SIGKILL');
    },
  };
}

function spawnChild(options: EngineProcessOptions): ChildProcess {
  const { user, configFile, dataDir, workDir, port, tcp } = options;
  const read = [dirname(configFile)];
  const folders = { read, readWrite: [dataDir, workDir], emptyFolder: workDir };
  const plan: ChildPlan = {
    user,
    confine: options.readsAnyFile ? null : { ...folders, ...portsOf(port, tcp) },
  };
  const args = [
    childFile,
    JSON.stringify(plan),
    `--config-file=${configFile}`,
    `--path=${dataDir}`,
    `--http_port=${port}`,
    '--listen_host=127.0.0.1',
    '--query',
    tcp === undefined ? SERVE : SERVE_NODES,
  ];
  return spawn(process.execPath, args, {
    cwd: workDir,
    // Without the service's variables, because a query could read its process's environment.
    env: { PATH: process.env.PATH ?? '', TZ: 'UTC', LC_ALL: 'C.UTF-8' },
    // Its own process group, so that a terminal's Ctrl-C reaches only the service.
    detached: true,
    stdio: ['pipe', 'pipe', 'pipe'],
  });
}

function portsOf(http: number, tcp: NodePorts | undefined) {
  if (tcp === undefined) return { listen: [http], connect: [] };
  return { listen: [http, tcp.own], connect: tcp.others };
}

let isWarned = false;

function warnOnce(log: Log): void {
  if (isWarned) return;
  isWarned = true;
  log.warn(
    'The local ClickHouse can open every file that its user can: this system does not support Landlock, which would confine it to its own folder.',
  );
}

function lastLines(child: ChildProcess, log: Log): string[] {
  const lines: string[] = [];
  for (const stream of [child.stdout, child.stderr]) {
    stream?.setEncoding('utf8');
    stream?.on('data', (text: string) => {
      for (const line of text.split('\n').filter((part) => part.trim() !== '')) {
        log.debug({ engine: line }, 'local engine');
        if (line === notConfined) warnOnce(log);
        lines.push(line);
        if (lines.length > MAX_LINES) lines.shift();
      }
    });
  }
  return lines;
}

/**
 * The engine's many threads yield to the service's one, so that the service can refuse and cancel at once under any
 * load.
 */
const NICENESS = 10;

/** Called once it serves: on a busy machine, starting at low priority takes many times as long. */
export function lowerPriorities(pid: number): void {
  // A thread inherits its creator's priority; the second pass covers threads started meanwhile.
  for (let turn = 0; turn < 2; turn += 1) threadsOf(pid).forEach(lowerPriority);
}

function lowerPriority(id: number): void {
  try {
    os.setPriority(id, NICENESS);
  } catch {
    // The thread or process has ended.
  }
}

/** True when the port responds before the process ends and before the deadline. */
export async function waitUntilServing(
  engine: EngineProcess,
  port: number,
  timeoutMs: number,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs;
  while (!engine.hasExited() && performance.now() < deadline) {
    if (await respondsToPing(port)) return !engine.hasExited();
    await Promise.race([engine.exited, delay(10)]);
  }
  return false;
}

export function respondsToPing(port: number, timeoutMs = 1000): Promise<boolean> {
  return new Promise((resolve) => {
    const request = get(
      { host: '127.0.0.1', port, path: '/ping', timeout: timeoutMs },
      (response) => {
        response.resume();
        resolve(response.statusCode === 200);
      },
    );
    request.once('timeout', () => request.destroy());
    request.once('error', () => resolve(false));
  });
}

/** Below the range of outgoing connections, because the port must be free again whenever the child restarts. */
const PORTS = { from: 12_000, to: 32_000 } as const;
const PORT_TRIES = 20;

/** A port of the loopback address that is free right now. */
export async function findFreePort(): Promise<number> {
  for (let tries = 0; tries < PORT_TRIES; tries += 1) {
    const port = randomInt(PORTS.from, PORTS.to);
    if ((await listenOnce(port)) !== null) return port;
  }
  return (await listenOnce(0)) ?? 0;
}

/** Returns the port if it is free; null when it is not. */
function listenOnce(wanted: number): Promise<number | null> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(null));
    probe.listen(wanted, '127.0.0.1', () => {
      const address = probe.address();
      const port = address === null || typeof address === 'string' ? null : address.port;
      probe.close(() => resolve(port));
    });
  });
}
