import { describe, expect, it } from 'vitest';
import { openSingleFlight } from '../../src/lib/single-flight.ts';

/** Work that the test resolves, and what became of its signal. */
function startedWork() {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  const work = { starts: 0, aborted: false, resolve, reject };
  const start = (signal: AbortSignal) => {
    work.starts += 1;
    signal.addEventListener('abort', () => {
      work.aborted = true;
    });
    return promise;
  };
  return { work, start };
}

describe('a single flight', () => {
  it('gives all callers of a key the result of one piece of work', async () => {
    const flights = openSingleFlight<string>();
    const { work, start } = startedWork();
    const callers = [flights.join('k', start), flights.join('k', start)];
    expect([flights.has('k'), flights.size()]).toEqual([true, 1]);
    work.resolve('done');
    expect(await Promise.all(callers)).toEqual(['done', 'done']);
    expect([work.starts, flights.size()]).toEqual([1, 0]);
  });

  it('gives all callers the failure, and starts anew for the next caller', async () => {
    const flights = openSingleFlight<string>();
    const { work, start } = startedWork();
    const callers = [flights.join('k', start), flights.join('k', start)];
    work.reject(new Error('broken'));
    for (const caller of callers) await expect(caller).rejects.toThrow('broken');
    expect(await flights.join('k', async () => 'second')).toBe('second');
  });

  it('keeps the work for the others when one caller leaves', async () => {
    const flights = openSingleFlight<string>();
    const { work, start } = startedWork();
    const leaving = new AbortController();
    const left = flights.join('k', start, leaving.signal);
    const stays = flights.join('k', start, new AbortController().signal);
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    expect(work.aborted).toBe(false);
    work.resolve('done');
    expect(await stays).toBe('done');
  });

  it('aborts the work when the last caller leaves, and a later caller does not join it', async () => {
    const flights = openSingleFlight<string>();
    const { work, start } = startedWork();
    const leaving = new AbortController();
    const left = flights.join('k', start, leaving.signal);
    leaving.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    expect([work.aborted, flights.has('k')]).toEqual([true, false]);
    expect(await flights.join('k', async () => 'second')).toBe('second');
  });

  it('starts nothing for a caller who has already left', async () => {
    const flights = openSingleFlight<string>();
    const { work, start } = startedWork();
    const signal = AbortSignal.abort(new Error('gone'));
    await expect(flights.join('k', start, signal)).rejects.toThrow('gone');
    expect(work.starts).toBe(0);
  });
});
