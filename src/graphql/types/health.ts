import type { HealthReport, ListedProcess } from '../../health/health.ts';
import type { BackendState, CacheState, EngineNode, RunQueue } from '../../model/process-report.ts';
import type { MissedByNode, SyncCounts } from '../../store/health-store.ts';
import { builder } from '../builder.ts';

const BackendStateType = builder.objectRef<BackendState>('BackendState').implement({
  description: 'A backend of the service, as seen by one of its processes.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'postgresql, clickhouse or redis.' }),
    isUp: t.exposeBoolean('isUp', { description: 'Whether it responds.' }),
    latencyMs: t.exposeFloat('latencyMs', {
      nullable: true,
      description: 'Response time of the last check in milliseconds; null if it did not respond.',
    }),
    awaySince: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'When it stopped responding; null while it responds.',
      resolve: ({ awaySince }) => (awaySince === null ? null : new Date(awaySince)),
    }),
  }),
});

const EngineNodeType = builder.objectRef<EngineNode>('EngineNode').implement({
  description:
    'A node of the engine that runs the projects which are not bound to existing databases.',
  fields: (t) => ({
    address: t.exposeString('address', {
      description: 'Scheme, host and port, without credentials.',
    }),
    isUp: t.exposeBoolean('isUp', { description: 'Whether it responds.' }),
    version: t.exposeString('version', {
      nullable: true,
      description:
        'ClickHouse version. Like uptimeSeconds, memoryBytes and runningQueries, null while the node does not respond.',
    }),
    uptimeSeconds: t.exposeFloat('uptimeSeconds', {
      nullable: true,
      description: 'Uptime in seconds.',
    }),
    memoryBytes: t.exposeFloat('memoryBytes', {
      nullable: true,
      description: 'Memory used by its queries, caches and background work, in bytes.',
    }),
    runningQueries: t.exposeFloat('runningQueries', {
      nullable: true,
      description: 'Number of queries that it is running, from any client.',
    }),
  }),
});

const RunQueueType = builder.objectRef<RunQueue>('RunQueue').implement({
  description: 'Running and waiting runs of one kind in one process.',
  fields: (t) => ({
    name: t.exposeString('name', {
      description: 'inline: queries on source data; materialized: reads of stored tables.',
    }),
    running: t.exposeInt('running', { description: 'Number of runs that hold a slot.' }),
    waiting: t.exposeInt('waiting', { description: 'Number of runs waiting for a slot.' }),
    maxRunning: t.exposeInt('maxRunning', { description: 'Number of slots.' }),
    maxWaiting: t.exposeInt('maxWaiting', { description: 'Maximum number of waiting runs.' }),
  }),
});

const CacheStateType = builder.objectRef<CacheState>('CacheState').implement({
  description: 'The result cache of one process. Counts start when the process starts.',
  fields: (t) => ({
    entries: t.exposeInt('entries', {
      description: 'Number of cached results and response bodies.',
    }),
    bytes: t.exposeFloat('bytes', { description: 'Size of the cached entries in bytes.' }),
    maxBytes: t.exposeFloat('maxBytes', { description: 'Maximum size of the cache in bytes.' }),
    hits: t.exposeFloat('hits', {
      description: 'Lookups that found a result, fresh or stale.',
    }),
    misses: t.exposeFloat('misses', { description: 'Lookups that found no result.' }),
    evictions: t.exposeFloat('evictions', {
      description: 'Entries evicted to make room for others.',
    }),
  }),
});

