import { spawn } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { pin, serverCore } from './cores.ts';
import type { Answer } from './socket-load.ts';

export interface RawServer {
  readonly pid: number;
  /** Where the nth answer is. */
  urlOf(n: number): string;
  stop(): Promise<void>;
}

/** A bare server of these answers' bytes, in a process of its own as the service is. */
export async function startRaw(answers: readonly Answer[]): Promise<RawServer> {
  const script = path.join(import.meta.dirname, 'raw-server.ts');
  const child = spawn(process.execPath, [script], { stdio: ['pipe', 'pipe', 'inherit'] });
  child.stdin.end(answers.map(toLine).join('\n'));
  const [port] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
  const pid = child.pid ?? 0;
  pin(pid, serverCore);
  return {
    pid,
    urlOf: (n) => `http://127.0.0.1:${port.trim()}/${n}`,
    async stop() {
      const exited = once(child, 'exit');
      child.kill();
      await exited;
    },
  };
}

const kept = ['content-type', 'content-encoding'];

function toLine({ headers, body }: Answer): string {
  const named = Object.entries(headers).filter(([name]) => kept.includes(name));
  return JSON.stringify({ headers: Object.fromEntries(named), base64: body.toString('base64') });
}
