import type { EventBody, Frame } from '../http/event-stream.ts';

/** Maximum unread bytes before the reader counts as slow, like a socket's buffer. */
const maxWaitingBytes = 65_536;

/** An in-process response stream. */
export function openEventPipe(events: EventBody): ReadableStream<Uint8Array> {
  const onClose: (() => void)[] = [];
  const onDrain: (() => void)[] = [];
  let isOpen = true;
  let isFull = false;
  const close = (): void => {
    if (!isOpen) return;
    isOpen = false;
    for (const listener of onClose) listener();
  };
  return new ReadableStream<Uint8Array>(
    {
      start(controller) {
        events.open({
          write({ plain }: Frame) {
            if (!isOpen) return false;
            controller.enqueue(new Uint8Array(plain));
            isFull = (controller.desiredSize ?? 0) <= 0;
            return !isFull;
          },
          onDrain: (listener) => onDrain.push(listener),
          progress: () => controller.desiredSize ?? 0,
          onClose: (listener) => onClose.push(listener),
          end() {
            if (isOpen) controller.close();
            close();
          },
          destroy() {
            if (isOpen) controller.error(new Error('the stream was closed'));
            close();
          },
        });
      },
      pull() {
        if (!isFull) return;
        isFull = false;
        for (const listener of onDrain) listener();
      },
      cancel: close,
    },
    { highWaterMark: maxWaitingBytes, size: (bytes) => bytes.byteLength },
  );
}
