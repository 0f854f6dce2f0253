import { keyPrefix, redactKeys } from '../errors/redact-keys.ts';

/**
 * A random key. Redraws the one in a thousand that has no digit or no capital letter, since redaction would not
 * recognize it in a text without its prefix.
 */
export function newApiKey(draw: () => Buffer): string {
  for (;;) {
    const secret = draw().toString('base64url');
    if (redactKeys(secret) !== secret) return keyPrefix + secret;
  }
}
