/** Keeps requests from nodes that have missed a change of a table. */
import type { EngineConnection } from '../../http/connection.ts';
import { nameOfNode } from '../../http/connection.ts';
import type { EngineNodes } from '../../http/engine-nodes.ts';

interface Followed {
  readonly connection: EngineConnection;
  readonly client: { readonly nodes?: EngineNodes };
}

/** Reads the journal, and resolves when no request goes to a node that had missed something when it was called. */
export type ReadBehind = () => Promise<void>;

export function openBehindNodes({ connection, client: { nodes } }: Followed): ReadBehind {
  const { journal } = connection;
  if (nodes === undefined || journal === undefined) return async () => undefined;
  let asked = 0;
  let known = 0;

  const read: ReadBehind = async () => {
    asked += 1;
    const own = asked;
    const behind = new Set(await journal.behind());
    // One that was asked later knows more.
    if (own < known) return;
    known = own;
    nodes.avoid(nodes.all.filter(({ url }) => behind.has(nameOfNode(connection, url))));
  };
  nodes.beforeReturn(read);
  return read;
}
