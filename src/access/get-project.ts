import { ServiceError } from '../errors/service-error.ts';
import type { ProjectRecord } from '../store/project-store.ts';
import type { AccessDeps } from './deps.ts';
import { type Principal, requireProject, requireScope } from './principal.ts';

/** The project, if the key may see it. Throws `permission_denied`, or `not_found` for an administrator's key. */
export async function getProject(
  deps: AccessDeps,
  principal: Principal,
  projectId: string,
): Promise<ProjectRecord> {
  requireScope(principal, 'endpoint:read');
  const id = requireProject(principal, projectId);
  const project = await deps.projects.findProject(id);
  if (project !== null) return project;
  throw projectNotFound(id);
}

export function projectNotFound(id: number): ServiceError {
  return new ServiceError('not_found', `There is no project ${id}.`, { attr: 'project_id' });
}
