/** Provisions projects' databases and users on every node of the engine. */
import type { QueryEngine } from '../../query-engine.ts';
import { asService } from '../errors/translate-error.ts';
import { onEachNode, onEveryNode } from '../http/each-node.ts';
import { dropDifferent } from '../tables/stored/drop-different.ts';
import { deprovisionProject, type ProvisionTarget, provisionProject } from './provision.ts';

/** Skips a node that is down; it is provisioned before it gets queries again. */
export function openProvisioning(
  target: ProvisionTarget,
): Pick<QueryEngine, 'provision' | 'deprovision'> {
  const { session } = target;
  const projects = new Set<number>();
  const { nodes } = session.client;
  nodes?.beforeReturn(async (isRestarted) => {
    for (const projectId of projects) await provisionProject(target, projectId);
    const node = nodes.chosen();
    if (node !== null) await dropDifferent(target, nodes, { node, isRestarted });
  });
  return {
    async provision(projectId) {
      projects.add(projectId);
      await onEachNode(session, () => asService(provisionProject(target, projectId)));
    },
    async deprovision(projectId) {
      projects.delete(projectId);
      await onEveryNode(session, () => asService(deprovisionProject(target, projectId)));
    },
  };
}
