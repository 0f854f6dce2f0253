import { ServiceError } from '../errors/service-error.ts';

/** How many runs one request may still begin, whichever fields ask for them. */
export interface RunAllowance {
  /** Throws `too_many_runs` when there are none left. */
  take(): void;
}

export function openRunAllowance(runs: number): RunAllowance {
  let left = runs;
  return {
    take() {
      left -= 1;
      if (left >= 0) return;
      throw new ServiceError(
        'too_many_runs',
        `One request may run ${runs} endpoints; each alias and each row of a list counts. Ask for the others in another request.`,
      );
    },
  };
}
