/** The nodes that the queries of a bound project go to, and its rights at each of them. */
import { ServiceError } from '../../../errors/service-error.ts';
import type { ProjectBinding } from '../../../model/project-binding.ts';
import { type EngineConnection, isSameEngine } from '../http/connection.ts';
import type { UserLimits } from '../provision/project-users.ts';
import { type CheckedRight, checkBinding, STILL_WORKS } from './check-binding.ts';

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
  const urls = nodesOf(binding, connection);
  if (urls.length < 2) return checkBinding(binding, limits);
  const found = new Map<string, CheckedRight>();
  for (const url of urls) {
    for (const right of await checkNode({ ...binding, url }, limits)) {
      const key = `${right.user} ${right.right}`;
      const missing = right.missing === null ? null : `at ${url}: ${right.missing}`;
      found.set(key, together(found.get(key), { ...right, missing }));
    }
  }
  return [...found.values()];
}

/** The addresses of the engines that the project uses. */
export function nodesOf(
  { url }: Pick<ProjectBinding, 'url'>,
  connection: EngineConnection,
): readonly string[] {
  const { nodes = [] } = connection;
  return isSameEngine(url, connection) && nodes.length > 1 ? nodes : [url];
}

/** What is missing at either, with what does not work then. */
function together(before: CheckedRight | undefined, here: CheckedRight): CheckedRight {
  if (before === undefined || before.missing === null) return here;
  if (here.missing === null) return before;
  const missing = `${before.missing}; ${here.missing}`;
  return { ...(before.without === STILL_WORKS ? here : before), missing };
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
