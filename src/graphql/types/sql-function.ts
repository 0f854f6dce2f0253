import type { DocumentedFunction } from '../../sql/sql-analysis.ts';
import { type FunctionPage, listFunctions } from '../../tables/read-functions.ts';
import { builder } from '../builder.ts';
import { projectArgs } from './arguments.ts';

const SqlFunction = builder.objectRef<DocumentedFunction>('SqlFunction').implement({
  description: 'A function of the engine that queries can call.',
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Its name.' }),
    isAggregate: t.exposeBoolean('isAggregate', {
      description: 'Whether it combines the rows of a group.',
    }),
    syntax: t.exposeString('syntax', {
      description: 'How it is called; empty if the engine does not tell.',
    }),
    description: t.exposeString('description', {
      description: 'What it does, as plain text; empty if the engine does not tell.',
    }),
    aliasOf: t.exposeString('aliasOf', {
      nullable: true,
      description: 'The function that this is another name of.',
    }),
  }),
});

const SqlFunctionList = builder.objectRef<FunctionPage>('SqlFunctionList').implement({
  description: 'One page of functions.',
  fields: (t) => ({
    totalCount: t.exposeInt('total', { description: 'Total number over all pages.' }),
    results: t.field({
      type: [SqlFunction],
      description: 'The functions of this page.',
      resolve: (page) => [...page.functions],
    }),
  }),
});

builder.queryField('functions', (t) =>
  t.field({
    type: SqlFunctionList,
    nullable: true,
    description:
      'The functions that queries of a project can call, by name, as the engine documents them.',
    args: {
      ...projectArgs,
      search: t.arg.string({
        description: 'Only functions whose name contains this text, ignoring case.',
      }),
      first: t.arg.int({ description: 'Maximum number of functions to return; default: 100.' }),
      offset: t.arg.int({ description: 'Number of rows to skip from the start.' }),
    },
    resolve: async (_root, args, { deps, principal }) =>
      listFunctions(deps, await principal(), args),
  }),
);
