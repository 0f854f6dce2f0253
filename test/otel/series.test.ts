/** The periods of series that come and go, as the collector's totals need them. */
import { expect, it } from 'vitest';
import { openMetricRegistry } from '../../src/metrics/registry.ts';
import { openConversion } from '../../src/otel/metrics/to-metric-data.ts';

const at = (seconds: number): Date => new Date(seconds * 1000);

function open() {
  const registry = openMetricRegistry();
  const counter = registry.counter('runs_total', 'Runs.');
  const convert = openConversion(at(0));
  return {
    counter,
    /** The one series: start and end in seconds, and its value. */
    read(seconds: number) {
      const [metric] = registry.read((metrics) => convert(metrics, at(seconds)));
      const [point] = metric?.dataPoints ?? [];
      if (point === undefined) return null;
      const { startTime, endTime, value } = point;
      return [startTime[0], endTime[0], value];
    },
  };
}

it('keep their start while they are counted', () => {
  const { counter, read } = open();
  counter.add({ name: 'a' }, 2);
  expect(read(10)).toEqual([0, 10, 2]);
  counter.add({ name: 'a' });
  expect(read(20)).toEqual([0, 20, 3]);
});

it('start with the export before their first', () => {
  const { counter, read } = open();
  expect(read(10)).toBeNull();
  counter.add({ name: 'a' });
  expect(read(20)).toEqual([10, 20, 1]);
});

it('do not overlap when a series is dropped and opened again', () => {
  const { counter, read } = open();
  counter.add({ name: 'a' }, 9);
  expect(read(10)).toEqual([0, 10, 9]);
  counter.drop({ name: 'a' });
  counter.add({ name: 'a' });
  expect(read(20)).toEqual([10, 20, 1]);
});
