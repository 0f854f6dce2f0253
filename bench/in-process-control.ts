/**
 * Loaded into a service under test. At each SIGUSR2 it reads the bytes of some requests and of their responses, sends each
 * in turns to the service and to a bare server in this process, past the kernel, and writes the microseconds a request of
 * each turn.
 */
import { createServer, type Server } from 'node:http';
import { answerTasks } from './answer-tasks.ts';
import { type Loopback, openLoopback } from './loopback.ts';

export interface InProcessTask {
  readonly requests: readonly string[];
  /** As Base64. */
  readonly bodies: readonly string[];
  readonly turns: number;
}

export interface InProcessTurns {
  readonly own: readonly number[];
  readonly raw: readonly number[];
}

const turnRequests = 100;

function bareServer(bodies: readonly Buffer[]): Server {
  return createServer((request, response) => {
    const body = bodies[Number(request.headers['x-response'])] ?? Buffer.alloc(0);
    const headers = { 'content-type': 'application/json; charset=utf-8' };
    response.writeHead(200, { ...headers, 'content-length': body.length });
    response.end(body);
  });
}

async function microsOf(line: Loopback, request: Buffer): Promise<number> {
  await line.ask(request);
  const startedAt = performance.now();
  for (let count = 0; count < turnRequests; count += 1) await line.ask(request);
  return (1000 * (performance.now() - startedAt)) / turnRequests;
}

async function measure(server: Server, task: InProcessTask): Promise<readonly InProcessTurns[]> {
  const bare = bareServer(task.bodies.map((body) => Buffer.from(body, 'base64')));
  const [own, raw] = [openLoopback(server), openLoopback(bare)];
  const measured = task.requests.map((text, at) => {
    const named = text.replace('\r\n', `\r\nx-response: ${at}\r\n`);
    return {
      own: Buffer.from(text),
      raw: Buffer.from(named),
      times: { own: [], raw: [] } as Times,
    };
  });
  for (let turn = 0; turn < task.turns; turn += 1) {
    for (const each of measured) {
      each.times.own.push(await microsOf(own, each.own));
      each.times.raw.push(await microsOf(raw, each.raw));
    }
  }
  own.close();
  raw.close();
  return measured.map(({ times }) => times);
}

interface Times {
  readonly own: number[];
  readonly raw: number[];
}

answerTasks(measure);
