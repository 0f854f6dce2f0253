import type { VariableDefinition } from '../../query/variable-definition.ts';

/** What the planner is given of a version. */
export interface PlanRequest {
  readonly projectId: number;
  /** The text with its placeholders, as the author wrote it. */
  readonly sql: string;
  readonly definitions: ReadonlyMap<string, VariableDefinition>;
}
