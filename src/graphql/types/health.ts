import type { HealthReport, ListedProcess } from '../../health/health.ts';
import type { BackendState, CacheState, EngineNode, RunQueue } from '../../model/process-report.ts';
import type { SyncCounts } from '../../store/health-store.ts';
import { builder } from '../builder.ts';

const BackendStateType = builder.objectRef<BackendState>('BackendState').implement({
  description: 'Something that the service depends on, as one process of it sees it.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'postgresql, clickhouse or redis.' }),
    isUp: t.exposeBoolean('isUp', { description: 'Whether it answers.' }),
    latencyMs: t.exposeFloat('latencyMs', {
      nullable: true,
      description: 'Milliseconds until it answered; null: it did not.',
    }),
    awaySince: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Since when it has not answered; null: it does.',
      resolve: ({ awaySince }) => (awaySince === null ? null : new Date(awaySince)),
    }),
  }),
});

const EngineNodeType = builder.objectRef<EngineNode>('EngineNode').implement({
  description: 'A node of the engine of projects with databases of their own.',
  fields: (t) => ({
    address: t.exposeString('address', {
      description: 'Scheme, host and port, without credentials.',
    }),
    isUp: t.exposeBoolean('isUp', { description: 'Whether it answers.' }),
    version: t.exposeString('version', {
      nullable: true,
      description: 'Its version; this and what follows is null while it does not answer.',
    }),
    uptimeSeconds: t.exposeFloat('uptimeSeconds', {
      nullable: true,
      description: 'Seconds for which it has run.',
    }),
    memoryBytes: t.exposeFloat('memoryBytes', {
      nullable: true,
      description: 'Memory that its queries, caches and background work hold.',
    }),
    runningQueries: t.exposeFloat('runningQueries', {
      nullable: true,
      description: 'Queries that it runs, whoever sent them.',
    }),
  }),
});

const RunQueueType = builder.objectRef<RunQueue>('RunQueue').implement({
  description: 'Runs of one kind in one process, at the engine and on their way to it.',
  fields: (t) => ({
    name: t.exposeString('name', {
      description: 'inline: queries on source data; materialized: reads of stored tables.',
    }),
    running: t.exposeInt('running', { description: 'Runs at the engine.' }),
    waiting: t.exposeInt('waiting', { description: 'Runs that wait for a slot.' }),
    maxRunning: t.exposeInt('maxRunning', { description: 'Slots.' }),
    maxWaiting: t.exposeInt('maxWaiting', { description: 'Runs that may wait.' }),
  }),
});

const CacheStateType = builder.objectRef<CacheState>('CacheState').implement({
  description: 'The result cache of one process; counts are since it started.',
  fields: (t) => ({
    entries: t.exposeInt('entries', { description: 'Results and response bodies held.' }),
    bytes: t.exposeFloat('bytes', { description: 'Bytes held.' }),
    maxBytes: t.exposeFloat('maxBytes', { description: 'Bytes that it may hold.' }),
    hits: t.exposeFloat('hits', {
      description: 'Looks for a result that found one, however old.',
    }),
    misses: t.exposeFloat('misses', { description: 'Looks for a result that found none.' }),
    evictions: t.exposeFloat('evictions', { description: 'Entries that made room for others.' }),
  }),
});

const ServiceProcessType = builder.objectRef<ListedProcess>('ServiceProcess').implement({
  description: 'A process of the service.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the process, another one after each start.' }),
    isThis: t.exposeBoolean('isThis', { description: 'Whether it answered this request.' }),
    isSilent: t.exposeBoolean('isSilent', {
      description: 'Whether it has told nothing of itself for 20 seconds, so that it may be gone.',
    }),
    isDraining: t.exposeBoolean('isDraining', { description: 'Whether it is about to stop.' }),
    seenAt: t.expose('seenAt', {
      type: 'DateTime',
      description: 'As of when all of this is.',
    }),
    startedAt: t.field({
      type: 'DateTime',
      description: 'When it started.',
      resolve: ({ startedAt }) => new Date(startedAt),
    }),
    host: t.exposeString('host', { description: 'Name of its machine or container.' }),
    pid: t.exposeInt('pid', { description: 'Its id there.' }),
    version: t.exposeString('version', { description: 'Version of the service.' }),
    memoryBytes: t.exposeFloat('memoryBytes', { description: 'Memory that it takes.' }),
    connections: t.exposeInt('connections', { description: 'Open connections.' }),
    liveStreams: t.exposeInt('liveStreams', { description: 'Open streams of live results.' }),
    queues: t.field({
      type: [RunQueueType],
      description: 'Its runs, by kind.',
      resolve: ({ queues }) => [...queues],
    }),
    cache: t.field({
      type: CacheStateType,
      description: 'Its result cache.',
      resolve: ({ cache }) => cache,
    }),
    backends: t.field({
      type: [BackendStateType],
      description: 'What it depends on.',
      resolve: ({ backends }) => [...backends],
    }),
    engines: t.field({
      type: [EngineNodeType],
      description: 'The nodes of the engine, as it sees them.',
      resolve: ({ engines }) => [...engines],
    }),
    processorTimeProblem: t.exposeString('processorTimeProblem', {
      nullable: true,
      description:
        'Why it does not learn the processor time of executions, as a sentence; null: it does, as far as it knows.',
    }),
  }),
});

const SyncCountsType = builder.objectRef<SyncCounts>('SyncCounts').implement({
  description: 'Materializations of all projects by the state of their syncs.',
  fields: (t) => ({
    enabled: t.exposeInt('enabled', { description: 'Materializations that are on.' }),
    due: t.exposeInt('due', { description: 'Those whose sync should have begun by now.' }),
    running: t.exposeInt('running', { description: 'Those that are synced at the moment.' }),
    failed: t.exposeInt('failed', { description: 'Those whose newest sync failed.' }),
  }),
});

const HealthType = builder.objectRef<HealthReport>('Health').implement({
  description: 'How the service is: its processes, what they depend on, its syncs.',
  fields: (t) => ({
    processes: t.field({
      type: [ServiceProcessType],
      description: 'The one that answered first, then the others, the latest seen first.',
      resolve: ({ processes }) => [...processes],
    }),
    incomplete: t.exposeString('incomplete', {
      nullable: true,
      description: 'Why not all processes are listed, as a sentence; null: they are.',
    }),
    syncs: t.field({
      type: SyncCountsType,
      nullable: true,
      description: 'Null while the metadata database is away.',
      resolve: ({ syncs }) => syncs,
    }),
  }),
});

builder.queryField('health', (t) =>
  t.field({
    type: HealthType,
    nullable: true,
    description:
      'How the service is: all of its processes, its backends and engine nodes, queues, cache and syncs. Needs the scope admin.',
    resolve: async (_root, _args, { health, principal }) => health.read(await principal()),
  }),
);
