import { currentActor } from '../../access/current-actor.ts';
import { requireProject, requireScope } from '../../access/principal.ts';
import { setProjectLimits } from '../../access/set-project-limits.ts';
import { builder } from '../builder.ts';
import { said } from './arguments.ts';
import { LimitsInput } from './limits.ts';
import { Project } from './project.ts';

builder.mutationFields((t) => ({
  setProjectLimits: t.prismaField({
    type: Project,
    nullable: true,
    description:
      'Gives a project limits of its own, below those of the server. Takes the scope admin.',
    args: {
      projectId: t.arg.id({ required: true, description: said.projectId }),
      limits: t.arg({
        type: LimitsInput,
        required: true,
        description: 'Those that change; a null takes one back.',
      }),
    },
    resolve: async (query, _root, { projectId, limits }, context) => {
      const principal = await context.principal();
      requireScope(principal, 'admin');
      const id = requireProject(principal, projectId);
      await setProjectLimits(context.deps, id, { limits, by: currentActor(principal) });
      context.deps.lookups.endpoints.clear();
      return context.prisma.project.findUniqueOrThrow({ ...query, where: { id } });
    },
  }),
}));
