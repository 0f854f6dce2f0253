interface KeyedRequest {
  readonly body: Buffer;
  readonly keySlot?: RequestKeySlot;
}

/** The key that `make` makes of a request's text; made once for those that repeat it on a connection. */
export function requestKey<R extends KeyedRequest>(
  request: R,
  make: (request: R) => string | null,
): string | null {
  return request.keySlot === undefined ? make(request) : request.keySlot.keyOf(request, make);
}

/** Of the requests that share one head: the key that was made for the last one. */
export class RequestKeySlot {
  #body: Buffer | null = null;
  #key: string | null = null;

  /** The key that `make` makes, made anew for another body than the last. One path has one kind of key, so one is enough. */
  keyOf<R extends KeyedRequest>(request: R, make: (request: R) => string | null): string | null {
    const { body } = request;
    if (this.#body?.equals(body) === true) return this.#key;
    const key = make(request);
    // Null stands for a text that is too long to be stored, here as well.
    this.#body = key === null ? null : copyOf(body);
    this.#key = key;
    return key;
  }
}

/** Without the larger piece of memory that a body from a socket is cut from. */
function copyOf(body: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(body.length);
  copy.set(body);
  return copy;
}
