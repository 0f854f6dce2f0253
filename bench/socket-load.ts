/**
 * A load generator on bare sockets: one request in flight on each connection, its bytes made once. It is much cheaper
 * than a node:http client, so the server under test is the bottleneck.
 */
import { connect, type Socket } from 'node:net';
import { cpuSeconds } from './processor-time.ts';

export interface LoadCase {
  readonly url: string;
  readonly method: 'GET' | 'POST';
  readonly headers: Readonly<Record<string, string>>;
  /** With several, each request sends the next one. */
  readonly bodies?: readonly string[];
  /** Instead of `url`, on the same server: with several, each request uses the next one. */
  readonly urls?: readonly string[];
  /** Throws for a wrong response, so that no case is fast by being wrong. */
  readonly check: (response: LoadResponse) => void;
}

export interface LoadResponse {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Buffer;
}

export interface LoadOptions {
  readonly seconds: number;
  readonly connections: number;
  /** Processes whose processor time is the cost of the requests. */
  readonly pids: readonly number[];
}

export interface LoadResult {
  readonly perSecond: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time of the processes under test, all threads, for one request. */
  readonly cpuMicros: number;
  /** How much of one core they used; near 1 when they, not the generator, are the bottleneck. */
  readonly busy: number;
}

/** Sends requests for a bounded time. The first and the last response of each connection are checked. */
export async function load(target: LoadCase, options: LoadOptions): Promise<LoadResult> {
  const lines = Array.from({ length: options.connections }, () => openLine(target));
  const firsts = await Promise.all(lines.map((line) => line.ask()));
  for (const first of firsts) target.check(first);
  const cpuBefore = await cpuSeconds(options.pids);
  const startedAt = performance.now();
  const until = startedAt + options.seconds * 1000;
  const times: number[] = [];
  const lasts = await Promise.all(lines.map((line) => line.askUntil(until, times)));
  const seconds = (performance.now() - startedAt) / 1000;
  const cpu = (await cpuSeconds(options.pids)) - cpuBefore;
  for (const last of lasts) target.check(last);
  for (const line of lines) line.close();
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(times.length * share)] ?? Number.NaN;
  return {
    perSecond: times.length / seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    cpuMicros: (1e6 * cpu) / times.length,
    busy: cpu / seconds,
  };
}

/** One request on its own connection. The response is checked. */
export async function askOnce(target: LoadCase): Promise<LoadResponse> {
  const line = openLine(target);
  const response = await line.ask();
  line.close();
  target.check(response);
  return response;
}

interface Line {
  /** Sends one request and returns its whole response. */
  ask(): Promise<LoadResponse>;
  /** Sends requests until the time (of `performance`) is over; adds each one's milliseconds. Resolves with the last response. */
  askUntil(until: number, times: number[]): Promise<LoadResponse>;
  close(): void;
}

function openLine(target: LoadCase): Line {
  const url = new URL(target.url);
  const requests = requestBytes(target);
  let turn = Math.floor(Math.random() * requests.length);
  const send = () => {
    turn = (turn + 1) % requests.length;
    socket.write(requests[turn] ?? Buffer.alloc(0));
  };
  const socket = connect({ host: url.hostname, port: Number(url.port), noDelay: true });
  const reader = readResponses(socket);
  const ask = () => {
    send();
    return reader.whole();
  };
  return {
    ask,
    async askUntil(until, times) {
      await new Promise<void>((resolve, reject) => {
        let sentAt = performance.now();
        reader.eachEnd(() => {
          const now = performance.now();
          times.push(now - sentAt);
          if (now >= until) return resolve();
          sentAt = now;
          send();
        }, reject);
        send();
      });
      return ask();
    },
    close: () => socket.destroy(),
  };
}

