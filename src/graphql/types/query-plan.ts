import type {
  PlannedIndex as PlannedIndexFacts,
  PlannedRead as PlannedReadFacts,
  PlanStep as PlanStepFacts,
  QueryPlan as QueryPlanFacts,
} from '../../model/query-plan.ts';
import { builder } from '../builder.ts';

const PlannedRead = builder.objectRef<PlannedReadFacts>('PlannedRead').implement({
  description: 'What a query would read of one table.',
  fields: (t) => ({
    table: t.exposeString('table', { description: 'Name of the table.' }),
    rows: t.exposeFloat('rows', { description: 'Upper bound of the number of rows to read.' }),
    parts: t.exposeFloat('parts', { description: 'Parts of the table to read.' }),
    granules: t.exposeFloat('granules', {
      description:
        'Granules to read; a granule is the block of rows between two entries of the primary index.',
    }),
  }),
});

const PlannedIndex = builder.objectRef<PlannedIndexFacts>('PlannedIndex').implement({
  description: 'An index, and what has to be read after it is applied.',
  fields: (t) => ({
    kind: t.exposeString('kind', {
      description:
        'Kind of index: Min-Max, Partition, PrimaryKey, or Skip with the name of the index.',
    }),
    keys: t.stringList({
      description: 'Columns and expressions of the index.',
      resolve: (index) => [...index.keys],
    }),
    condition: t.exposeString('condition', {
      description:
        'The condition that the index evaluates; true if no condition of the query can use it.',
    }),
    parts: t.exposeFloat('parts', { description: 'Parts left after the index.' }),
    partsBefore: t.exposeFloat('partsBefore', { description: 'Of so many.' }),
    granules: t.exposeFloat('granules', { description: 'Granules left after the index.' }),
    granulesBefore: t.exposeFloat('granulesBefore', { description: 'Of so many.' }),
  }),
});

const PlanStep = builder.objectRef<PlanStepFacts>('PlanStep').implement({
  description: 'A step of a query plan.',
  fields: (t) => ({
    depth: t.exposeInt('depth', {
      description:
        'Depth in the plan: 0 for the last step. The steps that supply the rows of a step follow it, one level deeper.',
    }),
    name: t.exposeString('name', { description: 'Name of the step in the engine.' }),
    description: t.exposeString('description', {
      description: 'What the step does in the query; may be empty.',
    }),
    indexes: t.field({
      type: [PlannedIndex],
      description:
        'For a step that reads a table, its indexes in the order in which they are applied.',
      resolve: (step) => [...step.indexes],
    }),
  }),
});

export const QueryPlan = builder.objectRef<QueryPlanFacts>('QueryPlan').implement({
  description: 'How the engine would run a query, without running it.',
  fields: (t) => ({
    reads: t.field({
      type: [PlannedRead],
      description: 'What it would read from each table for which the engine gives an estimate.',
      resolve: (plan) => [...plan.reads],
    }),
    steps: t.field({
      type: [PlanStep],
      description: 'The steps of the plan, last step first.',
      resolve: (plan) => [...plan.steps],
    }),
  }),
});
