import type { FollowPolled } from '../../live/live.ts';
import type { RunCall } from '../../runs/prepared-runs.ts';

/** What a subscription follows: the result of a run, or something that is read again and again. */
export type Topic<T> =
  | {
      readonly kind: 'run';
      readonly call: RunCall;
      readonly intervalSeconds: number | null;
      /** The id of the content that the subscriber has; null: it has none. */
      readonly lastContentId: string | null;
    }
  | { readonly kind: 'polled'; readonly polled: Omit<FollowPolled<T>, 'representation'> };

/**
 * What the `subscribe` of a field returns. GraphQL wants an iterable, but events are executed once for all who follow the
 * same with the same selection, so the server follows the topic and nobody iterates.
 */
export class LiveTopic<T> implements AsyncIterable<T> {
  readonly topic: Topic<T>;

  constructor(topic: Topic<T>) {
    this.topic = topic;
  }

  [Symbol.asyncIterator](): AsyncIterator<T> {
    throw new Error('a topic is followed and not iterated');
  }
}
