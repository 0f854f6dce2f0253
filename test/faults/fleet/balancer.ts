/** haproxy in front of the processes, configured as docs/operations.md says. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { eventually } from '../../support/eventually.ts';
import { findProgram } from '../../support/needs.ts';

/** Debian installs it where the PATH of a user may not lead. */
const usual = '/usr/sbin/haproxy';
export const haproxy = findProgram('haproxy') ?? (existsSync(usual) ? usual : null);

export interface Balancer {
  readonly url: string;
  close(): Promise<void>;
}

export async function openBalancer(options: {
  readonly dir: string;
  readonly port: number;
  readonly targets: readonly number[];
}): Promise<Balancer> {
  const file = path.join(options.dir, 'haproxy.cfg');
  await writeFile(file, configOf(options));
  const child: ChildProcess = spawn(haproxy ?? '', ['-db', '-f', file], { stdio: 'ignore' });
  const url = `http://127.0.0.1:${options.port}`;
  await eventually('the balancer has its servers', async () => {
    const response = await fetch(`${url}/readyz`).catch(() => null);
    return response?.status === 200;
  });
  return {
    url,
    async close() {
      const gone = once(child, 'exit');
      child.kill('SIGTERM');
      await gone;
    },
  };
}

function configOf({
  port,
  targets,
}: {
  readonly port: number;
  readonly targets: readonly number[];
}) {
  const servers = targets.map((target, at) => `  server querydock${at} 127.0.0.1:${target}`);
  return `defaults
  mode http
  timeout connect 1s
  timeout client 60s
  timeout server 60s
  timeout check 2s
  retries 3
  option redispatch 1
  retry-on conn-failure empty-response
frontend callers
  bind 127.0.0.1:${port}
  default_backend querydock
backend querydock
  http-request disable-l7-retry if !METH_GET
  balance roundrobin
  option httpchk GET /readyz
  default-server check inter 500ms fall 2 rise 1
${servers.join('\n')}
`;
}
