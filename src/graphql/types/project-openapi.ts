import { authorizeList } from '../../endpoints/authorize-list.ts';
import { toRunnableQuery } from '../../store/endpoint-list.ts';
import { builder } from '../builder.ts';
import { describeProject } from '../describe-openapi.ts';
import { documentArgs } from './openapi-args.ts';
import { Project } from './project.ts';

const select = {
  projectId: true,
  name: true,
  currentVersion: { select: { version: true, description: true, columns: true, variables: true } },
} as const;

builder.prismaObjectField(Project, 'openapi', (t) =>
  t.field({
    type: 'JSON',
    select: { id: true, name: true },
    args: documentArgs,
    description:
      'OpenAPI 3.0 document of running its active endpoints, each at its current version, and the built-in endpoint _usage.',
    resolve: async ({ id, name }, args, { deps, prisma, principal, publicUrl }) => {
      const call = { projectId: String(id), filter: {} };
      const list = await authorizeList(deps, await principal(), call);
      const endpoints = await prisma.endpoint.findMany({ ...toRunnableQuery(list), select });
      return describeProject({ id, name, endpoints }, publicUrl, {
        ...args,
        onUndescribed: (endpoint, error) =>
          deps.log.error(
            { err: error, endpoint },
            'an endpoint was left out of an OpenAPI document',
          ),
      });
    },
  }),
);
