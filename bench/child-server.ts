import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';

export type Environment = Readonly<Record<string, string>>;

export interface ChildServer {
  readonly url: string;
  readonly pid: number;
  stop(): Promise<void>;
}

export interface ChildScript {
  /** Under bench/; it prints its port in a line that begins with it. */
  readonly script: string;
  readonly env?: Environment;
  readonly input?: string;
}

/** A reference server, in its own process like the service. */
export async function startChild({ script, env, input }: ChildScript): Promise<ChildServer> {
  const child = spawn(process.execPath, [path.join(import.meta.dirname, script)], {
    env: { ...process.env, NODE_ENV: 'production', ...env },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  child.stdin.end(input);
  const port = await Promise.race([
    once(child.stdout.setEncoding('utf8'), 'data').then(([line]) => Number.parseInt(line, 10)),
    exited.then(() => Number.NaN),
  ]);
  if (!(port > 0)) throw new Error(`${script} did not start`);
  return {
    url: `http://127.0.0.1:${port}`,
    pid: child.pid ?? 0,
    async stop() {
      child.kill();
      await exited;
    },
  };
}
