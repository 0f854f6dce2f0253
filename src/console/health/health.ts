/** The parts of the service's health that need attention. */
import type { ServiceHealthQuery } from '../generated/graphql.ts';
import { plural } from '../ui/format.ts';

export type Health = NonNullable<ServiceHealthQuery['health']>;
export type Process = Health['processes'][number];

const names: Readonly<Record<string, string>> = {
  postgresql: 'PostgreSQL',
  clickhouse: 'ClickHouse',
  redis: 'Redis',
};

export function backendName(name: string): string {
  return names[name] ?? name;
}

/** Like "box:4711", which an operator would look for. */
export function processName({ host, pid }: Pick<Process, 'host' | 'pid'>): string {
  return `${host}:${pid}`;
}

/** One sentence per node that has missed table changes. */
function behindNodes(missed: Health['missedTables']): readonly string[] {
  const byNode = Map.groupBy(missed ?? [], ({ node }) => node);
  return [...byNode].map(
    ([node, tables]) =>
      `The engine node ${node} is behind with ${plural(tables.length, 'table')}: it gets no queries until they are copied to it.`,
  );
}

/** One sentence per problem; empty when everything is fine. */
export function problemsOf({
  processes,
  syncs,
  incomplete,
  missedTables,
}: Health): readonly string[] {
  const several = processes.length > 1;
  const of = (process: Process) => (several ? ` for ${processName(process)}` : '');
  const found = processes.flatMap((process) => {
    if (process.isSilent)
      return [`${processName(process)} has not reported for at least 20 seconds.`];
    const away = process.backends
      .filter(({ isUp }) => !isUp)
      .map(({ name }) => `${backendName(name)} does not answer${of(process)}.`);
    const nodes = process.isThis ? process.engines.filter(({ isUp }) => !isUp) : [];
    const full = process.queues.filter(({ waiting, maxWaiting }) => waiting >= maxWaiting);
    return [
      ...(process.isDraining ? [`${processName(process)} is shutting down.`] : []),
      ...away,
      ...nodes.map(({ address }) => `The engine node ${address} does not answer.`),
      ...full.map(({ name }) => `The queue of ${queueName(name)} is full${of(process)}.`),
    ];
  });
  const failed = syncs?.failed ?? 0;
  return [
    ...(incomplete === null ? [] : [incomplete]),
    ...found,
    ...behindNodes(missedTables),
    ...(failed === 0
      ? []
      : [`The newest sync of ${plural(failed, 'materialization')} failed, in all projects.`]),
  ];
}

export function queueName(name: string): string {
  return name === 'inline' ? 'queries on source data' : 'reads of stored tables';
}

/** The share of lookups that found a result, like "93%"; a dash without lookups. */
export function hitRate({ hits, misses }: Pick<Process['cache'], 'hits' | 'misses'>): string {
  return hits + misses === 0 ? '–' : `${Math.floor((hits / (hits + misses)) * 100)}%`;
}
