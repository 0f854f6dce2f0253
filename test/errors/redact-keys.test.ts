import { describe, expect, it } from 'vitest';
import { containsKey, redactKeys } from '../../src/errors/redact-keys.ts';

const secret = 'aB3dEfGhIjKlMnOpQrStUvWxYz0123456789-_aB3dE';
const key = `qdk_${secret}`;

describe('a key in a text', () => {
  it.each([
    ['as it is', key, 'qdk_…'],
    ['within a sentence', `the key ${key}, twice ${key}`, 'the key qdk_…, twice qdk_…'],
    ['with its prefix in capitals', `QDK_${secret}`, 'qdk_…'],
    ['without its last characters', key.slice(0, 40), 'qdk_…'],
    ['without its prefix', `x=${secret}`, 'x=…'],
  ])('is hidden %s', (_how, text, hidden) => {
    expect(redactKeys(text)).toBe(hidden);
  });

  it.each([
    ['a prefix alone', 'qdk_short'],
    ['a hash in hexadecimal', 'a3'.repeat(32)],
    ['a sentence', 'Version 3 not found for endpoint sales_by_day'],
  ])('is not seen in %s', (_what, text) => {
    expect(redactKeys(text)).toBe(text);
    expect(containsKey(text)).toBe(false);
  });
});
