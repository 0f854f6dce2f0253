/** Which readers are disconnected: those that do not read, and those that hold the most when memory is short. */
import { describe, expect, it } from 'vitest';
import { openHeldBytes } from '../../src/live/held-bytes.ts';
import { openStreams } from '../../src/live/open-streams.ts';
import { testClock } from '../support/clock.ts';

function openTestStreams() {
  const clock = testClock();
  const held = openHeldBytes({ maxLiveBytes: 100, maxLiveBytesPerProject: 100 });
  const options = { heartbeatSeconds: 10, sendTimeoutSeconds: 30, held, nowMs: clock.monotonicMs };
  const streams = openStreams(options);
  const destroyed: string[] = [];
  const add = (name: string, progress = () => 0) =>
    streams.add({ beat() {}, progress, end() {}, destroy: () => destroyed.push(name) });
  const pass = (seconds: number) => {
    clock.advance(seconds * 1000);
    streams.tick(clock.monotonicMs());
  };
  return { add, pass, held, destroyed, clock };
}

describe('a reader that does not read', () => {
  it('is disconnected after the timeout although more is sent to it', () => {
    const { add, pass, held, destroyed } = openTestStreams();
    const silent = add('silent');
    const slow = add('slow');
    silent.setBehind({ length: 10 });
    slow.setBehind({ length: 10 });
    pass(20);
    silent.setBehind({ length: 20 });
    slow.setBehind(null);
    slow.setBehind({ length: 5 });
    pass(9);
    expect(destroyed).toEqual([]);
    pass(1);
    expect(destroyed).toEqual(['silent']);
    expect(held.size()).toBe(5);
  });

  it('is disconnected only when it has taken nothing for that long, however long all of it takes', () => {
    const { add, pass, destroyed } = openTestStreams();
    let taken = 0;
    add('slow', () => taken).setBehind({ length: 10 });
    add('silent').setBehind({ length: 10 });
    for (let at = 0; at < 10; at += 1) {
      taken += 1;
      pass(20);
    }
    expect(destroyed).toEqual(['silent']);
    pass(29);
    expect(destroyed).toEqual(['silent']);
    pass(1);
    expect(destroyed).toEqual(['silent', 'slow']);
  });

  it('is disconnected after the same time when the clock is set back', () => {
    const { add, pass, destroyed, clock } = openTestStreams();
    add('silent').setBehind({ length: 10 });
    clock.advance(-3_600_000);
    pass(29);
    expect(destroyed).toEqual([]);
    pass(1);
    expect(destroyed).toEqual(['silent']);
  });
});

describe('when memory is short', () => {
  it('the reader that holds the most is disconnected first, and no more than needed', () => {
    const { add, pass, held, destroyed } = openTestStreams();
    add('first').setBehind({ length: 10 });
    add('largest').setBehind({ length: 90 });
    add('last').setBehind({ length: 20 });
    pass(1);
    expect(destroyed).toEqual(['largest']);
    expect(held.size()).toBe(30);
  });

  it('readers that hold nothing stay', () => {
    const { add, pass, held, destroyed } = openTestStreams();
    add('empty').setBehind({ length: 0 });
    held.count(101);
    pass(1);
    expect(destroyed).toEqual([]);
  });
});
