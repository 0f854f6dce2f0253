/** Reads the body of a response that the engine writes while its query runs. */
import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../../errors/service-error.ts';
import { EngineError } from '../errors/engine-error.ts';
import { unavailable } from '../errors/failures.ts';

/** An error message of the engine has at most 16 KiB, plus its frame. */
const TAIL_BYTES = 17_408;

/**
 * Passes the body on, always 17 KiB behind the engine: when a query fails midway, the engine appends its error message
 * to the rows, and that must not be passed on as rows. Leaving the iteration closes the connection.
 *
 * @throws EngineError with the engine's message, ServiceError `engine_unavailable` when the connection closes without
 * one, and any error that the response was destroyed with.
 */
export async function* readBody(incoming: IncomingMessage): AsyncGenerator<Buffer, void> {
  const tag = incoming.headers['x-clickhouse-exception-tag'];
  const tail: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      tail.push(chunk);
      size += chunk.length;
      for (let first = tail[0]; first !== undefined && size - first.length >= TAIL_BYTES; ) {
        size -= first.length;
        tail.shift();
        yield first;
        first = tail[0];
      }
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    tail.push(...unread(incoming));
    throw (
      failureIn(Buffer.concat(tail), tag) ??
      unavailable(`the response was interrupted: ${String(error)}`)
    );
  }
  const failed = failureIn(Buffer.concat(tail), tag);
  if (failed !== null) throw failed;
  if (!incoming.complete) throw unavailable('the response was interrupted');
  yield* tail;
}

/**
 * Data that had arrived when the connection closed; the iteration ends without it, and it contains the error message.
 */
function unread(incoming: IncomingMessage): readonly Buffer[] {
  const rest: Buffer[] = [];
  for (let part = incoming.read(); part !== null; part = incoming.read()) rest.push(part as Buffer);
  return rest;
}

/** Engines without the exception tag write the bare message. */
const UNTAGGED =
  /Code: \d+\. DB::Exception: (?:(?!Code: \d+\. DB::Exception: )[\s\S])*\(version [^()]*(?:\([^()]*\))?\)\s*$/;

/** The error message that the engine appended to the rows; null when there is none. */
function failureIn(tail: Buffer, tag: string | string[] | undefined): EngineError | null {
  const text = tail.toString('utf8');
  const message = typeof tag === 'string' ? taggedMessage(text, tag) : UNTAGGED.exec(text)?.[0];
  if (message === undefined) return null;
  return new EngineError(Number(/Code: (\d+)\./.exec(message)?.[1] ?? 0), message);
}

function taggedMessage(text: string, tag: string): string | undefined {
  const start = text.lastIndexOf(`__exception__\r\n${tag}\r\n`);
  if (start === -1) return undefined;
  const from = text.indexOf(tag, start) + tag.length;
  return text
    .slice(from)
    .replace(/\n\d+ \w+\r\n__exception__\s*$/, '')
    .trim();
}
