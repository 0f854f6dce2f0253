import { describe, expect, it } from 'vitest';
import { ServiceError } from '../../src/errors/service-error.ts';
import { monthsBefore, resolveDate, resolveDateEnd } from '../../src/query/relative-date.ts';

const now = new Date('2026-03-31T12:34:56.789Z');

describe('a date bound', () => {
  it.each([
    ['2026-02-28', '2026-02-28T00:00:00.000Z'],
    ['2024-02-29', '2024-02-29T00:00:00.000Z'],
    ['2026-02-28T12:00', '2026-02-28T12:00:00.000Z'],
    ['2026-02-28 12:00:01', '2026-02-28T12:00:01.000Z'],
    ['2026-02-28T12:00:01.5Z', '2026-02-28T12:00:01.500Z'],
    ['2026-02-28T12:00:00+02:00', '2026-02-28T10:00:00.000Z'],
    ['-0h', '2026-03-31T12:00:00.000Z'],
    ['-13h', '2026-03-30T23:00:00.000Z'],
    ['-0d', '2026-03-31T00:00:00.000Z'],
    ['-7d', '2026-03-24T00:00:00.000Z'],
    ['-2w', '2026-03-17T00:00:00.000Z'],
    ['-1m', '2026-02-28T00:00:00.000Z'],
    ['-13m', '2025-02-28T00:00:00.000Z'],
    ['-2y', '2024-03-31T00:00:00.000Z'],
  ])('%s is %s', (text, instant) => {
    expect(resolveDate(text, now, 'date_from').toISOString()).toBe(instant);
  });

  it.each([
    '',
    'now',
    '7d',
    '-d',
    '-7D',
    '-7.5d',
    '+7d',
    '-99999d',
    '2026-2-8',
    '2026-02-30',
    '2025-02-29',
    '2026-13-01',
    '2026-00-10',
    '2026-02-28T24:61',
    '2026-02-30T12:00:00Z',
    '20260228',
    '2026-02-28T12:00:00 ',
  ])('is never %j', (text) => {
    const refusal = expect(() => resolveDate(text, now, 'date_from'));
    refusal.toThrow(ServiceError);
    refusal.toThrow(expect.objectContaining({ code: 'invalid_input', attr: 'date_from' }));
  });
});

describe('the end of a range', () => {
  it.each([
    ['2026-02-28', '2026-03-01T00:00:00.000Z', false],
    ['2026-02-28T12:00:00Z', '2026-02-28T12:00:00.000Z', true],
    ['-1d', '2026-03-30T00:00:00.000Z', true],
  ])('%s covers up to %s, itself included: %s', (text, instant, isIncluded) => {
    expect(resolveDateEnd(text, now, 'date_to')).toEqual({ at: new Date(instant), isIncluded });
  });
});

describe('months before', () => {
  it.each([
    ['2026-08-31T12:00:00.000Z', 6, '2026-02-28T12:00:00.000Z'],
    ['2024-08-30T12:00:00.000Z', 6, '2024-02-29T12:00:00.000Z'],
    ['2026-03-01T12:00:00.000Z', 6, '2025-09-01T12:00:00.000Z'],
    ['2024-02-29T00:00:00.000Z', 12, '2023-02-28T00:00:00.000Z'],
    ['2026-01-15T00:00:00.000Z', 0, '2026-01-15T00:00:00.000Z'],
  ])('%s, %d months, is %s', (date, months, earlier) => {
    expect(monthsBefore(new Date(date), months).toISOString()).toBe(earlier);
  });
});
