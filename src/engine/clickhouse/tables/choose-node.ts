import type { EngineStatement } from '../../query-engine.ts';
import { checkStatement } from '../guard/check-statement.ts';
import type { Session } from '../http/session.ts';

/**
 * A node may lack a table, for example after its machine was replaced. A caller that wants one node for all requests
 * needs one that can read the statement. If none can, nothing is chosen, and the next request reports the problem.
 */
export async function chooseNode(session: Session, statement: EngineStatement): Promise<void> {
  const { nodes } = session.client;
  for (const node of nodes?.inTurn() ?? []) {
    try {
      await nodes?.on(node, () => checkStatement(session, statement, 'query_failed'));
      nodes?.choose(node);
      return;
    } catch {
      // Try the next node.
    }
  }
}
