import type { AccessDeps } from '../deps.ts';
import { type Principal, requireProject } from '../principal.ts';

/**
 * Counts one request other than a run: for its key and, if the key may see the project, for the project. Throws
 * `throttled`.
 */
export async function takeRequest(
  deps: Pick<AccessDeps, 'rates'>,
  principal: Principal,
  projectId: string | null,
): Promise<void> {
  await deps.rates.take(principal, findProject(principal, projectId));
}

/**
 * Null for a project that the key may not see: the use case refuses the request, and it does not count against the
 * project's limit.
 */
function findProject(principal: Principal, projectId: string | null): number | null {
  if (projectId === null) return null;
  try {
    return requireProject(principal, projectId);
  } catch {
    return null;
  }
}
