import type { FollowPolled } from '../../live/live.ts';
import type { RunCall } from '../../runs/prepared-runs.ts';

/** What a subscription follows: the result of a run, or a polled value. */
export type Topic<T> =
  | {
      readonly kind: 'run';
      readonly call: RunCall;
      readonly intervalSeconds: number | null;
      /** Id of the subscriber's content; null for none. */
      readonly lastContentId: string | null;
    }
  | { readonly kind: 'polled'; readonly polled: Omit<FollowPolled<T>, 'representation'> };

/**
 * The return value of a field's `subscribe`. GraphQL requires an iterable, but each event is executed once for everyone
 * with the same topic and selection, so the server follows the topic and never iterates.
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
