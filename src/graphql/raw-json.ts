import { randomBytes } from 'node:crypto';

/** Random, so that no text in a response can be mistaken for it. */
const token = `\u0001${randomBytes(18).toString('base64url')}\u0001`;
const tokenText = JSON.stringify(token);

/** The result bytes of one response, in serialization order. */
export type RawResults = (readonly Buffer[])[];

/**
 * JSON that is already bytes. It is serialized as a token, which the bytes replace afterwards, so they are neither
 * parsed nor copied into a string.
 */
export class RawJson {
  readonly #pieces: readonly Buffer[];
  readonly #results: RawResults;

  /** @param pieces together one JSON value. */
  constructor(pieces: readonly Buffer[], results: RawResults) {
    this.#pieces = pieces;
    this.#results = results;
  }

  toJSON(): string {
    this.#results.push(this.#pieces);
    return token;
  }
}

/** Splits a serialized text at its tokens and inserts the result bytes. Empties the list. */
export function spliceRawJson(text: string, results: RawResults): readonly Buffer[] {
  const pieces: Buffer[] = [];
  let at = 0;
  for (let next = text.indexOf(tokenText); next !== -1; next = text.indexOf(tokenText, at)) {
    pieces.push(Buffer.from(text.slice(at, next)), ...(results.shift() ?? [Buffer.from('null')]));
    at = next + tokenText.length;
  }
  pieces.push(Buffer.from(text.slice(at)));
  return pieces;
}
