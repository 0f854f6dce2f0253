/** Rechecks the keys of open streams: when one changes, when changes may have been missed, and periodically. */
import { authenticate } from '../access/authenticate.ts';
import { type Principal, requireProject, requireScope } from '../access/principal.ts';
import { isOutage, ServiceError } from '../errors/service-error.ts';
import { stableJson } from '../lib/stable-json.ts';
import type { RunDeps } from '../runs/deps.ts';
import { type Ending, reconnect } from './ending.ts';

interface WatchedStream {
  readonly projectId: number;
  end(ending: Ending): void;
}

/** One key that streams were opened with. */
interface KeyWatch {
  /** As of the last check. */
  readonly principal: () => Principal;
  /** Ends the stream when the key no longer allows it. The returned function unregisters it. */
  add(stream: WatchedStream): () => void;
  /** Checks the key now, for changes since the principal was read. */
  check(): Promise<void>;
}

export interface KeyWatches {
  /** @param authorization the accepted header. */
  watch(authorization: string, principal: Principal): KeyWatch;
  /** @param keyId absent for all keys. */
  recheck(keyId?: string): void;
  /** Ends the streams of expired keys. */
  tick(now: Date): void;
}

/** Interval at which every key is reloaded, in case a change notification was lost. */
const recheckMs = 30_000;

interface Watch extends KeyWatch {
  readonly authorization: string;
  readonly streams: Set<WatchedStream>;
  current: Principal;
}

export function openKeyWatches(deps: RunDeps): KeyWatches {
  const watches = new Map<string, Watch>();
  let checkedAt = deps.clock.now().getTime();

  function open(authorization: string, principal: Principal): Watch {
    const streams = new Set<WatchedStream>();
    const watch: Watch = {
      authorization,
      streams,
      current: principal,
      principal: () => watch.current,
      check: () => check(deps, watch),
      add(stream) {
        streams.add(stream);
        watches.set(authorization, watch);
        return () => {
          streams.delete(stream);
          if (streams.size === 0) watches.delete(authorization);
        };
      },
    };
    return watch;
  }

  function recheck(keyId?: string): void {
    for (const watch of watches.values())
      if (keyId === undefined || watch.current.keyId === keyId) void check(deps, watch);
  }

  return {
    watch: (authorization, principal) =>
      watches.get(authorization) ?? open(authorization, principal),
    recheck,
    tick(now) {
      const ms = now.getTime();
      for (const watch of watches.values()) {
        const { expiresAt = null } = watch.current;
        if (expiresAt !== null && expiresAt <= now) void check(deps, watch);
      }
      if (ms - checkedAt < recheckMs && ms >= checkedAt) return;
      checkedAt = ms;
      recheck();
    },
  };
}

/** Never rejects. */
async function check(deps: RunDeps, watch: Watch): Promise<void> {
  const { authorization, current: before } = watch;
  try {
    watch.current = await authenticate(deps, authorization, { via: before.via });
  } catch (error) {
    const ending = endingOf(error, before, deps.clock.now());
    if (ending !== null) return endAll(watch, ending);
    deps.log.warn({ err: error }, 'the key of open streams could not be checked');
    return;
  }
  const { current } = watch;
  if (stableJson(current.limits) !== stableJson(before.limits)) return endAll(watch, reconnect);
  for (const stream of [...watch.streams]) {
    const refusal = refusalOf(current, stream.projectId);
    if (refusal !== null) stream.end({ kind: 'error', error: refusal });
  }
}

/** While keys cannot be read, their streams continue until they expire: the next check decides. */
function endingOf(error: unknown, { expiresAt = null }: Principal, now: Date): Ending | null {
  if (error instanceof ServiceError && !isOutage(error)) return { kind: 'error', error };
  if (expiresAt === null || expiresAt > now) return null;
  const expired = new ServiceError('authentication_failed', 'The API key has expired.');
  return { kind: 'error', error: expired };
}

function endAll({ streams }: Watch, ending: Ending): void {
  for (const stream of [...streams]) stream.end(ending);
}

function refusalOf(principal: Principal, projectId: number): ServiceError | null {
  try {
    requireScope(principal, 'endpoint:read');
    requireProject(principal, String(projectId));
    return null;
  } catch (error) {
    if (error instanceof ServiceError) return error;
    throw error;
  }
}
