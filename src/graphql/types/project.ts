import { getProject } from '../../access/get-project.ts';
import type { EngineTable } from '../../engine/query-engine.ts';
import { lowerTo, readLimits } from '../../model/query-limits.ts';
import { builder } from '../builder.ts';
import { projectIdDescription } from './arguments.ts';
import { Column } from './endpoint-version.ts';
import { OwnLimits, ProjectLimits } from './limits.ts';

const Table = builder.objectRef<EngineTable>('Table').implement({
  description: 'A table of a project.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name.' }),
    rows: t.exposeFloat('rows', { description: 'Number of rows.' }),
    bytes: t.exposeFloat('bytes', { description: 'Size on disk in bytes.' }),
    columns: t.field({
      type: [Column],
      description: 'Columns of the table.',
      resolve: (table) => [...table.columns],
    }),
  }),
});

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
      description: 'Its own limits, below those of the server.',
      resolve: ({ limits }) => readLimits(limits),
    }),
    endpointsCount: t.relationCount('endpoints', { description: 'Number of endpoints.' }),
    tables: t.field({
      type: [Table],
      description: 'The tables that queries of this project can read.',
      resolve: async (project, _args, { deps }) => [...(await deps.engine.tables(project.id))],
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
