import type { PlanCheck } from '../../endpoints/query-check.ts';
import type { SizeEstimate as Expected } from '../../materialization/estimate-size.ts';
import type { ExpectedGain as Gain } from '../../materialization/gain-advice.ts';
import { type Preview, previewMaterialization } from '../../materialization/preview.ts';
import { cancelSync, requestSync } from '../../materialization/request-sync.ts';
import type { TiedRows } from '../../materialization/ties/find-ties.ts';
import {
  type MaterializationPlan,
  type PlannedPredicate,
  tablesOf,
} from '../../model/materialization-plan.ts';
import { builder } from '../builder.ts';
import { loadStatus } from '../load-endpoint.ts';
import { versionArgs } from './arguments.ts';
import { MaterializationStatus } from './materialization-status.ts';

const ExpectedSize = builder.objectRef<Expected>('ExpectedSize').implement({
  description: 'Expected size of a stored table.',
  fields: (t) => ({
    rows: t.exposeFloat('rows', { description: 'Number of rows.' }),
    bytes: t.exposeFloat('bytes', {
      nullable: true,
      description: 'Uncompressed size in bytes; null if estimated from the source alone.',
    }),
    exact: t.exposeBoolean('isExact', {
      description: 'Whether the rows were counted; otherwise their number is an upper bound.',
    }),
  }),
});

const TiedRowsType = builder.objectRef<TiedRows>('TiedRows').implement({
  description:
    'Each ORDER BY that does not determine which rows LIMIT returns or a window function sees first.',
  fields: (t) => ({
    detail: t.exposeString('detail', {
      description: 'What is not determined, and how to determine it.',
    }),
    tieBreaker: t.exposeString('tieBreaker', {
      nullable: true,
      description:
        'Expressions to append to the first such ORDER BY; null if none determine the order.',
    }),
    query: t.exposeString('query', {
      nullable: true,
      description: 'The query with these expressions appended, as accepted by the engine.',
    }),
  }),
});

type Coarser = NonNullable<Gain['alternative']>;

const CoarserComparison = builder.objectRef<Coarser>('CoarserComparison').implement({
  description: 'A coarser expression to compare a variable with, which stores fewer rows.',
  fields: (t) => ({
    expression: t.exposeString('expression', { description: 'The coarser expression.' }),
    insteadOf: t.exposeString('insteadOf', { description: 'The expression in the query.' }),
    rows: t.exposeFloat('rows', { description: 'Number of rows that would be stored.' }),
    expectedGain: t.exposeFloat('expectedGain', {
      description: 'How many times as fast as inline a run would be.',
    }),
  }),
});

const ExpectedGainType = builder.objectRef<Gain>('ExpectedGain').implement({
  description: 'Expected gain of runs, measured with values from the data.',
  fields: (t) => ({
    sourceRows: t.exposeFloat('sourceRows', {
      nullable: true,
      description: 'Upper bound of the number of rows in the source tables; null if unknown.',
    }),
    inlineMs: t.exposeFloat('inlineMs', {
      description: 'Milliseconds that the query takes on the source data, in the engine.',
    }),
    expectedReadMs: t.exposeFloat('expectedReadMs', {
      description: 'Milliseconds that a read of the stored table is expected to take.',
    }),
    expectedGain: t.exposeFloat('expectedGain', {
      description: 'How many times as fast as inline a run would be.',
    }),
    advice: t.exposeString('advice', {
      nullable: true,
      description: 'What to change, or why to leave it inline; null if the gain is clear.',
    }),
    alternative: t.expose('alternative', {
      type: CoarserComparison,
      nullable: true,
      description: 'A comparison that would gain more; null if none was found or needed.',
    }),
  }),
});

const Predicate = builder.objectRef<PlannedPredicate>('MaterializedVariable').implement({
  description: 'How a variable filters the stored table.',
  fields: (t) => ({
    variable: t.exposeString('variable', { description: 'Name of the variable.' }),
    expression: t.exposeString('expression', {
      description: 'The expression that the variable is compared with.',
    }),
    operator: t.exposeString('operator', {
      description: 'The operator or function between the variable and the expression.',
    }),
    column: t.exposeString('column', {
      nullable: true,
      description: 'The stored column; null if the condition uses no columns.',
    }),
    condition: t.string({
      description: 'The whole condition, which each run evaluates over the stored columns.',
      resolve: (p) => p.condition ?? p.expression,
    }),
  }),
});

type Aggregate = MaterializationPlan['aggregates'][number];

