import { describe, expect, it } from 'vitest';
import { isJsonType, isUnencoded } from '../../src/http/json-body.ts';

/** Node accepts it in a header, and `\\s` matches it. */
const space = '\u00a0';

describe('isJsonType', () => {
  it.each([
    'application/json',
    'Application/JSON; charset=utf-8',
    'application/json;charset = "UTF-8"',
    'application/json; charset=utf8',
    'application/json; version=1; charset=utf-8',
    'application/json; profile="a=b"',
  ])('accepts %s', (header) => {
    expect(isJsonType(header)).toBe(true);
  });

  it.each([
    null,
    '',
    'text/plain',
    'application/json; charset=latin1',
    'application/json; charset=utf-8; charset=latin1',
    'application/json; charset="utf-8',
    'application/json; charset=',
    `application/json; charset=${space.repeat(60_000)}"x`,
  ])('refuses %s', (header) => {
    expect(isJsonType(header)).toBe(false);
  });
});

describe('isUnencoded', () => {
  it.each([null, '', ' ', 'identity', ' Identity '])('accepts %j', (header) => {
    expect(isUnencoded(header)).toBe(true);
  });

  it.each(['gzip', 'identity, gzip', `${space.repeat(60_000)}x`])('refuses %s', (header) => {
    expect(isUnencoded(header)).toBe(false);
  });
});
