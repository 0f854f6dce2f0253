/**
 * Loaded into a service under test. At each SIGUSR2 it reads a task: a memo, and the bytes of some requests. It sends
 * them to the service in this process, through Node's own parser but past the kernel, with the memo on and off in turns
 * of some hundred requests, and writes the microseconds a request of each turn.
 */
import { subscribe } from 'node:diagnostics_channel';
import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { Duplex } from 'node:stream';
import { definedMemos } from '../src/lib/memo.ts';

export interface MemoTask {
  readonly memo: string;
  /** Sent one after the other, over and over. */
  readonly requests: readonly string[];
  readonly turns: number;
}

export interface MemoTurns {
  readonly on: readonly number[];
  readonly off: readonly number[];
}

const turnRequests = 200;
const file = process.env.BENCH_MEMO ?? '';

let server: Server | undefined;
const channel = 'http.server.request.start';
const learnServer = (message: unknown): void => {
  server = (message as { readonly server: Server }).server;
};
subscribe(channel, learnServer);

/** A connection whose other end is `onResponse`. */
class Loopback extends Duplex {
  onResponse: () => void = () => undefined;

  override _read(): void {}

  override _write(_chunk: unknown, _encoding: string, done: () => void): void {
    done();
    this.onResponse();
  }

  override _writev(_chunks: unknown, done: () => void): void {
    done();
    this.onResponse();
  }
}

async function measure({ memo: name, requests, turns }: MemoTask): Promise<MemoTurns> {
  const memo = definedMemos().find((each) => each.name === name);
  if (memo === undefined || server === undefined) throw new Error(`no memo ${name}`);
  const socket = new Loopback();
  server.emit('connection', socket);
  const bytes = requests.map((text) => Buffer.from(text));
  let at = 0;
  const ask = () =>
    new Promise<void>((resolve) => {
      socket.onResponse = () => setImmediate(resolve);
      at = (at + 1) % bytes.length;
      socket.push(bytes[at]);
    });
  const times: { on: number[]; off: number[] } = { on: [], off: [] };
  for (let turn = 0; turn < turns; turn += 1) {
    memo.isOn = turn % 2 === 0;
    await ask();
    const startedAt = performance.now();
    for (let count = 0; count < turnRequests; count += 1) await ask();
    times[memo.isOn ? 'on' : 'off'].push((1000 * (performance.now() - startedAt)) / turnRequests);
  }
  memo.isOn = true;
  socket.destroy();
  return times;
}

process.on('SIGUSR2', async () => {
  const task = JSON.parse(readFileSync(file, 'utf8')) as MemoTask;
  writeFileSync(`${file}.draft`, JSON.stringify(await measure(task)));
  renameSync(`${file}.draft`, `${file}.turns`);
});
