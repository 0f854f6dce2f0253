export interface LoggedExecution {
  readonly id: string;
  readonly projectId: number;
}

/** The work of one ended execution. */
export interface ExecutionWork {
  /** Microseconds of processor time, of all nodes. */
  readonly processorMicros: number;
  readonly rowsRead: number;
  readonly bytesRead: number;
}

/** The work of ended executions, from the engine's log. */
export interface LoggedWork {
  /** By execution id; absent while the log has no entry of its end. */
  readonly works: ReadonlyMap<string, ExecutionWork>;
  /** Projects whose log cannot be read, with the reason as a sentence for an operator. */
  readonly problems: ReadonlyMap<number, string>;
}
