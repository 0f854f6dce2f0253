/** Status of an execution, as shown to callers. */
export const executionStatuses = ['running', 'completed', 'failed'] as const;

export type ExecutionStatus = (typeof executionStatuses)[number];
