import { authorizeList, requireOffset } from '../../endpoints/authorize-list.ts';
import { readDescribed, readEndpoint } from '../../endpoints/read-endpoint.ts';
import type { RunInput as RunRequestInput } from '../../runs/run-request.ts';
import { toListQuery, toVersionQuery } from '../../store/endpoint-list.ts';
import { builder } from '../builder.ts';
import { pageByCreation, pageByPosition } from '../cursors.ts';
import { describeVersion } from '../describe-openapi.ts';
import { loadStatus } from '../load-endpoint.ts';
import { runInRequest } from '../run-in-request.ts';
import { stillOf } from '../still-there.ts';
import { endpointArgs, offsetArg, projectArgs, versionArgs } from './arguments.ts';
import { Endpoint } from './endpoint.ts';
import { EndpointRun, RunInput } from './endpoint-run.ts';
import { EndpointVersion } from './endpoint-version.ts';
import { MaterializationStatus } from './materialization-status.ts';
import { documentArgs } from './openapi-args.ts';

const noInput = {};

const EndpointFilter = builder.inputType('EndpointFilter', {
  description: 'Conditions for a list of endpoints, all of which must hold.',
  fields: (t) => ({
    isActive: t.boolean({ description: 'Only active ones, or only inactive ones.' }),
    isMaterialized: t.boolean({
      description: 'Only those whose current version is materialized, or only the others.',
    }),
    createdBy: t.int({ description: 'Only endpoints created by the user with this number.' }),
    tags: t.stringList({ description: 'Only endpoints that have all of these labels.' }),
    search: t.string({
      description: 'Only endpoints whose name or description contains this text, ignoring case.',
    }),
  }),
});

const VersionFilter = builder.inputType('VersionFilter', {
  description: 'Conditions for a list of versions, all of which must hold.',
  fields: (t) => ({
    isActive: t.boolean({ description: 'Only active ones, or only inactive ones.' }),
    createdBy: t.int({ description: 'Only versions created by the user with this number.' }),
  }),
});

builder.queryFields((t) => ({
  endpoint: t.prismaField({
    type: Endpoint,
    nullable: true,
    description: 'One endpoint, with the settings of its current version.',
    args: {
      ...endpointArgs,
      version: t.arg.int({
        description:
          'Number of a version that must exist. Does not change the result; to read a version, use version(version) or endpointVersion.',
      }),
    },
    resolve: async (query, _root, args, { deps, prisma, principal }) => {
      const { endpoint } = await readEndpoint(deps, await principal(), args);
      const where = { id: endpoint.id };
      return stillOf(deps, endpoint, prisma.endpoint.findUnique({ ...query, where }));
    },
  }),
  endpointVersion: t.prismaField({
    type: EndpointVersion,
    nullable: true,
    description: 'One version of an endpoint.',
    args: versionArgs,
    resolve: async (query, _root, args, { deps, prisma, principal }) => {
      const { endpoint, version } = await readEndpoint(deps, await principal(), args);
      const where = { id: version.id };
      return stillOf(deps, endpoint, prisma.endpointVersion.findUnique({ ...query, where }));
    },
  }),
  endpoints: t.prismaConnection(
    {
      type: Endpoint,
      nullable: true,
      cursor: 'id',
      description: 'The endpoints of a project, newest first.',
      args: {
        ...projectArgs,
        filter: t.arg({
          type: EndpointFilter,
          description: 'Which entries to return; default: all.',
        }),
        ...offsetArg,
      },
      totalCount: async (_connection, { projectId, filter }, context) => {
        const call = { projectId, filter: filter ?? {} };
        const list = await authorizeList(context.deps, await context.principal(), call);
        return context.prisma.endpoint.count({ where: toListQuery(list).where });
      },
      resolve: async (query, _root, { projectId, filter, offset }, context) => {
        const call = { projectId, filter: filter ?? {}, offset };
        const list = await authorizeList(context.deps, await context.principal(), call);
        const { where, orderBy, skip } = toListQuery(list);
        const page = pageByCreation(query, skip);
        return context.prisma.endpoint.findMany({
          ...page.query,
          where: { AND: [where, page.where] },
          orderBy,
        });
      },
    },
    { name: 'EndpointConnection', description: 'A page of endpoints.' },
    { name: 'EndpointEdge', description: 'An endpoint of a page.' },
  ),
  endpointVersions: t.prismaConnection(
    {
      type: EndpointVersion,
      nullable: true,
      cursor: 'id',
      description: 'The versions of one endpoint, newest first, inactive ones included.',
      args: {
        ...endpointArgs,
        filter: t.arg({ type: VersionFilter, description: 'Which to return; default: all.' }),
        ...offsetArg,
      },
      totalCount: async (_connection, { projectId, name, filter }, context) => {
        const { deps, prisma, principal } = context;
        const { endpoint } = await readEndpoint(deps, await principal(), { projectId, name });
        return prisma.endpointVersion.count({ where: toVersionQuery(endpoint.id, filter ?? {}) });
      },
      resolve: async (query, _root, { projectId, name, filter, offset }, context) => {
        const { deps, prisma, principal } = context;
        const { endpoint } = await readEndpoint(deps, await principal(), { projectId, name });
        const page = await pageByPosition(query, {
          offset: requireOffset(offset),
          find: async (id) => {
            const row = { where: { id, endpointId: endpoint.id }, select: { version: true } };
            return (await prisma.endpointVersion.findUnique(row))?.version ?? null;
          },
          where: (version) => ({ version }),
        });
        return prisma.endpointVersion.findMany({
          ...page.query,
          where: { ...toVersionQuery(endpoint.id, filter ?? {}), ...page.where },
          orderBy: { version: 'desc' },
        });
      },
    },
    { name: 'VersionConnection', description: 'A page of versions.' },
    { name: 'VersionEdge', description: 'A version of a page.' },
  ),
  endpointOpenapi: t.field({
    type: 'JSON',
    nullable: true,
    description:
      'OpenAPI 3.0 document of the REST runs of one version. Also available for the built-in endpoint _usage.',
    args: { ...versionArgs, ...documentArgs },
    resolve: async (_root, args, { deps, principal, publicUrl }) =>
      describeVersion(await readDescribed(deps, await principal(), args), publicUrl, args),
  }),
  runEndpoint: t.field({
    type: EndpointRun,
    nullable: true,
    description: 'Runs an endpoint.',
    args: {
      ...endpointArgs,
      input: t.arg({ type: RunInput, description: 'Options of the run.' }),
    },
    resolve: (_root, { projectId, name, input }, context) =>
      runInRequest(context, { projectId, name, input: (input ?? noInput) as RunRequestInput }),
  }),
  materializationStatus: t.field({
    type: MaterializationStatus,
    nullable: true,
    description: 'State of the materialization of one version.',
    args: versionArgs,
    resolve: async (_root, args, context) => {
      const { deps, principal } = context;
      return loadStatus(context, await readEndpoint(deps, await principal(), args));
    },
  }),
}));
