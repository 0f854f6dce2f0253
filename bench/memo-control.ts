/**
 * Loaded into a service under test. At each SIGUSR2 it reads a task: a memo, and the bytes of some requests. It sends
 * them to the service in this process, through Node's own parser but past the kernel, with the memo on and off in turns
 * of some hundred requests, and writes the microseconds a request of each turn.
 */
import type { Server } from 'node:http';
import { definedMemos, type Memo } from '../src/lib/memo.ts';
import { SharedResultUsage } from '../src/usage/usage-book.ts';
import { answerTasks } from './answer-tasks.ts';
import { openLoopback } from './loopback.ts';

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

/** The count of a cached run, on and off like a memo. */
const usageName = 'usage';

function openUsage(): Memo {
  const { addRun } = SharedResultUsage.prototype;
  return {
    name: usageName,
    get isOn() {
      return SharedResultUsage.prototype.addRun === addRun;
    },
    set isOn(isOn: boolean) {
      SharedResultUsage.prototype.addRun = isOn ? addRun : () => undefined;
    },
  };
}

async function measure(
  server: Server,
  { memo: name, requests, turns }: MemoTask,
): Promise<MemoTurns> {
  const memo = [...definedMemos(), openUsage()].find((each) => each.name === name);
  if (memo === undefined) throw new Error(`no memo ${name}`);
  const line = openLoopback(server);
  const bytes = requests.map((text) => Buffer.from(text));
  let at = 0;
  const ask = () => {
    at = (at + 1) % bytes.length;
    return line.ask(bytes[at] ?? Buffer.alloc(0));
  };
  const times: { on: number[]; off: number[] } = { on: [], off: [] };
  for (let turn = 0; turn < turns; turn += 1) {
    memo.isOn = turn % 2 === 0;
    await ask();
    const startedAt = performance.now();
    for (let count = 0; count < turnRequests; count += 1) await ask();
    times[memo.isOn ? 'on' : 'off'].push((1000 * (performance.now() - startedAt)) / turnRequests);
  }
  memo.isOn = true;
  line.close();
  return times;
}

answerTasks(measure);
