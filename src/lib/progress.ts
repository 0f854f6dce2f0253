/** Shows the progress of a piece of work. */
export interface Progress {
  /** @param done out of the total, in its unit. */
  readonly update: (done: number) => void;
  /** Leaves the last state on the screen. Safe to call more than once. */
  readonly end: () => void;
}

/** @param total what `update` counts up to. */
export type StartProgress = (title: string, total: number) => Progress;
