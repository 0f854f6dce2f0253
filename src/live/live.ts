/** Live results: subscribers receive a result whenever it changes. */
import type { EventBody } from '../http/event-stream.ts';
import type { MetricRegistry } from '../metrics/registry.ts';
import type { RunDeps } from '../runs/deps.ts';
import type { ChangeFeed } from '../store/change-feed.ts';
import type { Membership, Subscriber } from './channel.ts';
import { EventSubscriber, type EventWire } from './event-subscriber.ts';
import { type Follow, type FollowCaller, type FollowDeps, followSource } from './follow.ts';
import { type FollowRun, runToFollow } from './follow-run.ts';
import { openHeldBytes } from './held-bytes.ts';
import { type KeyWatches, openKeyWatches } from './key-watches.ts';
import { type OpenStream, type OpenStreamEntry, openStreams } from './open-streams.ts';
import { openPolled, type Polled, type PolledContent } from './polled.ts';
import { openRefreshQueue } from './refresh-queue.ts';
import type { Representation } from './sources.ts';
import { openSources } from './sources.ts';
import { openStreamLimits, type StreamLimits } from './stream-limits.ts';

export interface Live {
  /** Subscribes to a run's result. Throws as a run does, and as `followSource` and `runToFollow` do. */
  followRun(run: FollowRun, caller: FollowCaller, subscriber: Subscriber): Promise<Membership>;
  /** Subscribes to something that has to be polled. Throws as `read` and `followSource` do. */
  followPolled<T>(
    polled: FollowPolled<T>,
    caller: FollowCaller,
    subscriber: Subscriber,
  ): Promise<Membership>;
  /** An event stream for a subscription. Throws as `follow` does. */
  openEvents(
    wire: EventWire,
    follow: (subscriber: Subscriber) => Promise<Membership>,
  ): Promise<LiveStream>;
  /** Registers a connection that is written to by other means. */
  readonly addStream: (stream: OpenStream) => OpenStreamEntry;
  readonly keys: KeyWatches;
  readonly limits: StreamLimits;
  readonly isStopping: () => boolean;
  /** Does what is due: heartbeats, intervals, expired keys. Called every second once started. */
  tick(): void;
  start(): void;
  /** Requests every subscriber to reconnect and refuses new ones. */
  stop(): void;
}

export interface FollowPolled<T> extends Polled<T> {
  /** Unique among all polled sources. */
  readonly key: string;
  readonly representation: Representation<PolledContent<T>>;
}

interface LiveStream {
  readonly body: EventBody;
  /** How it ended: `ok`, or the code of the error that ended it. */
  readonly outcome: Promise<string>;
}

export function openLive(core: RunDeps, registry: MetricRegistry, feed: ChangeFeed): Live {
  const { config, clock, nowMs } = core;
  let isStopping = false;
  let timer: NodeJS.Timeout | null = null;
  const held = openHeldBytes(config);
  const sources = openSources(core.metrics, held);
  const limits = openStreamLimits(config);
  const keys = openKeyWatches(core);
  const streams = openStreams({ ...config, held, nowMs });
  const queue = openRefreshQueue(Math.ceil(config.maxConcurrentQueries / 2));
  const deps: FollowDeps = { sources, limits, keys, isStopping: () => isStopping };
  const stopListening = followChanges(feed, deps);
  registry.gauge('querydock_live_streams', 'Open streams of results.', () => limits.size());
  registry.gauge('querydock_live_results', 'Different results that streams follow.', () =>
    sources.size(),
  );
  registry.gauge('querydock_live_bytes', 'Bytes that followed results hold.', () => held.size());
  const tick = (): void => {
    const ms = nowMs();
    streams.tick(ms);
    sources.tick(ms);
    keys.tick(clock.now());
  };
  return {
    async followRun(run, caller, subscriber) {
      const { principal } = caller;
      const follow = runToFollow(core, { queue, held }, { principal, run });
      return followSource(deps, follow, { caller, subscriber });
    },
    async followPolled<T>(polled: FollowPolled<T>, caller: FollowCaller, subscriber: Subscriber) {
      const { projectId, representation, key } = polled;
      const follow: Follow<PolledContent<T>> = {
        projectId,
        representation,
        intervalSeconds: null,
        key: `polled ${key}`,
        open: (onClose) => openPolled(nowMs, polled, onClose),
      };
      return followSource(deps, follow, { caller, subscriber });
    },
    async openEvents(wire, follow) {
      const outcome = Promise.withResolvers<string>();
      const register = streams.add;
      const subscriber = new EventSubscriber({ wire, register, onEnd: outcome.resolve });
      subscriber.membership = await follow(subscriber);
      return { body: subscriber, outcome: outcome.promise };
    },
    addStream: streams.add,
    keys,
    limits,
    isStopping: deps.isStopping,
    tick,
    start() {
      timer = setInterval(tick, 1000);
    },
    stop() {
      isStopping = true;
      if (timer !== null) clearInterval(timer);
      stopListening();
      streams.endAll();
    },
  };
}

/**
 * Maps changes in any process to the affected results (of an endpoint or a project) or keys; after a gap everything may
 * have changed. Call it after the lookups follow the feed, since refreshes read them.
 */
function followChanges(feed: ChangeFeed, { sources, keys }: FollowDeps): () => void {
  const stopChanges = feed.onChange((change) => {
    if (change.kind === 'key') keys.recheck(change.id);
    if (change.kind === 'project') sources.refresh(change.id);
    if (change.kind === 'endpoint') sources.refresh(change.projectId, change.name);
  });
  const stopGaps = feed.onGap(() => {
    if (!feed.isConnected()) return;
    keys.recheck();
    sources.refreshAll();
  });
  return () => {
    stopChanges();
    stopGaps();
  };
}
