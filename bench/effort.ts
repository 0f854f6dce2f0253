export interface Rounds {
  readonly rounds: number;
  /** Of one load in one round. */
  readonly seconds: number;
}

/** How long a case may look. */
export interface Effort {
  of<T extends Rounds>(full: T): T;
}

export const fullEffort: Effort = { of: (full) => full };

/** Whether the case works, not how fast anything is. */
export const quickEffort: Effort = {
  of: (full) => ({ ...full, rounds: 1, seconds: Math.min(full.seconds, 0.1) }),
};
