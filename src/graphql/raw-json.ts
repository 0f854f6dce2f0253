import { randomBytes } from 'node:crypto';

/** Unguessable, so no text of a response can be taken for it. */
const token = `\u0001${randomBytes(18).toString('base64url')}\u0001`;
const tokenText = JSON.stringify(token);

/** The result bytes of one response, in the order in which its serialiser came upon them. */
export type RawResults = Buffer[];

/**
 * JSON that is already bytes. The serialiser of the response writes a token in its place and the bytes
 * are put there after, so they are neither parsed nor copied into a string.
 */
export class RawJson {
  readonly #bytes: Buffer;
  readonly #results: RawResults;

  constructor(bytes: Buffer, results: RawResults) {
    this.#bytes = bytes;
    this.#results = results;
  }

  toJSON(): string {
    this.#results.push(this.#bytes);
    return token;
  }
}

/**
 * A serialised text in pieces: its own parts and, for each token, the next of the result bytes, which
 * are taken off the list.
 */
export function spliceRawJson(text: string, results: RawResults): readonly Buffer[] {
  const pieces: Buffer[] = [];
  let at = 0;
  for (let next = text.indexOf(tokenText); next !== -1; next = text.indexOf(tokenText, at)) {
    pieces.push(Buffer.from(text.slice(at, next)), results.shift() ?? Buffer.from('null'));
    at = next + tokenText.length;
  }
  pieces.push(Buffer.from(text.slice(at)));
  return pieces;
}
