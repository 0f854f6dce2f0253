export interface LoggedExecution {
  readonly id: string;
  readonly projectId: number;
}

/** What the engine's log tells of executions that have ended. */
export interface ProcessorTimes {
  /** Microseconds of processor time by the id of the execution; absent: the log has no entry of its end yet. */
  readonly micros: ReadonlyMap<string, number>;
  /** Projects for which the log cannot be read, and why, as a sentence for an operator. */
  readonly problems: ReadonlyMap<number, string>;
}
