import { randomUUID } from 'node:crypto';
import { hideKeys } from '../errors/redact-keys.ts';

const ACCEPTED = /^[A-Za-z0-9._-]{1,100}$/;

/** The caller's own id of the request where it is harmless to repeat, else a new one. */
export function requestIdOf(header: string | null): string {
  if (header === null || !ACCEPTED.test(header) || hideKeys(header) !== header) return newId();
  return header;
}

const lastDigits = Array.from({ length: 256 }, (_, at) => at.toString(16).padStart(2, '0'));
let firstDigits = '';
let given = lastDigits.length;

/** Unique, which is all that an id of a request has to be: 256 of them share a random beginning. */
function newId(): string {
  if (given === lastDigits.length) {
    firstDigits = randomUUID().slice(0, -2);
    given = 0;
  }
  given += 1;
  return firstDigits + lastDigits[given - 1];
}
