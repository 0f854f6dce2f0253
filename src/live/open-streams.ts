/** The connections that streams write to: heartbeats, stalled readers, and shutdown. */
import { type Ending, reconnect } from './ending.ts';
import type { HeldBytes } from './held-bytes.ts';

export interface OpenStream {
  /** Writes a heartbeat, unless it is slow. */
  beat(): void;
  /** Changes when the reader takes some of what it is behind with. */
  progress(): number;
  end(ending: Ending): void;
  /** Closes the connection at once. */
  destroy(): void;
}

export interface OpenStreams {
  add(stream: OpenStream): OpenStreamEntry;
  /** Call it every second. */
  tick(nowMs: number): void;
  endAll(): void;
  size(): number;
}

/** Pending bytes, or their number. */
interface PendingBytes {
  readonly length: number;
}

export interface OpenStreamEntry {
  /**
   * Records that the reader has not read these bytes, which others may share; null when it accepts data again. Its
   * timeout continues until then, and begins again with each progress.
   */
  setBehind(bytes: PendingBytes | null): void;
  remove(): void;
}

export interface OpenStreamsOptions {
  readonly heartbeatSeconds: number;
  /** A reader that reads nothing for this long is disconnected. */
  readonly sendTimeoutSeconds: number;
  readonly held: Pick<HeldBytes, 'count' | 'isFull'>;
  /** A monotonic clock in milliseconds. */
  readonly nowMs: () => number;
}

interface Behind {
  /** When it fell behind or was last seen to have progressed, by the monotonic clock. */
  readonly since: number;
  readonly progress: number;
  readonly bytes: PendingBytes;
}

export function openStreams(options: OpenStreamsOptions): OpenStreams {
  const { heartbeatSeconds, sendTimeoutSeconds, held, nowMs } = options;
  // One slot per second between heartbeats, which spreads them over time.
  const slots = Array.from({ length: heartbeatSeconds }, () => new Set<OpenStream>());
  const behind = new Map<OpenStream, Behind>();
  const pending = openPendingBytes(held);
  let added = 0;
  let ticks = 0;
  let size = 0;

  function fallBehind(stream: OpenStream, bytes: PendingBytes): void {
    const { since, progress } = behind.get(stream) ?? {
      since: nowMs(),
      progress: stream.progress(),
    };
    catchUp(stream);
    behind.set(stream, { since, progress, bytes });
    pending.add(bytes);
  }

  function catchUp(stream: OpenStream): void {
    const was = behind.get(stream);
    if (was === undefined) return;
    behind.delete(stream);
    pending.remove(was.bytes);
  }

  function disconnect(stream: OpenStream): void {
    catchUp(stream);
    stream.destroy();
  }

  function disconnectStalled(at: number): void {
    const before = at - sendTimeoutSeconds * 1000;
    for (const [stream, was] of [...behind]) {
      const progress = stream.progress();
      if (progress !== was.progress) behind.set(stream, { ...was, since: at, progress });
      else if (was.since <= before) disconnect(stream);
    }
  }

  /** Those that hold the most first. */
  function makeRoom(): void {
    if (!held.isFull()) return;
    const holding = [...behind].filter(([, { bytes }]) => bytes.length > 0);
    for (const [stream] of holding.sort(([, a], [, b]) => b.bytes.length - a.bytes.length))
      if (held.isFull()) disconnect(stream);
  }

  return {
    add(stream) {
      const slot = slots[added % slots.length];
      added += 1;
      size += 1;
      slot?.add(stream);
      return {
        setBehind(bytes) {
          if (bytes === null) catchUp(stream);
          else fallBehind(stream, bytes);
        },
        remove() {
          catchUp(stream);
          if (slot?.delete(stream) === true) size -= 1;
        },
      };
    },
    tick(at) {
      ticks += 1;
      for (const stream of slots[ticks % slots.length] ?? []) stream.beat();
      disconnectStalled(at);
      makeRoom();
    },
    endAll() {
      for (const slot of slots) for (const stream of [...slot]) stream.end(reconnect);
    },
    size: () => size,
  };
}

/** Pending bytes, each counted once however many readers wait for them. */
function openPendingBytes(held: Pick<HeldBytes, 'count'>) {
  const readers = new Map<PendingBytes, number>();
  return {
    add(bytes: PendingBytes): void {
      const count = readers.get(bytes) ?? 0;
      readers.set(bytes, count + 1);
      if (count === 0) held.count(bytes.length);
    },
    remove(bytes: PendingBytes): void {
      const count = (readers.get(bytes) ?? 1) - 1;
      if (count > 0) readers.set(bytes, count);
      else if (readers.delete(bytes)) held.count(-bytes.length);
    },
  };
}
