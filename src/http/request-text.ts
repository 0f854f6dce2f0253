import type { HeaderReader } from './header-reader.ts';

/** The parts of a request that its meaning follows from. */
export interface RequestText {
  readonly method: string;
  /** Not decoded. */
  readonly path: string;
  /** The query string with its question mark; empty when there is none. */
  readonly search: string;
  readonly headers: HeaderReader;
  readonly body: Buffer;
  /** Of a connection on which the same line and the same headers may come again. */
  readonly names?: TextNames | undefined;
}

/** What `make` makes of the request's text, kept for the next that has the same. */
export function nameOf(
  request: RequestText,
  make: (request: RequestText) => string | null,
): string | null {
  return request.names === undefined ? make(request) : request.names.of(request, make);
}

/** Without the larger piece of memory that a body from a socket is cut from. */
function copyOf(body: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(body.length);
  copy.set(body);
  return copy;
}

/** The name that a door gave to the text of the last request with this line and these headers. */
export class TextNames {
  #body: Buffer | null = null;
  #name: string | null = null;

  /** By `make` for another body than the last one. Each line goes to one door, so one name is enough. */
  of(request: RequestText, make: (request: RequestText) => string | null): string | null {
    const { body } = request;
    if (this.#body?.equals(body) === true) return this.#name;
    const name = make(request);
    // A name that is null stands for a text that is too long to be kept, here as well.
    this.#body = name === null ? null : copyOf(body);
    this.#name = name;
    return name;
  }
}
