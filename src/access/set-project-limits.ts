import { invalidInput, ServiceError } from '../errors/service-error.ts';
import type { Actor } from '../model/actor.ts';
import {
  type LimitInput,
  limitNames,
  parseLimits,
  type QueryLimits,
} from '../model/query-limits.ts';
import type { ProjectRecord } from '../store/project-store.ts';
import type { AccessDeps } from './deps.ts';

/**
 * Gives a project limits of its own: those that are named change, a null takes one back. The caller has been let in,
 * by an administrator's key or by sitting at the service's own machine. Runs that have begun go on as they are.
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
  const project = await deps.projects.findProject(projectId);
  if (project === null) throw noProject(projectId);
  const given = Object.fromEntries(named.map((name) => [name, change.limits[name]]));
  parseLimits(given, deps.serverLimits);
  const limits = parseStored({ ...project.limits, ...given }, deps.serverLimits);
  const changed = await deps.projects.setLimits(projectId, limits, change.by);
  if (changed === null) throw noProject(projectId);
  return changed;
}

/** What was given before may be above a setting that was lowered since; it is kept and means nothing. */
function parseStored(limits: LimitInput, server: QueryLimits) {
  const roomy = Object.fromEntries(
    limitNames.map((name) => [name, Math.max(server[name], limits[name] ?? 0)]),
  ) as unknown as QueryLimits;
  return parseLimits(limits, roomy);
}

function noProject(id: number): ServiceError {
  return new ServiceError('not_found', `There is no project ${id}.`, { attr: 'project_id' });
}
