import { type LimitOverrides, limitRules, type QueryLimits } from '../../domain/query-limits.ts';
import { builder } from '../builder.ts';

export const ProjectLimits = builder.objectRef<QueryLimits>('ProjectLimits').implement({
  description: 'What holds for the runs of a project: its own limits, else those of the server.',
  fields: (t) => ({
    executionSeconds: t.exposeFloat('executionSeconds', {
      description: limitRules.executionSeconds.what,
    }),
    memoryBytes: t.exposeFloat('memoryBytes', { description: limitRules.memoryBytes.what }),
    resultRows: t.exposeFloat('resultRows', { description: limitRules.resultRows.what }),
    resultBytes: t.exposeFloat('resultBytes', { description: limitRules.resultBytes.what }),
    concurrentQueries: t.exposeFloat('concurrentQueries', {
      description: limitRules.concurrentQueries.what,
    }),
    queuedQueries: t.exposeFloat('queuedQueries', {
      description: limitRules.queuedQueries.what,
    }),
  }),
});

/** A null is none of its own. */
export const OwnLimits = builder.objectRef<LimitOverrides>('OwnLimits').implement({
  description: 'Limits that a project or a key has of its own; a null is none.',
  fields: (t) => ({
    executionSeconds: t.float({
      nullable: true,
      description: limitRules.executionSeconds.what,
      resolve: (limits) => limits.executionSeconds ?? null,
    }),
    memoryBytes: t.float({
      nullable: true,
      description: limitRules.memoryBytes.what,
      resolve: (limits) => limits.memoryBytes ?? null,
    }),
    resultRows: t.float({
      nullable: true,
      description: limitRules.resultRows.what,
      resolve: (limits) => limits.resultRows ?? null,
    }),
    resultBytes: t.float({
      nullable: true,
      description: limitRules.resultBytes.what,
      resolve: (limits) => limits.resultBytes ?? null,
    }),
    concurrentQueries: t.float({
      nullable: true,
      description: limitRules.concurrentQueries.what,
      resolve: (limits) => limits.concurrentQueries ?? null,
    }),
    queuedQueries: t.float({
      nullable: true,
      description: limitRules.queuedQueries.what,
      resolve: (limits) => limits.queuedQueries ?? null,
    }),
  }),
});

export const LimitsInput = builder.inputType('LimitsInput', {
  description: 'Limits below those that hold without them.',
  fields: (t) => ({
    executionSeconds: t.float({ description: limitRules.executionSeconds.what }),
    memoryBytes: t.float({ description: limitRules.memoryBytes.what }),
    resultRows: t.float({ description: limitRules.resultRows.what }),
    resultBytes: t.float({ description: limitRules.resultBytes.what }),
    concurrentQueries: t.float({ description: limitRules.concurrentQueries.what }),
    queuedQueries: t.float({ description: limitRules.queuedQueries.what }),
  }),
});
