import type { Log } from '../../lib/log.ts';

/** Keeps a claim alive while its sync works. */
export interface ClaimLease {
  /** Aborted when the claim is lost: what is being built is nobody's then. */
  readonly lost: AbortSignal;
  /** Looks at once, because something was changed. */
  check(): Promise<void>;
  stop(): void;
}

/**
 * @param renew false when the claim is lost.
 * @param everyMs well below the lease, so that one missed turn loses nothing.
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
