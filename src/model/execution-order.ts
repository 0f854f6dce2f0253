export const executionOrders = ['newest', 'slowest'] as const;
/** `slowest`: those that took longest first, running ones last. */
export type ExecutionOrder = (typeof executionOrders)[number];
