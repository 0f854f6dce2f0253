/** The events of a result stream. */
import { type ServiceError, toErrorBody } from '../errors/service-error.ts';
import { type Frame, toEventFrame, toFrame } from '../http/event-stream.ts';
import type { Rendered } from '../live/channel.ts';
import type { EventWire } from '../live/event-subscriber.ts';

/** Each content is framed once, and so are its changes. */
const results = new WeakMap<Rendered, Frame>();
const changes = new WeakMap<Rendered, Frame>();

/** @param spreadSeconds subscribers reconnect at random times within this period when the process stops. */
export function openRunWire(spreadSeconds: number): EventWire {
  return {
    content: (rendered, has) =>
      rendered.changes !== null && rendered.changes.since === has
        ? changesFrame(rendered, rendered.changes.data)
        : resultFrame(rendered),
    failure: errorFrame,
    ending: (ending) =>
      ending.kind === 'error' ? errorFrame(ending.error) : reconnectFrame(spreadSeconds),
  };
}

function resultFrame(rendered: Rendered): Frame {
  const known = results.get(rendered);
  if (known !== undefined) return known;
  const frame = toEventFrame({ event: 'result', id: rendered.tag, data: [rendered.data] });
  results.set(rendered, frame);
  return frame;
}

function changesFrame(rendered: Rendered, data: Buffer): Frame {
  const known = changes.get(rendered);
  if (known !== undefined) return known;
  const frame = toEventFrame({ event: 'changes', id: rendered.tag, data: [data] });
  changes.set(rendered, frame);
  return frame;
}

/** Its id is empty: a client that reconnects after it shows an error, so it needs the result again, even if unchanged. */
function errorFrame(error: ServiceError): Frame {
  const data = [Buffer.from(JSON.stringify(toErrorBody(error)))];
  return toEventFrame({ event: 'error', id: '', data });
}

/** The reconnect delay is random, so that clients do not all come at once. */
function reconnectFrame(spreadSeconds: number): Frame {
  const retryMs = 100 + Math.round(Math.random() * spreadSeconds * 1000);
  return toFrame([Buffer.from(`retry: ${retryMs}\nevent: reconnect\ndata: {}\n\n`)]);
}
