import { pagePath, runPath } from '../../endpoints/endpoint-urls.ts';
import { requireVersion } from '../../endpoints/version-number.ts';
import { isGiven } from '../../lib/is-given.ts';
import { endpointRevision } from '../../model/endpoint-revision.ts';
import { cadenceSeconds } from '../../model/materialization-state.ts';
import { defaultSyncFrequency } from '../../model/sync-frequency.ts';
import type { RunInput as RunRequestInput } from '../../runs/run-request.ts';
import { builder } from '../builder.ts';
import { describeVersion } from '../describe-openapi.ts';
import { findAgain } from '../dry-run.ts';
import { type HasRow, requirePage } from '../page.ts';
import { runInRequest } from '../run-in-request.ts';
import { EndpointRun, RunInput } from './endpoint-run.ts';
import {
  Column,
  EndpointVersion,
  type NamedType,
  Variable,
  type VariableFields,
} from './endpoint-version.ts';
import { MaterializationStatus } from './materialization-status.ts';
import { Node } from './node.ts';
import { documentArgs } from './openapi-args.ts';
import { QueryStatus } from './query-status.ts';
import { User } from './user.ts';

/** `currentVersion` is null only inside the transaction that creates an endpoint, which no reader sees. */
function current<V>(endpoint: { readonly currentVersion: V | null }): V {
  return present(endpoint.currentVersion, 'an endpoint without a version was read');
}

function present<V>(value: V | null | undefined, problem: string): V {
  if (!isGiven(value)) throw new Error(problem);
  return value;
}

const cadence = {
  currentVersion: { select: { materialization: { select: { syncFrequency: true } } } },
} as const;

const number = { currentVersion: { select: { version: true } } } as const;

/** Columns that `endpointRevision` reads. */
const revised = {
  id: true,
  updatedAt: true,
  isActive: true,
  graphqlName: true,
  tags: true,
  currentVersion: {
    select: {
      id: true,
      description: true,
      isActive: true,
      cacheAgeSeconds: true,
      materialization: { select: { enabled: true, syncFrequency: true, maxRows: true } },
    },
  },
} as const;

const hasVersion: HasRow = async (endpoint, id, { loaders }) =>
  (await loaders.endpointOfVersion.load(id)) === (endpoint as { readonly id: string }).id;

