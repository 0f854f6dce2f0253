import { contentTagOf } from '../../live/content.ts';
import type {
  IntegerFormat as IntegerFormatName,
  RefreshMode as RefreshModeName,
} from '../../runs/run-request.ts';
import type { RunFreshness as RunFreshnessFacts, RunResponse } from '../../runs/run-response.ts';
import { builder } from '../builder.ts';
import { RawJson } from '../raw-json.ts';
import { QueryProgress, QueryStatus } from './query-status.ts';
import { RowForm } from './row-form.ts';

const RefreshMode = builder.enumType('RefreshMode', {
  description: 'Cache policy of a run.',
  values: {
    cache: { description: 'Return a cached result that is still fresh, otherwise compute one.' },
    force: { description: 'Bypass the result cache; a stored table may still serve the run.' },
    direct: {
      description: 'Bypass both the result cache and the stored table, and query the source data.',
    },
  } as const satisfies Readonly<Record<RefreshModeName, { readonly description: string }>>,
});

const IntegerFormat = builder.enumType('IntegerFormat', {
  description: 'Encoding of 64-bit integers in results.',
  values: {
    number: { description: 'JSON numbers with every digit.' },
    string: { description: 'Strings of digits, for clients whose numbers are doubles.' },
  } as const satisfies Readonly<Record<IntegerFormatName, { readonly description: string }>>,
});

export const RunInput = builder.inputType('RunInput', {
  description: 'Options of one run, all optional.',
  fields: (t) => ({
    version: t.int({ description: 'Version to run; default: the current version.' }),
    variables: t.field({
      type: 'JSON',
      description: 'Values by variable name, as a JSON object.',
    }),
    refresh: t.field({
      type: RefreshMode,
      description: 'Cache policy; default: cache.',
    }),
    maxAgeSeconds: t.int({
      description:
        'Maximum age of the rows in seconds, 0 or more. Can shorten the cache age of the version but not extend it.',
    }),
    staleWhileRevalidateSeconds: t.int({
      description:
        'Seconds beyond the maximum age for which a stale result may be returned immediately while a background run refreshes it.',
    }),
    staleIfErrorSeconds: t.int({
      description:
        'Seconds beyond the maximum age for which a stale result may be returned while the engine is unavailable.',
    }),
    limit: t.int({
      description:
        'Maximum number of rows. The LIMIT of the query and the limit of the server still apply.',
    }),
    offset: t.float({ description: 'Number of rows to skip.' }),
    debug: t.boolean({
      description: 'Whether to include the executed SQL, timings and how the run was served.',
    }),
    clientQueryId: t.string({
      description: 'An id of your choice by which the run can be found or cancelled.',
    }),
    integers: t.field({
      type: IntegerFormat,
      description: 'Encoding of 64-bit integers; default: number.',
    }),
    rows: t.field({
      type: RowForm,
      description:
        'Representation of rows; default: ARRAYS. OBJECTS requires distinct column names.',
    }),
    columns: t.stringList({
      description: 'Names of the columns to return, in this order; default: all.',
    }),
    orderBy: t.stringList({
      description:
        'Names of result columns by which to sort the rows; a leading - means descending.',
    }),
    cursor: t.string({
      description:
        'Start of the page: nextCursor of the previous page, or an empty string for the first page. Cannot be combined with offset.',
    }),
    filtersOverride: t.field({
      type: 'JSON',
      description: '{date_from, date_to, properties} for a query with {filters}.',
    }),
    queryOverride: t.field({
      type: 'JSON',
      description: 'Not supported for SQL endpoints: must be null or absent.',
    }),
  }),
});

const RunFreshness = builder.objectRef<RunFreshnessFacts>('RunFreshness').implement({
  description: 'The freshness that a run requested and the age of its result, in seconds.',
  fields: (t) => ({
    maxAgeSeconds: t.exposeInt('maxAgeSeconds', {
      nullable: true,
      description: 'The requested maximum age in seconds; null if none was requested.',
    }),
    staleWhileRevalidateSeconds: t.exposeInt('staleWhileRevalidateSeconds', {
      description: 'As requested; 0 by default.',
    }),
    staleIfErrorSeconds: t.exposeInt('staleIfErrorSeconds', {
      description: 'As requested; 0 by default.',
    }),
    ageSeconds: t.exposeFloat('ageSeconds', { description: 'Age of the rows in seconds.' }),
    staleForSeconds: t.exposeFloat('staleForSeconds', {
      description: 'Seconds for which the rows have been stale; 0 if they are fresh.',
    }),
  }),
});

const Timing = builder
  .objectRef<{ readonly name: string; readonly seconds: number }>('Timing')
  .implement({
    description: 'Duration of one stage of a run.',
    fields: (t) => ({
      name: t.exposeString('name', { description: 'Stage: engine or total.' }),
      seconds: t.exposeFloat('seconds', { description: 'Duration in seconds.' }),
    }),
  });

/**
 * Names of the fields that a response's ETag covers, without debug: equal tags mean equal values. Fields defined inside
 * `covered` below are added; a field with the current age of the rows must not be.
 */
export const fieldsCoveredByTag = new Set(['__typename']);

function coveredByTag<Fields extends object>(fields: Fields): Fields {
  for (const name of Object.keys(fields)) fieldsCoveredByTag.add(name);
  return fields;
}

type RunFields = Parameters<
  NonNullable<
    Parameters<ReturnType<typeof builder.objectRef<RunResponse>>['implement']>[0]['fields']
  >
