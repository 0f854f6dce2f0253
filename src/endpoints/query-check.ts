/** What is known about a query before it is saved or run. */
import type { ReadTable } from '../engine/engine-table.ts';
import { withOrigin } from '../engine/execution-origin.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { PlanResult } from '../model/materialization-plan.ts';
import type { QueryPlan } from '../model/query-plan.ts';
import { type CompiledQuery, compileQuery } from '../query/compile-query.ts';
import { compileSample } from '../query/compile-sample.ts';
import { parseQuery } from '../query/query-definition.ts';
import { bindVariables } from '../query/variables.ts';
import { tablesOf } from '../tables/read-tables.ts';
import { notPlanned } from './cannot-materialize.ts';
import type { EndpointDeps } from './deps.ts';
import type { PreparedQuery } from './prepare-query.ts';

export interface QueryCheck extends Pick<PreparedQuery, 'columns' | 'variables'> {
  /** The tables and columns that it reads. */
  readonly tables: readonly ReadTable[];
  /** Rows that the engine expects to read; null when it cannot estimate them, or a value is missing. */
  readonly estimatedRows: number | null;
  readonly materialization: PlanCheck;
  /** The query plan, requested from the engine on each call; null when a value is missing. */
  readonly explain: () => Promise<QueryPlan | null>;
}

/** Whether and how a query can be materialized. */
export interface PlanCheck {
  readonly planned: PlanResult;
  /** Why it cannot be; null when it can. */
  readonly reason: string | null;
}

/** @param run the query with a run's values, for the estimate; null uses the defaults of its variables. */
export async function toQueryCheck(
  deps: EndpointDeps,
  projectId: number,
  { prepared, run }: { readonly prepared: PreparedQuery; readonly run: CompiledQuery | null },
): Promise<QueryCheck> {
  const { query, columns, variables } = prepared;
  const origin = { projectId, text: query.query, version: null };
  return withOrigin(origin, async () => {
    const sample = compileSample(parseQuery(query));
    const tables = await deps.engine.tablesRead({ projectId, ...sample });
    const estimated = run ?? compileDefaults(prepared);
    const estimatedRows =
      estimated === null ? null : await estimate(deps, { projectId, tables, query: estimated });
    const explain = async () =>
      estimated === null
        ? null
        : withOrigin(origin, () => deps.engine.explain({ projectId, ...estimated }));
    const materialization = toPlanCheck(prepared);
    return { columns, variables, tables, estimatedRows, materialization, explain };
  });
}

function toPlanCheck({ planned = notPlanned }: PreparedQuery): PlanCheck {
  return { planned, reason: planned.kind === 'refusal' ? planned.reason : null };
}

/** Null when a variable has no default. */
function compileDefaults({ query }: PreparedQuery): CompiledQuery | null {
  const parsed = parseQuery(query);
  try {
    return compileQuery(parsed, bindVariables(parsed, {}, 'json'), null);
  } catch (error) {
    if (isMissingVariable(error)) return null;
    throw error;
  }
}

export function isMissingVariable(error: unknown): boolean {
  return error instanceof ServiceError && error.code === 'missing_variable';
}

/** Null when the engine does not respond, and for tables whose rows it does not count. */
async function estimate(
  deps: EndpointDeps,
  read: {
    readonly projectId: number;
    readonly tables: readonly ReadTable[];
    readonly query: CompiledQuery;
  },
): Promise<number | null> {
  const { projectId, tables, query } = read;
  const rows = await deps.engine.estimateRows({ projectId, ...query }).catch(() => null);
  const names = new Set(tables.map(({ name }) => name));
  const known = (await tablesOf(deps, projectId)).filter(({ name }) => names.has(name));
  if (known.some((table) => table.rows === null)) return null;
  // The engine estimates 0 when it uses only table metadata, and for tables without an estimate.
  return rows === 0 && known.some((table) => table.rows !== 0) ? null : rows;
}
