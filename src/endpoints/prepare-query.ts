import { OverrunError, withOrigin } from '../engine/execution-origin.ts';
import type { Column, EngineStatement } from '../engine/query-engine.ts';
import { ServiceError } from '../errors/service-error.ts';
import type { PlanResult } from '../model/materialization-plan.ts';
import { compileSample } from '../query/compile-sample.ts';
import { type ParsedQuery, parseQuery, type QueryDefinition } from '../query/query-definition.ts';
import { listVariables, type Variable } from '../query/variables.ts';
import { toWrittenPositions } from '../query/written-positions.ts';
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
 * Fills in saved variables, and has the engine check the text against the project's tables, with sample values for
 * variables without a default, so that only queries that can run are saved. Throws `invalid_query` or `invalid_input`.
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
    const columns = await describe(deps, { projectId, ...compiled }, parsed);
    const planned = await planQuietly(deps, projectId, parsed);
    return { query, columns, variables: listVariables(parsed), planned };
  });
}

/** Reports a fault at its line and column in the author's own text. */
async function describe(
  { engine }: EndpointDeps,
  statement: EngineStatement,
  query: ParsedQuery,
): Promise<readonly Column[]> {
  try {
    return await engine.describe(statement);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'invalid_query') throw error;
    const detail = toWrittenPositions(error.message, query, statement.sql);
    if (detail === error.message) throw error;
    const { attr, internal } = error;
    throw new ServiceError(error.code, detail, { attr, internal: internal ?? '', cause: error });
  }
}

/** Saving a query must not fail because planning its materialization did. */
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
