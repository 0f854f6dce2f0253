import type { Completing } from '../stored/complete-nodes.ts';
import { catchUp } from './catch-up.ts';
import { openTableNodes } from './table-nodes.ts';

/** Does nothing for an engine without a journal. */
export async function catchUpTables(
  { session, log, provision }: Completing,
  signal: AbortSignal | undefined,
): Promise<void> {
  const { nodes } = session.client;
  if (nodes === undefined || session.connection.journal === undefined) return;
  const tableNodes = openTableNodes(session.connection);
  if (tableNodes === null) return;
  try {
    await catchUp({
      nodes: tableNodes,
      log,
      signal,
      async provision({ url }, projectId) {
        const node = nodes.all.find((one) => one.url === url);
        if (node !== undefined) await nodes.on(node, () => provision(projectId));
      },
    });
  } finally {
    tableNodes.close();
  }
}
