import { OverrunError, withOrigin } from '../engine/execution-origin.ts';
import type { Column } from '../engine/query-engine.ts';
import type { PlanResult } from '../model/materialization-plan.ts';
import { compileSample } from '../query/compile-sample.ts';
import { type ParsedQuery, parseQuery, type QueryDefinition } from '../query/query-definition.ts';
import { listVariables, type Variable } from '../query/variables.ts';
import type { EndpointDeps } from './deps.ts';
import { fillDefinitions } from './saved-variables/fill-definitions.ts';

/** A query that the engine accepts, with its columns and variables. */
export interface PreparedQuery {
  readonly query: QueryDefinition;
  readonly columns: readonly Column[];
  readonly variables: readonly Variable[];
  /** Whether and how it can be materialized; undefined when planning failed. */
  readonly planned: PlanResult | undefined;
}

/**
 * Fills in saved variables, and has the engine check the text against the project's tables, with sample values for variables without a default, so that
 * only queries that can run are saved. Throws `invalid_query` or `invalid_input`.
 */
export async function prepareQuery(
  deps: EndpointDeps,
  projectId: number,
  given: QueryDefinition,
): Promise<PreparedQuery> {
  const query = await fillDefinitions(deps, projectId, given);
  const parsed = parseQuery(query);
  const compiled = compileSample(parsed);
  const origin = { projectId, text: parsed.definition.query, version: null };
  return withOrigin(origin, async () => {
    const columns = await deps.engine.describe({ projectId, ...compiled });
    const planned = await planQuietly(deps, projectId, parsed);
    return { query, columns, variables: listVariables(parsed), planned };
  });
}

/** Saving a query must not fail because its planning for materialization did. */
async function planQuietly(
  deps: EndpointDeps,
  projectId: number,
  query: ParsedQuery,
): Promise<PlanResult | undefined> {
  try {
    return await deps.eligibility.plan(projectId, query);
  } catch (error) {
    if (error instanceof OverrunError) throw error;
    deps.log.warn({ err: error, projectId }, 'a query could not be planned for materialization');
    return undefined;
  }
}
