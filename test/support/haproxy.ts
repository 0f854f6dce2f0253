/** haproxy, for the suites that need a balancer. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { eventually } from './eventually.ts';
import { findProgram } from './needs.ts';

/** Debian installs it where the PATH of a user may not lead. */
const usual = '/usr/sbin/haproxy';
/** Null: it is not installed. */
export const haproxy = findProgram('haproxy') ?? (existsSync(usual) ? usual : null);

export interface Haproxy {
  close(): Promise<void>;
}

/** @param options.isReady whether what it balances can be reached through it. */
export async function openHaproxy(options: {
  readonly dir: string;
  readonly config: string;
  readonly isReady: () => Promise<boolean>;
}): Promise<Haproxy> {
  const file = path.join(options.dir, 'haproxy.cfg');
  await writeFile(file, options.config);
  const child: ChildProcess = spawn(haproxy ?? '', ['-db', '-f', file], { stdio: 'ignore' });
  await eventually('the balancer has its servers', options.isReady);
  return {
    async close() {
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
    },
  };
}
