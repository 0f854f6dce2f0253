interface KeyedRequest {
  readonly body: Buffer;
  readonly keySlot?: RequestKeySlot;
}

/** The key that `make` derives from a request's text, computed once for requests that repeat on a connection. */
export function requestKey<R extends KeyedRequest>(
  request: R,
  make: (request: R) => string | null,
): string | null {
  return request.keySlot === undefined ? make(request) : request.keySlot.keyOf(request, make);
}

/** The last key among requests that share one head. */
export class RequestKeySlot {
  #body: Buffer | null = null;
  #key: string | null = null;

  /**
   * The key that `make` derives, recomputed when the body differs from the last one. One slot is enough, since a path
   * has one kind of key.
   */
  keyOf<R extends KeyedRequest>(request: R, make: (request: R) => string | null): string | null {
    const { body } = request;
    if (this.#body?.equals(body) === true) return this.#key;
    const key = make(request);
    // Null for a text that is too long to store.
    this.#body = key === null ? null : copyOf(body);
    this.#key = key;
    return key;
  }
}

/** Copies, so as not to retain the larger socket buffer that contains the body. */
function copyOf(body: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(body.length);
  copy.set(body);
  return copy;
}
