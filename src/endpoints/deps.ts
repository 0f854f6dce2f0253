import type { GraphFieldMemo } from '../cache/graph-field-memo.ts';
import type { ShapeMemo } from '../cache/shape-memo.ts';
import type { PlanResult } from '../model/materialization-plan.ts';
import type { ParsedQuery } from '../query/query-definition.ts';
import type { EndpointStore } from '../store/endpoint-store.ts';
import type { SavedVariableStore } from '../store/saved-variable-store.ts';
import type { TableDeps } from '../tables/deps.ts';

export interface EndpointDeps extends TableDeps {
  readonly endpoints: EndpointStore;
  readonly variables: SavedVariableStore;
  readonly eligibility: Eligibility;
  readonly shapes: ShapeMemo;
  readonly graphFields: GraphFieldMemo;
}

/** Whether a query can be materialized; implemented in materialization/. */
export interface Eligibility {
  /**
   * Throws engine errors when the engine is unreachable.
   *
   * @param columnsAlone to store columns of the tables alone; every expression is then computed by reads.
   */
  plan(projectId: number, query: ParsedQuery, columnsAlone?: boolean): Promise<PlanResult>;
  /** Throws `cannot_materialize` with the reason: no plan, or more rows than the version may store. */
  checkRowLimit(request: RowLimitCheck): Promise<void>;
}

interface RowLimitCheck {
  readonly projectId: number;
  readonly planned: PlanResult | undefined;
  /** The author's limit; null for the server's default. */
  readonly maxRows: number | null;
}
