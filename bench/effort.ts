export interface Rounds {
  readonly rounds: number;
  /** Of one load in one round. */
  readonly seconds: number;
}

/** How long a case may measure. */
export interface Effort {
  of<T extends Rounds>(full: T): T;
}

export const fullEffort: Effort = { of: (full) => full };

/** Shows whether the case works, not how fast it is. */
export const quickEffort: Effort = {
  of: (full) => ({ ...full, rounds: 1, seconds: Math.min(full.seconds, 0.1) }),
};
