/** Writes responses to a socket. */
import { type ServerResponse, STATUS_CODES } from 'node:http';
import { Socket } from 'node:net';
import {
  isEmptyStatus,
  isStream,
  type OutgoingResponse,
  requestIdHeader,
  toInProcessResponse,
} from '../http/message.ts';
import { rateHeaders, rateLines } from '../http/request-facts.ts';
import { lengthOf, type ResponseBody } from '../http/response-body.ts';
import { writeStream } from './write-stream.ts';

/**
 * Writes a response whose headers are prepared as text. Node would join and check headers each time, so the text is set
 * directly as Node's internal `_header`. Returns false, without writing anything, for any other response.
 *
 * @param ending the last header lines of a response on a keep-alive connection.
 */
export function writePrepared(
  outgoing: ServerResponse,
  response: OutgoingResponse,
  ending: string,
): boolean {
  const { status, headerText } = response;
  const internals = outgoing as unknown as ResponseInternals;
  if (headerText === null || isStream(response.body) || !takesHead(outgoing, internals))
    return false;
  const isEmpty = isEmptyStatus(status);
  const body = isEmpty ? '' : response.body;
  const length = isEmpty ? '' : `content-length: ${lengthOf(body)}\r\n`;
  internals._header = `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? 'unknown'}\r\n${headerText}${response.rate === null ? '' : rateLines(response.rate)}${requestIdHeader}: ${response.requestId}\r\n${length}${dateLine()}${ending}`;
  outgoing.statusCode = status;
  if (isEmpty) internals._hasBody = false;
  if (!endTogether(outgoing, internals, body)) endWith(outgoing, body);
  return true;
}

const togetherBytes = 32_768;

/** Buffer for joining a head with its body. */
let together = Buffer.allocUnsafeSlow(togetherBytes);

/**
 * Writes the prepared head and a short body from a buffer reused for each response, since Node would first join both
 * into one string. Returns false, without writing anything, for any other body or connection.
 */
function endTogether(
  outgoing: ServerResponse,
  internals: ResponseInternals,
  body: ResponseBody,
): boolean {
  const { _header: head } = internals;
  if (typeof body !== 'string' || body === '' || typeof head !== 'string') return false;
  if (!(outgoing.socket instanceof Socket) || head.length + body.length > togetherBytes)
    return false;
  const headLength = together.write(head, 0, 'latin1');
  const length = headLength + together.write(body, headLength, 'latin1');
  internals._headerSent = true;
  outgoing.end(together.subarray(0, length));
  // The kernel has not accepted all bytes yet, so the buffer must not be reused.
  if (outgoing.writableLength > 0) together = Buffer.allocUnsafeSlow(togetherBytes);
  return true;
}

/** Writes a complete response with Node's own API. */
export function writeWhole(outgoing: ServerResponse, response: OutgoingResponse & WholeBody): void {
  const { status, body } = response;
  writeHead(outgoing, response, lengthOf(body));
  if (outgoing.req.method === 'HEAD' || isEmptyStatus(status)) outgoing.end();
  else endWith(outgoing, body);
}

interface WholeBody {
  readonly body: ResponseBody;
}

export function isWhole(response: OutgoingResponse): response is OutgoingResponse & WholeBody {
  return !isStream(response.body);
}

/** Writes all pieces together with the head. */
function endWith(outgoing: ServerResponse, body: ResponseBody): void {
  if (typeof body === 'string') {
    outgoing.end(body, 'latin1');
    return;
  }
  outgoing.cork();
  for (let at = 0; at < body.length - 1; at += 1) outgoing.write(body[at]);
  outgoing.end(body.at(-1));
}

/** The keep-alive timeout header, in Node's format. */
export function keepAliveLines(keepAliveSeconds: number): string {
  const timeout =
    keepAliveSeconds > 0 ? `Keep-Alive: timeout=${Math.floor(keepAliveSeconds)}\r\n` : '';
  return `Connection: keep-alive\r\n${timeout}\r\n`;
}

/** Internal members of Node's responses. */
interface ResponseInternals {
  /** The head as it will be sent; null before it is set. */
  _header: string | null | undefined;
  _headerSent: boolean;
  _hasBody: boolean;
}

/** Whether it is HTTP/1.1 keep-alive and nothing is written yet. */
function takesHead(
  { req, shouldKeepAlive }: ServerResponse,
  { _header }: ResponseInternals,
): boolean {
  return _header === null && shouldKeepAlive && req.httpVersion === '1.1' && req.method !== 'HEAD';
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

/** @param length length of the body; null when unknown before its end. */
export function writeHead(
  outgoing: ServerResponse,
  { status, headers, requestId, rate }: OutgoingResponse,
  length: number | null,
): void {
  const limits = rate === null ? [] : rateHeaders(rate);
  const flat = [...headers, ...limits, requestIdHeader, requestId];
  if (length !== null && !isEmptyStatus(status)) flat.push('content-length', String(length));
  outgoing.writeHead(status, flat);
}

/** Writes everything but the end. */
export async function write(
  outgoing: ServerResponse,
  response: OutgoingResponse,
  call: { readonly isHead: boolean; readonly sendTimeoutMs: number },
): Promise<void> {
  const { status, body } = response;
  if (isStream(body)) {
    const drained = () => untilProgress(outgoing, 'drain', call.sendTimeoutMs);
    const whole = { ...toInProcessResponse(response), body };
    return writeStream(outgoing, whole, { isHead: call.isHead, drained });
  }
  writeHead(outgoing, response, lengthOf(body));
  if (call.isHead || isEmptyStatus(status)) return;
  if (typeof body === 'string') {
    outgoing.write(body, 'latin1');
    return;
  }
  outgoing.cork();
  for (const piece of body) outgoing.write(piece);
  outgoing.uncork();
}

/** Waits for the event; disconnects a caller that reads nothing for `sendTimeoutMs`. */
export function untilProgress(
  outgoing: ServerResponse,
  event: 'drain' | 'close',
  sendTimeoutMs: number,
): Promise<void> {
  const { socket } = outgoing;
  if (socket === null || outgoing.destroyed) return Promise.resolve();
  // Without a listener, Node destroys a connection that times out.
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
