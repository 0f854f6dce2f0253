import type { EngineStatement } from '../../query-engine.ts';
import { checkStatement } from '../guard/check-statement.ts';
import type { Session } from '../http/session.ts';

/**
 * A node may lack a table that others have, as one whose machine was replaced: whoever wants one node for all requests wants one that
 * can read the statement. Nothing is chosen where none can: what is wrong with it is then said by what is asked next.
 */
export async function chooseNode(session: Session, statement: EngineStatement): Promise<void> {
  const { nodes } = session.client;
  for (const node of nodes?.inTurn() ?? []) {
    try {
      await nodes?.on(node, () => checkStatement(session, statement, 'query_failed'));
      nodes?.choose(node);
      return;
    } catch {
      // the next one
    }
  }
}
