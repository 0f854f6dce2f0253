/** What the engine itself answered instead of a result: its code and its own words, not fit for a caller. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  /** ClickHouse's number; 0 when the answer had none. */
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
