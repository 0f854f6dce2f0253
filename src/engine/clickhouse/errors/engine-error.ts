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

/** A setting that this user may not change, not to this value, or that the server does not have. */
const SETTING_REFUSED: ReadonlySet<number> = new Set([115, 164, 452]);

export function isSettingRefused(error: unknown): boolean {
  return error instanceof EngineError && SETTING_REFUSED.has(error.code);
}

/** Not allowed, or the user or profile is defined in a file of the server. */
const OWNED_BY_OPERATOR: ReadonlySet<number> = new Set([493, 495, 497, 514]);

export function isOwnedByOperator(error: unknown): error is EngineError {
  return error instanceof EngineError && OWNED_BY_OPERATOR.has(error.code);
}
