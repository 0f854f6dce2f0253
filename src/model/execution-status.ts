/** How an execution stands, for callers. */
export const executionStatuses = ['running', 'completed', 'failed'] as const;

export type ExecutionStatus = (typeof executionStatuses)[number];
