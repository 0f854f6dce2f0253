/** The connections that streams are written to: heartbeats, readers that have stopped, and the end of the process. */
import { type Ending, reconnect } from './ending.ts';
import type { HeldBytes } from './held-bytes.ts';

export interface OpenStream {
  /** Writes something that says nothing, unless it is behind. */
  beat(): void;
  end(ending: Ending): void;
  /** Closes the connection at once. */
  destroy(): void;
}

export interface OpenStreams {
  add(stream: OpenStream): OpenStreamEntry;
  /** To be called every second. */
  tick(now: Date): void;
  endAll(): void;
  size(): number;
}

/** Bytes, or as many of them. */
export interface Untaken {
  readonly length: number;
}

export interface OpenStreamEntry {
  /** Its reader has yet to take these bytes, which others may share; null: it takes more again. */
  setBehind(bytes: Untaken | null): void;
  remove(): void;
}

export interface OpenStreamsOptions {
  readonly heartbeatSeconds: number;
  /** A reader that takes nothing for so long is disconnected. */
  readonly sendTimeoutSeconds: number;
  readonly held: Pick<HeldBytes, 'count' | 'isFull'>;
  readonly now: () => Date;
}

interface Behind {
  /** Milliseconds. */
  readonly since: number;
  readonly bytes: Untaken;
}

export function openStreams(options: OpenStreamsOptions): OpenStreams {
  const { heartbeatSeconds, sendTimeoutSeconds, held, now } = options;
  // One slot for each second between heartbeats, so that they are spread over time.
  const slots = Array.from({ length: heartbeatSeconds }, () => new Set<OpenStream>());
  /** The first is behind for longest. */
  const behind = new Map<OpenStream, Behind>();
  const untaken = openUntaken(held);
  let added = 0;
  let ticks = 0;
  let size = 0;

  function fallBehind(stream: OpenStream, bytes: Untaken): void {
    catchUp(stream);
    behind.set(stream, { since: now().getTime(), bytes });
    untaken.add(bytes);
  }

  function catchUp(stream: OpenStream): void {
    const was = behind.get(stream);
    if (was === undefined) return;
    behind.delete(stream);
    untaken.remove(was.bytes);
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
      const since = at.getTime() - sendTimeoutSeconds * 1000;
      for (const [stream, was] of [...behind])
        if (was.since <= since || held.isFull()) {
          catchUp(stream);
          stream.destroy();
        }
    },
    endAll() {
      for (const slot of slots) for (const stream of [...slot]) stream.end(reconnect);
    },
    size: () => size,
  };
}

/** Bytes that readers have yet to take, each counted once however many readers wait for them. */
function openUntaken(held: Pick<HeldBytes, 'count'>) {
  const readers = new Map<Untaken, number>();
  return {
    add(bytes: Untaken): void {
      const count = readers.get(bytes) ?? 0;
      readers.set(bytes, count + 1);
      if (count === 0) held.count(bytes.length);
    },
    remove(bytes: Untaken): void {
      const count = (readers.get(bytes) ?? 1) - 1;
      if (count > 0) readers.set(bytes, count);
      else if (readers.delete(bytes)) held.count(-bytes.length);
    },
  };
}
