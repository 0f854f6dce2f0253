import { describe, expect, it } from 'vitest';
import { didYouMean, nearestName } from '../../src/lib/nearest-name.ts';

describe('nearestName', () => {
  it.each([
    ['flihgts', ['airports', 'flights'], 'flights'],
    ['Flights', ['flights'], 'flights'],
    ['limt', ['limit', 'offset'], 'limit'],
    ['airport_delay', ['airport', 'airport_delays'], 'airport_delays'],
    ['a', ['b', 'abc'], 'b'],
    ['ab', ['cd', 'abc'], 'abc'],
    ['sales', ['customers', 'airports'], null],
    ['', ['abcd'], null],
    ['x'.repeat(1000), ['x'.repeat(999)], null],
  ])('of %j among %j is %j', (given, accepted, nearest) => {
    expect(nearestName(given, accepted)).toBe(nearest);
  });

  it('is asked about, or nothing is', () => {
    expect(didYouMean('limt', ['limit'])).toBe(' Did you mean "limit"?');
    expect(didYouMean('limt', [])).toBe('');
  });
});
