import { pagePath, runPath } from '../../endpoints/endpoint-urls.ts';
import { cadenceSeconds } from '../../model/materialization-state.ts';
import { defaultSyncFrequency } from '../../model/sync-frequency.ts';
import { builder } from '../builder.ts';
import { describeVersion } from '../describe-openapi.ts';
import { findAgain } from '../dry-run.ts';
import { MaterializationStatus } from './materialization-status.ts';
import { Node } from './node.ts';
import { documentArgs } from './openapi-args.ts';
import { User } from './user.ts';

export interface NamedType {
  readonly name: string;
  readonly type: string;
}

export const Column = builder.objectRef<NamedType>('Column').implement({
  description: 'A result column.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name.' }),
    type: t.exposeString('type', { description: 'ClickHouse type.' }),
  }),
});

export interface VariableFields extends NamedType {
  readonly required: boolean;
  readonly default: unknown;
  readonly description: string;
}

export const Variable = builder.objectRef<VariableFields>('Variable').implement({
  description: 'A variable that a run may or must set.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name.' }),
    type: t.exposeString('type', {
      description: 'A ClickHouse type, or String, Number, Boolean, List or Date.',
    }),
    required: t.exposeBoolean('required', { description: 'Whether a run must set it.' }),
    default: t.field({
      type: 'JSON',
      nullable: true,
      description: 'Default value.',
      resolve: (v) => v.default,
    }),
    description: t.exposeString('description', {
      description: 'Description; may be empty.',
    }),
  }),
});

const cadence = { materialization: { select: { syncFrequency: true } } } as const;

/** The endpoint's members needed for its URLs. */
const head = { select: { id: true, projectId: true, name: true } } as const;

