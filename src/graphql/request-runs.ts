import { ServiceError } from '../errors/service-error.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import type { RunResponse } from '../runs/run-response.ts';

/** The runs of one request. */
export interface RequestRuns {
  /** Starts another run. Throws `too_many_runs` when the request has none left. */
  begin(run: () => MaybePromise<RunResponse>): MaybePromise<RunResponse>;
  /** Counts a run that starts now. Throws in the same way. */
  take(): void;
}

/** @param maxRuns limit for all fields of the request together. */
export function openRequestRuns(maxRuns: number): RequestRuns {
  let left = maxRuns;
  function take(): void {
    left -= 1;
    if (left >= 0) return;
    throw new ServiceError(
      'too_many_runs',
      `One request may run at most ${maxRuns} endpoints; each alias and each row of a list counts. Run the others in another request.`,
    );
  }
  return {
    begin(run) {
      take();
      return run();
    },
    take,
  };
}

/** The runs of a request whose only run has already been started. */
export function startedRun(run: MaybePromise<RunResponse>): RequestRuns {
  return { begin: () => run, take: () => undefined };
}
