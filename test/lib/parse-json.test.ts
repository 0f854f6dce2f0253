import { describe, expect, it } from 'vitest';
import {
  InexactNumberError,
  maxJsonDepth,
  parseJson,
  toWholeNumber,
} from '../../src/lib/parse-json.ts';
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

  it.each([
    ['0.1', 0.1],
    ['0.30000000000000004', 0.1 + 0.2],
    ['0.10000000000000001', 0.1],
    ['-12345678.123456780', -12_345_678.12345678],
    ['0.1000000000000000055511151231257827021181583404541015625', 0.1],
    ['1.7976931348623157e308', Number.MAX_VALUE],
    ['5e-324', 5e-324],
    ['4.9406564584124654e-324', 5e-324],
    ['1.00000000000000000000', 1],
  ])('accepts %s, whose digits a double keeps', (text, value) => {
    expect(parseJson(`[${text}]`)).toEqual([value]);
  });

  it.each([
    '1.000000000000000001',
    '-0.10000000000000000555',
    '99999999999999.995',
    '9007199254740990.6',
    '90071992547409.935',
    '1.00000000000000001',
    '123456789012345678e3',
  ])('refuses %s, which would lose digits', (text) => {
    expect(() => parseJson(`{"a": [${text}]}`)).toThrow(InexactNumberError);
  });

  it('accepts what JSON.stringify writes', () => {
    let state = 1;
    const random = () => {
      state = (Math.imul(state, 1_103_515_245) + 12_345) & 0x7fff_ffff;
      return state / 0x7fff_ffff;
    };
    const numbers = [
      ...['1735689600123456.2', '1735689600123.4062', '609539099388438.2'].map(Number),
      ...Array.from({ length: 200 }, (_none, at) => 2 ** (100 - at)),
      ...Array.from({ length: 5000 }, (_none, at) => random() * 10 ** ((at % 40) - 20)),
    ];
    for (const number of numbers) expect(Number(parseJson(JSON.stringify(number)))).toBe(number);
  });

  it.each(['0e-9999', '-0.0e-999', '0e0', '0.00000000000000000000'])(
    'accepts %s, which is zero',
    (text) => {
      expect(parseJson(`[1234567890123456, ${text}]`)).toEqual([
        1234567890123456,
        expect.closeTo(0, 300),
      ]);
    },
  );

  it('keeps digits wherever a number may be, and leaves texts and names alone', () => {
    const big = '123456789012345678901234567890';
    const text = String.raw`{"${big}": "${big}", "__proto__": [${big}, {"a\\": -${big}}], "\"${big}": ${big}, "b": "\\"}`;
    const value = parseJson(text) as Record<string, unknown>;
    expect(Object.entries(value)).toEqual([
      [big, big],
      ['__proto__', [BigInt(big), { 'a\\': -BigInt(big) }]],
      [`"${big}`, BigInt(big)],
      ['b', '\\'],
    ]);
    expect(parseJson(big)).toBe(BigInt(big));
  });

  it.each([
    '[01234567890123456789]',
    '[12345678901234567890x]',
    '["a"12345678901234567890]',
    '[12345678901234567890 12345678901234567890]',
    '{12345678901234567890: 1}',
    '[--12345678901234567890]',
    '["12345678901234567890]',
    '[1.12345678901234567890.5]',
    '12345678901234567890,',
  ])('refuses %s, which is not JSON', (text) => {
    expect(() => parseJson(text)).toThrow(SyntaxError);
  });

  it('takes time in proportion to the numbers of a text, whatever they are', () => {
    for (const number of ['0e-9999', '0.0e-999', '1', '1.2345678901234e-300']) {
      const many = Array.from({ length: 50_000 }, () => number).join();
      expect(parseJson(`[12345678901234567890,${many}]`)).toHaveLength(50_001);
    }
  });

  it('takes linear time for a long number', () => {
    const long = `0.1${'0'.repeat(300_000)}1`;
    expect(() => parseJson(`[${long}]`)).toThrow(InexactNumberError);
    expect(() => parseJson(`[1e-400]`)).not.toThrow();
    expect(() => parseJson(`[0.00000000000000000e-400, 1e-400]`)).toThrow(InexactNumberError);
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
