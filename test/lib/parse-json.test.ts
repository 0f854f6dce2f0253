import { describe, expect, it } from 'vitest';
import { maxJsonDepth, parseJson, toWholeNumber } from '../../src/lib/parse-json.ts';
import { stableJson } from '../../src/lib/stable-json.ts';

describe('parseJson', () => {
  it.each([
    ['9007199254740991', 9_007_199_254_740_991],
    ['9007199254740993', 9_007_199_254_740_993n],
    ['-18446744073709551615', -18_446_744_073_709_551_615n],
    ['1234567890123456.5', 1_234_567_890_123_456.5],
    ['1e20', 1e20],
    ['"9007199254740993"', '9007199254740993'],
  ])('reads %s without losing a digit', (text, value) => {
    expect(parseJson(text)).toBe(value);
    expect(parseJson(`{"a":[${text}]}`)).toEqual({ a: [value] });
  });

  it('accepts the deepest nesting and refuses one level more', () => {
    const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);
    expect(parseJson(nested(maxJsonDepth))).toBeInstanceOf(Array);
    expect(() => parseJson(nested(maxJsonDepth + 1))).toThrow(SyntaxError);
    expect(() => parseJson('{"a":'.repeat(100_000))).toThrow(SyntaxError);
  });

  it('does not count brackets within strings as nesting', () => {
    const text = `${'['.repeat(500)}\\"{`;
    expect(parseJson(`["${text}"]`)).toEqual([`${'['.repeat(500)}"{`]);
  });
});

describe('toWholeNumber', () => {
  it('is exact up to a thousand digits, and a double past them', () => {
    expect(toWholeNumber('42')).toBe(42);
    expect(toWholeNumber('9'.repeat(1000))).toBe(10n ** 1000n - 1n);
    expect(toWholeNumber('9'.repeat(1001))).toBe(Number.POSITIVE_INFINITY);
  });
});

describe('stableJson', () => {
  it('gives equal text for objects whose members come in another order', () => {
    const one = { b: 1, a: { d: [{ y: 1, x: 2 }], c: null } };
    const other = { a: { c: null, d: [{ x: 2, y: 1 }] }, b: 1 };
    expect(stableJson(one)).toBe(stableJson(other));
    expect(JSON.parse(stableJson(one))).toEqual(one);
  });

  it('gives different text for lists whose items come in another order', () => {
    expect(stableJson([1, 2])).not.toBe(stableJson([2, 1]));
  });
});
