import { runLimits } from '../access/effective-limits.ts';
import { getProject } from '../access/get-project.ts';
import { type Principal, requireScope } from '../access/principal.ts';
import { prepareQuery } from '../endpoints/prepare-query.ts';
import { isMissingVariable, type QueryCheck, toQueryCheck } from '../endpoints/query-check.ts';
import { fillDefinitions } from '../endpoints/saved-variables/fill-definitions.ts';
import type { CompiledQuery } from '../query/compile-query.ts';
import { parseQueryDefinition } from '../query/query-definition.ts';
import type { RunDeps } from './deps.ts';
import type { PreparedRun } from './prepared-runs.ts';
import { requireNoVersion, type UnsavedRun } from './run-query.ts';
import { unsavedQuery } from './unsaved-query.ts';

/**
 * Checks a query, and the given inputs of its run, without running it. Throws as a run would, except for a variable
 * without a value.
 */
export async function checkQuery(
  deps: RunDeps,
  principal: Principal,
  { run, query }: Omit<UnsavedRun, 'caller'>,
): Promise<QueryCheck> {
  requireScope(principal, 'endpoint:write');
  const project = await getProject(deps, principal, run.call.projectId);
  requireNoVersion(run);
  const definition = await fillDefinitions(deps, project.id, parseQueryDefinition(query));
  const limits = runLimits(deps.serverLimits, project.limits, principal);
  const now = deps.clock.now();
  const planned = findPlan(
    () => run.plan(unsavedQuery(project, definition, now), limits, now).plan,
  );
  const prepared = await prepareQuery(deps, project.id, definition);
  return toQueryCheck(deps, project.id, { prepared, run: planned });
}

/** Null when a variable has no value. */
function findPlan(plan: () => ReturnType<PreparedRun['plan']>['plan']): CompiledQuery | null {
  try {
    const { sql, params } = plan();
    return { sql, params };
  } catch (error) {
    if (isMissingVariable(error)) return null;
    throw error;
  }
}
