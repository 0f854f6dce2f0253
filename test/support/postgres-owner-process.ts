import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

export interface OwnerProcess {
  /** `ready`, or the error that it ended with. */
  readonly said: Promise<string>;
  readonly child: ChildProcess;
  stop(): Promise<void>;
  kill(): Promise<void>;
}

/** Starts a process that owns the local PostgreSQL in `dir`, as the user `uid` when given. */
export function startOwner(
  dir: string,
  options: { readonly uid?: number; readonly tempDir?: string } = {},
): OwnerProcess {
  const script = path.join(import.meta.dirname, 'postgres-owner.ts');
  const { uid, tempDir } = options;
  const child = spawn(process.execPath, [script, dir], {
    ...(uid === undefined ? {} : { uid, gid: uid }),
    stdio: ['pipe', 'pipe', 'inherit'],
    cwd: '/',
    env: { PATH: process.env.PATH, ...(tempDir === undefined ? {} : { TMPDIR: tempDir }) },
  });
  const exited = once(child, 'exit');
  const said = firstLine(child);
  return {
    said,
    child,
    async stop() {
      child.stdin?.end();
      await exited;
    },
    async kill() {
      child.kill('SIGKILL');
      await exited;
    },
  };
}

async function firstLine(child: ChildProcess): Promise<string> {
  let text = '';
  for await (const chunk of child.stdout?.setEncoding('utf8') ?? []) {
    text += String(chunk);
    if (text.includes('\n')) break;
  }
  return text.trim();
}

/** The process id of the PostgreSQL whose data is in `dir`. */
export async function postmasterPid(dir: string): Promise<number> {
  const file = await readFile(path.join(dir, 'pg18', 'data', 'postmaster.pid'), 'utf8');
  return Number.parseInt(file, 10);
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
