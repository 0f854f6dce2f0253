import type {
  PlannedIndex as PlannedIndexFacts,
  PlannedRead as PlannedReadFacts,
  PlanStep as PlanStepFacts,
  QueryPlan as QueryPlanFacts,
} from '../../engine/query-plan.ts';
import { builder } from '../builder.ts';

const PlannedRead = builder.objectRef<PlannedReadFacts>('PlannedRead').implement({
  description: 'What a query would read of one table.',
  fields: (t) => ({
    table: t.exposeString('table', { description: 'Name of the table.' }),
    rows: t.exposeFloat('rows', { description: 'Rows at most.' }),
    parts: t.exposeFloat('parts', { description: 'Parts of the table.' }),
    granules: t.exposeFloat('granules', {
      description: 'Granules: the rows between two entries of its index.',
    }),
  }),
});

const PlannedIndex = builder.objectRef<PlannedIndexFacts>('PlannedIndex').implement({
  description: 'What an index leaves to be read.',
  fields: (t) => ({
    kind: t.exposeString('kind', {
      description: 'As the engine calls it: Min-Max, Partition, PrimaryKey, or Skip with its name.',
    }),
    keys: t.stringList({
      description: 'Columns and expressions that it knows.',
      resolve: (index) => [...index.keys],
    }),
    condition: t.exposeString('condition', {
      description:
        'What it is asked; true: it leaves everything, as nothing of the query is for it.',
    }),
    parts: t.exposeFloat('parts', { description: 'Parts that it leaves.' }),
    partsBefore: t.exposeFloat('partsBefore', { description: 'Of so many.' }),
    granules: t.exposeFloat('granules', { description: 'Granules that it leaves.' }),
    granulesBefore: t.exposeFloat('granulesBefore', { description: 'Of so many.' }),
  }),
});

const PlanStep = builder.objectRef<PlanStepFacts>('PlanStep').implement({
  description: 'A step of a plan.',
  fields: (t) => ({
    depth: t.exposeInt('depth', {
      description:
        '0 for the last step; the steps that a step takes its rows from follow it, one deeper.',
    }),
    name: t.exposeString('name', { description: 'As the engine calls it.' }),
    description: t.exposeString('description', {
      description: 'What of the query it does; empty without one.',
    }),
    indexes: t.field({
      type: [PlannedIndex],
      description: 'Of a step that reads a table: the indexes in their order.',
      resolve: (step) => [...step.indexes],
    }),
  }),
});

export const QueryPlan = builder.objectRef<QueryPlanFacts>('QueryPlan').implement({
  description: 'How the engine would run a query, without running it.',
  fields: (t) => ({
    reads: t.field({
      type: [PlannedRead],
      description: 'What it would read of tables whose parts the engine knows.',
      resolve: (plan) => [...plan.reads],
    }),
    steps: t.field({
      type: [PlanStep],
      description: 'The last step first.',
      resolve: (plan) => [...plan.steps],
    }),
  }),
});
