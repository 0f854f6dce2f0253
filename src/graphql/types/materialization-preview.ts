import type { PlanCheck } from '../../endpoints/query-check.ts';
import type { SizeEstimate as Expected } from '../../materialization/estimate-size.ts';
import { type Preview, previewMaterialization } from '../../materialization/preview.ts';
import { cancelSync, requestSync } from '../../materialization/request-sync.ts';
import type { MaterializationPlan, PlannedPredicate } from '../../model/materialization-plan.ts';
import { builder } from '../builder.ts';
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

const Predicate = builder.objectRef<PlannedPredicate>('MaterializedVariable').implement({
  description: 'How a variable filters the stored table.',
  fields: (t) => ({
    variable: t.exposeString('variable', { description: 'Name of the variable.' }),
    expression: t.exposeString('expression', {
      description: 'The expression that the variable is compared with.',
    }),
    operator: t.exposeString('operator', { description: 'The comparison operator.' }),
    column: t.exposeString('column', { description: 'The stored column.' }),
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
      description: 'The query whose rows would be stored.',
      resolve: (p) => planOf(p)?.storedQuery ?? null,
    }),
    readQuery: t.string({
      nullable: true,
      description: 'The query with which runs would read these rows.',
      resolve: (p) => planOf(p)?.readQuery ?? null,
    }),
    sortingKey: t.stringList({
      description: 'Columns that the stored rows would be sorted by.',
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
      description: 'Maximum number of rows: the limit of the version, or of the server.',
      resolve: (p) => p.maxRows,
    }),
    expected: t.field({
      type: ExpectedSize,
      nullable: true,
      description: 'Expected size of the stored table; null if it could not be determined in time.',
      resolve: (p) => p.expected,
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
    resolve: async (_root, args, { deps, prisma, principal }) => {
      const { version } = await requestSync(deps, await principal(), args);
      return prisma.materializationStatus.findUniqueOrThrow({ where: { versionId: version.id } });
    },
  }),
  cancelSync: t.field({
    type: MaterializationStatus,
    description: 'Cancels the running sync of one version; the next one follows its cadence.',
    args: versionArgs,
    resolve: async (_root, args, { deps, prisma, principal }) => {
      const { version } = await cancelSync(deps, await principal(), args);
      return prisma.materializationStatus.findUniqueOrThrow({ where: { versionId: version.id } });
    },
  }),
}));
