import type { MetricRegistry } from '../metrics/registry.ts';
import type { Readiness } from './readiness.ts';

export function defineServerGauges(
  registry: MetricRegistry,
  server: { readonly readiness: Readiness; readonly connections: () => number },
): void {
  const { readiness, connections } = server;
  registry.gauge('querydock_connections', 'Open connections.', connections);
  registry.gauge('querydock_draining', '1 while the service stops, else 0.', () =>
    Number(readiness.isDraining()),
  );
  registry.gauges(
    'querydock_dependency_up',
    '1 while the dependency responds, 0 while it does not.',
    () =>
      Object.entries(readiness.lastCheck()).map(([dependency, problem]) => [
        { dependency },
        Number(problem === null),
      ]),
  );
}
