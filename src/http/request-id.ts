import { randomUUID } from 'node:crypto';
import { redactKeys } from '../errors/redact-keys.ts';

const ACCEPTED = /^[A-Za-z0-9._-]{1,100}$/;

/** The caller's request id if it is safe to repeat, else a new one. */
export function requestIdOf(header: string | null): string {
  if (header === null || !ACCEPTED.test(header) || redactKeys(header) !== header) return nextId();
  return header;
}

const randomLength = 28;
const most = 0x7fff_ffff;

let random = '';
let last = most;

/** A UUID whose last eight digits are a counter, which takes a third of the time of a random one. */
function nextId(): string {
  if (last === most) {
    random = randomUUID().slice(0, randomLength);
    last = 0;
  }
  last += 1;
  return random + last.toString(16).padStart(8, '0');
}
