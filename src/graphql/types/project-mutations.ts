import { limitProject } from '../../access/set-project-limits.ts';
import { changeProjectSettings } from '../../access/set-project-settings.ts';
import { builder } from '../builder.ts';
import { projectArgs } from './arguments.ts';
import { LimitsInput } from './limits.ts';
import { Project } from './project.ts';

const ProjectSettingsInput = builder.inputType('ProjectSettingsInput', {
  description: 'Settings of a project to change.',
  fields: (t) => ({
    recordsValues: t.boolean({
      description: 'Whether executions are recorded with the values of their variables.',
    }),
  }),
});

builder.mutationFields((t) => ({
  setProjectSettings: t.prismaField({
    type: Project,
    nullable: true,
    description: 'Changes settings of a project. Needs the scope admin.',
    args: {
      ...projectArgs,
      settings: t.arg({
        type: ProjectSettingsInput,
        required: true,
        description: 'The settings to change.',
      }),
    },
    resolve: async (query, _root, { projectId, settings }, context) => {
      const call = { projectId, settings };
      const { id } = await changeProjectSettings(context.deps, await context.principal(), call);
      return context.prisma.project.findUniqueOrThrow({ ...query, where: { id } });
    },
  }),
  setProjectLimits: t.prismaField({
    type: Project,
    nullable: true,
    description:
      'Sets limits of a project. None may exceed the limit of the server. Needs the scope admin.',
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
