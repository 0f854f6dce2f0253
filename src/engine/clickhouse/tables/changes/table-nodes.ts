/** The engine's nodes as table changes see them: each one separately, identified in the journal by its name. */
import type { Log } from '../../../../lib/log.ts';
import type { NodeJournal } from '../../../../model/node-journal.ts';
import { unavailable } from '../../errors/failures.ts';
import { type EngineConnection, nameOfNode } from '../../http/connection.ts';
import { isFaultOfNode } from '../../http/failover.ts';
import { openEngineClient } from '../../http/http-client.ts';
import { type AdminSession, rowSettings } from '../../http/session.ts';

export interface TableNode extends AdminSession {
  readonly name: string;
  readonly url: string;
}

export interface TableNodes {
  readonly all: readonly TableNode[];
  readonly journal: NodeJournal;
  /** Responding nodes. */
  responding(): Promise<readonly TableNode[]>;
  /**
   * The responding nodes that have missed no table change, so their data is correct.
   *
   * @throws ServiceError `engine_unavailable` when there is none.
   */
  upToDate(): Promise<readonly [TableNode, ...TableNode[]]>;
  close(): void;
}

export interface Changing {
  readonly nodes: TableNodes;
  readonly log: Log;
}

/** Timeout of a node's health check, in milliseconds. */
const ANSWER_MS = 3000;

/** Null for a single-node or single-address engine. */
export function openTableNodes(connection: EngineConnection): TableNodes | null {
  const { nodes, journal } = connection;
  if (nodes === undefined || nodes.length < 2) return null;
  if (journal === undefined) throw new Error('an engine of several nodes has a journal');
  const all = [...nodes].sort().map(
    (url): TableNode => ({
      name: nameOfNode(connection, url),
      url,
      client: openEngineClient({ url }),
      connection,
    }),
  );
  const responding = async () => {
    const areResponding = await Promise.all(all.map(isResponding));
    return all.filter((_, at) => areResponding[at]);
  };
  return {
    all,
    journal,
    responding,
    async upToDate() {
      const found = await responding();
      const behind = new Set(await journal.behind());
      const [first, ...others] = found.filter(({ name }) => !behind.has(name));
      if (first !== undefined) return [first, ...others];
      throw unavailable('no responding node is up to date with the changes of tables');
    },
    close() {
      for (const { client } of all) client.close();
    },
  };
}

async function isResponding({ client, connection }: TableNode): Promise<boolean> {
  try {
    const settings = rowSettings;
    await client.send({ login: connection.admin, sql: 'SELECT 1', settings, timeoutMs: ANSWER_MS });
    return true;
  } catch (error) {
    return !isFaultOfNode(error);
  }
}
