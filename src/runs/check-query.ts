import { runLimits } from '../access/effective-limits.ts';
import { getProject } from '../access/get-project.ts';
import { type Principal, requireScope } from '../access/principal.ts';
import { prepareQuery } from '../endpoints/prepare-query.ts';
import { isMissingVariable, type QueryCheck, toQueryCheck } from '../endpoints/query-check.ts';
import { fillDefinitions } from '../endpoints/saved-variables/fill-definitions.ts';
import type { CompiledQuery } from '../query/compile-query.ts';
import { parseQueryDefinition } from '../query/query-definition.ts';
import type { RunDeps } from './deps.ts';
import { fillRequested } from './fill-filters.ts';
import type { RunPlan } from './run-plan.ts';
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
  const selected = unsavedQuery(project, definition, now);
  const planned = await findPlan(async () => {
    const { request, call } = run;
    const { valueSource } = call;
    const filtered = { ...selected, request, valueSource, principal, limits, now };
    const count = async () => undefined;
    const filters =
      request.filtersOverride === null
        ? null
        : await fillRequested(deps, { ...filtered, signal: undefined, count });
    return run.plan(selected, limits, now, filters).plan;
  });
  const prepared = await prepareQuery(deps, project.id, definition);
  return toQueryCheck(deps, project.id, { prepared, run: planned });
}

/** Null when a variable has no value. */
async function findPlan(plan: () => Promise<RunPlan>): Promise<CompiledQuery | null> {
  try {
    const { sql, params } = await plan();
    return { sql, params };
  } catch (error) {
    if (isMissingVariable(error)) return null;
    throw error;
  }
}
