import { ServiceError } from '../errors/service-error.ts';
import type { MaybePromise } from '../lib/maybe-promise.ts';
import type { RunResponse } from '../runs/run-response.ts';

/** The runs of one request. */
export interface RequestRuns {
  /** Begins another run. Throws `too_many_runs` when the request has no runs left. */
  begin(run: () => MaybePromise<RunResponse>): MaybePromise<RunResponse>;
  /** Counts a run that begins now. Throws in the same way. */
  take(): void;
}

/** @param maxRuns of all fields of the request together. */
export function openRequestRuns(maxRuns: number): RequestRuns {
  let left = maxRuns;
  function take(): void {
    left -= 1;
    if (left >= 0) return;
    throw new ServiceError(
      'too_many_runs',
      `One request may run ${maxRuns} endpoints; each alias and each row of a list counts. Ask for the others in another request.`,
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

/** The runs of a request whose only run has been started already. */
export function startedRun(run: MaybePromise<RunResponse>): RequestRuns {
  return { begin: () => run, take: () => undefined };
}
