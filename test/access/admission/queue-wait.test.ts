import { describe, expect, it } from 'vitest';
import { openQueueMeter, queueWaitMs } from '../../../src/access/admission/queue-wait.ts';

describe('how long a run may wait', () => {
  const facts = { standingMs: 0, serviceMs: 40, deadlineMs: 10_000 };

  it('is the whole deadline in a burst', () => {
    expect(queueWaitMs({ ...facts, standingMs: 99 }, 0.25)).toBe(10_000);
  });

  it('is a share of what a query takes once the queue has stood for longer than a burst', () => {
    expect(queueWaitMs({ ...facts, standingMs: 100 }, 0.25)).toBe(10);
    expect(queueWaitMs({ ...facts, standingMs: 100, serviceMs: 0 }, 0.25)).toBe(2);
    expect(queueWaitMs({ ...facts, standingMs: 100, deadlineMs: 5 }, 1)).toBe(5);
  });
});

describe('the meter of a queue', () => {
  it('measures since when the queue is not empty', () => {
    const meter = openQueueMeter();
    meter.note(1, 1000);
    meter.note(3, 1050);
    expect(meter.facts(1200).standingMs).toBe(200);
    meter.note(0, 1300);
    expect(meter.facts(1400).standingMs).toBe(0);
  });

  it('follows what queries take, newer ones counting a tenth', () => {
    const meter = openQueueMeter();
    meter.served(100);
    meter.served(200);
    expect(meter.facts(0).serviceMs).toBeCloseTo(110);
  });

  it('counts an overload as standing until more are served than refused', () => {
    const meter = openQueueMeter();
    meter.overloaded(0);
    meter.refused();
    expect(meter.facts(999).standingMs).toBe(Number.POSITIVE_INFINITY);
    expect(meter.facts(1000).standingMs).toBe(Number.POSITIVE_INFINITY);
    meter.served(1);
    expect(meter.facts(2000).standingMs).toBe(0);
  });
});
