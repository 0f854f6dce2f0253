import { describe, expect, it } from 'vitest';
import { formatSeconds } from '../../src/console/ui/format.ts';

describe('a duration', () => {
  it.each([
    [0.0004, '< 1 ms'],
    [0.25, '250 ms'],
    [0.9996, '1.0 s'],
    [9.94, '9.9 s'],
    [9.96, '10 s'],
    [59.4, '59 s'],
    [59.7, '1 min 0 s'],
    [119.9, '2 min 0 s'],
    [125, '2 min 5 s'],
    [3599.7, '1 h 0 min'],
    [7199, '2 h 0 min'],
    [5400, '1 h 30 min'],
  ])('of %d s is %s', (seconds, text) => {
    expect(formatSeconds(seconds)).toBe(text);
  });
});