const StoredAggregate = builder.objectRef<Aggregate>('StoredAggregate').implement({
  description: 'An aggregate that is stored as a state and merged by each run.',
  fields: (t) => ({
    expression: t.exposeString('expression', { description: 'The aggregate in the query.' }),
    stored: t.exposeString('stored', { description: 'The aggregate state that is stored.' }),
  }),
});

const storedQueriesOf = (plan: MaterializationPlan | null) =>
  plan === null
    ? null
    : tablesOf(plan)
        .map(({ storedQuery }) => storedQuery)
        .join(';\n');

const planOf = ({ planned }: PlanCheck) => (planned.kind === 'plan' ? planned.plan : null);

const MaterializationLayout = builder.interfaceRef<PlanCheck>('MaterializationLayout').implement({
  description: 'Whether and how a query can be materialized.',
  fields: (t) => ({
    canMaterialize: t.boolean({
      description: 'Whether it can be materialized.',
      resolve: (p) => p.reason === null,
    }),
    reason: t.string({
      nullable: true,
      description: 'Why it cannot be materialized; null if it can.',
      resolve: (p) => p.reason,
    }),
    storedQuery: t.string({
      nullable: true,
      description:
        'The query whose rows would be stored. If several tables would be stored, their queries are separated by semicolons.',
      resolve: (p) => storedQueriesOf(planOf(p)),
    }),
    readQuery: t.string({
      nullable: true,
      description: 'The query with which runs would read these rows.',
      resolve: (p) => planOf(p)?.readQuery ?? null,
    }),
    sortingKey: t.stringList({
      description: 'Columns by which the stored rows would be sorted.',
      resolve: (p) => planOf(p)?.sortingKey ?? [],
    }),
    variables: t.field({
      type: [Predicate],
      description: 'How the variables would filter the stored rows.',
      resolve: (p) => planOf(p)?.predicates ?? [],
    }),
    aggregates: t.field({
      type: [StoredAggregate],
      description: 'Aggregates that would be stored as states.',
      resolve: (p) => planOf(p)?.aggregates ?? [],
    }),
  }),
});

export const MaterializationCheck = builder.objectRef<PlanCheck>('MaterializationCheck').implement({
  description: 'Whether and how a query that is not saved could be materialized.',
  interfaces: [MaterializationLayout],
});

const MaterializationPreview = builder.objectRef<Preview>('MaterializationPreview').implement({
  description: 'The effect of materializing one version.',
  interfaces: [MaterializationLayout],
  fields: (t) => ({
    name: t.string({ description: 'Name of the endpoint.', resolve: (p) => p.endpoint.name }),
    version: t.int({ description: 'Number of the version.', resolve: (p) => p.version.version }),
    maxStoredRows: t.int({
      description:
        'Maximum number of rows in the stored table: the limit of the version, or the default of the server.',
      resolve: (p) => p.maxRows,
    }),
    tiedRows: t.field({
      type: TiedRowsType,
      nullable: true,
      description:
        'Each ORDER BY that does not determine which rows LIMIT returns or a window function sees first; null if there is none.',
      resolve: (p) => p.tiedRows,
    }),
    expected: t.field({
      type: ExpectedSize,
      nullable: true,
      description: 'Expected size of the stored table; null if it could not be determined in time.',
      resolve: (p) => p.expected,
    }),
    gain: t.field({
      type: ExpectedGainType,
      nullable: true,
      description: 'What runs are expected to gain; null if it could not be measured in time.',
      resolve: (p) => p.gain,
    }),
  }),
});

builder.queryFields((t) => ({
  materializationPreview: t.field({
    type: MaterializationPreview,
    nullable: true,
    description:
      'The effect of materializing one version, or why it cannot be materialized. Changes nothing.',
    args: versionArgs,
    resolve: async (_root, args, { deps, principal, signal }) =>
      previewMaterialization(deps, await principal(), { ...args, signal }),
  }),
}));

builder.mutationFields((t) => ({
  syncMaterialization: t.field({
    type: MaterializationStatus,
    description: 'Recomputes the stored table of one version now, whatever its cadence.',
    args: versionArgs,
    resolve: async (_root, args, context) => {
      const { deps, principal } = context;
      return loadStatus(context, await requestSync(deps, await principal(), args));
    },
  }),
  cancelSync: t.field({
    type: MaterializationStatus,
    description: 'Cancels the running sync of one version; the next one follows its cadence.',
    args: versionArgs,
    resolve: async (_root, args, context) => {
      const { deps, principal } = context;
      return loadStatus(context, await cancelSync(deps, await principal(), args));
    },
  }),
}));
