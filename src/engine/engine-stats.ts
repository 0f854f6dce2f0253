/** What queries have read so far, or in total. */
export interface EngineStats {
  readonly rowsRead: number;
  readonly bytesRead: number;
  /** Total rows that the engine expects to read; 0 when it does not report it. */
  readonly rowsTotal: number;
  /** Seconds, measured by the engine. */
  readonly timeElapsed: number;
  readonly memoryBytes: number;
}

/** A request to the service. */
export interface RequestOfProject {
  readonly projectId: number;
  /** Its `x-request-id`. */
  readonly requestId: string;
}
