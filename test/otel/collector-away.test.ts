/** A collector that takes no metrics disturbs nobody and is reported once. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openLog } from '../../src/config/open-log.ts';
import { save } from '../rest/support/sales.ts';
import { eventually } from '../support/eventually.ts';
import { openTestApp } from '../support/test-app.ts';
import { type Collector, openCollector } from './support/collector.ts';

let collector: Collector;
let lines: string[];

beforeEach(async () => {
  collector = await openCollector();
  lines = [];
});
afterEach(() => collector.close());

const open = () =>
  openTestApp(
    {
      otlpMetricsEndpoint: `${collector.url}/v1/metrics`,
      otlpTimeoutMs: 200,
      metricExportIntervalMs: 20,
    },
    openLog('info', { write: (line) => void lines.push(line) }),
  );

const logged = (message: string): number => lines.filter((line) => line.includes(message)).length;

/** Waits for as many further exports. */
async function attempts(more: number): Promise<void> {
  const before = collector.requests.length;
  await eventually('it is tried again', () => collector.requests.length >= before + more);
}

it.each([
  ['refuses them', 400],
  ['is overloaded', 503],
])('serves runs, and logs once that the collector %s', async (_what, status) => {
  collector.respond(status);
  const test = await open();
  await save(test, 'served', { query: 'SELECT 1 AS one' });
  await attempts(3);
  expect((await test.rest('GET', '/endpoints/served/run')).status).toBe(200);
  await attempts(3);
  await test.close();
  expect(logged('metrics could not be exported')).toBe(1);
  expect(logged('metrics are exported again')).toBe(0);
});

it('logs when the collector takes them again, and the next time that it does not', async () => {
  collector.respond(400);
  const test = await open();
  await attempts(2);
  collector.respond(200);
  await eventually('it is logged', () => logged('metrics are exported again') === 1);
  await attempts(2);
  collector.respond(400);
  await eventually('it is logged', () => logged('metrics could not be exported') === 2);
  await test.close();
  expect(logged('metrics are exported again')).toBe(1);
});

it('serves runs and stops while nobody is at the address of the collector', async () => {
  const gone = await openCollector();
  await gone.close();
  const test = await openTestApp(
    { otlpMetricsEndpoint: `${gone.url}/v1/metrics`, metricExportIntervalMs: 20 },
    openLog('info', { write: (line) => void lines.push(line) }),
  );
  await save(test, 'served', { query: 'SELECT 1 AS one' });
  expect((await test.rest('GET', '/endpoints/served/run')).status).toBe(200);
  await test.close();
});
