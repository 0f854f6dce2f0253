/** The body of an answer that the engine writes while its query runs. */
import type { IncomingMessage } from 'node:http';
import { ServiceError } from '../../../errors/service-error.ts';
import { EngineError } from '../errors/engine-error.ts';
import { unavailable } from '../http/http-client.ts';

/** The engine writes at most 16 KiB of words about a failure, and a frame around them. */
const HELD_BYTES = 17_408;

/**
 * Passes the body on. When the query fails in the middle, the engine writes why behind the rows and closes the
 * connection; so the end is held back until it is known to be rows, and the words of a failure are thrown
 * instead of passed on. Leaving the iteration closes the connection.
 *
 * @throws EngineError for what the engine says, ServiceError `engine_unavailable` when it says nothing, and what
 * the message was destroyed with.
 */
export async function* readBody(incoming: IncomingMessage): AsyncGenerator<Buffer, void> {
  const tag = incoming.headers['x-clickhouse-exception-tag'];
  const held: Buffer[] = [];
  let size = 0;
  try {
    for await (const chunk of incoming as AsyncIterable<Buffer>) {
      held.push(chunk);
      size += chunk.length;
      for (let first = held[0]; first !== undefined && size - first.length >= HELD_BYTES; ) {
        size -= first.length;
        held.shift();
        yield first;
        first = held[0];
      }
    }
  } catch (error) {
    if (error instanceof ServiceError) throw error;
    held.push(...unread(incoming));
    throw failureIn(Buffer.concat(held), tag) ?? unavailable(`the answer broke off: ${error}`);
  }
  const failure = failureIn(Buffer.concat(held), tag);
  if (failure !== null) throw failure;
  if (!incoming.complete) throw unavailable('the answer broke off');
  yield* held;
}

/** What had arrived when the connection closed: an iteration stops without it, and the engine's words are its end. */
function unread(incoming: IncomingMessage): readonly Buffer[] {
  const rest: Buffer[] = [];
  for (let part = incoming.read(); part !== null; part = incoming.read()) rest.push(part as Buffer);
  return rest;
}

/** What the engine wrote behind the rows about a failure; null when it wrote nothing. */
function failureIn(tail: Buffer, tag: string | string[] | undefined): EngineError | null {
  const words = tail.toString('utf8');
  const message =
    typeof tag === 'string'
      ? taggedMessage(words, tag)
      : // Older engines have no tag, and write their words alone.
        /Code: \d+\. DB::Exception: (?:(?!Code: \d+\. DB::Exception: )[\s\S])*\(version [^()]*(?:\([^()]*\))?\)\s*$/.exec(
          words,
        )?.[0];
  if (message === undefined) return null;
  return new EngineError(Number(/Code: (\d+)\./.exec(message)?.[1] ?? 0), message);
}

function taggedMessage(words: string, tag: string): string | undefined {
  const start = words.lastIndexOf(`__exception__\r\n${tag}\r\n`);
  if (start === -1) return undefined;
  const from = words.indexOf(tag, start) + tag.length;
  return words
    .slice(from)
    .replace(/\n\d+ \w+\r\n__exception__\s*$/, '')
    .trim();
}
