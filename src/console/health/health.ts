/** What of the health of the service needs a look. */
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

/** As in "box:4711": what a person would look for. */
export function processName({ host, pid }: Pick<Process, 'host' | 'pid'>): string {
  return `${host}:${pid}`;
}

/** A sentence for each; none when all is well. */
export function problemsOf({ processes, syncs, incomplete }: Health): readonly string[] {
  const several = processes.length > 1;
  const of = (process: Process) => (several ? ` for ${processName(process)}` : '');
  const found = processes.flatMap((process) => {
    if (process.isSilent)
      return [`${processName(process)} has told nothing of itself for 20 seconds or more.`];
    const away = process.backends
      .filter(({ isUp }) => !isUp)
      .map(({ name }) => `${backendName(name)} does not answer${of(process)}.`);
    const nodes = process.isThis ? process.engines.filter(({ isUp }) => !isUp) : [];
    const full = process.queues.filter(({ waiting, maxWaiting }) => waiting >= maxWaiting);
    return [
      ...(process.isDraining ? [`${processName(process)} is about to stop.`] : []),
      ...away,
      ...nodes.map(({ address }) => `The engine node ${address} does not answer.`),
      ...full.map(({ name }) => `The queue of ${queueName(name)} is full${of(process)}.`),
    ];
  });
  const failed = syncs?.failed ?? 0;
  return [
    ...(incomplete === null ? [] : [incomplete]),
    ...found,
    ...(failed === 0
      ? []
      : [`The newest sync of ${plural(failed, 'materialization')} failed, in all projects.`]),
  ];
}

export function queueName(name: string): string {
  return name === 'inline' ? 'queries on source data' : 'reads of stored tables';
}

/** Of the looks for a result, as in "93%"; a dash while there were none. */
export function hitRate({ hits, misses }: Pick<Process['cache'], 'hits' | 'misses'>): string {
  return hits + misses === 0 ? '–' : `${Math.floor((hits / (hits + misses)) * 100)}%`;
}
