import { getProject } from '../../access/get-project.ts';
import { lowerTo, readLimits } from '../../model/query-limits.ts';
import { tablesOf } from '../../tables/read-tables.ts';
import { builder } from '../builder.ts';
import { projectIdDescription } from './arguments.ts';
import { OwnLimits, ProjectLimits } from './limits.ts';
import { ProjectBinding } from './project-binding.ts';
import { Table } from './table.ts';

export const Project = builder.prismaObject('Project', {
  description: 'A tenant: its own tables, endpoints and keys.',
  fields: (t) => ({
    id: t.exposeID('id', { description: 'Id of the project.' }),
    name: t.exposeString('name', { description: 'Name.' }),
    createdAt: t.expose('createdAt', {
      type: 'DateTime',
      description: 'When the project was created.',
    }),
    limits: t.field({
      type: ProjectLimits,
      select: { limits: true },
      description: 'Limits that apply to its runs.',
      resolve: ({ limits }, _args, { deps }) => lowerTo(deps.serverLimits, readLimits(limits)),
    }),
    ownLimits: t.field({
      type: OwnLimits,
      select: { limits: true },
      description: 'Limits set on the project itself.',
      resolve: ({ limits }) => readLimits(limits),
    }),
    binding: t.field({
      type: ProjectBinding,
      nullable: true,
      select: { binding: { select: { databases: true, stored: true, dictionaries: true } } },
      description:
        'The existing databases that the project is bound to; null if the service manages its database.',
      resolve: ({ binding }) => binding,
    }),
    recordsValues: t.exposeBoolean('recordsValues', {
      description:
        'Whether executions are recorded with the values of their variables, which keys with endpoint:write can read.',
    }),
    endpointsCount: t.relationCount('endpoints', { description: 'Number of endpoints.' }),
    tables: t.field({
      type: [Table],
      description: 'The tables that queries of this project can read.',
      resolve: async (project, _args, { deps }) => [...(await tablesOf(deps, project.id))],
    }),
  }),
});

builder.queryFields((t) => ({
  project: t.prismaField({
    type: Project,
    nullable: true,
    description: 'One project.',
    args: { id: t.arg.id({ required: true, description: projectIdDescription }) },
    resolve: async (query, _root, { id }, context) => {
      const project = await getProject(context.deps, await context.principal(), id);
      return context.prisma.project.findUniqueOrThrow({ ...query, where: { id: project.id } });
    },
  }),
}));
