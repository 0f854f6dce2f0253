export const executionOrders = ['newest', 'slowest'] as const;
/** `slowest`: longest duration first, running executions last. */
export type ExecutionOrder = (typeof executionOrders)[number];
