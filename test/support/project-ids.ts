/**
 * Projects of the run's engine that are taken by their ids, by programs and by files that make the records of their projects themselves.
 * Those that are counted (take-project-ids.ts) stay below them.
 */
export const fixedProjectIds = {
  streamMemory: 1450,
  productionMode: 1451,
  trials: [1453, 1454, 1455, 1456, 1457],
  externalBackends: 1460,
  attach: 1470,
  refused: 1490,
} as const;

/** The last one that is counted. */
export const lastCountedProjectId = 1449;

/** The last one that has users in the run's engine. */
export const lastProjectId = 1500;
