import type { Log } from '../../lib/log.ts';

/** Renews a claim while its sync runs. */
export interface ClaimLease {
  /** Aborted when the claim is lost: the table under construction can no longer be published. */
  readonly lost: AbortSignal;
  /** Renews immediately, because the materialization may have changed. */
  check(): Promise<void>;
  stop(): void;
}

/**
 * @param options.renew resolves to false if the claim is lost.
 * @param options.everyMs well below the lease, so that one failed renewal does not lose the claim.
 */
export function openClaimLease(options: {
  readonly renew: () => Promise<boolean>;
  readonly everyMs: number;
  readonly log: Log;
}): ClaimLease {
  const lost = new AbortController();
  async function check(): Promise<void> {
    try {
      if (!(await options.renew())) lost.abort(new Error('the claim of the sync is lost'));
    } catch (error) {
      options.log.warn({ err: error }, 'a claim could not be renewed yet');
    }
  }
  const timer = setInterval(() => void check(), options.everyMs);
  timer.unref();
  return { lost: lost.signal, check, stop: () => clearInterval(timer) };
}
