/** OpenTelemetry costs what uses it: nothing of it is loaded when it is off, and a collector that fails disturbs no run. */
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { openLog } from '../../src/config/open-log.ts';
import { openSalesApp, save } from '../rest/support/sales.ts';
import { eventually } from '../support/eventually.ts';
import { openTestApp } from '../support/test-app.ts';
import { openCollector } from './support/collector.ts';

const root = path.resolve(import.meta.dirname, '../..');

/** The packages of OpenTelemetry that a service of these settings loads. */
async function loadedWith(env: Readonly<Record<string, string>>): Promise<readonly string[]> {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = new Set();
    registerHooks({
      resolve(specifier, context, next) {
        if (specifier.startsWith('@opentelemetry/')) loaded.add(specifier);
        return next(specifier, context);
      },
    });
    await import(${JSON.stringify(path.join(root, 'src/app.ts'))});
    const { readConfig } = await import(${JSON.stringify(path.join(root, 'src/config/config.ts'))});
    const { openLog } = await import(${JSON.stringify(path.join(root, 'src/config/open-log.ts'))});
    const { openMetricRegistry } = await import(${JSON.stringify(path.join(root, 'src/metrics/registry.ts'))});
    const { systemClock } = await import(${JSON.stringify(path.join(root, 'src/lib/clock.ts'))});
    const { openTelemetry } = await import(${JSON.stringify(path.join(root, 'src/otel/open-telemetry.ts'))});
    const telemetry = await openTelemetry({
      config: readConfig(process.env),
      log: openLog('silent'),
      registry: openMetricRegistry(),
      clock: systemClock,
    });
    await telemetry.close();
    console.log(JSON.stringify([...loaded]));
  `;
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ['--input-type=module', '--eval', script],
    // Nobody listens at the addresses, and each process ends once it has given up.
    { cwd: root, env: { PATH: process.env.PATH, OTEL_EXPORTER_OTLP_TIMEOUT: '500', ...env } },
  );
  return JSON.parse(stdout) as readonly string[];
}

it.each([
  ['nothing is set', {}],
  [
    'it is disabled',
    { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9', OTEL_SDK_DISABLED: 'true' },
  ],
  [
    'nothing is to be exported',
    {
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9',
      OTEL_TRACES_EXPORTER: 'none',
      OTEL_METRICS_EXPORTER: 'none',
    },
  ],
])('loads nothing of OpenTelemetry when %s', async (_when, env) => {
  expect(await loadedWith(env)).toEqual([]);
});

it.each([
  ['a collector is named', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }],
  ['a collector of traces is named', { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'http://127.0.0.1:9' }],
  ['an exporter is named', { OTEL_TRACES_EXPORTER: 'otlp' }],
])('exports traces when %s', async (_when, env) => {
  expect(await loadedWith(env)).toContain('@opentelemetry/sdk-trace');
});

it.each([
  [
    'a collector of metrics is named',
    { OTEL_EXPORTER_OTLP_METRICS_ENDPOINT: 'http://127.0.0.1:9' },
  ],
  ['an exporter is named', { OTEL_METRICS_EXPORTER: 'otlp' }],
])('exports metrics alone when %s', async (_when, env) => {
  const loaded = await loadedWith(env);
  expect(loaded).toContain('@opentelemetry/sdk-metrics');
  expect(loaded).not.toContain('@opentelemetry/sdk-trace');
});

it.each([
  ['refuses every batch', 400],
  ['is overloaded', 503],
])('serves runs and stops while the collector %s', async (_what, status) => {
  const collector = await openCollector(status);
  const lines: string[] = [];
  const log = openLog('warn', { write: (line) => void lines.push(line) });
  const test = await openTestApp(
    { otlpEndpoint: collector.url, otlpTimeoutMs: 200, traceDelayMs: 20 },
    log,
  );
  await save(test, 'served', { query: 'SELECT 1 AS one' });
  expect((await test.rest('GET', '/endpoints/served/run')).status).toBe(200);
  await eventually('it is logged', () =>
    lines.some((line) => line.includes('could not be exported')),
  );
  await test.close();
  await collector.close();
});

it('serves runs and stops while nobody answers at the address of the collector', async () => {
  const collector = await openCollector();
  await collector.close();
  const test = await openSalesApp({ otlpEndpoint: collector.url });
  await save(test, 'served');
  expect((await test.rest('GET', '/endpoints/served/run')).status).toBe(200);
  await test.close();
});

it('stops while the collector takes everything and never answers', async () => {
  const silent = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const test = await openSalesApp({
    otlpEndpoint: `http://127.0.0.1:${port}`,
    otlpTimeoutMs: 600_000,
    traceExportTimeoutMs: 600_000,
    traceDelayMs: 20,
    metricExportTimeoutMs: 600_000,
    metricExportIntervalMs: 600_000,
  });
  await save(test, 'silent');
  expect((await test.rest('GET', '/endpoints/silent/run')).status).toBe(200);
  await test.close();
  silent.closeAllConnections();
  silent.close();
});

it('exports what waits before the service has stopped', async () => {
  const collector = await openCollector();
  const test = await openSalesApp({
    otlpTracesEndpoint: `${collector.url}/elsewhere`,
    traceDelayMs: 600_000,
  });
  await save(test, 'last');
  await test.rest('GET', '/endpoints/last/run');
  expect(collector.spans).toEqual([]);
  await test.close();
  expect(collector.spans.map(({ name }) => name)).toContain('run');
  expect(collector.requests[0]?.path).toBe('/elsewhere');
  await collector.close();
});
