/** Shows the progress of a job. */
export interface Progress {
  /** @param done progress, in the unit of the total. */
  readonly update: (done: number) => void;
  /** Leaves the last state on the screen. Safe to call more than once. */
  readonly end: () => void;
}

/** @param total the final value of `update`. */
export type StartProgress = (title: string, total: number) => Progress;
