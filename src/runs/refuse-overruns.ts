import { setTimeout as delay } from 'node:timers/promises';
import { endpointKey } from '../cache/lookups.ts';
import type { OriginVersion } from '../engine/execution-origin.ts';
import type { RunDeps } from './deps.ts';

/** Records refused versions. Until then, only this process refuses the version. */
export interface RefusalRecorder {
  stop(): Promise<void>;
}

const longestWaitMs = 30_000;

/** Makes all processes refuse a version that overran its time limit and could not be stopped, even after a restart. */
export function refuseOverruns(deps: RunDeps): RefusalRecorder {
  const stopping = new AbortController();
  const pending = new Set<Promise<void>>();
  const unfollow = deps.engine.onOverrun(({ projectId, origin }) => {
    const version = origin?.version ?? null;
    if (version === null) return;
    const work = refuse(deps, { projectId, version }, stopping.signal).finally(() =>
      pending.delete(work),
    );
    pending.add(work);
  });
  return {
    async stop() {
      unfollow();
      stopping.abort();
      await Promise.all(pending);
    },
  };
}

/** Retries until it is recorded. */
async function refuse(
  deps: RunDeps,
  { projectId, version }: { readonly projectId: number; readonly version: OriginVersion },
  signal: AbortSignal,
): Promise<void> {
  for (let waitMs = 500; ; waitMs = Math.min(2 * waitMs, longestWaitMs)) {
    try {
      await deps.endpoints.refuseVersion(version.id);
      break;
    } catch (error) {
      deps.log.warn({ err: error, projectId }, 'a refused version could not be recorded yet');
      if (signal.aborted) return;
      await delay(waitMs, undefined, { signal }).catch(() => undefined);
    }
  }
  deps.lookups.endpoints.invalidate(endpointKey(projectId, version.endpointName));
  deps.lookups.versions.clear();
}
