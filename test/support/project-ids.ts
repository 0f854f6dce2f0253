/**
 * Projects of the run's engine that a file takes by their ids, since it makes the records of its projects by itself. Each file has
 * its own; `openTestApp` counts up from 1 and stays below them.
 */
export const fixedProjectIds = {
  streamMemory: 1450,
  productionMode: 1451,
  plans: 1452,
  trials: [1453, 1454, 1455, 1456, 1457],
  externalBackends: 1460,
  attach: 1470,
} as const;

/** The last one that `openTestApp` may take. */
export const lastCountedProjectId = 1449;

/** The last one that has users in the run's engine. */
export const lastProjectId = 1500;
