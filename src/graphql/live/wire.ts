/** GraphQL over SSE, distinct connections mode. Source: github.com/enisdenjo/graphql-sse, PROTOCOL.md. */
import type { GraphQLError } from 'graphql';
import type { ServiceError } from '../../errors/service-error.ts';
import { type Frame, toEventFrame, toFrame } from '../../http/event-stream.ts';
import type { Rendered } from '../../live/channel.ts';
import type { EventWire } from '../../live/event-subscriber.ts';

export type Mask = (error: unknown) => GraphQLError;

/** Each content is framed once. */
const results = new WeakMap<Rendered, Frame>();

export const completeFrame = toFrame([Buffer.from('event: complete\ndata:\n\n')]);

export function openGraphQLWire(mask: Mask): EventWire {
  const errorFrame = (error: ServiceError): Frame => nextFrame([errorsJson([mask(error)])]);
  return {
    content(rendered) {
      const known = results.get(rendered);
      if (known !== undefined) return known;
      const frame = nextFrame([rendered.data]);
      results.set(rendered, frame);
      return frame;
    },
    failure: errorFrame,
    ending(ending) {
      // Without `complete`, the client reconnects.
      if (ending.kind === 'reconnect') return null;
      if (ending.kind === 'complete') return completeFrame;
      return toFrame([errorFrame(ending.error).plain, completeFrame.plain]);
    },
  };
}

export function nextFrame(data: readonly Buffer[]): Frame {
  return toEventFrame({ event: 'next', data });
}

export function errorsJson(errors: readonly GraphQLError[]): Buffer {
  return Buffer.from(JSON.stringify({ errors }));
}
