/**
 * Projects of the run's engine that are taken by their ids, by programs and by files that make the records of their projects themselves.
 * Those that are counted (take-project-ids.ts) stay below them.
 */
export const fixedProjectIds = {
  streamMemory: 1550,
  productionMode: 1551,
  trials: [1553, 1554, 1555, 1556, 1557],
  externalBackends: 1560,
  attach: 1570,
  refused: 1590,
} as const;

/** The last one that is counted. */
export const lastCountedProjectId = 1549;

/** The last one that has users in the run's engine. */
export const lastProjectId = 1600;
