/** Answers, onto a socket. */
import { type ServerResponse, STATUS_CODES } from 'node:http';
import { lengthOf } from '../lib/answer-body.ts';
import {
  type HttpAnswer,
  isEmptyStatus,
  isStream,
  requestIdHeader,
  toInProcessAnswer,
} from './message.ts';
import { writeStream } from './write-stream.ts';

/**
 * Writes a whole answer whose headers are kept as text, together with them. Node would put them together and look at
 * each character of them anew each time; so they are handed to it as what it makes of them, in the member where it
 * keeps that. False, and nothing is written, where Node or the answer is not of that kind.
 *
 * @param ending the lines that every answer on a connection that stays ends with.
 */
export function writeKept(outgoing: ServerResponse, answer: HttpAnswer, ending: string): boolean {
  const { status, headText, body } = answer;
  const isEmpty = isEmptyStatus(status);
  const text = isEmpty ? '' : body;
  const response: ResponseHead = outgoing as unknown as ResponseHead;
  if (headText === null || typeof text !== 'string' || !takesHead(outgoing, response)) return false;
  const length = isEmpty ? '' : `content-length: ${text.length}\r\n`;
  response._header = `${statusLine(status)}${headText}${requestIdHeader}: ${answer.requestId}\r\n${length}${dateLine()}${ending}`;
  outgoing.statusCode = status;
  if (isEmpty) response._hasBody = false;
  outgoing.end(text, 'latin1');
  return true;
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
export function writeHead(
  outgoing: ServerResponse,
  { status, headers, requestId }: HttpAnswer,
  length: number | null,
): void {
  const flat = [...headers, requestIdHeader, requestId];
  if (length !== null && !isEmptyStatus(status)) flat.push('content-length', String(length));
  outgoing.writeHead(status, flat);
}

/** Writes all but the end. */
export async function write(
  outgoing: ServerResponse,
  answer: HttpAnswer,
  call: { readonly isHead: boolean; readonly sendTimeoutMs: number },
): Promise<void> {
  const { status, body } = answer;
  if (isStream(body)) {
    const drained = () => untilMoved(outgoing, 'drain', call.sendTimeoutMs);
    const whole = { ...toInProcessAnswer(answer), body };
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
