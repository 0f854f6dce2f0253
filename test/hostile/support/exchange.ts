/** One request as bytes on a socket, and what the service answers, read without any help of an HTTP client. */
import { connect, type Socket } from 'node:net';

export type HeaderPair = readonly [name: string, value: string];

export interface HostileRequest {
  readonly method: string;
  /** As it stands in the request line; characters are bytes. */
  readonly target: string;
  readonly headers: readonly HeaderPair[];
  readonly body: Buffer;
}

export interface RawResponse {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: Buffer;
}

/** The connection ended before an answer was whole. */
export class NoResponse extends Error {
  override readonly name = 'NoAnswer';
}

/** How long anybody may wait for an answer, in milliseconds. It bounds hangs and measures nothing. */
const responseTimeoutMs = 120_000;

/** The request as it goes over the wire, with its length unless a header already declares one. */
export function toBytes({ method, target, headers, body }: HostileRequest): Buffer {
  const names = new Set(headers.map(([name]) => name.toLowerCase()));
  const all: HeaderPair[] = [...headers];
  if (!names.has('host')) all.unshift(['Host', 'querydock.test']);
  if (!names.has('connection')) all.push(['Connection', 'close']);
  if (body.length > 0 && !names.has('content-length') && !names.has('transfer-encoding')) {
    all.push(['Content-Length', String(body.length)]);
  }
  const lines = [
    `${method} ${target} HTTP/1.1`,
    ...all.map(([name, value]) => `${name}: ${value}`),
  ];
  return Buffer.concat([Buffer.from(`${lines.join('\r\n')}\r\n\r\n`, 'latin1'), body]);
}

export interface ExchangeOptions {
  /** Tells the service that nothing more comes, once the bytes are written. */
  readonly endsAfter?: boolean;
  readonly isHead?: boolean;
  /** How many answers are waited for; 1 when absent. */
  readonly responseCount?: number;
}

/**
 * Sends the bytes over a connection of their own. Rejects with NoAnswer when the service closes it before
 * it answered, and with an Error when nothing happens in `answerWithinMs`.
 */
export function exchangeBytes(
  port: number,
  bytes: Buffer,
  options: ExchangeOptions = {},
): Promise<readonly RawResponse[]> {
  const wanted = options.responseCount ?? 1;
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const reader = openReader(options.isHead === true);
    const finish = (settle: () => void): void => {
      clearTimeout(timer);
      socket.destroy();
      settle();
    };
    const timer = setTimeout(
      () => finish(() => reject(new Error(`no answer within ${responseTimeoutMs} ms`))),
      responseTimeoutMs,
    );
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      const responses = reader.take(chunk);
      if (responses.length >= wanted) finish(() => resolve(responses));
    });
    socket.on('close', () =>
      finish(() => {
        const responses = reader.end();
        if (responses.length > 0) resolve(responses);
        else reject(new NoResponse('the connection was closed without an answer'));
      }),
    );
    socket.write(bytes);
    if (options.endsAfter === true) socket.end();
  });
}

export interface ResponseReader {
  /** All whole answers so far. */
  take(chunk: Buffer): readonly RawResponse[];
  /** With the one that only the end of the connection completes. */
  end(): readonly RawResponse[];
}

/** Reads answers one behind the other; interim ones (100) are left out. */
function openReader(isHead: boolean): ResponseReader {
  const responses: RawResponse[] = [];
  let rest = Buffer.alloc(0);
  const read = (isEnd: boolean): readonly RawResponse[] => {
    for (;;) {
      const found = readResponse(rest, isHead, isEnd);
      if (found === null) return responses;
      rest = rest.subarray(found.length);
      if (found.answer.status >= 200) responses.push(found.answer);
    }
  };
  return {
    take(chunk) {
      rest = Buffer.concat([rest, chunk]);
      return read(false);
    },
    end: () => read(true),
  };
}

interface Found {
  readonly answer: RawResponse;
  readonly length: number;
}

function readResponse(bytes: Buffer, isHead: boolean, isEnd: boolean): Found | null {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return null;
  const [statusLine = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n');
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(`${statusLine} `)?.[1]);
  if (Number.isNaN(status)) throw new Error(`not a status line: ${statusLine.slice(0, 100)}`);
  const headers = readHeaders(lines);
  const from = headEnd + 4;
  const isEmpty = isHead || status < 200 || status === 204 || status === 304;
  if (isEmpty) return { answer: { status, headers, body: Buffer.alloc(0) }, length: from };
  if (headers.get('transfer-encoding') === 'chunked') {
    const chunked = readChunks(bytes, from);
    if (chunked === null) return null;
    return { answer: { status, headers, body: chunked.body }, length: chunked.end };
  }
  const declared = headers.get('content-length');
  if (declared === undefined && !isEnd) return null;
  const length = declared === undefined ? bytes.length - from : Number(declared);
  if (bytes.length < from + length) return null;
  const body = Buffer.from(bytes.subarray(from, from + length));
  return { answer: { status, headers, body }, length: from + length };
}

/** A repeated header, or a line that is no header, is a fault of the service. */
function readHeaders(lines: readonly string[]): ReadonlyMap<string, string> {
  const headers = new Map<string, string>();
  for (const line of lines) {
    const match = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+): ?([\t\x20-\x7e\x80-\xff]*)$/.exec(line);
    if (match === null) throw new Error(`not a header line: ${line.slice(0, 100)}`);
    const name = (match[1] ?? '').toLowerCase();
    if (headers.has(name)) throw new Error(`the header ${name} comes twice`);
    headers.set(name, match[2] ?? '');
  }
  return headers;
}

function readChunks(
  bytes: Buffer,
  from: number,
): { readonly body: Buffer; readonly end: number } | null {
  const chunks: Buffer[] = [];
  for (let at = from; ; ) {
    const lineEnd = bytes.indexOf('\r\n', at);
    if (lineEnd === -1) return null;
    const size = Number.parseInt(bytes.subarray(at, lineEnd).toString('latin1'), 16);
    const next = lineEnd + 2 + size + 2;
    if (bytes.length < next) return null;
    if (size === 0) return { body: Buffer.concat(chunks), end: next };
    chunks.push(Buffer.from(bytes.subarray(lineEnd + 2, lineEnd + 2 + size)));
    at = next;
  }
}

/** An open connection that a test writes to as it likes. */
export interface OpenConnection {
  readonly socket: Socket;
  readonly answers: () => readonly RawResponse[];
  readonly isClosed: () => boolean;
  readonly closed: Promise<void>;
}

export function openConnection(port: number): Promise<OpenConnection> {
  return new Promise((resolve, reject) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const reader = openReader(false);
    let responses: readonly RawResponse[] = [];
    let isClosed = false;
    const closed = new Promise<void>((done) => {
      socket.once('close', () => {
        isClosed = true;
        responses = reader.end();
        done();
      });
    });
    socket.on('data', (chunk) => {
      responses = reader.take(chunk);
    });
    socket.once('error', reject);
    socket.on('error', () => undefined);
    socket.once('connect', () => {
      socket.removeListener('error', reject);
      resolve({ socket, answers: () => responses, isClosed: () => isClosed, closed });
    });
  });
}
