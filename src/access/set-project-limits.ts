import { invalidInput } from '../errors/service-error.ts';
import type { Actor } from '../model/actor.ts';
import {
  type LimitInput,
  limitNames,
  parseLimits,
  type QueryLimits,
} from '../model/query-limits.ts';
import type { ProjectRecord } from '../store/project-store.ts';
import { currentActor } from './current-actor.ts';
import type { AccessDeps } from './deps.ts';
import { projectNotFound } from './get-project.ts';
import { type Principal, requireProject, requireScope } from './principal.ts';

/** For administrators: `setProjectLimits` on behalf of a key. */
export async function limitProject(
  deps: AccessDeps,
  principal: Principal,
  call: { readonly projectId: string; readonly limits: LimitInput },
): Promise<ProjectRecord> {
  requireScope(principal, 'admin');
  const id = requireProject(principal, call.projectId);
  const by = currentActor(principal);
  const changed = await setProjectLimits(deps, id, { limits: call.limits, by });
  // Cached endpoints include their project's limits.
  deps.lookups.endpoints.clear();
  return changed;
}

/**
 * Sets a project's own limits: the given ones change, null removes one. Checks no permission: the caller has an
 * administrator's key, or command-line access to the service's machine. Runs that have begun are not affected.
 */
export async function setProjectLimits(
  deps: Pick<AccessDeps, 'projects'> & { readonly serverLimits: QueryLimits },
  projectId: number,
  change: { readonly limits: LimitInput; readonly by?: Actor | undefined },
): Promise<ProjectRecord> {
  const named = limitNames.filter((name) => change.limits[name] !== undefined);
  if (named.length === 0) {
    throw invalidInput('limits', `Name at least one limit of ${limitNames.join(', ')}.`);
  }
  const given = Object.fromEntries(named.map((name) => [name, change.limits[name]]));
  const changed = await deps.projects.setLimits({
    id: projectId,
    change(own) {
      parseLimits(given, deps.serverLimits);
      return parseStored({ ...own, ...given }, deps.serverLimits);
    },
    by: change.by,
  });
  if (changed === null) throw projectNotFound(projectId);
  return changed;
}

/** A stored limit may exceed a server setting that was lowered since: it stays stored and has no effect. */
function parseStored(limits: LimitInput, server: QueryLimits) {
  const roomy = Object.fromEntries(
    limitNames.map((name) => [name, Math.max(server[name], limits[name] ?? 0)]),
  ) as unknown as QueryLimits;
  return parseLimits(limits, roomy);
}
