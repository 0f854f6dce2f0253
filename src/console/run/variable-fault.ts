import { ApiError } from '../api/client.ts';

/** A value that the service refused. */
export interface VariableFault {
  /** Name of the variable. */
  readonly name: string;
  readonly message: string;
}

/** Null when the error is not about the value of one variable. */
export function variableFault(error: unknown): VariableFault | null {
  const attr = error instanceof ApiError ? error.attr : null;
  if (attr === null || !attr.startsWith('variables.')) return null;
  const name = attr.slice('variables.'.length);
  return { name, message: (error as ApiError).message.replaceAll(attr, name) };
}
