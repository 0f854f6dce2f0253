import { expect, it } from 'vitest';
import { nearestName } from '../../src/lib/nearest-name.ts';

it.each([
  ['sale', ['airports', 'sales'], 'sales'],
  ['slaes', ['sales', 'rules'], 'sales'],
  ['SALES', ['sales'], 'sales'],
  ['flighst', ['flights', 'lights'], 'flights'],
  ['a', ['b', 'abc'], 'b'],
  ['something', ['sales'], null],
  ['', ['sales'], null],
  ['x'.repeat(201), ['x'.repeat(201)], null],
  ['sales', [], null],
])('the nearest to %s of %j is %s', (name, candidates, nearest) => {
  expect(nearestName(name, candidates)).toBe(nearest);
});