const ServiceProcessType = builder.objectRef<ListedProcess>('ServiceProcess').implement({
  description: 'A process of the service.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the process; a new one after each start.' }),
    isThis: t.exposeBoolean('isThis', { description: 'Whether it served this request.' }),
    isSilent: t.exposeBoolean('isSilent', {
      description: 'Whether it has not reported for 20 seconds and may have ended.',
    }),
    isDraining: t.exposeBoolean('isDraining', {
      description: 'Whether it is draining connections before it stops.',
    }),
    seenAt: t.expose('seenAt', {
      type: 'DateTime',
      description: 'When this state was reported.',
    }),
    startedAt: t.field({
      type: 'DateTime',
      description: 'When it started.',
      resolve: ({ startedAt }) => new Date(startedAt),
    }),
    host: t.exposeString('host', { description: 'Host name of its machine or container.' }),
    pid: t.exposeInt('pid', { description: 'Process id on its host.' }),
    version: t.exposeString('version', { description: 'Version of the service.' }),
    memoryBytes: t.exposeFloat('memoryBytes', { description: 'Resident memory in bytes.' }),
    connections: t.exposeInt('connections', { description: 'Number of open connections.' }),
    liveStreams: t.exposeInt('liveStreams', {
      description: 'Number of open streams of live results.',
    }),
    queues: t.field({
      type: [RunQueueType],
      description: 'Its pools of runs, by kind.',
      resolve: ({ queues }) => [...queues],
    }),
    cache: t.field({
      type: CacheStateType,
      description: 'The result cache of the process.',
      resolve: ({ cache }) => cache,
    }),
    backends: t.field({
      type: [BackendStateType],
      description: 'Its backends.',
      resolve: ({ backends }) => [...backends],
    }),
    engines: t.field({
      type: [EngineNodeType],
      description: 'The nodes of the engine, as seen by this process.',
      resolve: ({ engines }) => [...engines],
    }),
    processorTimeProblem: t.exposeString('processorTimeProblem', {
      nullable: true,
      description:
        'Why it cannot read the CPU time of executions from the engine’s log, in one sentence; null if no problem is known.',
    }),
  }),
});

const SyncCountsType = builder.objectRef<SyncCounts>('SyncCounts').implement({
  description: 'Materializations of all projects by the state of their syncs.',
  fields: (t) => ({
    enabled: t.exposeInt('enabled', { description: 'Enabled materializations.' }),
    due: t.exposeInt('due', {
      description: 'Materializations whose sync is due and has not started.',
    }),
    running: t.exposeInt('running', { description: 'Materializations with a running sync.' }),
    failed: t.exposeInt('failed', { description: 'Materializations whose newest sync failed.' }),
  }),
});

const MissedTableType = builder.objectRef<MissedByNode>('MissedTable').implement({
  description:
    'A table that a node of the engine has not got as the others have it. The node gets no queries until it has.',
  fields: (t) => ({
    node: t.exposeString('node', { description: 'The node, as in the settings.' }),
    project: t.exposeString('project', { description: 'Name of the project.' }),
    projectId: t.id({
      description: 'Its id.',
      resolve: ({ projectId }) => String(projectId),
    }),
    table: t.exposeString('table', { description: 'Name of the table.' }),
    isUnderWay: t.exposeBoolean('isUnderWay', {
      description: 'Whether the service is copying it to the node at the moment.',
    }),
  }),
});

const HealthType = builder.objectRef<HealthReport>('Health').implement({
  description: 'Health of the service: its processes, their backends and its syncs.',
  fields: (t) => ({
    processes: t.field({
      type: [ServiceProcessType],
      description:
        'The process that served this request first, then the others, most recently seen first.',
      resolve: ({ processes }) => [...processes],
    }),
    incomplete: t.exposeString('incomplete', {
      nullable: true,
      description: 'Why not all processes are listed, in one sentence; null if all are.',
    }),
    syncs: t.field({
      type: SyncCountsType,
      nullable: true,
      description: 'State of the syncs; null while the metadata database is unavailable.',
      resolve: ({ syncs }) => syncs,
    }),
    missedTables: t.field({
      type: [MissedTableType],
      nullable: true,
      description:
        'What nodes have missed, at most 1000 tables, by node; null while the metadata database is away.',
      resolve: ({ missedTables }) => (missedTables === null ? null : [...missedTables]),
    }),
  }),
});

builder.queryField('health', (t) =>
  t.field({
    type: HealthType,
    nullable: true,
    description:
      'Health of the service: its processes, backends, engine nodes, queues, caches and syncs. Needs the scope admin.',
    resolve: async (_root, _args, { health, principal }) => health.read(await principal()),
  }),
);
