/** Metrics by endpoint: of those that are run most, in a number that no caller can raise. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openEndpointMetrics } from '../../src/metrics/endpoint-metrics.ts';
import { openMetricRegistry } from '../../src/metrics/registry.ts';
import { openSalesApp, save } from '../rest/support/sales.ts';
import { eventually } from '../support/eventually.ts';
import type { TestApp } from '../support/test-app.ts';

function open(max: number) {
  const registry = openMetricRegistry();
  const runs = registry.counter('runs', 'Runs.');
  const seconds = registry.histogram('seconds', 'Seconds.', [1]);
  const metrics = openEndpointMetrics({ runs, seconds }, max);
  registry.afterRead(() => metrics.rank());
  return {
    run: (endpoint: string, times: number, hasFailed = false) => {
      const series = metrics.of({ projectId: 1, endpoint });
      for (let at = 0; at < times; at += 1) series.addRun(0.5, hasFailed);
    },
    scrape: () => registry.write(),
  };
}

/** Value of each series of runs by its labels. */
function runsIn(text: string): Readonly<Record<string, number>> {
  const lines = [
    ...text.matchAll(/^runs\{project="(\w+)",endpoint="(\w+)",outcome="(\w+)"\} (\d+)$/gm),
  ];
  return Object.fromEntries(
    lines.map(([, project, endpoint, outcome, value]) => [
      `${project}/${endpoint}/${outcome}`,
      Number(value),
    ]),
  );
}

describe('the ranking', () => {
  it('counts endpoints by themselves up to the number, and the others together', () => {
    const { run, scrape } = open(2);
    run('a', 3);
    run('b', 1, true);
    run('c', 5);
    run('d', 7);
    const first = runsIn(scrape());
    expect(first).toMatchObject({ '1/a/ok': 3, '1/b/error': 1, 'other/other/ok': 12 });
    expect(Object.keys(first).filter((name) => !name.startsWith('other'))).toHaveLength(3);
  });

  it('lets those in that are run more, from then on, and no series ever falls', () => {
    const { run, scrape } = open(2);
    run('a', 3);
    run('b', 1);
    run('c', 50);
    scrape();
    run('c', 4);
    run('b', 2);
    expect(runsIn(scrape())).toEqual({ 'other/other/ok': 52, '1/a/ok': 3, '1/c/ok': 4 });
  });

  it('forgets endpoints that nobody runs, and watches a bounded number', () => {
    const { run, scrape } = open(1);
    for (let at = 0; at < 1000; at += 1) run(`e${at}`, 1);
    for (let scrapes = 0; scrapes < 5; scrapes += 1) scrape();
    run('late', 1000);
    scrape();
    run('late', 1);
    expect(runsIn(scrape())).toEqual({ 'other/other/ok': 1999, '1/late/ok': 1 });
  });
});

describe('the service', () => {
  let test: TestApp;

  beforeAll(async () => {
    test = await openSalesApp({ metricsEndpoints: 1 });
  });
  afterAll(() => test.close());

  it('tells runs, errors and latency of the endpoints that are run most', async () => {
    await save(test, 'often', { query: 'SELECT {n:UInt8} AS n' });
    await save(test, 'seldom');
    for (let run = 0; run < 3; run += 1)
      await test.rest('GET', '/endpoints/often/run?variables[n]=1');
    await test.graphql(
      '{ runEndpoint(projectId: "@current", name: "often", input: {variables: {n: 1}}) { results } }',
    );
    await test.rest('GET', '/endpoints/often/run');
    await test.rest('GET', '/endpoints/seldom/run');
    let text = '';
    await eventually('all are counted', async () => {
      text = await (await test.app.fetch(new Request('http://querydock.test/metrics'))).text();
      return text.includes('endpoint="other",outcome="ok"} 1');
    });
    const labels = `project="${test.project.id}",endpoint="often"`;
    expect(text).toContain(`querydock_endpoint_runs_total{${labels},outcome="ok"} 4`);
    expect(text).toContain(`querydock_endpoint_runs_total{${labels},outcome="error"} 1`);
    expect(text).toContain(`querydock_endpoint_run_seconds_count{${labels}} 5`);
    expect(text).not.toContain('seldom');
  });
});
