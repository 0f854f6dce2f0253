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

/**
 * The id alone, for lists, which are empty where there is no project. Reads the metadata database only for an
 * administrator's key: other keys have no projects but existing ones. Throws as `getProject` does.
 */
export async function requireExistingProject(
  { projects }: Pick<AccessDeps, 'projects'>,
  principal: Principal,
  projectId: string,
): Promise<number> {
  const id = requireProject(principal, projectId);
  if (principal.projectIds.includes(id)) return id;
  if ((await projects.findProject(id)) === null) throw projectNotFound(id);
  return id;
}

export function projectNotFound(id: number): ServiceError {
  return new ServiceError('not_found', `There is no project ${id}.`, { attr: 'project_id' });
}