export const Endpoint = builder.prismaObject('Endpoint', {
  findUnique: findAgain,
  description: 'A saved, named query, with the settings of its current version.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the endpoint.' }),
    name: t.exposeString('name', { description: 'Name, unique in the project.' }),
    graphqlName: t.exposeString('graphqlName', {
      description: 'Name of its field in the data graph, unique in the project.',
    }),
    description: t.string({
      select: { currentVersion: { select: { description: true } } },
      description: 'Description; may be empty.',
      resolve: (e) => current(e).description,
    }),
    query: t.field({
      type: 'JSON',
      select: { currentVersion: { select: { query: true } } },
      description: 'The query: {kind, query, variables}.',
      resolve: (e) => current(e).query,
    }),
    isActive: t.exposeBoolean('isActive', {
      description: 'Whether runs are allowed. An inactive endpoint can still be changed.',
    }),
    cacheAgeSeconds: t.int({
      nullable: true,
      select: { currentVersion: { select: { cacheAgeSeconds: true } } },
      description: "Seconds for which a result is fresh; null: the server's default.",
      resolve: (e) => current(e).cacheAgeSeconds,
    }),
    syncFrequency: t.string({
      select: cadence,
      description: 'Cadence of its materialization: 5min to 30day.',
      resolve: (e) => current(e).materialization?.syncFrequency ?? defaultSyncFrequency,
    }),
    dataFreshnessSeconds: t.int({
      select: cadence,
      description: 'The cadence in seconds.',
      resolve: (e) =>
        cadenceSeconds(current(e).materialization?.syncFrequency ?? defaultSyncFrequency),
    }),
    tags: t.exposeStringList('tags', { description: 'Labels, sorted.' }),
    endpointPath: t.string({ description: 'Path of its REST runs.', resolve: (e) => runPath(e) }),
    url: t.string({
      description: 'URL of its REST runs.',
      resolve: (e, _args, { publicUrl }) => publicUrl + runPath(e),
    }),
    uiUrl: t.string({
      description: 'URL of its page in the console.',
      resolve: (e, _args, { publicUrl }) => publicUrl + pagePath(e),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'When it was last changed.',
    }),
    revision: t.string({
      select: revised,
      description:
        'Changes with every change of the endpoint or its versions. Pass it as ifMatch so that a write does not overwrite a concurrent one.',
      resolve: (e) => endpointRevision(e),
    }),
    createdBy: t.relation('createdBy', {
      type: User,
      nullable: true,
      description: 'The author; null if unknown.',
    }),
    isMaterialized: t.boolean({
      select: { currentVersion: { select: { materialization: { select: { enabled: true } } } } },
      description: 'Whether materialization is enabled.',
      resolve: (e) => current(e).materialization?.enabled ?? false,
    }),
    currentVersion: t.int({
      select: number,
      description: 'Number of the current version.',
      resolve: (e) => current(e).version,
    }),
    currentVersionId: t.exposeID('currentVersionId', {
      nullable: true,
      description: 'Id of the current version.',
    }),
    versionsCount: t.relationCount('versions', { description: 'Number of versions.' }),
    derivedFromInsight: t.exposeString('derivedFromInsight', {
      nullable: true,
      description: 'Short id of the insight it was derived from.',
    }),
    lastExecutedAt: t.expose('lastExecutedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it last ran.',
    }),
    columns: t.field({
      type: [Column],
      select: { currentVersion: { select: { columns: true } } },
      description: 'Result columns.',
      resolve: (e) => current(e).columns as unknown as NamedType[],
    }),
    variables: t.field({
      type: [Variable],
      select: { currentVersion: { select: { variables: true } } },
      description: 'Variables of the query.',
      resolve: (e) => current(e).variables as unknown as VariableFields[],
    }),
    materialization: t.field({
      type: MaterializationStatus,
      select: (_args, _context, nested) => ({
        currentVersion: { select: { materialization: nested() } },
      }),
      description: 'State of its materialization.',
      resolve: (e) =>
        present(current(e).materialization, 'a version without its materialization was read'),
    }),
    version: t.field({
      type: EndpointVersion,
      nullable: true,
      args: {
        version: t.arg.int({ description: 'Number of the version; default: the current one.' }),
      },
      select: ({ version }, _context, nested) =>
        isGiven(version)
          ? { ...number, versions: nested({ where: { version }, take: 1 }) }
          : { currentVersion: nested() },
      description: 'One version.',
      resolve: (e, { version }) => {
        if (!isGiven(version)) return current(e) as typeof EndpointVersion.$inferType;
        const [found] = (e as typeof e & { versions: (typeof EndpointVersion.$inferType)[] })
          .versions;
        return requireVersion(found, version, { name: e.name, currentVersion: current(e) });
      },
    }),
    versions: t.relatedConnection(
      'versions',
      {
        cursor: 'id',
        totalCount: true,
        query: (args) => {
          requirePage(args);
          return { orderBy: { version: 'desc' } };
        },
        extensions: { hasRow: hasVersion },
        description: 'All versions, newest first, inactive ones included.',
      },
      { description: 'A page of versions of one endpoint.' },
      { description: 'A version of a page.' },
    ),
    latestExecution: t.field({
      type: QueryStatus,
      nullable: true,
      description: 'Its latest execution; null if none is recorded.',
      resolve: (e, _args, { loaders }) => loaders.latestExecution.load(e.id),
    }),
    run: t.field({
      type: EndpointRun,
      args: { input: t.arg({ type: RunInput, description: 'Options of the run.' }) },
      nullable: true,
      select: number,
      description: 'Runs the endpoint: its current version, unless the input names another.',
      resolve: (e, { input }, context) =>
        runInRequest(context, {
          projectId: String(e.projectId),
          name: e.name,
          input: { ...(input as RunRequestInput), version: input?.version ?? current(e).version },
        }),
    }),
    openapi: t.field({
      type: 'JSON',
      select: {
        currentVersion: {
          select: { version: true, description: true, columns: true, variables: true },
        },
      },
      args: documentArgs,
      description: 'OpenAPI 3.0 document of its REST runs.',
      resolve: (e, args, { publicUrl }) =>
        describeVersion({ endpoint: e, version: current(e) }, publicUrl, args),
    }),
  }),
});
