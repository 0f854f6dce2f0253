import type { AccessDeps } from '../deps.ts';
import { type Principal, requireProject } from '../principal.ts';

/** Counts one request that is no run for its key and, where the key may see it, for its project. Throws `throttled`. */
export async function takeRequest(
  deps: Pick<AccessDeps, 'rates'>,
  principal: Principal,
  projectId: string | null,
): Promise<void> {
  await deps.rates.take(principal, findProject(principal, projectId));
}

/** Null for a project that the key may not see: the use case refuses it, and its budget is left alone. */
function findProject(principal: Principal, projectId: string | null): number | null {
  if (projectId === null) return null;
  try {
    return requireProject(principal, projectId);
  } catch {
    return null;
  }
}
