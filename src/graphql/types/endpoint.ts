import { pagePath, runPath } from '../../endpoints/endpoint-urls.ts';
import { requireVersion } from '../../endpoints/version-number.ts';
import type { RunInput as RunRequestInput } from '../../runs/run-request.ts';
import { builder } from '../builder.ts';
import { describeVersion } from '../describe-openapi.ts';
import { requirePage } from '../page.ts';
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

function isGiven<T>(value: T | null | undefined): value is T {
  return value !== null && value !== undefined;
}

const number = { currentVersion: { select: { version: true } } } as const;

export const Endpoint = builder.prismaObject('Endpoint', {
  description: 'A saved query under a name, with the settings of its current version.',
  interfaces: [Node],
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the endpoint.' }),
    name: t.exposeString('name', { description: 'Unique among the endpoints of its project.' }),
    description: t.string({
      select: { currentVersion: { select: { description: true } } },
      description: 'What it answers; empty when its author does not say.',
      resolve: (e) => current(e).description,
    }),
    query: t.field({
      type: 'JSON',
      select: { currentVersion: { select: { query: true } } },
      description: 'The query: {kind, query, variables}.',
      resolve: (e) => current(e).query,
    }),
    isActive: t.exposeBoolean('isActive', {
      description: 'Whether it may run. An inactive endpoint can still be changed.',
    }),
    cacheAgeSeconds: t.int({
      nullable: true,
      select: { currentVersion: { select: { cacheAgeSeconds: true } } },
      description: "How long a result counts as fresh; null: the server's default.",
      resolve: (e) => current(e).cacheAgeSeconds,
    }),
    endpointPath: t.string({ description: 'Path that runs it.', resolve: (e) => runPath(e) }),
    url: t.string({
      description: 'The same with scheme and host.',
      resolve: (e, _args, { publicUrl }) => publicUrl + runPath(e),
    }),
    uiUrl: t.string({
      description: 'Its page for people.',
      resolve: (e, _args, { publicUrl }) => publicUrl + pagePath(e),
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was made.' }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'When it was last changed.',
    }),
    createdBy: t.relation('createdBy', { type: User, nullable: true, description: 'Who made it.' }),
    isMaterialized: t.boolean({
      select: { currentVersion: { select: { materialization: { select: { enabled: true } } } } },
      description: 'Whether materialization is turned on.',
      resolve: (e) => current(e).materialization?.enabled ?? false,
    }),
    currentVersion: t.int({
      select: number,
      description: 'The highest version number.',
      resolve: (e) => current(e).version,
    }),
    currentVersionId: t.exposeID('currentVersionId', {
      nullable: true,
      description: 'Id of that version.',
    }),
    versionsCount: t.relationCount('versions', { description: 'How many versions it has.' }),
    derivedFromInsight: t.exposeString('derivedFromInsight', {
      nullable: true,
      description: 'Short id of the insight that it came from.',
    }),
    lastExecutedAt: t.expose('lastExecutedAt', {
      type: 'DateTime',
      nullable: true,
      description: 'When it ran last.',
    }),
    columns: t.field({
      type: [Column],
      select: { currentVersion: { select: { columns: true } } },
      description: 'Columns of the result.',
      resolve: (e) => current(e).columns as unknown as NamedType[],
    }),
    variables: t.field({
      type: [Variable],
      select: { currentVersion: { select: { variables: true } } },
      description: 'Values that runs take.',
      resolve: (e) => current(e).variables as unknown as VariableFields[],
    }),
    materialization: t.field({
      type: MaterializationStatus,
      select: (_args, _context, nested) => ({
        currentVersion: { select: { materialization: nested() } },
      }),
      description: 'How its materialization stands.',
      resolve: (e) =>
        present(current(e).materialization, 'a version without its materialization was read'),
    }),
    version: t.field({
      type: EndpointVersion,
      nullable: true,
      args: {
        version: t.arg.int({ description: 'Number of the version; the current one when absent.' }),
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
    versions: t.relatedConnection('versions', {
      cursor: 'id',
      totalCount: true,
      query: (args) => {
        requirePage(args);
        return { orderBy: { version: 'desc' } };
      },
      description: 'All versions, newest first, inactive ones included.',
    }),
    latestExecution: t.field({
      type: QueryStatus,
      nullable: true,
      description: 'Its newest execution; null when none is on record.',
      resolve: (e, _args, { loaders }) => loaders.latestExecution.load(e.id),
    }),
    run: t.field({
      type: EndpointRun,
      args: { input: t.arg({ type: RunInput, description: 'What the run asks for.' }) },
      nullable: true,
      select: number,
      description: 'Runs it; the current version, unless the input names another.',
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
      description: 'OpenAPI 3.0 document of running it.',
      resolve: (e, args, { publicUrl }) =>
        describeVersion({ endpoint: e, version: current(e) }, publicUrl, args),
    }),
  }),
});
