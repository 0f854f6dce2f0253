/** Real processes of the command line, each with the environment that a test gives it and no other settings. */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdtemp, readFile, rm } from 'node:fs/promises';
import os from 'node:os';
import path from 'node:path';
import { runCommand } from '../../../src/cli/run-command-line.ts';
import { settings } from '../../../src/config/config.ts';
import { eventually } from '../../support/eventually.ts';

export const root = path.resolve(import.meta.dirname, '../../..');
const main = path.join(root, 'src', 'main.ts');

export type Env = Readonly<Record<string, string>>;

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Running {
  readonly child: ChildProcess;
  readonly pid: number;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly exited: Promise<Exit>;
  /** Sends the signal to this process alone and waits for its end. */
  end(signal: NodeJS.Signals): Promise<Exit>;
}

export interface Finished extends Exit {
  readonly stdout: string;
  readonly stderr: string;
}

/** Compiled once and not by each of the many processes of these tests. */
const compileCache = path.join(os.tmpdir(), `querydock-test-compiled-${process.getuid?.() ?? 0}`);

/** Without whatever settings the test run itself has. */
function cleanEnv(env: Env): NodeJS.ProcessEnv {
  const names = new Set(['npm_command', ...Object.values(settings).map((setting) => setting.env)]);
  const rest = Object.entries(process.env).filter(([name]) => !names.has(name));
  const own = { LOG_LEVEL: 'warn', NODE_COMPILE_CACHE: compileCache };
  return { ...Object.fromEntries(rest), ...own, ...env };
}

export function start(command: readonly string[], env: Env, cwd = root): Running {
  const [file = '', ...args] = command;
  // By the channel a server learns that the test's process has gone, and stops.
  const child = spawn(file, args, {
    cwd,
    env: cleanEnv(env),
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  const exited = once(child, 'close').then(
    ([code, signal]): Exit => ({
      code: code as number | null,
      signal: signal as NodeJS.Signals | null,
    }),
  );
  return {
    child,
    pid: child.pid ?? 0,
    stdout: () => stdout,
    stderr: () => stderr,
    exited,
    end(signal) {
      child.kill(signal);
      return exited;
    },
  };
}

/** One command of the sources in a process of its own, to its end. */
export async function querydockProcess(
  args: readonly string[],
  env: Env,
  cwd = root,
): Promise<Finished> {
  const running = start([process.execPath, main, ...args], env, cwd);
  const exit = await running.exited;
  return { ...exit, stdout: running.stdout(), stderr: running.stderr() };
}

/**
 * One command of the sources, to its end, in this process: one of its own would load every module again. Tests of
 * what belongs to a process, such as TMPDIR and the lines of its log, take `querydockProcess`.
 */
export function querydock(args: readonly string[], env: Env): Promise<Finished> {
  const finished = previous.then(() => runHere(args, cleanEnv(env)));
  previous = finished.catch(() => undefined);
  return finished;
}

/** The environment and the output belong to the whole process, so that commands follow one another. */
let previous: Promise<unknown> = Promise.resolve();

async function runHere(args: readonly string[], env: NodeJS.ProcessEnv): Promise<Finished> {
  const written = { stdout: '', stderr: '' };
  const restore = (['stdout', 'stderr'] as const).map((name) => {
    const { write } = process[name];
    process[name].write = (text: string | Uint8Array) => {
      written[name] += String(text);
      return true;
    };
    return () => {
      process[name].write = write;
    };
  });
  const own = process.env;
  process.env = env;
  try {
    const code = await runCommand(args);
    return { code, signal: null, ...written };
  } finally {
    process.env = own;
    for (const undo of restore) undo();
  }
}

/** The one JSON object that a command prints. Throws its error output when it failed. */
export async function querydockJson<Answer>(args: readonly string[], env: Env): Promise<Answer> {
  const { code, stdout, stderr } = await querydock([...args, '--json'], env);
  if (code !== 0) throw new Error(`querydock ${args.join(' ')} ended with ${code}: ${stderr}`);
  return JSON.parse(stdout) as Answer;
}

export interface Server extends Running {
  readonly url: string;
}

/** Starts the service from the sources, or by another command, and waits until it prints that it is ready. */
export async function startServer(
  mode: 'start' | 'demo',
  env: Env,
  command: readonly string[] = [process.execPath, main],
): Promise<Server> {
  const running = start([...command, mode], { PORT: '0', ...env });
  await saysUntilEnd(running, 'Stop it with Ctrl-C.');
  const url = /GraphiQL +(http:\S+)\/graphql/.exec(running.stdout())?.[1] ?? '';
  return { ...running, url };
}

/** Resolves when the text has come on standard output. Rejects when the process ends without it. */
export function saysUntilEnd(running: Running, text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const look = () => {
      if (running.stdout().includes(text)) resolve();
    };
    running.child.stdout?.on('data', look);
    look();
    void running.exited.then(({ code }) => {
      reject(new Error(`it ended with ${code} before "${text}": ${running.stderr()}`));
    });
  });
}

interface ProcessRow {
  readonly pid: number;
  readonly parent: number;
}

/** Those that run; a process that has ended and is not yet collected by its parent does not. */
function listProcesses(): readonly ProcessRow[] {
  const text = execFileSync('ps', ['-eo', 'pid=,ppid=,stat='], { encoding: 'utf8' });
  return text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([, , state = '']) => !state.startsWith('Z'))
    .map(([pid, parent]) => ({ pid: Number(pid), parent: Number(parent) }));
}

/** Everything that a process has started, and what that has started. */
export function descendantsOf(pid: number): readonly number[] {
  const rows = listProcesses();
  const found = [pid];
  for (const at of found) found.push(...rows.filter((row) => row.parent === at).map((r) => r.pid));
  return found.slice(1);
}

export async function areGone(pids: readonly number[]): Promise<void> {
  await eventually('no process is left', () => {
    const alive = new Set(listProcesses().map((row) => row.pid));
    return !pids.some((pid) => alive.has(pid));
  });
}

export interface TempFolder {
  readonly dir: string;
  remove(): Promise<void>;
}

export async function tempFolder(): Promise<TempFolder> {
  const dir = await mkdtemp(path.join(os.tmpdir(), 'querydock-cli-'));
  // As /var/lib is: the user of the local engine may pass through when root runs the tests.
  await chmod(dir, 0o711);
  return { dir, remove: () => rm(dir, { recursive: true, force: true }) };
}

export interface DemoFacts {
  readonly url: string;
  readonly graphql_url: string;
  readonly project_id: number;
  readonly api_key: string;
}

export async function readDemo(dataDir: string): Promise<DemoFacts> {
  return JSON.parse(await readFile(path.join(dataDir, 'demo.json'), 'utf8')) as DemoFacts;
}
