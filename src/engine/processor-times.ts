export interface LoggedExecution {
  readonly id: string;
  readonly projectId: number;
}

/** Processor times of ended executions, from the engine's log. */
export interface ProcessorTimes {
  /** Microseconds of processor time by execution id; absent while the log has no entry of its end. */
  readonly micros: ReadonlyMap<string, number>;
  /** Projects whose log cannot be read, with the reason as a sentence for an operator. */
  readonly problems: ReadonlyMap<number, string>;
}
