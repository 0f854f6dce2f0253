/** The metrics that a collector receives are those of /metrics. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Config } from '../../src/config/config.ts';
import { openSalesApp, save } from '../rest/support/sales.ts';
import { eventually } from '../support/eventually.ts';
import type { TestApp } from '../support/test-app.ts';
import { type Collector, openCollector } from './support/collector.ts';
import { toText } from './support/metrics-text.ts';
import type { CollectedExport, CollectedMetric } from './support/read-metrics.ts';

const never = 86_400_000;

let collector: Collector;

beforeEach(async () => {
  collector = await openCollector();
});
afterEach(() => collector.close());

const open = (settings: Partial<Config> = {}): Promise<TestApp> =>
  openSalesApp({ otlpEndpoint: collector.url, metricExportIntervalMs: never, ...settings });

/** Each kind of metric has something to show. */
async function serveSome(test: TestApp): Promise<void> {
  await save(test, 'often', { query: 'SELECT {n:UInt8} AS n' });
  await save(test, 'seldom');
  for (const n of [1, 1, 2]) await test.rest('GET', `/endpoints/often/run?variables[n]=${n}`);
  await test.rest('GET', '/endpoints/often/run');
  await test.rest('GET', '/endpoints/seldom/run', { headers: { accept: 'text/csv' } });
  await test.graphql(
    '{ runEndpoint(projectId: "@current", name: "seldom", input: {}) { results } }',
  );
}

const page = async (test: TestApp): Promise<string> =>
  (await test.rest('GET', '/api/../metrics', { key: null })).text;

function lastExport(): CollectedExport {
  const last = collector.exports.at(-1);
  if (last === undefined) throw new Error('nothing was exported');
  return last;
}

function named(name: string): CollectedMetric {
  const found = lastExport().metrics.find((metric) => metric.name === name);
  if (found === undefined) throw new Error(`${name} was not exported`);
  return found;
}

describe('the metrics of a service that stops', () => {
  it('are exported once, with the names, labels and values of /metrics', async () => {
    const test = await open({ metricsEndpoints: 1 });
    await serveSome(test);
    expect(collector.exports).toEqual([]);
    await test.app.stop();
    const shown = await page(test);
    expect(collector.exports).toHaveLength(1);
    expect(toText(lastExport().metrics)).toEqual(linesOf(shown));
    expect(shown).toContain('endpoint="often",outcome="error"} 1');
    expect(shown).not.toContain('seldom');
    await test.close();
  });

  it('have the kinds and units of OpenTelemetry', async () => {
    const test = await open();
    await serveSome(test);
    await test.close();
    expect(named('querydock_runs_total')).toMatchObject({
      kind: 'monotonic cumulative sum',
      unit: '',
      description: 'Endpoint runs by project, serving path and outcome.',
    });
    expect(named('querydock_engine_bytes_read_total')).toMatchObject({ unit: 'By' });
    expect(named('querydock_result_cache_bytes')).toMatchObject({ kind: 'gauge', unit: 'By' });
    expect(named('querydock_connections')).toMatchObject({ kind: 'gauge', unit: '' });
    expect(named('querydock_run_seconds')).toMatchObject({
      kind: 'cumulative histogram',
      unit: 's',
    });
  });

  it('count from the start of the service to the export', async () => {
    const test = await open();
    const start = test.clock.now().getTime();
    await serveSome(test);
    test.clock.advance(5000);
    await test.close();
    for (const { name, points } of lastExport().metrics)
      for (const point of points) expect(point, name).toMatchObject({ start, end: start + 5000 });
  });

  it('belong to the process that the traces belong to', async () => {
    const test = await open({ otelService: 'flights-api', otelResource: 'a=b' });
    await serveSome(test);
    await test.close();
    const { resource } = lastExport();
    expect(resource).toMatchObject({ 'service.name': 'flights-api', a: 'b' });
    expect(resource['service.version']).toMatch(/^\d+\.\d+\.\d+/);
    expect(resource['service.instance.id']).toMatch(/^[0-9a-f-]{36}$/);
    expect(collector.spans[0]?.resource).toEqual(resource);
  });

  it('are sent as the settings say', async () => {
    const test = await open({
      otlpEndpoint: '',
      otlpMetricsEndpoint: `${collector.url}/own/metrics`,
      otlpHeaders: 'x-tenant=a%20b',
      otlpCompression: 'gzip',
    });
    await test.close();
    expect(collector.spans).toEqual([]);
    expect(collector.requests).toEqual([
      {
        path: '/own/metrics',
        headers: expect.objectContaining({
          'x-tenant': 'a b',
          'content-encoding': 'gzip',
          'content-type': 'application/x-protobuf',
        }),
      },
    ]);
  });
});

it.each([
  ['they are not to be exported', { metricsExporter: 'none' }],
  ['OpenTelemetry is disabled', { otelDisabled: true }],
] as const)('exports no metrics when %s', async (_when, settings) => {
  const test = await open(settings);
  await test.close();
  expect(collector.exports).toEqual([]);
});

it('exports no metrics when only traces have a collector', async () => {
  const test = await open({ otlpEndpoint: '', otlpTracesEndpoint: `${collector.url}/traces` });
  await serveSome(test);
  await test.close();
  expect(collector.spans).not.toEqual([]);
  expect(collector.exports).toEqual([]);
});

describe('the metrics of a service that runs', () => {
  it('are exported at each interval, as totals since the same start', async () => {
    const test = await open({ metricExportIntervalMs: 20 });
    const runs = () =>
      collector.exports.map(({ metrics }) => {
        const points = metrics.find(({ name }) => name === 'querydock_runs_total')?.points ?? [];
        return points.find(({ labels }) => labels.path === 'inline');
      });
    await save(test, 'first');
    await test.rest('GET', '/endpoints/first/run');
    await eventually('the run is exported', () => runs().at(-1)?.value === 1);
    await save(test, 'second');
    await test.rest('GET', '/endpoints/second/run');
    await eventually('both are', () => runs().at(-1)?.value === 2);
    const starts = new Set(runs().flatMap((point) => point?.start ?? []));
    expect(starts.size).toBe(1);
    await test.close();
  });
});

/** The lines of /metrics with a value, and those with a kind and a description of a metric that has one. */
function linesOf(shown: string): readonly string[] {
  const lines = shown.split('\n').filter((line) => line !== '');
  const described = new Set(
    lines
      .filter((line) => !line.startsWith('#'))
      .map((line) => line.replace(/(?:_bucket|_sum|_count)?(?:\{.*)? [^ ]+$/, '')),
  );
  return lines
    .filter((line) => !line.startsWith('#') || described.has(line.split(' ')[2] ?? ''))
    .sort();
}
