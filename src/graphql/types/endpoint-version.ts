import { pagePath, runPath } from '../../endpoints/endpoint-urls.ts';
import { builder } from '../builder.ts';
import { describeVersion } from '../describe-openapi.ts';
import { MaterializationStatus } from './materialization-status.ts';
import { Node } from './node.ts';
import { documentArgs } from './openapi-args.ts';
import { User } from './user.ts';

export interface NamedType {
  readonly name: string;
  readonly type: string;
}

export const Column = builder.objectRef<NamedType>('Column').implement({
  description: 'A column of the result.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name.' }),
    type: t.exposeString('type', { description: 'Its ClickHouse type.' }),
  }),
});

export interface VariableFields extends NamedType {
  readonly required: boolean;
  readonly default: unknown;
  readonly description: string;
}

export const Variable = builder.objectRef<VariableFields>('Variable').implement({
  description: 'A value that a run may or must give.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name.' }),
    type: t.exposeString('type', {
      description: 'A ClickHouse type, or String, Number, Boolean, List, Date.',
    }),
    required: t.exposeBoolean('required', { description: 'Whether a run must give it.' }),
    default: t.field({
      type: 'JSON',
      nullable: true,
      description: 'What a run without it takes.',
      resolve: (v) => v.default,
    }),
    description: t.exposeString('description', {
      description: 'What it means; empty when its author does not say.',
    }),
  }),
});

/** The members of the endpoint that its URLs need. */
const head = { select: { id: true, projectId: true, name: true } } as const;

export const EndpointVersion = builder.prismaObject('EndpointVersion', {
  description: 'One immutable query of an endpoint, with the settings that belong to it.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of this version.' }),
    versionId: t.exposeID('id', { description: 'The same as id.' }),
    endpoint: t.relation('endpoint', { description: 'The endpoint, with its current version.' }),
    endpointId: t.exposeID('endpointId', { description: 'Id of the endpoint.' }),
    version: t.exposeInt('version', {
      description: '1 for the first, one more for each changed query.',
    }),
    name: t.string({
      select: { endpoint: head },
      description: 'Name of the endpoint.',
      resolve: (v) => v.endpoint.name,
    }),
    description: t.exposeString('description', {
      description: 'What it answers; empty when its author does not say.',
    }),
    query: t.expose('query', { type: 'JSON', description: 'The query: {kind, query, variables}.' }),
    isActive: t.exposeBoolean('isActive', { description: 'Whether this version may run.' }),
    refusedAt: t.expose('refusedAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'Since when it is refused, because it ran past its time and could not be stopped; null: it is not. A changed query makes a new version, which runs.',
    }),
    endpointIsActive: t.boolean({
      select: { endpoint: { select: { isActive: true } } },
      description: 'Whether the endpoint may run at all.',
      resolve: (v) => v.endpoint.isActive,
    }),
    cacheAgeSeconds: t.exposeInt('cacheAgeSeconds', {
      nullable: true,
      description: "How long a result counts as fresh; null: the server's default.",
    }),
    columns: t.field({
      type: [Column],
      description: 'Columns of the result.',
      resolve: (v) => v.columns as unknown as NamedType[],
    }),
    variables: t.field({
      type: [Variable],
      description: 'Values that runs take.',
      resolve: (v) => v.variables as unknown as VariableFields[],
    }),
    isMaterialized: t.boolean({
      select: { materialization: { select: { enabled: true } } },
      description: 'Whether materialization is turned on.',
      resolve: (v) => v.materialization?.enabled ?? false,
    }),
    materialization: t.relation('materialization', {
      type: MaterializationStatus,
      onNull: 'error',
      description: 'How its materialization stands.',
    }),
    versionCreatedAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'When this version was made.',
    }),
    versionCreatedBy: t.relation('createdBy', {
      type: User,
      nullable: true,
      description: 'Who made this version.',
    }),
    createdAt: t.field({
      type: 'DateTime',
      select: { endpoint: { select: { createdAt: true } } },
      description: 'When the endpoint was made.',
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
      description: 'Who made the endpoint.',
      resolve: (v) => v.endpoint.createdBy,
    }),
    lastExecutedAt: t.field({
      type: 'DateTime',
      nullable: true,
      select: { endpoint: { select: { lastExecutedAt: true } } },
      description: 'When the endpoint ran last.',
      resolve: (v) => v.endpoint.lastExecutedAt,
    }),
    derivedFromInsight: t.string({
      nullable: true,
      select: { endpoint: { select: { derivedFromInsight: true } } },
      description: 'Short id of the insight that it came from.',
      resolve: (v) => v.endpoint.derivedFromInsight,
    }),
    currentVersion: t.int({
      select: { endpoint: { select: { currentVersion: { select: { version: true } } } } },
      description: 'The highest version number of the endpoint.',
      resolve: (v) => v.endpoint.currentVersion?.version ?? v.version,
    }),
    currentVersionId: t.id({
      select: { endpoint: { select: { currentVersionId: true } } },
      description: 'Id of that version.',
      resolve: (v) => v.endpoint.currentVersionId ?? v.id,
    }),
    versionsCount: t.int({
      select: { endpoint: { select: { _count: { select: { versions: true } } } } },
      description: 'How many versions the endpoint has.',
      resolve: (v) => v.endpoint._count.versions,
    }),
    endpointPath: t.string({
      select: { endpoint: head },
      description: 'Path that runs the endpoint.',
      resolve: (v) => runPath(v.endpoint),
    }),
    url: t.string({
      select: { endpoint: head },
      description: 'The same with scheme and host.',
      resolve: (v, _args, { publicUrl }) => publicUrl + runPath(v.endpoint),
    }),
    uiUrl: t.string({
      select: { endpoint: head },
      description: 'Page of the endpoint for people.',
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
