import { randomUUID } from 'node:crypto';
import { redactKeys } from '../errors/redact-keys.ts';

const ACCEPTED = /^[A-Za-z0-9._-]{1,100}$/;

/** The caller's request id if it is safe to repeat, else a new one. */
export function requestIdOf(header: string | null): string {
  if (header === null || !ACCEPTED.test(header) || redactKeys(header) !== header)
    return randomUUID();
  return header;
}
