import { integerFormats, refreshModes } from '../../runs/run-request.ts';
import type { RunFreshness as RunFreshnessFacts, RunResponse } from '../../runs/run-response.ts';
import { builder } from '../builder.ts';
import { RawJson } from '../raw-json.ts';
import { QueryProgress, QueryStatus } from './query-status.ts';
import { RowForm } from './row-form.ts';

const RefreshMode = builder.enumType('RefreshMode', {
  description:
    'cache: a result no older than the cache age, else compute. force: never the result cache. direct: the original query on source data.',
  values: refreshModes,
});

const IntegerFormat = builder.enumType('IntegerFormat', {
  description: 'How integers of 64 bits are written: as JSON numbers in full, or as strings.',
  values: integerFormats,
});

export const RunInput = builder.inputType('RunInput', {
  description: 'What one run asks for. Nothing is required.',
  fields: (t) => ({
    version: t.int({ description: 'Version to run; the latest when absent.' }),
    variables: t.field({
      type: 'JSON',
      description: 'Values by name of variable, as a JSON object.',
    }),
    refresh: t.field({
      type: RefreshMode,
      description: 'Which kept results may answer; cache when absent.',
    }),
    maxAgeSeconds: t.int({
      description:
        'How old the rows may be at most, in seconds; never older than the version allows. From 0.',
    }),
    staleWhileRevalidateSeconds: t.int({
      description:
        'For so many seconds past that an answer may come at once, while a run in the background computes anew.',
    }),
    staleIfErrorSeconds: t.int({
      description: 'For so many seconds past that an answer may come when the engine is out.',
    }),
    limit: t.int({ description: "Rows to return at most, on top of the query's own LIMIT." }),
    offset: t.float({ description: 'Rows to skip.' }),
    debug: t.boolean({
      description: 'Whether to tell the query sent, timings and the path served.',
    }),
    clientQueryId: t.string({ description: 'An id of your own, to look the run up or cancel it.' }),
    integers: t.field({
      type: IntegerFormat,
      description: 'How integers of 64 bits are written; number when absent.',
    }),
    rows: t.field({
      type: RowForm,
      description:
        'How a row is written; ARRAYS when absent. OBJECTS needs columns of different names.',
    }),
    columns: t.stringList({
      description: 'Names of the columns to return, in this order; all when absent.',
    }),
    orderBy: t.stringList({
      description:
        'Names of result columns that the rows are sorted by, with - in front for descending.',
    }),
    cursor: t.string({
      description:
        'Where the page begins: nextCursor of the page before; empty for the first page. Not together with offset.',
    }),
    filtersOverride: t.field({
      type: 'JSON',
      description: '{date_from, date_to, properties} for a query with {filters}.',
    }),
    queryOverride: t.field({
      type: 'JSON',
      description: 'Not allowed on SQL endpoints; accepted when null.',
    }),
  }),
});

const RunFreshness = builder.objectRef<RunFreshnessFacts>('RunFreshness').implement({
  description:
    'What a run stated about freshness, and how its answer stands to it. All in seconds.',
  fields: (t) => ({
    maxAgeSeconds: t.exposeInt('maxAgeSeconds', {
      nullable: true,
      description: 'The age that was stated; null when none was.',
    }),
    staleWhileRevalidateSeconds: t.exposeInt('staleWhileRevalidateSeconds', {
      description: 'As it was stated; 0 when it was not.',
    }),
    staleIfErrorSeconds: t.exposeInt('staleIfErrorSeconds', {
      description: 'As it was stated; 0 when it was not.',
    }),
    ageSeconds: t.exposeFloat('ageSeconds', { description: 'How old the rows are.' }),
    staleForSeconds: t.exposeFloat('staleForSeconds', {
      description: 'For how long they are past being fresh; 0 when they are not.',
    }),
  }),
});

const Timing = builder
  .objectRef<{ readonly name: string; readonly seconds: number }>('Timing')
  .implement({
    description: 'How long one part of a run took.',
    fields: (t) => ({
      name: t.exposeString('name', { description: 'engine or total.' }),
      seconds: t.exposeFloat('seconds', { description: 'Seconds.' }),
    }),
  });

/**
 * Names of the fields that a response's ETag covers, without debug: equal tags mean equal values. A field is added by
 * being defined inside `covered` below; one that reports the current age of the rows must not be.
 */
export const fieldsCoveredByTag = new Set(['__typename']);

