import { requireOffset } from '../../endpoints/authorize-list.ts';
import {
  authorizeVariable,
  authorizeVariables,
  createSavedVariable,
  deleteSavedVariable,
  updateSavedVariable,
  variableNotFound,
} from '../../endpoints/saved-variables/manage-variables.ts';
import { builder } from '../builder.ts';
import { pageByCreation } from '../cursors.ts';
import { stillThere } from '../still-there.ts';
import { offsetArg, projectArgs } from './arguments.ts';
import { User } from './user.ts';

const descriptions = {
  name: 'Display name, at most 400 characters.',
  codeName: 'Name in query texts, as in {variables.code_name}; derived from the name if absent.',
  type: 'String, Number, Boolean, List or Date.',
  defaultValue: 'Value for runs that do not set the variable; null if there is none.',
  values:
    'Suggested values, at most 1000; null if any value is suitable. Runs may use other values.',
} as const;

const SavedVariable = builder.prismaObject('SavedVariable', {
  description: 'A variable that queries of a project can refer to by its id.',
  fields: (t) => ({
    id: t.exposeID('id', {
      description: 'Id of the variable, by which query definitions refer to it.',
    }),
    name: t.exposeString('name', { description: descriptions.name }),
    codeName: t.exposeString('codeName', {
      description: 'Name in query texts, as in {variables.code_name}.',
    }),
    type: t.exposeString('type', { description: descriptions.type }),
    defaultValue: t.expose('defaultValue', {
      type: 'JSON',
      nullable: true,
      description: descriptions.defaultValue,
    }),
    values: t.expose('values', { type: 'JSON', nullable: true, description: descriptions.values }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'When it was created.' }),
    updatedAt: t.expose('updatedAt', {
      type: 'DateTime',
      description: 'When it was last changed.',
    }),
    createdBy: t.relation('createdBy', {
      type: User,
      nullable: true,
      description: 'The author; null if unknown.',
    }),
  }),
});

const CreateSavedVariableInput = builder.inputType('CreateSavedVariableInput', {
  description: 'A new variable of a project.',
  fields: (t) => ({
    name: t.string({ required: true, description: descriptions.name }),
    codeName: t.string({ description: descriptions.codeName }),
    type: t.string({ required: true, description: descriptions.type }),
    defaultValue: t.field({ type: 'JSON', description: descriptions.defaultValue }),
    values: t.field({ type: 'JSON', description: descriptions.values }),
  }),
});

const UpdateSavedVariableInput = builder.inputType('UpdateSavedVariableInput', {
  description: 'Changes to a saved variable. Absent members remain unchanged.',
  fields: (t) => ({
    name: t.string({ description: descriptions.name }),
    codeName: t.string({
      description: 'Accepted only if it is the current code name, which cannot be changed.',
    }),
    type: t.string({ description: descriptions.type }),
    defaultValue: t.field({ type: 'JSON', description: descriptions.defaultValue }),
    values: t.field({ type: 'JSON', description: descriptions.values }),
  }),
});

const variableArgs = builder.args((t) => ({
  ...projectArgs,
  id: t.id({ required: true, description: 'Id of the variable.' }),
}));

builder.queryFields((t) => ({
  savedVariables: t.prismaConnection(
    {
      type: SavedVariable,
      nullable: true,
      cursor: 'id',
      description: 'The saved variables of a project, newest first.',
      args: { ...projectArgs, ...offsetArg },
      totalCount: async (_connection, { projectId }, { deps, prisma, principal }) => {
        const where = await authorizeVariables(deps, await principal(), projectId);
        return prisma.savedVariable.count({ where });
      },
      resolve: async (query, _root, { projectId, offset }, { deps, prisma, principal }) => {
        const where = await authorizeVariables(deps, await principal(), projectId);
        const page = pageByCreation(query, requireOffset(offset));
        return prisma.savedVariable.findMany({
          ...page.query,
          where: { ...where, ...page.where },
          orderBy: [{ createdAt: 'desc' }, { id: 'desc' }],
        });
      },
    },
    { name: 'SavedVariableConnection', description: 'A page of saved variables.' },
    { name: 'SavedVariableEdge', description: 'A saved variable of a page.' },
  ),
  savedVariable: t.prismaField({
    type: SavedVariable,
    nullable: true,
    description: 'One saved variable.',
    args: variableArgs,
    resolve: async (query, _root, args, { prisma, principal }) => {
      const where = authorizeVariable(await principal(), args);
      return stillThere(prisma.savedVariable.findFirst({ ...query, where }), variableNotFound);
    },
  }),
}));

builder.mutationFields((t) => ({
  createSavedVariable: t.prismaField({
    type: SavedVariable,
    description: 'Saves a variable for the queries of a project.',
    args: {
      ...projectArgs,
      input: t.arg({
        type: CreateSavedVariableInput,
        required: true,
        description: 'The variable.',
      }),
    },
    resolve: async (query, _root, call, { deps, prisma, principal }) => {
      const id = await createSavedVariable(deps, await principal(), call);
      const reading = prisma.savedVariable.findUnique({ ...query, where: { id } });
      return stillThere(reading, variableNotFound);
    },
  }),
  updateSavedVariable: t.prismaField({
    type: SavedVariable,
    description:
      'Changes a saved variable. Endpoints retain the definitions that they were saved with.',
    args: {
      ...variableArgs,
      input: t.arg({
        type: UpdateSavedVariableInput,
        required: true,
        description: 'The changes.',
      }),
    },
    resolve: async (query, _root, call, { deps, prisma, principal }) => {
      const id = await updateSavedVariable(deps, await principal(), call);
      const reading = prisma.savedVariable.findUnique({ ...query, where: { id } });
      return stillThere(reading, variableNotFound);
    },
  }),
  deleteSavedVariable: t.boolean({
    description:
      'Deletes a saved variable. Endpoints retain the definitions that they were saved with. True if the variable existed.',
    args: variableArgs,
    resolve: async (_root, call, { deps, principal }) => {
      await deleteSavedVariable(deps, await principal(), call);
      return true;
    },
  }),
}));
