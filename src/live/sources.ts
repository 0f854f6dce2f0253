/** The sources followed in this process, each with its representations. */
import type { ServiceError } from '../errors/service-error.ts';
import type { ServiceMetrics } from '../metrics/service-metrics.ts';
import { type Channel, openChannel, type RenderContent } from './channel.ts';
import type { HeldBytes } from './held-bytes.ts';
import type { Content, Source } from './source.ts';

export interface Sources {
  /**
   * The source, and the channel of one of its representations. Opens them if necessary; they stay open if joined
   * synchronously.
   */
  find<C extends Content>(wanted: Wanted<C>): Found<C>;
  refresh(projectId: number, name?: string): void;
  refreshAll(): void;
  tick(nowMs: number): void;
  size(): number;
}

export interface Wanted<C extends Content> {
  /** Unique per source and content. */
  readonly key: string;
  /** @param onClose called when the last subscriber has left, or the source has ended. */
  readonly open: (onClose: () => void) => Source<C>;
  readonly representation: Representation<C>;
}

export interface Representation<C extends Content> {
  /** Unique among the source's representations. */
  readonly name: string;
  readonly open: () => RenderContent<C>;
  /** Translates a failure to the terms of the representation's subscribers; absent to leave it unchanged. */
  readonly toFailure?: (error: ServiceError) => ServiceError;
}

interface Found<C extends Content> {
  readonly source: Source<C>;
  readonly channel: Channel;
}

interface Entry {
  readonly source: Source<Content>;
  readonly channels: Map<string, Channel>;
}

export function openSources(metrics: ServiceMetrics, held: HeldBytes): Sources {
  const entries = new Map<string, Entry>();

  function entryOf<C extends Content>({ key, open }: Wanted<C>): Entry {
    const found = entries.get(key);
    if (found !== undefined) return found;
    const entry: Entry = {
      source: open(() => {
        if (entries.get(key) === entry) entries.delete(key);
      }) as unknown as Source<Content>,
      channels: new Map(),
    };
    entries.set(key, entry);
    return entry;
  }

  function openChannelOf<C extends Content>(
    channels: Map<string, Channel>,
    source: Source<C>,
    { name, open, toFailure = (error) => error }: Representation<C>,
  ): Channel {
    const channel: Channel = openChannel({
      source,
      render: open(),
      toFailure,
      holding: held.open(source.projectId),
      onSend: (count) => metrics.liveEvents.add({}, count),
      onSkip: (count) => metrics.liveSkipped.add({}, count),
      onEmpty() {
        if (channels.get(name) === channel) channels.delete(name);
      },
    });
    channels.set(name, channel);
    return channel;
  }

  return {
    find<C extends Content>(wanted: Wanted<C>) {
      const { source: any, channels } = entryOf(wanted);
      // The key determines the type of the content.
      const source = any as unknown as Source<C>;
      const { representation } = wanted;
      const channel =
        channels.get(representation.name) ?? openChannelOf(channels, source, representation);
      return { source, channel };
    },
    refresh(projectId, name) {
      for (const { source } of entries.values()) {
        if (source.projectId !== projectId) continue;
        if (name === undefined || source.name === name) source.refresh();
      }
    },
    refreshAll() {
      for (const { source } of entries.values()) source.refresh();
    },
    tick(nowMs) {
      for (const { source } of entries.values()) source.tick(nowMs);
    },
    size: () => entries.size,
  };
}
