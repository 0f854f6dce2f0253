/** A reader of server-sent events, for tests that watch single bytes; released clients are in test/clients. */
import { eventually } from './eventually.ts';

export interface SeenEvent {
  readonly event: string;
  readonly id: string | null;
  readonly data: unknown;
}

export interface EventReader {
  readonly status: number;
  readonly headers: Headers;
  /** All so far, in order. */
  readonly events: readonly SeenEvent[];
  /** Everything that was received, comments included. */
  text(): string;
  isOver(): boolean;
  /** Waits until so many events have come, and returns them. */
  until(count: number): Promise<readonly SeenEvent[]>;
  ended(): Promise<void>;
  close(): void;
}

/** Throws when the response is no stream of events. @param onEvent is told of each as it comes. */
export async function readEvents(
  ask: (signal: AbortSignal) => Promise<Response>,
  onEvent: (event: SeenEvent) => void = () => undefined,
): Promise<EventReader> {
  const leaving = new AbortController();
  const response = await ask(leaving.signal);
  const { status, headers, body } = response;
  if (body === null || headers.get('content-type')?.startsWith('text/event-stream') !== true)
    throw new Error(`${status} ${await response.text()}`);
  const events: SeenEvent[] = [];
  const all: string[] = [];
  /** What came since the last whole event. */
  let rest: string[] = [];
  let isOver = false;
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const take = (piece: string): void => {
    all.push(piece);
    rest.push(piece);
    if (!piece.includes('\n')) return;
    const blocks = rest.join('').split('\n\n');
    rest = [blocks.pop() ?? ''];
    for (const block of blocks) {
      const seen = parseEvent(block);
      if (seen === null) continue;
      events.push(seen);
      onEvent(seen);
    }
  };
  const done = (async () => {
    try {
      for (let next = await reader.read(); !next.done; next = await reader.read()) {
        take(decoder.decode(next.value, { stream: true }));
      }
    } catch {
      // The connection is gone, as the test asked for or looks for.
    }
    isOver = true;
  })();
  return {
    status,
    headers,
    events,
    text: () => all.join(''),
    isOver: () => isOver,
    async until(count) {
      await eventually(`${count} events came`, () => {
        if (isOver && events.length < count)
          throw new Error(`it ended after ${JSON.stringify(events)}`);
        return events.length >= count;
      });
      return [...events];
    },
    async ended() {
      await done;
    },
    close() {
      leaving.abort();
      void reader.cancel().catch(() => undefined);
    },
  };
}

function parseEvent(block: string): SeenEvent | null {
  const fields = new Map<string, string>();
  for (const line of block.split('\n')) {
    const [, name = '', value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? [];
    if (name !== '') fields.set(name, value);
  }
  const data = fields.get('data');
  if (data === undefined) return null;
  return {
    event: fields.get('event') ?? 'message',
    id: fields.get('id') ?? null,
    data: JSON.parse(data) as unknown,
  };
}
