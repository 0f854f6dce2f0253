/** A Redis of a test's own, which it may kill, stop for a while and start again. */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { createConnection, createServer } from 'node:net';
import { eventually } from './eventually.ts';
import { findProgram, isThere } from './needs.ts';

const program = findProgram('redis-server');
export const hasRedis = isThere('redis-server', program !== null);

export interface TestRedis {
  readonly url: string;
  start(): Promise<void>;
  kill(): Promise<void>;
  /** It holds its connections open and sends nothing. */
  freeze(): void;
  thaw(): void;
}

export async function openTestRedis(): Promise<TestRedis> {
  const port = await freePort();
  let child: ChildProcess | null = null;
  const redis: TestRedis = {
    url: `redis://127.0.0.1:${port}`,
    async start() {
      const args = [
        '--port',
        String(port),
        '--bind',
        '127.0.0.1',
        '--save',
        '',
        '--appendonly',
        'no',
      ];
      child = spawn(program ?? '', args, { stdio: 'ignore' });
      await eventually('Redis listens', () => answers(port));
    },
    async kill() {
      if (child === null || child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
    freeze: () => void child?.kill('SIGSTOP'),
    thaw: () => void child?.kill('SIGCONT'),
  };
  await redis.start();
  return redis;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = createConnection(port, '127.0.0.1');
    const done = (is: boolean) => () => {
      socket.destroy();
      resolve(is);
    };
    socket.once('connect', done(true)).once('error', done(false));
  });
}
