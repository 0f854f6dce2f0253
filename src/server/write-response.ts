/** Answers, onto a socket. */
import { type ServerResponse, STATUS_CODES } from 'node:http';
import {
  isEmptyStatus,
  isStream,
  type OutgoingResponse,
  requestIdHeader,
  toInProcessResponse,
} from '../http/message.ts';
import { lengthOf, type ResponseBody } from '../http/response-body.ts';
import { writeStream } from './write-stream.ts';

/**
 * Writes a whole answer whose headers are kept as text, together with them. Node would put them together and look at
 * each character of them anew each time; so they are handed to it as what it makes of them, in the member where it
 * keeps that. False, and nothing is written, where Node or the answer is not of that kind.
 *
 * @param ending the lines that every answer on a connection that stays ends with.
 */
export function writeKept(
  outgoing: ServerResponse,
  answer: OutgoingResponse,
  ending: string,
): boolean {
  const { status, headText } = answer;
  const response: ResponseHead = outgoing as unknown as ResponseHead;
  if (headText === null || isStream(answer.body) || !takesHead(outgoing, response)) return false;
  const isEmpty = isEmptyStatus(status);
  const body = isEmpty ? '' : answer.body;
  const length = isEmpty ? '' : `content-length: ${lengthOf(body)}\r\n`;
  response._header = `${statusLine(status)}${headText}${requestIdHeader}: ${answer.requestId}\r\n${length}${dateLine()}${ending}`;
  outgoing.statusCode = status;
  if (isEmpty) response._hasBody = false;
  endWith(outgoing, body);
  return true;
}

/** Writes a whole answer by Node's own means. */
export function writeWhole(outgoing: ServerResponse, answer: OutgoingResponse & WholeBody): void {
  const { status, body } = answer;
  writeHead(outgoing, answer, lengthOf(body));
  if (outgoing.req.method === 'HEAD' || isEmptyStatus(status)) outgoing.end();
  else endWith(outgoing, body);
}

interface WholeBody {
  readonly body: ResponseBody;
}

export function isWhole(answer: OutgoingResponse): answer is OutgoingResponse & WholeBody {
  return !isStream(answer.body);
}

/** All pieces, and the head with them, at once. */
function endWith(outgoing: ServerResponse, body: ResponseBody): void {
  if (typeof body === 'string') {
    outgoing.end(body, 'latin1');
    return;
  }
  outgoing.cork();
  for (let at = 0; at < body.length - 1; at += 1) outgoing.write(body[at]);
  outgoing.end(body.at(-1));
}

/** As Node writes it: how long a connection without a request is kept. */
export function keptConnection(keepAliveSeconds: number): string {
  const told =
    keepAliveSeconds > 0 ? `Keep-Alive: timeout=${Math.floor(keepAliveSeconds)}\r\n` : '';
  return `Connection: keep-alive\r\n${told}\r\n`;
}

/** Members of Node's responses. */
interface ResponseHead {
  /** The head as it will be sent; null before there is one. */
  _header: string | null | undefined;
  _hasBody: boolean;
}

/** Of HTTP/1.1, on a connection that stays, and with nothing decided yet. */
function takesHead({ req, shouldKeepAlive }: ServerResponse, { _header }: ResponseHead): boolean {
  return _header === null && shouldKeepAlive && req.httpVersion === '1.1' && req.method !== 'HEAD';
}

const statusLines: string[] = [];

function statusLine(status: number): string {
  statusLines[status] ??= `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n`;
  return statusLines[status];
}

let dateText = '';
let dateSecond = 0;

function dateLine(): string {
  const ms = Date.now();
  const second = Math.floor(ms / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    dateText = `Date: ${new Date(ms).toUTCString()}\r\n`;
  }
  return dateText;
}

/** @param length of the body; null: not known before its end. */
function writeHead(
  outgoing: ServerResponse,
  { status, headers, requestId }: OutgoingResponse,
  length: number | null,
): void {
  const flat = [...headers, requestIdHeader, requestId];
  if (length !== null && !isEmptyStatus(status)) flat.push('content-length', String(length));
  outgoing.writeHead(status, flat);
}

/** Writes all but the end. */
export async function write(
  outgoing: ServerResponse,
  answer: OutgoingResponse,
  call: { readonly isHead: boolean; readonly sendTimeoutMs: number },
): Promise<void> {
  const { status, body } = answer;
  if (isStream(body)) {
    const drained = () => untilMoved(outgoing, 'drain', call.sendTimeoutMs);
    const whole = { ...toInProcessResponse(answer), body };
    return writeStream(outgoing, whole, { isHead: call.isHead, drained });
  }
  writeHead(outgoing, answer, lengthOf(body));
  if (call.isHead || isEmptyStatus(status)) return;
  if (typeof body === 'string') {
    outgoing.write(body, 'latin1');
    return;
  }
  outgoing.cork();
  for (const piece of body) outgoing.write(piece);
  outgoing.uncork();
}

/** Waits while the caller takes its answer; one that takes nothing for that long is disconnected. */
export function untilMoved(
  outgoing: ServerResponse,
  event: 'drain' | 'close',
  sendTimeoutMs: number,
): Promise<void> {
  const { socket } = outgoing;
  if (socket === null || outgoing.destroyed) return Promise.resolve();
  // Node destroys a connection whose time runs out while nobody listens for that.
  socket.setTimeout(sendTimeoutMs);
  return new Promise((resolve) => {
    const done = (): void => {
      outgoing.removeListener(event, done);
      outgoing.removeListener('close', done);
      if (event === 'drain') socket.setTimeout(0);
      resolve();
    };
    outgoing.on(event, done);
    outgoing.on('close', done);
  });
}
