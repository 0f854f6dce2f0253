import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { cpuSecondsOf, isRunning, markOf, nameOf, ownMark } from '../../src/lib/process-facts.ts';
import { eventually } from '../support/eventually.ts';

/** Of a process that has ended. */
const endedPid = () => spawnSync(process.execPath, ['-e', '']).pid;

describe.skipIf(process.platform !== 'linux')('what the system reports of a process', () => {
  it('is the processor time that it has used', async () => {
    const before = cpuSecondsOf(process.pid) ?? Number.NaN;
    await eventually('it has worked', () => {
      for (let n = 0; n < 10_000_000; n += 1) Math.sqrt(n);
      return (cpuSecondsOf(process.pid) ?? 0) > before;
    });
  });

  it('is its program', () => {
    expect(nameOf(process.pid)).not.toBe('');
  });

  it('is nothing when it is gone', () => {
    const pid = endedPid();
    expect([cpuSecondsOf(pid), cpuSecondsOf(null), nameOf(pid)]).toEqual([null, null, null]);
  });
});

describe('the mark of a process', () => {
  it('names a running process, and not a later one of the same id', () => {
    expect(isRunning(ownMark())).toBe(true);
    const began = ownMark().began?.replace(/\d+$/, '1') ?? null;
    expect(isRunning({ ...ownMark(), began })).toBe(began === null);
  });

  it('names no running process once it has ended', () => {
    expect(isRunning(markOf(endedPid(), 'node'))).toBe(false);
  });
});
