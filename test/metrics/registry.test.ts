import { describe, expect, it } from 'vitest';
import { openMetricRegistry } from '../../src/metrics/registry.ts';

describe('the metrics page', () => {
  it('writes counters, gauges and histograms as Prometheus reads them', () => {
    const registry = openMetricRegistry();
    const runs = registry.counter('runs_total', 'Runs.');
    registry.gauge('open', 'Open connections.', () => 7);
    const seconds = registry.histogram('seconds', 'Times.', [0.1, 1]);
    runs.add({ interface: 'rest', status: '200' });
    runs.of({ interface: 'rest', status: '200' }).add(2);
    for (const value of [0.1, 0.5, 3]) seconds.observe({ interface: 'rest' }, value);
    expect(registry.write()).toBe(
      [
        '# HELP runs_total Runs.',
        '# TYPE runs_total counter',
        'runs_total{interface="rest",status="200"} 3',
        '# HELP open Open connections.',
        '# TYPE open gauge',
        'open 7',
        '# HELP seconds Times.',
        '# TYPE seconds histogram',
        'seconds_bucket{interface="rest",le="0.1"} 1',
        'seconds_bucket{interface="rest",le="1"} 2',
        'seconds_bucket{interface="rest",le="+Inf"} 3',
        'seconds_sum{interface="rest"} 3.6',
        'seconds_count{interface="rest"} 3',
        '',
      ].join('\n'),
    );
  });

  it('escapes what would end a label', () => {
    const registry = openMetricRegistry();
    registry.counter('c', 'C.').add({ name: 'a"b\\c\nd' });
    expect(registry.write()).toContain('c{name="a\\"b\\\\c\\nd"} 1\n');
  });

  it('counts label values beyond 2,000 as other, so that no caller can grow it', () => {
    const registry = openMetricRegistry();
    const counter = registry.counter('c', 'C.');
    for (let at = 0; at < 2500; at += 1) counter.add({ name: `n${at}` });
    const page = registry.write();
    expect(page).toContain('c{name="n1999"} 1\n');
    expect(page).not.toContain('name="n2000"');
    expect(page).toContain('c{name="other"} 500\n');
  });
});
