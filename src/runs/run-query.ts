import { getProject } from '../access/get-project.ts';
import { type Principal, requireScope } from '../access/principal.ts';
import { fillDefinitions } from '../endpoints/saved-variables/fill-definitions.ts';
import { invalidInput } from '../errors/service-error.ts';
import type { Scope } from '../model/scope.ts';
import { parseQueryDefinition } from '../query/query-definition.ts';
import type { RunDeps } from './deps.ts';
import type { PreparedRun } from './prepared-runs.ts';
import { type RunCaller, runSelected, whileFound } from './run-endpoint.ts';
import type { RunResponse } from './run-response.ts';
import { withinRunSpan } from './trace-run.ts';
import { unsavedName, unsavedQuery } from './unsaved-query.ts';

export interface UnsavedRun {
  /** Named like all unsaved queries. */
  readonly run: PreparedRun;
  /** As the caller sent it. */
  readonly query: unknown;
  readonly caller: RunCaller;
}

/**
 * Runs a query once without saving it, through the pipeline of saved ones: the same guard, limits, rates and admission,
 * a recorded execution, and cancellation when the caller leaves. The result is not cached. Throws `invalid_query` for a
 * text that cannot be run.
 */
export async function runQuery(
  deps: RunDeps,
  principal: Principal,
  unsaved: UnsavedRun,
): Promise<RunResponse> {
  return runAs(deps, principal, { ...unsaved, scope: 'endpoint:write' });
}

/** The same for a text that the service wrote itself, on behalf of a caller that may only read. */
export async function readRows(
  deps: RunDeps,
  principal: Principal,
  unsaved: UnsavedRun,
): Promise<RunResponse> {
  return runAs(deps, principal, { ...unsaved, scope: 'endpoint:read' });
}

async function runAs(
  deps: RunDeps,
  principal: Principal,
  { run, query, caller, scope }: UnsavedRun & { readonly scope: Scope },
): Promise<RunResponse> {
  requireScope(principal, scope);
  if (run.call.name !== unsavedName) throw new Error('a saved endpoint is run by its name');
  const project = await getProject(deps, principal, run.call.projectId);
  requireNoVersion(run);
  const startedAt = deps.clock.now();
  const startedMs = deps.nowMs();
  const definition = await fillDefinitions(deps, project.id, parseQueryDefinition(query));
  const selected = unsavedQuery(project, definition, startedAt);
  const call = { run, principal, projectId: project.id, caller };
  const work = () =>
    whileFound(deps, call, (found) =>
      runSelected(deps, found, { selected, startedAt, startedMs, now: startedAt }),
    );
  const { tracer } = deps;
  return tracer === null
    ? work()
    : withinRunSpan(tracer, { call: run.call, projectId: project.id }, work);
}

export function requireNoVersion({ request }: PreparedRun): void {
  if (request.version === null) return;
  throw invalidInput('version', 'An unsaved query has no versions. Omit version.');
}