export const EndpointVersion = builder.prismaObject('EndpointVersion', {
  findUnique: findAgain,
  description: 'An immutable query of an endpoint, with its settings.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of this version.' }),
    versionId: t.exposeID('id', { description: 'The same as id.' }),
    endpoint: t.relation('endpoint', { description: 'The endpoint, with its current version.' }),
    endpointId: t.exposeID('endpointId', { description: 'Id of the endpoint.' }),
    version: t.exposeInt('version', {
      description: 'Number of the version, from 1.',
    }),
    name: t.string({
      select: { endpoint: head },
      description: 'Name of the endpoint.',
      resolve: (v) => v.endpoint.name,
    }),
    graphqlName: t.string({
      select: { endpoint: { select: { graphqlName: true } } },
      description: 'Name of the field of the endpoint in the data graph.',
      resolve: (v) => v.endpoint.graphqlName,
    }),
    description: t.exposeString('description', {
      description: 'Description; may be empty.',
    }),
    query: t.expose('query', { type: 'JSON', description: 'The query: {kind, query, variables}.' }),
    isActive: t.exposeBoolean('isActive', {
      description: 'Whether runs of this version are allowed.',
    }),
    refusedAt: t.expose('refusedAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'When runs of this version began to be refused because the engine could not stop one that exceeded its time limit; null if they are not refused. To run the endpoint again, change its query, which creates a new version.',
    }),
    endpointIsActive: t.boolean({
      select: { endpoint: { select: { isActive: true } } },
      description: 'Whether the endpoint allows runs at all.',
      resolve: (v) => v.endpoint.isActive,
    }),
    cacheAgeSeconds: t.exposeInt('cacheAgeSeconds', {
      nullable: true,
      description: "Seconds for which a result is fresh; null: the server's default.",
    }),
    columns: t.field({
      type: [Column],
      description: 'Result columns.',
      resolve: (v) => v.columns as unknown as NamedType[],
    }),
    variables: t.field({
      type: [Variable],
      description: 'Variables of the query.',
      resolve: (v) => v.variables as unknown as VariableFields[],
    }),
    isMaterialized: t.boolean({
      select: { materialization: { select: { enabled: true } } },
      description: 'Whether materialization is enabled.',
      resolve: (v) => v.materialization?.enabled ?? false,
    }),
    syncFrequency: t.string({
      select: cadence,
      description: 'Cadence of its materialization: 5min to 30day.',
      resolve: (v) => v.materialization?.syncFrequency ?? defaultSyncFrequency,
    }),
    dataFreshnessSeconds: t.int({
      select: cadence,
      description: 'The cadence in seconds.',
      resolve: (v) => cadenceSeconds(v.materialization?.syncFrequency ?? defaultSyncFrequency),
    }),
    tags: t.stringList({
      select: { endpoint: { select: { tags: true } } },
      description: 'Labels of the endpoint, sorted.',
      resolve: (v) => v.endpoint.tags,
    }),
    materialization: t.relation('materialization', {
      type: MaterializationStatus,
      onNull: 'error',
      description: 'State of its materialization.',
    }),
    versionCreatedAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'When this version was created.',
    }),
    versionCreatedBy: t.relation('createdBy', {
      type: User,
      nullable: true,
      description: 'The author of this version; null if unknown.',
    }),
    createdAt: t.field({
      type: 'DateTime',
      select: { endpoint: { select: { createdAt: true } } },
      description: 'When the endpoint was created.',
      resolve: (v) => v.endpoint.createdAt,
    }),
    updatedAt: t.field({
      type: 'DateTime',
      select: { endpoint: { select: { updatedAt: true } } },
      description: 'When the endpoint was last changed.',
      resolve: (v) => v.endpoint.updatedAt,
    }),
    createdBy: t.field({
      type: User,
      nullable: true,
      select: (_args, _context, nested) => ({ endpoint: { select: { createdBy: nested() } } }),
      description: 'The author of the endpoint; null if unknown.',
      resolve: (v) => v.endpoint.createdBy,
    }),
    lastExecutedAt: t.field({
      type: 'DateTime',
      nullable: true,
      select: { endpoint: { select: { lastExecutedAt: true } } },
      description: 'When the endpoint last ran.',
      resolve: (v) => v.endpoint.lastExecutedAt,
    }),
    derivedFromInsight: t.string({
      nullable: true,
      select: { endpoint: { select: { derivedFromInsight: true } } },
      description: 'Short id of the insight it was derived from.',
      resolve: (v) => v.endpoint.derivedFromInsight,
    }),
    currentVersion: t.int({
      select: { endpoint: { select: { currentVersion: { select: { version: true } } } } },
      description: 'Number of the current version.',
      resolve: (v) => v.endpoint.currentVersion?.version ?? v.version,
    }),
    currentVersionId: t.id({
      select: { endpoint: { select: { currentVersionId: true } } },
      description: 'Id of the current version.',
      resolve: (v) => v.endpoint.currentVersionId ?? v.id,
    }),
    versionsCount: t.int({
      select: { endpoint: { select: { _count: { select: { versions: true } } } } },
      description: 'Number of versions of the endpoint.',
      resolve: (v) => v.endpoint._count.versions,
    }),
    endpointPath: t.string({
      select: { endpoint: head },
      description: 'Path of REST runs of the endpoint.',
      resolve: (v) => runPath(v.endpoint),
    }),
    url: t.string({
      select: { endpoint: head },
      description: 'URL of REST runs of the endpoint.',
      resolve: (v, _args, { publicUrl }) => publicUrl + runPath(v.endpoint),
    }),
    uiUrl: t.string({
      select: { endpoint: head },
      description: 'URL of the page of the endpoint in the console.',
      resolve: (v, _args, { publicUrl }) => publicUrl + pagePath(v.endpoint),
    }),
    openapi: t.field({
      type: 'JSON',
      select: { endpoint: head },
      args: documentArgs,
      description: 'OpenAPI 3.0 document of this version.',
      resolve: (v, args, { publicUrl }) =>
        describeVersion({ endpoint: v.endpoint, version: v }, publicUrl, args),
    }),
  }),
});
