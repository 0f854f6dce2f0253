/** What the engine returned instead of a result: its error code and its own message, which is not fit for a caller. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  /** ClickHouse's number; 0 when the response had none. */
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}
