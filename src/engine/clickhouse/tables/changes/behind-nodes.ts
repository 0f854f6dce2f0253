/** Keeps requests away from nodes that have missed a table change. */
import type { EngineConnection } from '../../http/connection.ts';
import { nameOfNode } from '../../http/connection.ts';
import type { EngineNodes } from '../../http/engine-nodes.ts';

interface Followed {
  readonly connection: EngineConnection;
  readonly client: { readonly nodes?: EngineNodes };
}

/** Reads the journal; once it resolves, no request goes to a node that had missed a change when it was called. */
export type ReadBehind = () => Promise<void>;

export function openBehindNodes({ connection, client: { nodes } }: Followed): ReadBehind {
  const { journal } = connection;
  if (nodes === undefined || journal === undefined) return async () => undefined;
  let reads = 0;
  let known = 0;

  const read: ReadBehind = async () => {
    reads += 1;
    const own = reads;
    const behind = new Set(await journal.behind());
    // A later read has newer information.
    if (own < known) return;
    known = own;
    nodes.avoid(nodes.all.filter(({ url }) => behind.has(nameOfNode(connection, url))));
  };
  nodes.beforeReturn(read);
  return read;
}
