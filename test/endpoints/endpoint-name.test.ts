import { describe, expect, it } from 'vitest';
import { requireEndpointName } from '../../src/endpoints/endpoint-name.ts';
import { parseVersionNumber } from '../../src/endpoints/version-number.ts';

describe('the name of an endpoint', () => {
  it.each(['a', 'Sales_by-day2', 'x'.repeat(128), 'constructor'])('may be %s', (name) => {
    expect(requireEndpointName(name)).toBe(name);
  });

  it.each([
    '',
    '1a',
    '_a',
    'a b',
    'ä',
    'a/b',
    '..',
    'x'.repeat(129),
    'a\n',
    `qdk_${'A'.repeat(43)}`,
  ])('may not be %j', (name) => {
    expect(() => requireEndpointName(name)).toThrow(
      expect.objectContaining({ code: 'invalid_input', attr: 'name' }),
    );
  });

  it('may not be that of a path beside endpoints', () => {
    expect(() => requireEndpointName('last_execution_times')).toThrow(/reserved/);
  });
});

describe('the number of a version', () => {
  it('is null for the current version, and any whole number for another', () => {
    expect([undefined, null, 0, 7].map(parseVersionNumber)).toEqual([null, null, 0, 7]);
  });

  it.each([1.5, Number.NaN, 2 ** 60])('may not be %d', (value) => {
    expect(() => parseVersionNumber(value)).toThrow(
      expect.objectContaining({ code: 'invalid_input', attr: 'version' }),
    );
  });
});
