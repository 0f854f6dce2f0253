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

/** The key of the last request among those that share one head. */
export class RequestKeySlot {
  #body: Buffer | null = null;
  #key: string | null = null;

  /**
   * The key that `make` derives, computed again when the body differs from the last. One slot is enough, as one path
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

/** Copies, so as not to retain the socket's larger buffer that the body is a slice of. */
function copyOf(body: Buffer): Buffer {
  const copy = Buffer.allocUnsafeSlow(body.length);
  copy.set(body);
  return copy;
}
