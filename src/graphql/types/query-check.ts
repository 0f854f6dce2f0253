import type { QueryCheck as QueryCheckFacts } from '../../endpoints/query-check.ts';
import { checkQuery } from '../../runs/check-query.ts';
import type { RunInput as RunRequestInput } from '../../runs/run-request.ts';
import { unsavedName } from '../../runs/unsaved-query.ts';
import { builder } from '../builder.ts';
import { checkOf } from '../dry-run.ts';
import { queryInRequest } from '../run-in-request.ts';
import { projectArgs } from './arguments.ts';
import { Endpoint } from './endpoint.ts';
import { QueryRun, RunInput } from './endpoint-run.ts';
import { Column, Variable } from './endpoint-version.ts';
import { MaterializationCheck } from './materialization-preview.ts';
import { QueryPlan } from './query-plan.ts';
import { ReadTable } from './table.ts';

const QueryCheck = builder.objectRef<QueryCheckFacts>('QueryCheck').implement({
  description: 'The result of checking a query without running it.',
  fields: (t) => ({
    columns: t.field({
      type: [Column],
      description: 'Columns of its result.',
      resolve: (check) => [...check.columns],
    }),
    variables: t.field({
      type: [Variable],
      description: 'Variables that a run can set.',
      resolve: (check) => [...check.variables],
    }),
    tables: t.field({
      type: [ReadTable],
      description: 'The tables and columns that the query reads.',
      resolve: (check) => [...check.tables],
    }),
    estimatedRows: t.exposeFloat('estimatedRows', {
      nullable: true,
      description:
        'Number of rows that the engine expects to read with the given or default values of the variables; null if it gives no estimate or a value is missing.',
    }),
    materialization: t.expose('materialization', {
      type: MaterializationCheck,
      description: 'Whether and how the query could be materialized.',
    }),
    plan: t.field({
      type: QueryPlan,
      nullable: true,
      description:
        'How the engine would run it with the given or default values of the variables; null if a value is missing. Selecting this field counts as a run.',
      resolve: (check, _args, { runs }) => {
        runs.take();
        return check.explain();
      },
    }),
  }),
});

builder.prismaObjectField(Endpoint, 'check', (t) =>
  t.field({
    type: QueryCheck,
    nullable: true,
    description:
      'In the result of a dry run with a query, the check of that query; null otherwise.',
    resolve: (endpoint) => checkOf(endpoint),
  }),
);

const queryArgs = builder.args((t) => ({
  ...projectArgs,
  query: t.field({
    type: 'JSON',
    required: true,
    description: 'One SELECT as a string, or {kind, query, variables}.',
  }),
  input: t.field({
    type: RunInput,
    description: 'Options of the run. version is not accepted, and the result is not cached.',
  }),
}));

builder.queryFields((t) => ({
  runQuery: t.field({
    type: QueryRun,
    nullable: true,
    description: 'Runs a query once without saving it. Needs the scope endpoint:write.',
    args: queryArgs,
    resolve: (_root, { projectId, query, input }, context) =>
      queryInRequest(context, { projectId, query, input: (input ?? {}) as RunRequestInput }),
  }),
  checkQuery: t.field({
    type: QueryCheck,
    nullable: true,
    description:
      'Checks a query, and the given input, without running it. Needs the scope endpoint:write.',
    args: queryArgs,
    resolve: async (_root, { projectId, query, input }, { deps, principal, via }) => {
      const call = { projectId, name: unsavedName, input: (input ?? {}) as RunRequestInput };
      const run = deps.preparedRuns.prepare({ ...call, valueSource: 'json', via });
      return checkQuery(deps, await principal(), { run, query });
    },
  }),
}));
