/** An error response from the engine: its error code and raw message, which must not reach a caller. */
export class EngineError extends Error {
  override readonly name = 'EngineError';
  /** ClickHouse's error number; 0 when the response had none. */
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

/** The user may not change this setting, or not to this value, or the server lacks it. */
const SETTING_REFUSED: ReadonlySet<number> = new Set([115, 164, 452]);

export function isSettingRefused(error: unknown): boolean {
  return error instanceof EngineError && SETTING_REFUSED.has(error.code);
}

const UNKNOWN_TABLE = 60;

export function isUnknownTable(error: unknown): boolean {
  return error instanceof EngineError && error.code === UNKNOWN_TABLE;
}

const TABLE_ALREADY_EXISTS = 57;

export function isTableTaken(error: unknown): boolean {
  return error instanceof EngineError && error.code === TABLE_ALREADY_EXISTS;
}

const ACCESS_DENIED = 497;

/** The user lacks a right. */
export function isDenied(error: unknown): error is EngineError {
  return error instanceof EngineError && error.code === ACCESS_DENIED;
}

/** Access denied, or the user or profile is defined in a file of the server. */
const OWNED_BY_OPERATOR: ReadonlySet<number> = new Set([493, 495, ACCESS_DENIED, 514]);

export function isOwnedByOperator(error: unknown): error is EngineError {
  return error instanceof EngineError && OWNED_BY_OPERATOR.has(error.code);
}
