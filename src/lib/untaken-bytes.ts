import type { Duplex } from 'node:stream';

/**
 * Bytes of the current write that the operating system has not taken yet, so that the number changes only as the peer
 * reads. Node has no public property for it; its own timeouts use the same one.
 */
export function untakenBytes(connection: Duplex): number {
  return (connection as WithHandle)._handle?.writeQueueSize ?? 0;
}

/** Internal members of Node's sockets. */
interface WithHandle {
  readonly _handle?: { readonly writeQueueSize?: number } | null;
}
