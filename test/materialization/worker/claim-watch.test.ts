import { expect, it } from 'vitest';
import { openClaimWatch } from '../../../src/materialization/worker/claim-watch.ts';
import { testClock } from '../../support/clock.ts';

const silentMs = 9000;
const claim = (syncId: string, until: number) => ({ syncId, until: new Date(until) });

function open() {
  const clock = testClock();
  return { clock, watch: openClaimWatch({ clock, silentMs }) };
}

it('a claim that was not renewed for long enough is abandoned, a renewed one is not', () => {
  const { clock, watch } = open();
  expect(watch.see([claim('dead', 1), claim('alive', 1)])).toEqual([]);
  clock.advance(silentMs - 1);
  expect(watch.see([claim('dead', 1), claim('alive', 2)])).toEqual([]);
  clock.advance(1);
  expect(watch.see([claim('dead', 1), claim('alive', 2)])).toEqual(['dead']);
});

it('what the clock of the other process says has no part in it', () => {
  const { clock, watch } = open();
  const hourAhead = clock.now().getTime() + 3_600_000;
  const hourBehind = clock.now().getTime() - 3_600_000;
  expect(watch.see([claim('ahead', hourAhead), claim('behind', hourBehind)])).toEqual([]);
  clock.advance(silentMs);
  expect(watch.see([claim('ahead', hourAhead), claim('behind', hourBehind + 1)])).toEqual([
    'ahead',
  ]);
});

it('after a time in which claims could not be read, each has as long again', () => {
  const { clock, watch } = open();
  watch.see([claim('one', 1)]);
  clock.advance(silentMs);
  watch.forget();
  expect(watch.see([claim('one', 1)])).toEqual([]);
  clock.advance(silentMs);
  expect(watch.see([claim('one', 1)])).toEqual(['one']);
});

it('a clock that is set back does not postpone it', () => {
  const { clock, watch } = open();
  watch.see([claim('one', 1)]);
  clock.advance(-3_600_000);
  watch.see([claim('one', 1)]);
  clock.advance(silentMs);
  expect(watch.see([claim('one', 1)])).toEqual(['one']);
});
