/** Checks the rights of a bound project at every node that its queries go to. */
import { ServiceError } from '../../../errors/service-error.ts';
import type { ProjectBinding } from '../../../model/project-binding.ts';
import { type EngineConnection, isSameEngine } from '../http/connection.ts';
import type { UserLimits } from '../provision/project-users.ts';
import { type CheckedRight, checkBinding } from './check-binding.ts';

/**
 * A right is missing when it is missing at any node, which is then named.
 *
 * @param connection of the service, which a binding to one of its nodes uses as well.
 * @throws ServiceError `engine_unavailable` when an engine with one address does not respond.
 */
export async function checkNodes(
  binding: ProjectBinding,
  limits: UserLimits,
  connection: EngineConnection,
): Promise<readonly CheckedRight[]> {
  const { nodes = [] } = connection;
  if (nodes.length < 2 || !isSameEngine(binding.url, connection))
    return checkBinding(binding, limits);
  const found = new Map<string, CheckedRight>();
  for (const url of nodes) {
    for (const right of await checkNode({ ...binding, url }, limits)) {
      const key = `${right.user} ${right.right}`;
      const before = found.get(key);
      const here = right.missing === null ? [] : [`at ${url}: ${right.missing}`];
      const missing = [...(before?.missing == null ? [] : [before.missing]), ...here].join('; ');
      found.set(key, { ...right, missing: missing === '' ? null : missing });
    }
  }
  return [...found.values()];
}

async function checkNode(
  binding: ProjectBinding,
  limits: UserLimits,
): Promise<readonly CheckedRight[]> {
  try {
    return await checkBinding(binding, limits);
  } catch (error) {
    if (!(error instanceof ServiceError) || error.code !== 'engine_unavailable') throw error;
    const without = 'queries go to the other nodes, and it was not checked';
    return [{ user: 'reader', right: 'every node', missing: 'it does not respond', without }];
  }
}
