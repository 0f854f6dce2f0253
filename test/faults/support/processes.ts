/** Finds and signals single processes that a service has started; Linux and macOS. */
import { execFileSync } from 'node:child_process';

interface Row {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

function list(): readonly Row[] {
  const text = execFileSync('ps', ['-eo', 'pid=,ppid=,stat=,args='], { encoding: 'utf8' });
  return text.split('\n').flatMap((line) => {
    const [, pid, parent, state, command] = /^\s*(\d+)\s+(\d+)\s+(\S+)\s+(.*)$/.exec(line) ?? [];
    if (pid === undefined || state?.startsWith('Z') !== false) return [];
    return [{ pid: Number(pid), parent: Number(parent), command: command ?? '' }];
  });
}

/** Everything below `pid` whose command line matches. */
export function below(pid: number, pattern: RegExp): readonly number[] {
  const rows = list();
  const found = [pid];
  for (const at of found) found.push(...rows.filter((r) => r.parent === at).map((r) => r.pid));
  const all = new Set(found.slice(1));
  return rows.filter((row) => all.has(row.pid) && pattern.test(row.command)).map((row) => row.pid);
}

/** The ClickHouse child. */
export const enginePattern = /engine\/embedded\/child\/child\.[jt]s/;
/** The postmaster alone. */
export const postmasterPattern = /^\S*bin\/postgres -D/;
/** The postmaster and all that it has started. */
export const postgresPattern = /^\S*bin\/postgres -D|^postgres: /;

/** One that has ended meanwhile is passed over. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }
}

export function requireSome(pids: readonly number[], what: string): readonly number[] {
  if (pids.length === 0) throw new Error(`there is no ${what} to be found`);
  return pids;
}
