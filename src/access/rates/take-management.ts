import type { AccessDeps } from '../deps.ts';
import { type Principal, requireProject } from '../principal.ts';

/** Takes one request that is no run from its key's budget and, where the key may see it, its project's. */
export async function takeManagement(
  deps: Pick<AccessDeps, 'rates'>,
  principal: Principal,
  projectId: string | null,
): Promise<void> {
  await deps.rates.take('management', principal, findProjectId(principal, projectId));
}

/** A project that the key may not see is the use case's to refuse, and nobody's budget. */
function findProjectId(principal: Principal, projectId: string | null): number | null {
  if (projectId === null) return null;
  try {
    return requireProject(principal, projectId);
  } catch {
    return null;
  }
}
