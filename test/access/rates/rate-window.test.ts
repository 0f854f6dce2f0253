import { beforeEach, expect, it } from 'vitest';
import { openRateWindow, type RateWindow } from '../../../src/access/rates/rate-window.ts';

let now: number;
let window: RateWindow;

beforeEach(() => {
  now = 0;
  window = openRateWindow({ limit: 2, nowMs: () => now, maxKeys: 3 });
});

it('takes as many as the limit, then names the milliseconds until the window ends', () => {
  expect([window.take('a'), window.take('a')]).toEqual([null, null]);
  now = 400;
  expect(window.take('a')).toBe(59_600);
});

it('takes again when the window is over, which refused calls do not prolong', () => {
  for (const ms of [0, 100, 900, 59_999]) {
    now = ms;
    window.take('a');
  }
  now = 60_000;
  expect(window.take('a')).toBeNull();
});

it('counts each key by itself', () => {
  window.take('a');
  window.take('a');
  expect([window.take('b'), window.take('a')]).toEqual([null, 60_000]);
});

it('adopts a count from elsewhere, for as long as that counts', () => {
  window.set('a', 2, 300);
  expect(window.take('a')).toBe(300);
  now = 300;
  expect(window.take('a')).toBeNull();
});

it('forgets the oldest key beyond the number of keys, and no other', () => {
  for (const key of ['a', 'b', 'c']) {
    window.take(key);
    window.take(key);
    now += 1;
  }
  window.take('d');
  expect(window.take('b')).not.toBeNull();
  expect(window.take('a')).toBeNull();
});