>[0];

const run = {
  description: 'The result of one run.',
  fields: (t: RunFields) => ({
    ...coveredByTag({
      results: t.field({
        type: 'JSON',
        description:
          'The rows, each an array of values in column order or an object keyed by column name.',
        resolve: (run, _args, { rawResults }) => new RawJson([run.rows], rawResults),
      }),
      columns: t.stringList({
        description: 'Column names.',
        resolve: (run) => run.columns.map((c) => c.name),
      }),
      types: t.field({
        type: t.listRef(t.listRef('String')),
        description: 'Pairs of a column name and its ClickHouse type.',
        resolve: (run) => run.columns.map((c) => [c.name, c.type]),
      }),
      hasMore: t.exposeBoolean('hasMore', {
        description: 'Whether there are rows beyond the limit.',
      }),
      limit: t.exposeInt('limit', { description: 'The applied limit.' }),
      offset: t.exposeFloat('offset', { description: 'The applied offset.' }),
      nextCursor: t.exposeString('nextCursor', {
        nullable: true,
        description:
          'Cursor of the next page; null on the last page and for a run with neither orderBy nor cursor.',
      }),
      isCached: t.exposeBoolean('isCached', {
        description: 'Whether the result came from the cache.',
      }),
      lastRefresh: t.expose('lastRefresh', {
        type: 'DateTime',
        description: 'When the rows were computed; from a stored table, when its sync started.',
      }),
      cacheTargetAge: t.expose('cacheTargetAge', {
        type: 'DateTime',
        description: 'When the rows become stale.',
      }),
      nextAllowedClientRefresh: t.expose('cacheTargetAge', {
        type: 'DateTime',
        description: 'When a run with the default refresh recomputes the result.',
      }),
      timezone: t.exposeString('timezone', {
        description: 'Time zone of times that do not state one: always UTC.',
      }),
      name: t.exposeString('name', { description: 'Name of the endpoint.' }),
      endpointVersion: t.exposeInt('version', { description: 'Number of the version that ran.' }),
      endpointVersionCreatedAt: t.expose('versionCreatedAt', {
        type: 'DateTime',
        description: 'When that version was created.',
      }),
      endpointMaterialized: t.exposeBoolean('materialized', {
        description: 'Whether the rows come from the stored table.',
      }),
      endpointMaterializedAt: t.expose('materializedAt', {
        type: 'DateTime',
        nullable: true,
        description: 'When the sync of that table started.',
      }),
      executionId: t.exposeID('executionId', {
        description: 'Id of the execution that computed the rows, and of its query status.',
      }),
      contentId: t.id({
        description:
          'Identifies the rows: equal for equal rows of the same version, whichever process computed them and when.',
        resolve: contentTagOf,
      }),
      servedFrom: t.exposeString('servedFrom', {
        nullable: true,
        description: 'How the run was served: cache, inline or materialized.',
      }),
      inlineReason: t.exposeString('inlineReason', {
        nullable: true,
        description:
          'Why a materialized version was not served from its stored table: not_ready, failed, stale, max_age, variables, direct or faster.',
      }),
      isStale: t.boolean({
        description: 'Whether the rows are stale; only runs that allow it get stale rows.',
        resolve: (run) => run.staleReason !== null,
      }),
      staleReason: t.exposeString('staleReason', {
        nullable: true,
        description:
          'Why stale rows were returned: revalidating, or the code of the error that prevented a refresh.',
      }),
    }),
    queryStatus: t.field({
      type: QueryStatus,
      nullable: true,
      description: 'Always null: a run returns when it is complete.',
      resolve: () => null,
    }),
    cacheKey: t.string({
      nullable: true,
      description: 'With debug: key of the result in the cache.',
      resolve: (run) => run.debug?.cacheKey ?? null,
    }),
    query: t.string({
      nullable: true,
      description: 'With debug: the SQL sent to the engine.',
      resolve: (run) => run.debug?.query ?? null,
    }),
    timings: t.field({
      type: [Timing],
      nullable: true,
      description: 'With debug: duration of each stage of the run.',
      resolve: (run) => run.debug?.timings ?? null,
    }),
    queryProgress: t.field({
      type: QueryProgress,
      nullable: true,
      description: 'With debug: what the engine read to compute these rows.',
      resolve: (run) => run.debug?.queryProgress ?? null,
    }),
    freshness: t.field({
      type: RunFreshness,
      nullable: true,
      description: 'With debug: the requested freshness, if any.',
      resolve: (run) => run.debug?.freshness ?? null,
    }),
  }),
};

export const EndpointRun = builder.objectRef<RunResponse>('EndpointRun').implement(run);

/** Members that an unsaved query has no value for. */
const ofEndpoint = [
  'name',
  'endpointVersion',
  'endpointVersionCreatedAt',
  'endpointMaterialized',
  'endpointMaterializedAt',
] as const satisfies readonly (keyof ReturnType<typeof run.fields>)[];

export const QueryRun = builder.objectRef<RunResponse>('QueryRun').implement({
  description:
    'The result of running an unsaved query: that of a run without the members that only endpoints have.',
  fields: (t) => {
    const left: readonly string[] = ofEndpoint;
    const fields = Object.entries(run.fields(t)).filter(([name]) => !left.includes(name));
    return Object.fromEntries(fields) as Omit<
      ReturnType<typeof run.fields>,
      (typeof ofEndpoint)[number]
    >;
  },
});
