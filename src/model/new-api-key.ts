import { keyPrefix, redactKeys } from '../errors/redact-keys.ts';

/**
 * A key of random bytes. One in a thousand has no digit, or no capital, and would not be recognised in a text that has it without
 * its prefix: then it is drawn again.
 */
export function newApiKey(draw: () => Buffer): string {
  for (;;) {
    const secret = draw().toString('base64url');
    if (redactKeys(secret) !== secret) return keyPrefix + secret;
  }
}
