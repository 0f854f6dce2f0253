import type { GraphFieldMemo } from '../cache/graph-field-memo.ts';
import type { ShapeMemo } from '../cache/shape-memo.ts';
import type { MaterializationPlan, PlanResult } from '../model/materialization-plan.ts';
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
  /** The plan that stores columns of the tables alone; null if there is none that is known to have at most `limit` rows. */
  planWithin(query: SizedQuery, limit: number): Promise<MaterializationPlan | null>;
  /** Throws `cannot_materialize` with the reason: no plan, or each has more rows than the version may store. */
  checkRowLimit(request: RowLimitCheck): Promise<void>;
}

export interface SizedQuery {
  readonly projectId: number;
  readonly query: ParsedQuery;
  readonly signal?: AbortSignal | undefined;
}

interface RowLimitCheck extends SizedQuery {
  readonly planned: PlanResult | undefined;
  /** The author's limit; null for the server's default. */
  readonly maxRows: number | null;
}