function coveredByTag<Fields extends object>(fields: Fields): Fields {
  for (const name of Object.keys(fields)) fieldsCoveredByTag.add(name);
  return fields;
}

export const EndpointRun = builder.objectRef<RunResponse>('EndpointRun').implement({
  description: 'The answer of one run.',
  fields: (t) => ({
    ...coveredByTag({
      results: t.field({
        type: 'JSON',
        description:
          'The rows: an array of arrays of values, in the order of columns, or of objects.',
        resolve: (run, _args, { rawResults }) => new RawJson(run.rows, rawResults),
      }),
      columns: t.stringList({
        description: 'Names of the columns.',
        resolve: (run) => run.columns.map((c) => c.name),
      }),
      types: t.field({
        type: t.listRef(t.listRef('String')),
        description: 'Pairs of column name and ClickHouse type.',
        resolve: (run) => run.columns.map((c) => [c.name, c.type]),
      }),
      hasMore: t.exposeBoolean('hasMore', { description: 'Whether rows exist past the limit.' }),
      limit: t.exposeInt('limit', { description: 'The limit that was applied.' }),
      offset: t.exposeFloat('offset', { description: 'The offset that was applied.' }),
      nextCursor: t.exposeString('nextCursor', {
        nullable: true,
        description:
          'cursor of the next page; null on the last one, and for a run that states neither orderBy nor cursor.',
      }),
      isCached: t.exposeBoolean('isCached', { description: 'Whether a kept result answered.' }),
      lastRefresh: t.expose('lastRefresh', {
        type: 'DateTime',
        description:
          'As of when the rows are: when they were computed, or when the sync of the stored table began.',
      }),
      cacheTargetAge: t.expose('cacheTargetAge', {
        type: 'DateTime',
        description: 'Until when they count as fresh.',
      }),
      nextAllowedClientRefresh: t.expose('cacheTargetAge', {
        type: 'DateTime',
        description: 'When a run with refresh cache computes anew.',
      }),
      timezone: t.exposeString('timezone', {
        description: 'The time zone of dates without one: UTC.',
      }),
      name: t.exposeString('name', { description: 'Name of the endpoint.' }),
      endpointVersion: t.exposeInt('version', { description: 'Version that ran.' }),
      endpointVersionCreatedAt: t.expose('versionCreatedAt', {
        type: 'DateTime',
        description: 'When that version was made.',
      }),
      endpointMaterialized: t.exposeBoolean('materialized', {
        description: 'Whether the stored table answered.',
      }),
      endpointMaterializedAt: t.expose('materializedAt', {
        type: 'DateTime',
        nullable: true,
        description: 'When that table was computed.',
      }),
      executionId: t.exposeID('executionId', {
        description: 'The execution that computed the rows; id of its query status.',
      }),
      servedFrom: t.exposeString('servedFrom', {
        nullable: true,
        description: 'cache, inline or materialized.',
      }),
      inlineReason: t.exposeString('inlineReason', {
        nullable: true,
        description:
          'Why a materialized version was answered inline: not_ready, failed, stale, max_age, variables or direct.',
      }),
      isStale: t.boolean({
        description: 'Whether the rows are past being fresh; only a run that allows it gets such.',
        resolve: (run) => run.staleReason !== null,
      }),
      staleReason: t.exposeString('staleReason', {
        nullable: true,
        description:
          'Why they are: revalidating, or the code of the failure that they stand in for.',
      }),
    }),
    queryStatus: t.field({
      type: QueryStatus,
      nullable: true,
      description: 'Null: a run is answered when it is complete.',
      resolve: () => null,
    }),
    cacheKey: t.string({
      nullable: true,
      description: 'With debug: names the result in the cache.',
      resolve: (run) => run.debug?.cacheKey ?? null,
    }),
    query: t.string({
      nullable: true,
      description: 'With debug: the SQL that was sent.',
      resolve: (run) => run.debug?.query ?? null,
    }),
    timings: t.field({
      type: [Timing],
      nullable: true,
      description: 'With debug: where the time went.',
      resolve: (run) => run.debug?.timings ?? null,
    }),
    queryProgress: t.field({
      type: QueryProgress,
      nullable: true,
      description: 'With debug: what the engine did for these rows.',
      resolve: (run) => run.debug?.queryProgress ?? null,
    }),
    freshness: t.field({
      type: RunFreshness,
      nullable: true,
      description: 'With debug: what the run stated about freshness, if anything.',
      resolve: (run) => run.debug?.freshness ?? null,
    }),
  }),
});
