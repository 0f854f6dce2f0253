import { limitProject } from '../../access/set-project-limits.ts';
import { builder } from '../builder.ts';
import { projectArgs } from './arguments.ts';
import { LimitsInput } from './limits.ts';
import { Project } from './project.ts';

builder.mutationFields((t) => ({
  setProjectLimits: t.prismaField({
    type: Project,
    nullable: true,
    description: 'Sets limits of a project, below those of the server. Needs the scope admin.',
    args: {
      ...projectArgs,
      limits: t.arg({
        type: LimitsInput,
        required: true,
        description: 'The limits to change; null removes one.',
      }),
    },
    resolve: async (query, _root, { projectId, limits }, context) => {
      const call = { projectId, limits };
      const { id } = await limitProject(context.deps, await context.principal(), call);
      return context.prisma.project.findUniqueOrThrow({ ...query, where: { id } });
    },
  }),
}));