function requestBytes({ url, urls = [url], method, headers, bodies }: LoadCase): readonly Buffer[] {
  const count = Math.max(urls.length, bodies?.length ?? 0);
  return Array.from({ length: count }, (_, n) => {
    const { pathname, search, host } = new URL(urls[n % urls.length] ?? url);
    const body = bodies?.[n % bodies.length] ?? '';
    const sized = bodies === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const lines = Object.entries({ host, ...headers, ...sized }).map(
      ([name, value]) => `${name}: ${value}\r\n`,
    );
    const start = `${method} ${pathname}${search} HTTP/1.1\r\n`;
    return Buffer.from(`${start}${lines.join('')}\r\n${body}`);
  });
}

interface ResponseReader {
  whole(): Promise<LoadResponse>;
  /** Calls back at the end of each response without storing it. */
  eachEnd(onEnd: () => void, onFailure: (error: Error) => void): void;
}

/** Finds where each response ends: by its length, or by its last chunk. */
function readResponses(socket: Socket): ResponseReader {
  const state: ResponseState = { head: Buffer.alloc(0), end: noEnd, whole: null };
  let onEnd = (): void => undefined;
  let onFailure = (_error: Error): void => undefined;
  socket.on('data', (bytes: Buffer) => {
    state.whole?.push(bytes);
    const body = state.end === noEnd ? afterHead(state, bytes) : bytes;
    if (body === null || !state.end(body)) return;
    state.end = noEnd;
    state.head = Buffer.alloc(0);
    onEnd();
  });
  socket.on('error', (error) => onFailure(error));
  socket.on('close', () => onFailure(new Error('the server closed the connection')));
  return {
    whole: () =>
      new Promise((resolve, reject) => {
        state.whole = [];
        onFailure = reject;
        onEnd = () => {
          resolve(toResponse(Buffer.concat(state.whole ?? [])));
          state.whole = null;
        };
      }),
    eachEnd(ended, failed) {
      onEnd = ended;
      onFailure = failed;
    },
  };
}

/** Receives the next bytes of a body; true when the body is complete. */
type BodyEnd = (bytes: Buffer) => boolean;

const noEnd: BodyEnd = () => false;
const emptyLine = Buffer.from('\r\n\r\n');
const lastChunk = Buffer.from('0\r\n\r\n');

interface ResponseState {
  head: Buffer;
  end: BodyEnd;
  whole: Buffer[] | null;
}

/** The bytes after the head; null while the head is incomplete. */
function afterHead(state: ResponseState, bytes: Buffer): Buffer | null {
  state.head = state.head.length === 0 ? bytes : Buffer.concat([state.head, bytes]);
  const at = state.head.indexOf(emptyLine);
  if (at === -1) return null;
  state.end = bodyEnd(state.head.toString('latin1', 0, at));
  return state.head.subarray(at + emptyLine.length);
}

function bodyEnd(head: string): BodyEnd {
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1];
  if (length === undefined && /\r\ntransfer-encoding: *chunked/i.test(head)) {
    let tail: Buffer = Buffer.alloc(0);
    return (bytes) => {
      tail = bytes.length >= lastChunk.length ? bytes : Buffer.concat([tail, bytes]);
      return tail.subarray(-lastChunk.length).equals(lastChunk);
    };
  }
  let left = Number(length ?? 0);
  return (bytes) => {
    left -= bytes.length;
    return left <= 0;
  };
}

function toResponse(bytes: Buffer): LoadResponse {
  const at = bytes.indexOf(emptyLine);
  const [first = '', ...lines] = bytes.toString('latin1', 0, at).split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  const body = bytes.subarray(at + emptyLine.length);
  const isChunked = headers['transfer-encoding'] === 'chunked';
  return {
    status: Number(first.split(' ')[1]),
    headers,
    body: isChunked ? joinChunks(body) : body,
  };
}

function joinChunks(bytes: Buffer): Buffer {
  const pieces: Buffer[] = [];
  for (let at = 0; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    const size = Number.parseInt(bytes.toString('latin1', at, lineEnd), 16);
    if (!(size > 0)) return Buffer.concat(pieces);
    pieces.push(bytes.subarray(lineEnd + 2, lineEnd + 2 + size));
    at = lineEnd + 2 + size + 2;
  }
}
